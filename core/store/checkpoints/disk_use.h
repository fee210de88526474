// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/records.h"
#include "core/store/workspace.h"

namespace batchwise {

/// The checkpoints of a run on the disk.
struct RunDiskUse {
  RunSummary run;
  std::int64_t bytes = 0;
};

/// What a workspace folder holds, in bytes.
struct DiskUse {
  std::vector<RunDiskUse> runs;  ///< archived ones too, largest first
  std::int64_t checkpoints = 0;  ///< of all runs
  std::int64_t archived = 0;     ///< of these, of archived runs
  std::int64_t database = 0;     ///< metrics, events and settings of all runs
  std::int64_t cache = 0;        ///< tokenized text, which is made again when needed
  std::int64_t other = 0;        ///< backups, journals, texts, files that no record names
  std::int64_t total() const { return checkpoints + database + cache + other; }
};

/// Reads every file name of the folder.
Result<DiskUse> diskUse(const Workspace& workspace);

/// Returns what keeping only the best checkpoint of a run removes, oldest first: all but the best by
/// checkpoint.best_metric and pinned ones. Without a finite metric the one that a resume would use is the best. Empty
/// while the run trains.
Result<std::vector<CheckpointRecord>> checkpointsBesidesBest(const Workspace& workspace, const std::string& run);

}  // namespace batchwise
