// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/records.h"

namespace batchwise {

/// A run as its journal tells it, on a host that must not open the database.
struct JournalRun {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< oldest first
  std::vector<SeriesPoint> losses;            ///< of the global batches that count, ascending
  std::int64_t records = 0, bytes = 0;        ///< up to where the file could be read
  std::vector<std::string> notes;             ///< what of it could not be read, with more behind it
};

/// Reads all of a journal; bounded memory per record. `isWriter`: the caller has locked it for writing. Fails with
/// NotFound, Io, or Corrupt (it does not begin with its run, its records contradict each other).
Result<JournalRun> readJournalRun(const std::filesystem::path& file, bool isWriter = false);

/// The journal in the workspace `folder` of the run with this id or name, or with "latest" of the newest. Fails with
/// NotFound.
Result<std::filesystem::path> findJournal(const std::filesystem::path& folder, std::string_view idOrName);

/// `runs/<id>.journal`.
std::filesystem::path journalFile(const std::filesystem::path& folder, const std::string& id);

/// All journals of the workspace `folder`, by name.
std::vector<std::filesystem::path> journalFiles(const std::filesystem::path& folder);

}  // namespace batchwise
