// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/trackers/run_source.h"

namespace batchwise {

// Weights & Biases writes run-ID.wandb, offline or not: a log in blocks of 32 KiB as LevelDB has it, but with a header
// of 7 bytes and the CRC-32 of zlib, around Record messages. Sources: wandb/proto/wandb_internal.proto, and
// core/pkg/leveldb in its repository.

/// Returns the name and tags of such a run; no name if it is none, or they are not in its first `mostBytes`.
RunTitle wandbTitle(const std::filesystem::path& file, std::size_t mostBytes);
inline RunTitle wandbTitle(const std::filesystem::path& file) {
  return wandbTitle(file, 32 << 20);
}
/// Reads the numbers of the history, the settings, and how the run has ended.
std::unique_ptr<RunSource> wandbRun(const std::filesystem::path& file);

// In a file store of MLflow a run is a folder, mlruns/EXPERIMENT/RUN: meta.yaml, and a file for each parameter, tag and
// metric, that of a metric with lines "time value step".

inline constexpr const char* kMlflowMeta = "meta.yaml";
/// Returns the name of such a run; none for another folder, and for a run that was deleted in MLflow.
RunTitle mlflowTitle(const std::filesystem::path& folder);
std::unique_ptr<RunSource> mlflowRun(const std::filesystem::path& folder);

// A database has the runs of MLflow, or those of one project of Trackio. It is only read, also while they write.

struct DatabaseRuns {
  RunSourceKind kind = RunSourceKind::Mlflow;
  std::vector<std::pair<std::string, RunTitle>> runs = {};  ///< by their ids
};
/// Fails with Unsupported if it is a database of others, or none, or as the store does.
Result<DatabaseRuns> runsInDatabase(const std::filesystem::path& file);
/// Returns whether it has the tables of such a database; does not wait for locks.
bool holdsRuns(const std::filesystem::path& file);
bool isDatabaseFile(const std::filesystem::path& file);
/// `id`: as runsInDatabase() returns it.
std::unique_ptr<RunSource> databaseRun(RunSourceKind kind, const std::filesystem::path& file, const std::string& id);
/// Returns a state that changes with that of the file or of its WAL; 0 while it may change again unnoticed.
std::int64_t databaseState(const std::filesystem::path& file);

}  // namespace batchwise
