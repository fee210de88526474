// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

// Encoding and decoding of the records of a journal (SCHEMA.md). Internal to core/store.

/// CRC-32C of a record of format 1 and its number, so that omitted and repeated records are detected.
std::uint32_t journalChecksum(std::int64_t number, std::string_view text);

nlohmann::json runRecord(const std::string& id, const NewRun& run, std::int64_t nowMs);
nlohmann::json segmentRecord(std::int64_t number, const RunRecorder::SegmentStart& start, std::int64_t nowMs);
nlohmann::json checkpointRecord(const CheckpointRecord& record);

// Members of a record; defaults for missing members and those of another type.
std::string textIn(const nlohmann::json& record, const char* key);
std::int64_t numberIn(const nlohmann::json& record, const char* key);
bool flagIn(const nlohmann::json& record, const char* key);

/// Decode records; missing members and those of another type get defaults. checkpointFrom() fails with Corrupt unless
/// the file is in `checkpoints/` and the id is plain.
NewRun newRunFrom(const nlohmann::json& record);
/// Returns what the segment of a restarted run replaces; nullopt for other segments.
std::optional<NewRun> restartIn(const nlohmann::json& segment);
Result<CheckpointRecord> checkpointFrom(const nlohmann::json& record);

}  // namespace batchwise
