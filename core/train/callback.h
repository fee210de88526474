// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/train/step_result.h"

namespace batchwise {

class TrainLoop;

/// A concern of the training loop besides the steps. The loop, with the clocks counted at each event:
///
///   atStart                                   EvaluateEvery, CheckpointEvery
///   while the run is not finished
///     for each part of the global batch
///       rank 0 pauses or waits for storage, and the others for it   whilePaused: CheckpointEvery
///       micro-batches: forward, backward
///       sum of gradients over the ranks
///       ranks agree: out of memory? command? seconds? a wait?
///       beforeUpdate                          Guards
///       optimizer step
///       now = now.afterStep()                 counted: steps, sp, tok, sec, part
///       for steps whose figures have arrived (on a GPU, of 2 steps ago)
///         afterStep                           NanGuard, Guards, MetricsLog, CheckpointEvery
///         afterRow, after the last part       MetricsLog, Guards, FirstLossCheck
///     now = now.afterBatch(), .afterEpoch()   counted: ba, ep
///     batch growth, if due
///     afterBatch                              EvaluateEvery, then CheckpointEvery
///       afterEvaluation, by EvaluateEvery     Guards
///     commands and stops:  saveNow            CheckpointEvery
///   atEnd                                     CheckpointEvery, Guards
///
/// Every rank has the same callbacks in the same order, so that their collective operations match. An Error ends the
/// run as failed. Called from the rank's thread.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Called before the first step of a segment.
  virtual Result<void> atStart(TrainLoop&) { return {}; }
  /// Sets the limits of the next optimizer step. Requires the same values on all ranks.
  virtual void beforeUpdate(const TrainLoop&, StepLimits& /*limits*/) {}
  virtual Result<void> afterStep(TrainLoop&, const StepResult&) { return {}; }
  /// Called repeatedly while the run is paused; rank 0 only.
  virtual void whilePaused(TrainLoop&) {}
  virtual Result<void> afterRow(TrainLoop&, const MetricsRow&) { return {}; }
  virtual Result<void> afterEvaluation(TrainLoop&, const EvalResult&) { return {}; }
  /// `before`: the clocks at the start of the global batch that ended.
  virtual Result<void> afterBatch(TrainLoop&, const Timestamp& /*before*/) { return {}; }
  /// Called when the device of this rank is out of memory: frees memory that is not needed for training, waiting until
  /// it is free. Returns whether there was any since the last step.
  virtual bool freeDeviceMemory(TrainLoop&) { return false; }
  /// Takes a checkpoint now, for `reason`.
  virtual Result<void> saveNow(TrainLoop&, CheckpointReason) { return {}; }
  virtual Result<void> atEnd(TrainLoop&) { return {}; }
};

}  // namespace batchwise
