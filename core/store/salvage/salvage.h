// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/run_event.h"

namespace batchwise {

/// Called from the thread that works, with phases "searching for rows", "copying rows", "copying checkpoints".
using SalvageProgress = std::function<void(const PhaseProgress&)>;

/// What salvageWorkspace() brought over, and what it could not.
struct SalvageReport {
  std::map<std::string, std::int64_t>
      copied;                      ///< rows by table of SCHEMA.md; "checkpoint files" and "journals" besides
  std::vector<std::string> lost;   ///< a line each, at most 200 and then how many more
  std::vector<std::string> notes;  ///< what else is to be known
};

/// Copies every run, configuration, row, event and checkpoint of `source` (a workspace folder, or a `workspace.sqlite`)
/// that SQLite's own recovery can find (sqlite_recovery.h) into the new workspace `target`, row by row: the source may
/// be damaged or made by somebody else, so each row must have its checksum and is checked as if it were hostile. The
/// source is not written. Runs that said Running become Interrupted; of a run whose own row is lost, the figures are
/// kept under the id and the name that the indexes of the table repeat, or else under the name "salvaged-N". Checkpoint
/// files that hold what they promise are linked or copied, journals too. All of it is on the disk when this returns.
/// `target` must not exist or be empty; it is made in a hidden folder beside it (in it, if it is there) and renamed
/// once it is whole, so when this fails it is as before. What killed ones left there goes. Fails with NotFound, Config
/// (target), Corrupt or Unsupported (nothing can be read; another program's file; no `sqlite3`), DiskFull, Io, or
/// Stopped.
Result<SalvageReport> salvageWorkspace(const std::filesystem::path& source, const std::filesystem::path& target,
                                       const SalvageProgress& progress = {}, const std::stop_token& stop = {});

}  // namespace batchwise
