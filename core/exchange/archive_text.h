// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/recording/run_transfer.h"

namespace batchwise {

// The records of an archive as text and bytes (ARCHIVE.md). Reading takes nothing for granted: every field has the
// type, the length and the range that the store gives it, or the record is refused with Corrupt.

std::string archivedRun(const RunDetail& run);
Result<RunDetail> parseArchivedRun(std::string_view text);

std::string archivedCheckpoint(const CheckpointRecord& record);
/// Without a file name: that is for the one who takes it in.
Result<CheckpointRecord> parseArchivedCheckpoint(std::string_view text);

std::string archivedSeries(const std::vector<std::string>& names);
Result<std::vector<std::string>> parseArchivedSeries(std::string_view text);

/// An event as an element of the JSON array that is the content of a record.
std::string archivedEvent(const StoredEvent& event);
Result<std::vector<StoredEvent>> parseArchivedEvents(std::string_view text);

/// Appends a row: segment (i64), kind (u32), position (i64), values (u32), then series (u32) and value (f64) of each.
void appendArchivedRow(const TransferRow& row, std::vector<std::byte>& bytes);
/// Takes the next row off the front of `bytes`.
Result<TransferRow> takeArchivedRow(std::span<const std::byte>& bytes);

}  // namespace batchwise
