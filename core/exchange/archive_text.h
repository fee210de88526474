// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/recording/run_transfer.h"

namespace batchwise {

// Encoding of archive records as JSON and binary rows (ARCHIVE.md). Parsers treat input as untrusted: fields of a wrong
// type, length or range fail with Corrupt.

std::string archivedRun(const RunDetail& run);
Result<RunDetail> parseArchivedRun(std::string_view text);

std::string archivedCheckpoint(const CheckpointRecord& record);
/// Leaves the file name empty; the importer chooses it.
Result<CheckpointRecord> parseArchivedCheckpoint(std::string_view text);

std::string archivedSeries(const std::vector<std::string>& names);
Result<std::vector<std::string>> parseArchivedSeries(std::string_view text);

/// Returns an event as an element of the JSON array of an Events record.
std::string archivedEvent(const StoredEvent& event);
Result<std::vector<StoredEvent>> parseArchivedEvents(std::string_view text);

/// Appends a row: segment (i64), kind (u32), position (i64), count (u32), then series (u32) and value (f64) of each.
void appendArchivedRow(const TransferRow& row, std::vector<std::byte>& bytes);
/// Removes the first row from `bytes` and returns it.
Result<TransferRow> popArchivedRow(std::span<const std::byte>& bytes);

}  // namespace batchwise
