// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/database.h"
#include "core/store/records.h"
#include "core/store/score.h"

namespace batchwise {

// Finds and inserts the rows of a run. These functions run inside the caller's transaction and throw what SQLite
// throws.

/// Returns the row number of the run with this id. Fails with NotFound.
Result<std::int64_t> runNumber(SQLite::Database& database, std::string_view id);

/// Returns the row number of a run as Workspace::findRun() finds it.
Result<std::int64_t> findRunNumber(SQLite::Database& database, std::string_view idOrName);

/// Condition on rows of `run`: not one of the queue that has not begun to train.
inline constexpr const char* kHasBegun =
    "(queue_position IS NULL OR EXISTS (SELECT 1 FROM segment WHERE segment.run = run.number))";

/// Returns whether a run other than number `except` has this name.
bool isNameTaken(SQLite::Database& database, const std::string& name, std::int64_t except = 0);

/// Returns `wanted`, or if that name is taken, `wanted` with "-2", "-3", … appended.
std::string uniqueRunName(SQLite::Database& database, const std::string& wanted);

/// Inserts a run under its name (which checkRunName() accepts) or uniqueRunName() of it.
void insertRun(SQLite::Database& database, const NewRun& run, const std::string& id, std::int64_t nowMs);

/// Inserts derived values and reference levels of a run that has none yet.
void insertResolvedValues(SQLite::Database& database, std::int64_t run,
                          const std::map<std::string, std::string>& resolvedValues,
                          const std::map<std::string, double>& references);

/// Replaces the configuration and resolved values of a run that begins, or begins again.
void replaceLaunch(SQLite::Database& database, std::int64_t run, const NewRun& launch);

/// Replaces the tags of a run; skips empty and repeated ones.
void replaceTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags);

/// Returns the number of the segment that a run opens next.
std::int64_t nextSegment(SQLite::Database& database, std::int64_t run);

void insertSegment(SQLite::Database& database, std::int64_t run, const RunSegment& segment);

void insertEvent(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t wallMs,
                 const RunEvent& event);

/// Deletes the row of a checkpoint, if there is one.
void deleteCheckpointRow(SQLite::Database& database, std::string_view id);

/// Inserts the record of a checkpoint whose file has `record.bytes` bytes.
void insertCheckpoint(SQLite::Database& database, std::int64_t run, const CheckpointRecord& record);

/// Inserts a score of a run (nullopt: of a folder) with its predictions, in place of one with the same key. Fails with
/// Config as Workspace::addScores(), or with NotFound if the run has no such checkpoint.
Result<void> insertScore(SQLite::Database& database, std::optional<std::int64_t> run, const Score& score);

/// Deletes the scores of a checkpoint.
void deleteScores(SQLite::Database& database, std::int64_t run, std::string_view model);

/// Stores a setting of the workspace.
void putSetting(SQLite::Database& database, const std::string& key, const std::string& value);

}  // namespace batchwise
