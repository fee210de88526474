// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/records.h"
#include "core/store/score.h"

namespace batchwise {

/// A run as it enters a database: all but its metrics.
struct RunContent {
  RunDetail detail;                           ///< with an unused id and name
  std::vector<CheckpointRecord> checkpoints;  ///< with unused ids and files
  std::vector<StoredEvent> events;            ///< superseded ones too
  std::vector<Score> scores = {};             ///< with predictions; only those of `checkpoints` are copied
};

/// A connection and the name of its file, for messages.
struct NamedDatabase {
  SQLite::Database& database;
  const std::filesystem::path& file;
};

/// Inserts a run, and copies its metrics from the database `from`, where its number is `number`. Inside the caller's
/// transactions. `copied` is called with the bytes of metrics copied since its last call. Fails with Corrupt if
/// something of `from` is damaged or does not fit together, as databaseError() says, or as `copied` does.
Result<void> copyRun(const NamedDatabase& from, std::int64_t number, const RunContent& content,
                     const NamedDatabase& into, const std::function<Result<void>(std::int64_t bytes)>& copied);

}  // namespace batchwise
