// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Adds a checkpoint to a run whose weights are the mean of its last `count` checkpoints, with the clocks and moments
/// of the newest; it is pinned, and no resume or roll-back chooses it by itself. Returns its record. Fails with Config
/// if the run has fewer checkpoints (or `count` is below 2), NotFound, Corrupt, Io or DiskFull.
Result<CheckpointRecord> addAveragedCheckpoint(Workspace& workspace, const std::string& run, std::int64_t count);

}  // namespace batchwise
