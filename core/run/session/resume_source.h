// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_state.h"
#include "core/run/launch/resume_changes.h"
#include "core/run/launch/run_store.h"
#include "core/run/session/run_facts.h"
#include "core/store/workspace.h"
#include "core/train/loop_state.h"

namespace batchwise {

/// A loaded checkpoint with its run.
struct RunCheckpoint {
  RunDetail run;
  CheckpointRecord record;
  CheckpointState state;
  LoopState loop;
  RunFacts facts;
  std::vector<Message> notes;  ///< checkpoints that were skipped, and why
};

/// Opens checkpoint `checkpoint` of a run, or if empty the newest good one: finite, readable, all hashes valid, and on
/// the current line of segments. Fails with NotFound, or with Corrupt if none is good or the given one is not finite.
Result<RunCheckpoint> openCheckpoint(const std::filesystem::path& workspace, const RunHistory& history,
                                     const std::string& checkpoint);
Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run, const std::string& checkpoint);

/// Opens the good checkpoint to roll back to from optimizer step `step`, by rollBackOrder(). Fails as openCheckpoint.
Result<RunCheckpoint> openCheckpointBefore(const std::filesystem::path& workspace, const RunHistory& history,
                                           std::int64_t step);

/// Opens the newest good checkpoint between two global batches, for a resume with --stretch. Fails as openCheckpoint,
/// or with Config if all were taken inside a global batch.
Result<RunCheckpoint> openCheckpointBetweenBatches(const std::filesystem::path& workspace, const RunHistory& history);

}  // namespace batchwise
