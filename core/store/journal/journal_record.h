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

// The records of a journal as text and back; SCHEMA.md describes them. Internal to core/store.

/// CRC-32C of a record of format 1, bound to its number, so that none can be left out or doubled.
std::uint32_t journalChecksum(std::int64_t number, std::string_view text);

nlohmann::json runRecord(const std::string& id, const NewRun& run, std::int64_t nowMs);
nlohmann::json segmentRecord(std::int64_t number, const RunRecorder::SegmentStart& start, std::int64_t nowMs);
nlohmann::json checkpointRecord(const CheckpointRecord& record);

// Members of a record; anything that is missing or of another type is the default.
std::string textIn(const nlohmann::json& record, const char* key);
std::int64_t numberIn(const nlohmann::json& record, const char* key);
bool flagIn(const nlohmann::json& record, const char* key);

/// The other way round; what is missing or of another type is the default. The file of the checkpoint must lie below
/// `checkpoints/` and its id be plain: else Corrupt.
NewRun newRunFrom(const nlohmann::json& record);
/// What a segment of a run that starts again replaces; nothing for any other.
std::optional<NewRun> restartIn(const nlohmann::json& segment);
Result<CheckpointRecord> checkpointFrom(const nlohmann::json& record);

}  // namespace batchwise
