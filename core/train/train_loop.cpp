// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/train_loop.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/ScopeExit.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <thread>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/model/device_error.h"
#include "core/store/checkpoints/checkpoint_selection.h"

namespace batchwise {

TrainLoop::TrainLoop(Plan plan, TrainingData data, LoopState state, Dependencies deps)
    : plan_(std::move(plan)),
      data_(std::move(data)),
      state_(std::move(state)),
      deps_(std::move(deps)),
      readback_(deps_.replica.model.device()),
      stopwatch_(deps_.clock) {}

Result<LoopEnd> TrainLoop::run() {
  Result<LoopEnd> end = Error::internal("the training loop did not run");
  try {
    end = trainToEnd();
  } catch (const std::exception&) {
    end = caughtError("training");
  }
  if (!end.ok()) deps_.ranks.abandon(end.error());
  return end;
}

Result<LoopEnd> TrainLoop::trainToEnd() {
  const c10::Device device = deps_.replica.model.device();
  const c10::OptionalDeviceGuard onDevice(device.is_cpu() ? std::nullopt : std::optional(device));
  if (deps_.ranks.size() > 1)
    gradientReducer_.emplace(deps_.replica.model, deps_.ranks, GradientReducer::bucketBytesFor(deps_.replica.model));
  lossSum_ = torch::zeros({}, torch::TensorOptions(torch::kDouble).device(device));
  summed_.push_back(lossSum_);
  startNoise();
  largestLogits_ = torch::zeros({deps_.ranks.size()}, lossSum_.options().dtype(torch::kFloat));
  if (deps_.measureLogits) summed_.push_back(largestLogits_);
  restartStream();
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->atStart(*this));
  // Growth is not due at the end of a plan; it is due when the run resumes there with a longer one.
  if (state_.now.stepInBatch == 0) RETURN_IF_ERROR(growIfDue());
  const bool wasAtEnd = planFinished() && state_.batchStart.batch == state_.now.batch;
  // Else a guard has rolled back the last global batch: see endBatch().
  if (planFinished() && !wasAtEnd) {
    state_.batchStart = state_.now;
    RETURN_IF_ERROR(endBatch());
  }
  if (deps_.monitor != nullptr) stallSeenSec_ = deps_.monitor->stalledInStepsSec();  // in earlier segments
  stopwatch_.start();
  while (!end_ && !planFinished()) RETURN_IF_ERROR(oneStep());
  stopwatch_.stop();
  RETURN_IF_ERROR(flushReadback());
  if (const auto counted = hostSyncs_.text()) note(NoteLevel::Info, *counted);
  if (isRollingBack() && stopAfterBatch_) requeueCommand(RunCommand::StopAfterBatch);
  if (!end_ && !deps_.lastStage && pauseRequested_) requeueCommand(RunCommand::Pause);
  if (end_ && endKind_ == StopKind::WithCheckpoint)
    RETURN_IF_ERROR(saveNow(end_->status == RunStatus::Stopped ? CheckpointReason::Stop : CheckpointReason::Guard));
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->atEnd(*this));
  const char* const reason = plan_.finished(state_.now) ? "reached its planned length"
                             : wasAtEnd
                                 ? "had already reached launch.stop_at; a resume with a later place, or none, goes on"
                                 : "reached launch.stop_at";
  return end_.value_or(LoopEnd{.reason = reason, .planEnded = true});
}

void TrainLoop::markFailed(const Error& why) {
  const FailureCause before = end_ ? end_->cause : FailureCause::Unknown;
  FailureCause cause = before;
  if (before == FailureCause::Unknown && why.code == ErrorCode::DiskFull) cause = FailureCause::DiskFull;
  if (before == FailureCause::Unknown && why.code == ErrorCode::Corrupt) cause = FailureCause::DamagedCheckpoint;
  end_ = LoopEnd{RunStatus::Failed, end_ ? followedByText(end_->reason, why.text()) : why.text(), cause};
}

Result<void> TrainLoop::oneStep() {
  RETURN_IF_ERROR(waitIfRankZeroDoes());
  enter(RunSection::Step);
  std::optional<HostSyncs::Step> counted = hostSyncs_.countStep();
  ASSIGN_OR_RETURN(const auto gradients, accumulate());
  ASSIGN_OR_RETURN(const auto consensus, agreeOnStep(gradients == Gradients::OutOfMemory));
  if (consensus.outOfMemory) {
    pausedCommand_ = consensus.command;  // executed after the step that fits
    return handleOutOfMemory(gradients);
  }
  RETURN_IF_ERROR(update(consensus));
  while (const auto arrived = readback_.takeDue()) RETURN_IF_ERROR(notifyCallbacks(*arrived));
  counted.reset();
  stopwatch_.stop();
  if (step_->endsBatch()) RETURN_IF_ERROR(endBatch());
  RETURN_IF_ERROR(executeCommand(consensus));
  if (stopAfterBatch_ && step_->endsBatch() && !runFinished())
    stop({RunStatus::Stopped, "at the user's request after the global batch"}, StopKind::WithCheckpoint);
  stopwatch_.start();
  return {};
}

// Rank 0 may wait for a person, for space or for a checkpoint. In a sum of gradients, the devices of the others would
// be busy all that time.
Result<void> TrainLoop::waitIfRankZeroDoes() {
  const bool waits = std::exchange(mayWait_, false);
  if (waits || deps_.ranks.size() == 1) {
    pauseIfRequested();
    waitForStorage();
  }
  if (waits) {
    enter(RunSection::Step);
    RETURN_IF_ERROR(deps_.ranks.barrier());
  }
  return {};
}

// A rank that ran out of memory makes the same sums as the others; all ranks discard them.
Result<TrainLoop::Gradients> TrainLoop::accumulate() {
  deps_.replica.optimizer.zeroGradients();
  lossSum_.zero_();
  if (parts_) parts_->startStep();
  largestLogits_.zero_();
  const Result<Gradients> gradients = passAll();
  if (!gradients.ok() || !gradientReducer_) return gradients;
  RETURN_IF_ERROR(gradientReducer_->finish());
  return gradients;
}

Result<TrainLoop::Gradients> TrainLoop::passAll() {
  for (;;) {
    ASSIGN_OR_RETURN(auto next, stream_->next());
    if (!next) return Error::internal("the plan ended before the run did");
    step_ = next->step;
    try {
      passOne(*next);
    } catch (const std::exception& e) {
      if (!isOutOfMemory(e)) throw;
      return Gradients::OutOfMemory;
    }
    // A batch-size ramp makes steps a hundred times longer, so progress is reported per pass.
    if (deps_.monitor != nullptr) deps_.monitor->heartbeat();
    if (next->index + 1 == step_->microBatches) return Gradients::Complete;
  }
}

void TrainLoop::passOne(const PlannedMicroBatch& micro) {
  Replica& replica = deps_.replica;
  if (micro.batch.sequences() == 0) return;
  const DeviceBatch batch = toDevice(micro.batch, replica.model.device());
  ExampleNorms* const examples = parts_ ? parts_->startPass(micro.batch) : nullptr;
  const LossSums sums =
      replica.model.forward(batch, {data_.seed, state_.now.step, /*training=*/true, deps_.measureLogits, examples});
  if (gradientReducer_ && micro.index + 1 == step_->microBatches) gradientReducer_->prepareForBackward();
  replica.model.backward(sums, 1.0 / static_cast<double>(step_->predicted), replica.optimizer.lossScale());
  lossSum_.add_(sums.loss);
  if (sums.largestLogit.defined()) {
    at::Tensor own = largestLogits_[deps_.ranks.rank()];
    own.copy_(at::maximum(own, sums.largestLogit));
  }
  if (parts_) parts_->endPass(micro.batch, step_->predicted);
}

namespace {

bool severalPassesInEveryStep(const Plan& plan) {
  return std::ranges::all_of(plan.ranges(), [&](const PlannedRange& range) {
    return range.microBatchesPerStep > 1 || (plan.devices() > 1 && range.stepUnits > 1);
  });
}

// Frees cached blocks of a GPU, whose sizes may not recur; the CPU has no such cache.
void releaseUnusedMemory(c10::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

}  // namespace

// An automatic choice holds for the whole run: what was measured in two ways has no mean.
void TrainLoop::startNoise() {
  NoiseScaleMode mode = deps_.noise;
  if (mode == NoiseScaleMode::Off) return;
  const bool several = severalPassesInEveryStep(plan_);
  const auto isMeasured = [](const PlannedRange& range) { return range.stepUnits > 1; };
  if (!plan_.countsPacks() && std::ranges::none_of(plan_.ranges(), isMeasured))
    note(NoteLevel::Warning, "log.noise_scale: steps of a single sample say nothing of the noise; none is measured");
  else if (mode == NoiseScaleMode::Microbatches && !several)
    note(NoteLevel::Warning,
         "log.noise_scale: steps of one micro-batch on one device say nothing of the noise; choose auto or examples");
  else if (!plan_.countsPacks() && !std::ranges::all_of(plan_.ranges(), isMeasured))
    note(NoteLevel::Warning,
         "log.noise_scale: steps of a single sample say nothing of the noise; only larger ones are measured");
  // Auto keeps what it chose, as long as that can be measured on the devices of this launch.
  if (mode == NoiseScaleMode::Auto)
    mode = several && state_.noiseMode != NoiseScaleMode::Examples ? NoiseScaleMode::Microbatches
                                                                   : NoiseScaleMode::Examples;
  if (std::exchange(state_.noiseMode, mode) != mode) state_.noise.blocks.clear();
  if (deps_.noiseHalfLife > 0) state_.noise.setHalfLife(deps_.noiseHalfLife);
  parts_.emplace(deps_.replica.model,
                 mode == NoiseScaleMode::Examples ? GradientParts::Of::Samples : GradientParts::Of::Microbatches);
  summed_.push_back(parts_->sum());
}

void TrainLoop::addNoise(const StepResult& step) {
  constexpr double kShare = 0.02;  // of the run
  constexpr double kSteps = 20;    // at least
  const auto tokens = static_cast<double>(step.tokens);
  if (state_.noise.halfLife == 0) {
    const auto whole = static_cast<double>(plan_.totals().tokens.value_or(0));
    state_.noise.setHalfLife(std::max(kShare * whole, kSteps * tokens));
  }
  const bool isFirst = state_.noise.blocks.empty();
  state_.noise.add(*step.noise);
  if (isFirst && !state_.noise.blocks.empty() && state_.noise.halfLife < 10 * tokens)
    note(NoteLevel::Warning,
         formatText("log.noise_half_life: {} are fewer than ten steps of {}, so the noise scale will hardly be "
                    "measurable; set it to more, or to auto",
                    countText(std::llround(state_.noise.halfLife), "token"), formatInteger(step.tokens)));
}

Result<TrainLoop::StepConsensus> TrainLoop::agreeOnStep(bool outOfMemory) {
  const bool first = deps_.ranks.rank() == 0;
  RunCommand command = std::exchange(pausedCommand_, RunCommand::None);
  if (command == RunCommand::None && !pauseCommanded() && deps_.commands != nullptr) command = deps_.commands->take();
  const bool waits = deps_.ranks.size() > 1 && first && hasToWait();
  const double seconds = trainedSec();
  // All but the first by rank 0 alone.
  std::array<double, 5> consensus = {outOfMemory ? 1.0 : 0.0, first ? static_cast<double>(command) : 0.0,
                                     first ? seconds : 0.0, timeIsUp() ? 1.0 : 0.0, waits ? 1.0 : 0.0};
  RETURN_IF_ERROR(deps_.ranks.allReduceValues(consensus));
  mayWait_ = mayWait_ || consensus[4] > 0;
  return StepConsensus{consensus[0] > 0, static_cast<RunCommand>(static_cast<int>(consensus[1])), consensus[2],
                       consensus[3] > 0};
}

Result<void> TrainLoop::update(const StepConsensus& consensus) {
  const OptimizerStep& step = step_->counts();
  RETURN_IF_ERROR(deps_.ranks.allReduceTensors(summed_));
  StepResult result;
  for (const auto& callback : deps_.callbacks) callback->beforeUpdate(*this, result.limits);
  DeviceFigures figures;
  runOptimizer(result.limits, figures);
  state_.now = state_.now.afterStep({step.samples, step.tokens, consensus.seconds}, step.units);
  result.after = state_.now;
  result.samples = step.samples;
  result.tokens = step.tokens;
  result.computedTokens = step_->computedTokens;
  result.predicted = step_->predicted;
  result.sources = step_->sources;
  result.learningRate = step.learningRate;
  if (plan_.changesMaskProbability()) result.measured.mlmProbability = step_->batch->maskProbability;
  result.measured.beta2 = step.beta2;
  result.measured.weightDecay = plan_.weightDecayOf(step);
  result.seconds = consensus.seconds;
  if (parts_) result.noise = state_.noiseMode == NoiseScaleMode::Examples ? step_->ofSamples : step_->ofMicrobatches;
  std::optional<Timestamp> batchEnd;
  if (step_->endsBatch()) {
    state_.now = state_.now.afterBatch();
    if (step_->batch->endsEpoch) state_.now = state_.now.afterEpoch();
    batchEnd = state_.now;
  }
  readback_.add(result, batchEnd, figures);
  return {};
}

// Skips a step above a limit on the device, so that the host need not wait for the figures.
void TrainLoop::runOptimizer(const StepLimits& limits, DeviceFigures& figures) {
  const torch::NoGradGuard noGrad;
  Replica& replica = deps_.replica;
  const double learningRate = step_->counts().learningRate;
  SkipRule skip;
  const auto skipAbove = [&skip](const at::Tensor& value, const StepLimit& limit) {
    if (!limit.skips || !std::isfinite(limit.limit)) return;
    const at::Tensor above = value > limit.limit;
    skip.flag = skip.flag.defined() ? skip.flag.logical_or(above) : above;
  };
  skipAbove(lossSum_ / static_cast<double>(step_->predicted), limits.loss);
  if (deps_.measureLogits) {
    figures.measured.emplace_back(&MeasuredFigures::attentionLogit, largestLogits_.max());
    skipAbove(figures.measured.back().second, limits.attentionLogit);
  }
  if (limits.gradNorm.skips) skip.gradNormLimit = limits.gradNorm.limit;
  if (parts_) {
    figures.partNorm = parts_->sum();
    figures.norm = parts_->wholeNormSquared();
  }
  // Read before the step, which changes it.
  if (const at::Tensor& scale = replica.optimizer.lossScale(); scale.defined()) {
    figures.measured.emplace_back(&MeasuredFigures::lossScale, scale.squeeze().clone());
    const at::Tensor squared = figures.measured.back().second.to(torch::kDouble).square();
    if (parts_) figures.partNorm = figures.partNorm / squared;
    if (figures.norm.defined()) figures.norm = figures.norm / squared;
  }
  const StepOutcome done =
      replica.optimizer.step(learningRate, skip, {step_->counts().beta2, step_->counts().weightDecayFactor});
  replica.model.parametersChanged();
  if (deps_.measureUpdates)
    figures.measured.emplace_back(&MeasuredFigures::updateRatio, replica.optimizer.largestUpdateRatio(learningRate));
  if (const double limit = replica.optimizer.gradClipNorm(); limit > 0.0 && plan_.changesStepSize())
    figures.measured.emplace_back(&MeasuredFigures::clippedShare, done.gradientNorm > limit);
  figures.lossSum = lossSum_;
  figures.gradNorm = done.gradientNorm;
  figures.foundInf = done.foundInf;
  if (parts_ && !figures.norm.defined()) figures.norm = done.gradientNorm.to(torch::kDouble).square();
}

Result<void> TrainLoop::notifyCallbacks(const StepReadback::Arrived& arrived) {
  const StepResult& step = arrived.result;
  const auto outer = std::exchange(arrivedAt_, arrived.batchEnd.value_or(step.after));  // a callback may flush
  const auto reset = c10::make_scope_exit([&] { arrivedAt_ = outer; });
  state_.window.add(step);
  if (step.noise && !step.skipped) addNoise(step);
  state_.skippedInARow = step.finite() ? 0 : state_.skippedInARow + 1;
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->afterStep(*this, arrived.result));
  if (!arrived.batchEnd) return {};
  return finishRow(*arrived.batchEnd);
}

Result<void> TrainLoop::finishRow(const Timestamp& batchEnd) {
  MetricsRow row = state_.window.row(batchEnd);
  if (const auto scale = parts_ ? state_.noise.scale() : std::nullopt) {
    row.noiseScale = scale->samples;
    row.noiseScaleTokens = scale->tokens;
    row.noiseScaleLow = scale->low;
    row.noiseScaleHigh = scale->high;
  }
  state_.window = {};
  if (std::isfinite(row.loss)) {
    state_.growth.lossSum += row.loss;
    ++state_.growth.lossCount;
  }
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->afterRow(*this, row));
  return {};
}

// A GPU still works on these steps: waiting for them is training.
Result<void> TrainLoop::flushReadback() {
  std::vector<StepReadback::Arrived> ended;
  stopwatch_.start();
  while (auto arrived = readback_.takeAny()) ended.push_back(*std::move(arrived));
  stopwatch_.stop();
  for (const StepReadback::Arrived& arrived : ended) RETURN_IF_ERROR(notifyCallbacks(arrived));
  return {};
}

Result<void> TrainLoop::endBatch() {
  const Timestamp before = std::exchange(state_.batchStart, state_.now);
  if (!isRollingBack()) {
    RETURN_IF_ERROR(growIfDue());
    for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->afterBatch(*this, before));
  }
  // The next segment evaluates and saves the weights that the run ends with.
  if (isRollingBack() && planFinished()) state_.batchStart = before;
  return {};
}

// Also where launch.stop_at ends the run: a resume would ask after the evaluation there.
Result<void> TrainLoop::growIfDue() {
  if (!plan_.growthDue(state_.now, state_.growth) || plan_.finished(state_.now)) return {};
  RETURN_IF_ERROR(flushReadback());
  const std::int64_t old = state_.growth.globalUnits;
  const auto noise = state_.noise.scale();
  Result<Plan::Grown> grown = plan_.grow(
      state_.now, state_.growth,
      {noise ? std::optional(noise->samples) : std::nullopt, state_.noise.trace(), state_.noise.gradientSquared()});
  if (!grown.ok()) return grown.error();
  state_.growth = grown->state;
  // Note a growth limit only once.
  const bool noted = grown->boundedAt && std::exchange(notedBound_, grown->boundedAt) == grown->boundedAt;
  if (!grown->note.empty() && !noted) note(NoteLevel::Info, inContextText("batch.growth", grown->note));
  if (state_.growth.globalUnits != old) restartStream();
  return {};
}

void TrainLoop::restartStream() {
  stream_.emplace(plan_, data_, deps_.ranks.rank(), state_.now, state_.growth, state_.passesPerPack);
}

Result<void> TrainLoop::executeCommand(const StepConsensus& consensus) {
  const RunCommand command = consensus.command;
  const bool saves = stopAfterBatch_ || consensus.timeIsUp || command == RunCommand::StopWithCheckpoint ||
                     command == RunCommand::StopAfterBatch || command == RunCommand::SaveCheckpoint;
  // On a GPU, a guard may yet end the run or roll it back for one of the newest steps: first, as on the CPU.
  if (saves) RETURN_IF_ERROR(flushReadback());
  if (isRollingBack()) requeueCommand(command);
  if (runFinished() || isRollingBack()) return {};  // there is nothing left to stop
  switch (command) {
    case RunCommand::StopWithCheckpoint:
      stop({RunStatus::Stopped, "at the user's request"}, StopKind::WithCheckpoint);
      return {};
    case RunCommand::StopAfterBatch: stopAfterBatch_ = true; return {};
    case RunCommand::Abort:
      stop({RunStatus::Stopped, "at the user's request, without a checkpoint"}, StopKind::WithoutCheckpoint);
      return {};
    case RunCommand::StopUnneeded:
      stop({RunStatus::Stopped, "its study does not need the rest of it", FailureCause::Unneeded},
           StopKind::WithoutCheckpoint);
      return {};
    case RunCommand::SaveCheckpoint: RETURN_IF_ERROR(saveNow(CheckpointReason::Requested)); break;
    case RunCommand::Pause: pause(); break;
    case RunCommand::None:
    case RunCommand::Continue: break;
  }
  if (consensus.timeIsUp) stop({RunStatus::Stopped, "the time limit is near"}, StopKind::WithCheckpoint);
  return {};
}

// The next segment, or the next stage, executes it.
void TrainLoop::requeueCommand(RunCommand command) {
  if (command != RunCommand::None && deps_.commands != nullptr && deps_.ranks.rank() == 0)
    deps_.commands->post(command);
}

// Seconds of the step, without the time in which the whole process was stopped.
double TrainLoop::trainedSec() {
  const double seconds = stopwatch_.lap();
  const double stalled = deps_.monitor != nullptr ? deps_.monitor->stalledInStepsSec() : 0.0;
  return seconds - std::min(seconds, stalled - std::exchange(stallSeenSec_, stalled));
}

bool TrainLoop::timeIsUp() {
  if (deps_.timeReserve == nullptr) return false;
  const double now = deps_.clock.monotonicSec();
  const double stalled = deps_.monitor != nullptr ? deps_.monitor->stalledSec() : 0.0;
  if (lastPoll_)
    deps_.timeReserve->recordPollGap(std::max(0.0, now - lastPoll_->sec - (stalled - lastPoll_->stalledSec)));
  lastPoll_ = {now, stalled};
  return deps_.timeReserve->mustStop(now);
}

Result<void> TrainLoop::saveNow(CheckpointReason reason) {
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->saveNow(*this, reason));
  return {};
}

void TrainLoop::stop(const LoopEnd& end, StopKind kind) {
  if (end_) return;
  end_ = end;
  endKind_ = kind;
}

void TrainLoop::rollBack(const std::string& reason, FailureCause cause, std::int64_t badStep) {
  stop({RunStatus::Failed, reason, cause, badStep}, StopKind::WithoutCheckpoint);
}

Result<void> TrainLoop::notifyEvaluation(const EvalResult& result) {
  if (plan_.growthUses("eval_loss")) state_.growth.evalLoss = result.loss;
  for (const auto& callback : deps_.callbacks) RETURN_IF_ERROR(callback->afterEvaluation(*this, result));
  return {};
}

// It takes effect at the start of the next step.
bool TrainLoop::pauseCommanded() const {
  return deps_.commands != nullptr && deps_.commands->peek() == RunCommand::Pause;
}

bool TrainLoop::hasToWait() const {
  return pauseRequested_ || pauseCommanded() || (deps_.blockedReason && !deps_.blockedReason().empty());
}

void TrainLoop::pauseIfRequested() {
  const bool byGuard = std::exchange(pauseRequested_, false);
  if (deps_.commands == nullptr) return;
  const bool byPerson = pauseCommanded();
  if (!byGuard && !byPerson) return;
  stopwatch_.stop();
  suspend();
  publish(RunNote{NoteLevel::Info, "paused", state_.now, true});
  // A pending command competes with new ones; the mailbox keeps the strongest.
  if (pausedCommand_ != RunCommand::None) deps_.commands->post(std::exchange(pausedCommand_, RunCommand::None));
  RunCommand command = byPerson ? deps_.commands->take() : RunCommand::Pause;
  while (command == RunCommand::Pause || command == RunCommand::None) {
    command = deps_.commands->waitFor(kPollInterval);
    for (const auto& callback : deps_.callbacks) callback->whilePaused(*this);
    if (command == RunCommand::None && timeIsUp()) command = RunCommand::Continue;  // the next step stops the run
  }
  if (command != RunCommand::Continue) pausedCommand_ = command;
  pauseRequested_ = command == RunCommand::SaveCheckpoint;
  publish(RunNote{NoteLevel::Info, "training resumed", state_.now, false});
  lastPoll_.reset();
  stopwatch_.start();
}

// Waits while events cannot be stored or published: a full disk delays the run, it does not end it.
void TrainLoop::waitForStorage() {
  if (!deps_.blockedReason) return;
  const std::string reason = deps_.blockedReason();
  const auto stopRequested = [this] { return deps_.commands != nullptr && deps_.commands->stopRequested(); };
  if (reason.empty() || stopRequested()) return;
  stopwatch_.stop();
  suspend();
  note(NoteLevel::Error, formatText("training waits and resumes by itself: {}", reason), NoteKind::Waiting);
  while (!deps_.blockedReason().empty() && !stopRequested() && !timeIsUp()) std::this_thread::sleep_for(kPollInterval);
  lastPoll_.reset();
  if (deps_.blockedReason().empty()) note(NoteLevel::Info, "training resumes", NoteKind::Resumed);
  stopwatch_.start();
}

void TrainLoop::suspend() {
  lastPoll_.reset();  // the time until now is no step interval
  if (deps_.monitor != nullptr) deps_.monitor->suspend();
}

void TrainLoop::enter(RunSection section) {
  deps_.ranks.enter(runSectionText(section));
  if (deps_.monitor != nullptr) deps_.monitor->enter(section);
}

void TrainLoop::note(NoteLevel level, const std::string& text, NoteKind kind, std::optional<double> value,
                     std::optional<double> reference) {
  publish(RunNote{level, text, arrivedAt_.value_or(state_.now), {}, kind, value, reference});
}

bool TrainLoop::freeDeviceMemory() {
  bool cleared = false;
  for (const auto& callback : deps_.callbacks) cleared = callback->freeDeviceMemory(*this) || cleared;
  releaseUnusedMemory(deps_.replica.model.device());
  return cleared;
}

// Repeats the step unchanged if only a checkpoint copy was in the way, else with a smaller micro-batch. All ranks are
// at the same step and decide alike.
Result<void> TrainLoop::handleOutOfMemory(Gradients ownGradients) {
  stopwatch_.stop();
  const bool cleared = ownGradients == Gradients::Complete || freeDeviceMemory();
  std::array<double, 1> stuck = {cleared ? 0.0 : 1.0};
  RETURN_IF_ERROR(deps_.ranks.allReduceValues(stuck));
  if (stuck[0] > 0) {
    RETURN_IF_ERROR(shrinkMicrobatch());
    releaseUnusedMemory(deps_.replica.model.device());
  } else {
    note(NoteLevel::Info, "out of memory while a checkpoint was being copied to the host: the step is repeated");
  }
  restartStream();
  stopwatch_.start();
  return {};
}

Result<void> TrainLoop::shrinkMicrobatch() {
  if (step_->mostSequences <= 1)
    return Error{
        ErrorCode::OutOfMemory,
        "a single sequence does not fit into the memory of the device; use a smaller model or lower data.max_seq_len",
        {}};
  const std::int64_t old = plan_.microbatchUnits();
  if (old > 1) {
    plan_ = plan_.withMicrobatch((old + 1) / 2);
    state_.microbatchUnits = plan_.microbatchUnits();
    note(NoteLevel::Warning,
         formatText("out of memory: the micro-batch goes from {} to {}, the global batch does not change", old,
                    plan_.microbatchUnits()));
  } else {
    state_.passesPerPack *= 2;
    note(NoteLevel::Warning,
         formatText("out of memory: a pack is computed in {} passes, the global batch does not change",
                    state_.passesPerPack));
  }
  return {};
}

}  // namespace batchwise
