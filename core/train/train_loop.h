// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/dist/communicator.h"
#include "core/events/run_command.h"
#include "core/events/run_event.h"
#include "core/guard/hang_monitor.h"
#include "core/guard/time_reserve.h"
#include "core/optim/adamw.h"
#include "core/train/callback.h"
#include "core/train/gradient_sums.h"
#include "core/train/host_syncs.h"
#include "core/train/loop_state.h"
#include "core/train/step_readback.h"
#include "core/train/step_stream.h"
#include "core/train/stop_words.h"
#include "core/train/stopwatch.h"

namespace batchwise {

/// The model of one rank with its optimiser.
struct Replica {
  BertModel model;
  AdamW optimizer;
};

/// How a run ended. Failed: a guard stopped it; an Error of run() is a failure too.
struct LoopEnd {
  RunStatus status = RunStatus::Finished;
  std::string reason;
  /// Set: the run is to go on with the weights of the last good checkpoint before this step (counted from 1).
  std::optional<std::int64_t> rollBackBefore = {};
};

/// Whether an early end takes a checkpoint first.
enum class StopKind { WithCheckpoint, WithoutCheckpoint };

/// Trains one rank: next step of the plan, gradients, reduction, optimiser, clocks, callbacks, commands (see
/// callback.h). All ranks run the same loop on the same plan. Everything is handed in; one thread.
class TrainLoop {
 public:
  struct Surroundings {
    Replica& replica;
    Communicator& ranks;
    EventSink& events;         ///< rank 0: whoever listens; the others: nobody
    CommandMailbox* commands;  ///< rank 0 only, else null
    const Clock& clock;
    std::vector<std::unique_ptr<Callback>> callbacks;
    bool measureNoise = false;                   ///< of the gradient: costs one norm per step
    std::function<std::string()> mustRest = {};  ///< rank 0 only, else empty: why no more can be stored or told now
    bool measureLogits = false;                  ///< the largest of attention: one pass over the log-sums of each layer
    bool measureUpdates = false;                 ///< the update ratio: one pass over the moments per step
    HangMonitor* monitor = nullptr;              ///< rank 0 only, else null: told where the run is
    TimeReserve* timeReserve = nullptr;          ///< rank 0 only, else null: stops the run in time
  };
  TrainLoop(Plan plan, TrainingData data, LoopState state, Surroundings around);

  /// To the end of the plan, a stop, or a failure. Of an Error the other ranks have been told.
  Result<LoopEnd> run();

  // For callbacks.
  LoopState& state() { return state_; }
  const LoopState& state() const { return state_; }
  const Plan& plan() const { return plan_; }
  Replica& replica() { return around_.replica; }
  Communicator& ranks() { return around_.ranks; }
  const Clock& clock() const { return around_.clock; }
  /// max_duration has been reached; asked between two global batches only, a begun one is trained to its end.
  bool planFinished() const { return state_.now.partInBatch == 0 && plan_.finished(state_.now); }
  /// Waits until the figures of all steps done have arrived and been told to the callbacks.
  Result<void> settle();
  /// Ends the run after the running step. The first call counts. Every rank must come to it at the same step.
  void stop(const LoopEnd& end, StopKind kind);
  /// Before the next step the run waits for a person. Every rank must come to it at the same step.
  void pause() { pauseWanted_ = true; }
  /// Ends the loop without a checkpoint, to go on from one before step `badStep`. As stop().
  void rollBack(const std::string& reason, std::int64_t badStep);
  /// A run that has come to its end has failed after all, as what it amounts to is not safe. From atEnd(); rank 0.
  void failEnd(const std::string& why);
  /// A checkpoint has been asked to go on from: what is in memory now is not worth keeping.
  bool rollsBack() const { return end_ && end_->rollBackBefore; }
  /// Tells all callbacks.
  Result<void> tellEvaluation(const EvalResult& result);
  void enter(RunSection section);
  /// Callback::clearDevice() of all: true if what did not fit before may fit now.
  bool clearDevice();
  /// What follows takes as long as it takes.
  void rest();
  TimeReserve* timeReserve() { return around_.timeReserve; }
  /// A person wants the run to end, and still to keep what it has done; only rank 0 knows.
  bool endsKeeping() const { return around_.commands != nullptr && wantsEndKeeping(*around_.commands); }
  /// A person wants the run to end, whatever is lost; only rank 0 knows.
  bool endsWithoutKeeping() const { return around_.commands != nullptr && around_.commands->abortWanted(); }
  void note(NoteLevel level, const std::string& text);
  void publish(const RunEvent& event) { around_.events.publish(event); }

 private:
  // What the ranks tell each other before the gradients are summed.
  struct StepWord {
    bool outOfMemory = false;
    RunCommand command = RunCommand::None;
    double seconds = 0;
    bool timeIsUp = false;
  };
  enum class Gradients { Complete, OutOfMemory };

  Result<LoopEnd> runUnguarded();
  Result<void> oneStep();
  Result<Gradients> accumulate();
  Result<Gradients> passAll();
  void passOne(const PlannedMicroBatch& micro);
  void measureSmallGradient(const MicroBatch& batch);
  Result<StepWord> exchangeWord(bool outOfMemory);
  Result<void> makeRoom(Gradients ownGradients);
  Result<void> shrinkMicrobatch();
  Result<void> update(const StepWord& word);
  void optimise(const StepLimits& limits, DeviceFigures& figures);
  Result<void> endBatch();
  Result<void> growIfDue();
  Result<void> tellCallbacks(const StepReadback::Arrived& arrived);
  Result<void> finishRow(const Timestamp& batchEnd);
  Result<void> obey(const StepWord& word);
  void handBack(RunCommand command);
  double trainedSec();
  double standstillSince(double& seenSec);
  bool timeIsUp();
  Result<void> saveNow(const std::string& reason);
  void pauseIfAsked();
  void restIfNeeded();
  void restartStream();

  Plan plan_;
  const TrainingData data_;
  LoopState state_;
  Surroundings around_;
  std::optional<StepStream> stream_;
  std::optional<std::int64_t> boundTold_;     // the size of growth that was told to be the largest
  std::shared_ptr<const PlannedStep> step_;   // the one whose gradients are being made
  std::optional<GradientSums> gradientSums_;  // of several ranks
  std::vector<at::Tensor> summed_;            // loss and noise sums: what is added up over the ranks beside gradients
  at::Tensor lossSum_;                        // [], fp64
  at::Tensor largestLogits_;                  // [ranks], fp32: each rank fills its own place
  at::Tensor noiseSums_;                      // [3], fp64: see DeviceFigures
  StepReadback readback_;
  Stopwatch watch_;
  HostSyncs hostSyncs_{HostSyncs::wantedByEnvironment()};
  RunCommand pausedCommand_ =
      RunCommand::None;              // ended a pause, or met a step that did not fit, and is still to be obeyed
  bool stopAfterBatch_ = false;      // the running global batch is the last one
  bool pauseWanted_ = false;         // before the next step
  double seenByStepSec_ = 0;         // of the standstills that the monitor knows
  double seenByReserveSec_ = 0;      // the same
  std::optional<double> lookedSec_;  // at the clock, for the time limit
  std::optional<LoopEnd> end_;
  StopKind endKind_ = StopKind::WithCheckpoint;
};

}  // namespace batchwise
