// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/events/run_event.h"
#include "core/train/batch_window.h"

namespace batchwise {

class TrainLoop;

/// One concern beside the steps themselves. The loop, with what is counted at each event:
///
///   atStart                                   CheckpointEvery
///   while the run is not finished
///     for each part of the global batch
///       micro-batches: forward, backward
///       one exchange between the ranks: out of memory? command? seconds
///       sum of gradients over the ranks
///       beforeUpdate                          Guards
///       optimiser step
///       now = now.afterStep()                 counted: steps, sp, tok, sec, part
///       for steps whose figures have arrived (on a GPU those of 2 steps ago)
///         afterStep                           NanGuard, Guards, MetricsLog, CheckpointEvery
///         afterRow, if it was a last part     MetricsLog, Guards, FirstLossCheck
///     now = now.afterBatch(), .afterEpoch()   counted: ba, ep
///     growth, if it is due
///     afterBatch                              EvaluateEvery, then CheckpointEvery
///       afterEvaluation, by EvaluateEvery     Guards
///     commands and stops:  saveNow            CheckpointEvery
///   atEnd                                     CheckpointEvery, Guards
///
/// Every rank has the same callbacks in the same order, so that what one does with all ranks happens on all of them. An
/// Error ends the run as failed. Called from the thread of the rank.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Before the first step of a segment.
  virtual Result<void> atStart(TrainLoop&) { return {}; }
  /// Sets what the optimiser step about to be made is held to; all ranks the same.
  virtual void beforeUpdate(const TrainLoop&, StepLimits& /*limits*/) {}
  virtual Result<void> afterStep(TrainLoop&, const StepResult&) { return {}; }
  /// Again and again while the run is paused; rank 0 only.
  virtual void whilePaused(TrainLoop&) {}
  virtual Result<void> afterRow(TrainLoop&, const MetricsRow&) { return {}; }
  virtual Result<void> afterEvaluation(TrainLoop&, const EvalResult&) { return {}; }
  /// `before`: the clocks at the start of the global batch that has just ended.
  virtual Result<void> afterBatch(TrainLoop&, const Timestamp& /*before*/) { return {}; }
  /// The device of this rank has no memory left: gives back what lies there beside the training, and waits for it.
  /// Returns whether there was anything since the last step.
  virtual bool clearDevice(TrainLoop&) { return false; }
  /// A checkpoint is wanted here and now, for `reason`.
  virtual Result<void> saveNow(TrainLoop&, const std::string& /*reason*/) { return {}; }
  virtual Result<void> atEnd(TrainLoop&) { return {}; }
};

}  // namespace batchwise
