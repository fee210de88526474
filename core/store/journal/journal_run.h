// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"

namespace batchwise {

/// A run as read from its journal, for hosts that must not open the database.
struct JournalRun {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< oldest first
  std::vector<SeriesPoint> losses;            ///< of the global batches that are not superseded, ascending
  std::int64_t records = 0, bytes = 0;        ///< up to the end of the readable part
  std::vector<std::string> notes;             ///< unreadable parts followed by more records
};

/// Reads a whole journal with bounded memory per record. `isWriter`: the caller has locked it for writing. Fails with
/// NotFound, Io, or Corrupt (it does not start with its run, or its records contradict each other).
Result<JournalRun> readJournalRun(const std::filesystem::path& file, bool isWriter = false);

/// Returns the journal in the workspace `folder` of the run with this id or name, or of the newest run for "latest".
/// Fails with NotFound.
Result<std::filesystem::path> findJournal(const std::filesystem::path& folder, std::string_view idOrName);

}  // namespace batchwise
