// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/events/run_event.h"

namespace batchwise {

/// All clocks as a JSON object, 64-bit numbers exact.
std::string timestampText(const Timestamp& at);
/// Fails with Corrupt where a clock is missing, negative, above 2^62 or no number. "{}" is the start of a run.
Result<Timestamp> timestampFromText(std::string_view text);
/// Of clocks from elsewhere. Fails with Corrupt as timestampFromText().
Result<void> checkClocks(const Timestamp& at);

/// The clocks an event carries, if it does.
std::optional<Timestamp> timestampOf(const RunEvent& event);

/// The id of a run or checkpoint from elsewhere: letters, digits, '-' and '_', 1 to 64 of them, so that it may become
/// part of a file's name. Our own are newRecordId().
bool isPlainId(const std::string& text);

/// Of the name of a run, in bytes.
constexpr std::size_t kLongestRunName = 200;
/// "2026-11-21T13:59:04Z", UTC.
std::string isoTime(std::int64_t wallMs);

/// A name for a run: not empty, not "latest", at most kLongestRunName bytes, and a plain line (core/base/plain_text.h).
/// Fails with Config.
Result<void> checkRunName(std::string_view name);

/// "run-20261121-140502", in local time.
std::string runNameFromDate(std::int64_t wallMs);

}  // namespace batchwise
