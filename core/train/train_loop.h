// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "core/config/time/run_length.h"
#include "core/dist/communicator.h"
#include "core/model/adamw.h"
#include "core/plan/plan.h"
#include "core/train/blocked_notice.h"
#include "core/train/callback.h"
#include "core/train/devices.h"
#include "core/train/gradient_parts.h"
#include "core/train/gradient_reducer.h"
#include "core/train/guard/hang_monitor.h"
#include "core/train/loop_state.h"
#include "core/train/step_stream.h"

namespace batchwise {

/// How often a wait between two steps looks whether it is over, or a command has come.
inline constexpr std::chrono::milliseconds kPollInterval{200};

/// The model of one rank with its optimizer.
struct Replica {
  EncoderModel model;
  AdamW optimizer;
};

/// Measures seconds of training: runs during steps, stopped during evaluation, checkpoints and pauses. Not thread-safe.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock) {}

  void start() { since_ = clock_.monotonicSec(); }
  void stop() {
    elapsed_ += clock_.monotonicSec() - since_;
    since_ = clock_.monotonicSec();
  }
  /// Returns the seconds since the last lap; keeps running.
  double lap() {
    stop();
    const double seconds = elapsed_;
    elapsed_ = 0;
    return seconds;
  }

 private:
  const Clock& clock_;
  double since_ = 0;
  double elapsed_ = 0;
};

/// How a run ended. Failed: stopped by a guard. An Error of run() is a failure, too.
struct LoopEnd {
  RunStatus status = RunStatus::Finished;
  std::string reason;
  FailureCause cause = FailureCause::Unknown;
  /// If set, the run continues with the weights of the last usable checkpoint before this step (counted from 1).
  std::optional<std::int64_t> rollBackBefore = {};
  bool planEnded = false;  ///< all of the plan was trained: the next stage follows, if there is one
};

/// Whether to take a checkpoint before an early end.
enum class StopKind { WithCheckpoint, WithoutCheckpoint };

/// Trains one rank: next step of the plan, gradients, reduction, optimizer, clocks, callbacks, commands (see
/// callback.h). All ranks run the same loop on the same plan. Not thread-safe.
class TrainLoop {
 public:
  struct Dependencies {
    Replica& replica;
    Communicator& ranks;
    EventSink& events;         ///< rank 0: the listeners; other ranks: a sink that ignores events
    CommandMailbox* commands;  ///< rank 0 only, else null
    const Clock& clock;
    std::vector<std::unique_ptr<Callback>> callbacks;
    NoiseScaleMode noise = NoiseScaleMode::Off;  ///< of the gradient
    double noiseHalfLife = 0;                    ///< in tokens; 0: chosen by the length of the run
    std::function<std::string()> blockedReason =
        {};                          ///< rank 0 only, else empty: why events cannot be stored or published now, or ""
    bool measureLogits = false;      ///< largest attention logit: one pass over the log-sums of each layer
    bool measureUpdates = false;     ///< update ratio: one pass over the moments per step
    HangMonitor* monitor = nullptr;  ///< rank 0 only, else null: is notified of the current section
    TimeReserve* timeReserve = nullptr;  ///< rank 0 only, else null: stops the run before its time limit
    bool lastStage = true;               ///< false: at the end of the plan the run continues with another one
    IntervalSet stopAt = {};             ///< launch.stop_at: at its first boundary the run ends as if the plan did
  };
  TrainLoop(Plan plan, TrainingData data, LoopState state, Dependencies deps);

  /// Runs to the end of the plan, a stop, or a failure. On an Error the other ranks have been notified.
  Result<LoopEnd> run();

  // For callbacks
  LoopState& state() { return state_; }
  const LoopState& state() const { return state_; }
  const Plan& plan() const { return plan_; }
  /// Returns the current step, from its first micro-batch on.
  const OptimizerStep& step() const { return step_->counts(); }
  Replica& replica() { return deps_.replica; }
  Communicator& ranks() { return deps_.ranks; }
  const Clock& clock() const { return deps_.clock; }
  /// Returns whether max_duration or launch.stop_at is reached; false within a global batch, which is always completed.
  bool planFinished() const {
    return state_.now.stepInBatch == 0 && (plan_.finished(state_.now) || deps_.stopAt.anyDue({}, state_.now, false));
  }
  /// Returns whether the run is at its end, not only the plan of a stage.
  bool runFinished() const { return deps_.lastStage && planFinished(); }
  /// Waits until the figures of all steps have arrived and the callbacks were notified.
  Result<void> flushReadback();
  /// Ends the run after the current step. Later calls are ignored. All ranks must call it at the same step.
  void stop(const LoopEnd& end, StopKind kind);
  /// Pauses before the next step until a command arrives. All ranks must call it at the same step.
  void pause() { pauseRequested_ = mayWait_ = true; }
  /// Lets the other ranks wait for rank 0 before the next step, outside of its sums: it may take long until then. All
  /// ranks must call it at the same step.
  void waitForRankZero() { mayWait_ = true; }
  /// Ends the loop without a checkpoint, to continue from one before step `badStep`. All ranks, as stop().
  void rollBack(const std::string& reason, FailureCause cause, std::int64_t badStep);
  /// Marks a run that reached its end as failed, because its result is not saved. From atEnd(); rank 0.
  void markFailed(const Error& why);
  /// Returns whether rollBack() was called: the current state is not worth saving.
  bool isRollingBack() const { return end_ && end_->rollBackBefore; }
  /// Notifies all callbacks.
  Result<void> notifyEvaluation(const EvalResult& result);
  void enter(RunSection section);
  /// Calls Callback::freeDeviceMemory() of all callbacks. Returns whether a retry may fit into memory now.
  bool freeDeviceMemory();
  /// Suspends hang detection: what follows may take any time.
  void suspend();
  TimeReserve* timeReserve() { return deps_.timeReserve; }
  /// Returns whether the user requested a stop that keeps the state. Always false on ranks other than 0.
  bool gracefulStopRequested() const { return deps_.commands != nullptr && isGracefulStop(*deps_.commands); }
  /// Returns whether the user requested an abort. Always false on ranks other than 0.
  bool abortRequested() const { return deps_.commands != nullptr && deps_.commands->abortRequested(); }
  /// Publishes a note, within afterStep() and afterRow() with the clocks of what these are told of.
  void note(NoteLevel level, const std::string& text, NoteKind kind = NoteKind::Other, std::optional<double> value = {},
            std::optional<double> reference = {});
  void publish(const RunEvent& event) { deps_.events.publish(event); }

 private:
  // What the ranks agree on at the end of each step, after the gradients are summed.
  struct StepConsensus {
    bool outOfMemory = false;
    RunCommand command = RunCommand::None;
    double seconds = 0;
    bool timeIsUp = false;
  };
  enum class Gradients { Complete, OutOfMemory };

  Result<LoopEnd> trainToEnd();
  Result<void> oneStep();
  Result<void> waitIfRankZeroDoes();
  Result<Gradients> accumulate();
  Result<Gradients> passAll();
  void passOne(const PlannedMicroBatch& micro);
  Result<StepConsensus> agreeOnStep(bool outOfMemory);
  Result<void> handleOutOfMemory(Gradients ownGradients);
  Result<void> shrinkMicrobatch();
  Result<void> update(const StepConsensus& consensus);
  void startNoise();
  void addNoise(const StepResult& step);
  void runOptimizer(const StepLimits& limits, DeviceFigures& figures);
  Result<void> endBatch();
  Result<void> growIfDue();
  Result<void> notifyCallbacks(const StepReadback::Arrived& arrived);
  Result<void> finishRow(const Timestamp& batchEnd);
  Result<void> executeCommand(const StepConsensus& consensus);
  void requeueCommand(RunCommand command);
  double trainedSec();
  bool timeIsUp();
  Result<void> saveNow(CheckpointReason reason);
  bool pauseCommanded() const;
  bool hasToWait() const;
  void pauseIfRequested();
  void waitForStorage();
  void restartStream();

  Plan plan_;
  const TrainingData data_;
  LoopState state_;
  Dependencies deps_;
  std::optional<StepStream> stream_;
  std::optional<std::int64_t> notedBound_;          // growth limit that was already noted
  std::shared_ptr<const PlannedStep> step_;         // the current one
  std::optional<GradientReducer> gradientReducer_;  // if there are several ranks
  std::vector<at::Tensor> summed_;                  // loss and noise: reduced over the ranks besides gradients
  at::Tensor lossSum_;                              // [], fp64
  at::Tensor largestLogits_;                        // [ranks], fp32: each rank fills its own element
  std::optional<GradientParts> parts_;              // if the noise scale is measured
  StepReadback readback_;
  std::optional<Timestamp> arrivedAt_;  // of the step, or the global batch it ends, that callbacks are told of
  Stopwatch stopwatch_;
  HostSyncs hostSyncs_{HostSyncs::enabledByEnvironment()};
  RunCommand pausedCommand_ =
      RunCommand::None;          // ended a pause, or arrived with a step that did not fit; still to be executed
  bool stopAfterBatch_ = false;  // the current global batch is the last one
  bool pauseRequested_ = false;  // before the next step
  bool mayWait_ = true;          // rank 0, before the next step; alike on all ranks
  double stallSeenSec_ = 0;      // stalled in steps that have been counted
  struct Poll {
    double sec = 0, stalledSec = 0;
  };
  std::optional<Poll> lastPoll_;  // of the time limit
  std::optional<LoopEnd> end_;
  StopKind endKind_ = StopKind::WithCheckpoint;
};

}  // namespace batchwise
