// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/train_config.h"
#include "core/run/launch/run_intervals.h"
#include "core/store/run_recorder.h"

namespace batchwise {

/// Removes what the group `checkpoint` of the configuration does not keep of the run's checkpoints. `intervals`: those
/// that were resolved for the run. Fails as RunRecorder::removeCheckpoint.
Result<void> removeOldCheckpoints(RunRecorder& recorder, const CheckpointConfig& wanted, const RunIntervals& intervals);

}  // namespace batchwise
