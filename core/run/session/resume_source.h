// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_state.h"
#include "core/run/launch/resume_changes.h"
#include "core/run/launch/run_home.h"
#include "core/run/session/run_facts.h"
#include "core/store/workspace.h"
#include "core/train/loop_state.h"

namespace batchwise {

/// A checkpoint that has been read, with the run it belongs to.
struct RunCheckpoint {
  RunDetail run;
  CheckpointRecord record;
  CheckpointState state;
  LoopState loop;
  RunFacts facts;
  std::vector<std::string> notes;  ///< checkpoints passed over, and why
};

/// The checkpoint `checkpoint` of a run, or if that is empty the newest good one: finite, readable, every hash right,
/// and on the line of segments that led to the present. Fails with NotFound, or Corrupt if none is good or the one
/// asked for is not finite.
Result<RunCheckpoint> openCheckpoint(const std::filesystem::path& workspace, const RunHistory& history,
                                     const std::string& checkpoint);
Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run, const std::string& checkpoint);

/// The good one that a run goes back to from optimizer step `step`, by rollBackOrder(). Fails as openCheckpoint.
Result<RunCheckpoint> openCheckpointBefore(const std::filesystem::path& workspace, const RunHistory& history,
                                           std::int64_t step);

/// The newest good one that was taken between two global batches, for a resume that resolves the schedule anew. Fails
/// as openCheckpoint, or with Config if all were taken inside one.
Result<RunCheckpoint> openCheckpointBetweenBatches(const std::filesystem::path& workspace, const RunHistory& history);

}  // namespace batchwise
