// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/config/train_config.h"
#include "core/run/launch/run_intervals.h"
#include "core/store/run_recorder.h"

namespace batchwise {

/// Removes what the group `checkpoint` of the configuration does not keep of the run's checkpoints. `intervals`: those
/// that were resolved for the run. `rollBackTarget`: the checkpoint that a guard would take the run back to from the
/// start of the segment ("": none yet; nullopt: no guard does that). It stays until the segment has a scheduled one of
/// its own, which then stays: checkpoints taken for other reasons push neither out. Fails as
/// RunRecorder::removeCheckpoint.
Result<void> removeOldCheckpoints(RunRecorder& recorder, const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget);

}  // namespace batchwise
