// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/config/train_config.h"
#include "core/run/launch/run_intervals.h"
#include "core/store/run_recorder.h"

namespace batchwise {

/// Removes the run's checkpoints that the `checkpoint` section does not keep. `intervals`: as resolved for the run.
/// `rollBackTarget`: the checkpoint that a guard would roll back to at the start of the segment ("": none yet; nullopt:
/// no guard rolls back). It is kept until the segment has a scheduled checkpoint, which is then kept instead;
/// checkpoints taken for other reasons replace neither. Fails as RunRecorder::removeCheckpoint.
Result<void> removeOldCheckpoints(RunRecorder& recorder, const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget);

}  // namespace batchwise
