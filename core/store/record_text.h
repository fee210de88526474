// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/events/run_event.h"

namespace batchwise {

/// Returns all clocks as a JSON object; 64-bit numbers are exact.
std::string timestampText(const Timestamp& at);
/// Fails with Corrupt if a clock is missing, negative, above 2^62 or not a number. "{}" is the start of a run.
Result<Timestamp> timestampFromText(std::string_view text);
/// Fails with Corrupt as timestampFromText().
Result<void> checkClocks(const Timestamp& at);

/// Returns the clocks of an event; nullopt for PhaseProgress, which has none.
std::optional<Timestamp> timestampOf(const RunEvent& event);

/// Returns whether `text` has 1 to 64 letters, digits, '-' and '_': ids of imported runs and checkpoints become part of
/// file names.
bool isPlainId(const std::string& text);

/// In bytes.
constexpr std::size_t kMaxRunNameBytes = 200;
constexpr std::size_t kMaxRunTagBytes = 200;
constexpr std::size_t kMaxRunTextBytes = 4 << 20;  ///< of a note or a configuration

/// Returns whether text contains control characters (ASCII) other than line ends and tabs.
bool hasControlCharacters(std::string_view text);

/// Returns `text` without what hasControlCharacters() finds, ill-formed UTF-8 as U+FFFD, cut to at most `longestBytes`
/// at the end of a character.
std::string withoutControlCharacters(std::string_view text, std::size_t longestBytes);

enum class TimeZone { Utc, Local };

/// Formats like "2026-11-21T13:59:04Z"; without Z in local time.
std::string isoTime(std::int64_t wallMs, TimeZone zone = TimeZone::Utc);

/// Fails with Config if `name` is empty, "latest", longer than kMaxRunNameBytes, or not a plain line
/// (core/base/plain_text.h).
Result<void> checkRunName(std::string_view name);

/// Returns `wanted`, or if that name is taken, `wanted` with "-2", "-3", … appended, shortened to kMaxRunNameBytes.
std::string freeRunName(const std::string& wanted, const std::function<bool(const std::string&)>& isTaken);

/// Formats like "run-20261121-140502", in local time.
std::string runNameFromDate(std::int64_t wallMs);

}  // namespace batchwise
