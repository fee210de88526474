// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/train_loop.h"

#include <c10/core/DeviceGuard.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <new>
#include <utility>

#include "core/train/caught_error.h"

namespace batchwise {
namespace {

constexpr const char* kReachedEnd = "max_duration reached";

}  // namespace

TrainLoop::TrainLoop(Plan plan, TrainingData data, LoopState state, Surroundings around)
    : plan_(std::move(plan)),
      data_(std::move(data)),
      state_(std::move(state)),
      around_(std::move(around)),
      readback_(around_.replica.model.device()),
      watch_(around_.clock) {}

Result<LoopEnd> TrainLoop::run() {
  Result<LoopEnd> end = Error::internal("the training loop did not run");
  try {
    end = runUnguarded();
  } catch (const std::exception&) {
    end = caughtError("training");
  }
  if (!end.ok()) around_.ranks.abandon(end.error());
  return end;
}

Result<LoopEnd> TrainLoop::runUnguarded() {
  const c10::Device device = around_.replica.model.device();
  const c10::OptionalDeviceGuard onDevice(device.is_cpu() ? std::nullopt : std::optional(device));
  if (around_.ranks.size() > 1)
    gradientSums_.emplace(around_.replica.model, around_.ranks, GradientSums::bucketBytesFor(around_.replica.model));
  lossSum_ = torch::zeros({}, torch::TensorOptions(torch::kDouble).device(device));
  summed_.push_back(lossSum_);
  noiseSums_ = torch::zeros({3}, lossSum_.options());
  if (around_.measureNoise) summed_.push_back(noiseSums_);
  largestLogits_ = torch::zeros({around_.ranks.size()}, lossSum_.options().dtype(torch::kFloat));
  if (around_.measureLogits) summed_.push_back(largestLogits_);
  restartStream();
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->atStart(*this); !done.ok()) return done.error();
  // At its end a run is not asked to grow; one that goes on from there, because it is longer now, is.
  if (state_.now.partInBatch == 0)
    if (Result<void> grown = growIfDue(); !grown.ok()) return grown.error();
  watch_.go();
  while (!end_ && !planFinished())
    if (Result<void> done = oneStep(); !done.ok()) return done.error();
  watch_.stand();
  if (Result<void> settled = settle(); !settled.ok()) return settled.error();
  if (const auto counted = hostSyncs_.text()) note(NoteLevel::Info, *counted);
  if (rollsBack() && stopAfterBatch_) handBack(RunCommand::StopAfterBatch);
  if (end_ && endKind_ == StopKind::WithCheckpoint)
    if (Result<void> saved = saveNow(end_->status == RunStatus::Stopped ? "stop" : "guard"); !saved.ok())
      return saved.error();
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->atEnd(*this); !done.ok()) return done.error();
  return end_.value_or(LoopEnd{RunStatus::Finished, kReachedEnd});
}

void TrainLoop::failEnd(const std::string& why) {
  end_ = LoopEnd{RunStatus::Failed, end_ ? end_->reason + "; " + why : why};
}

Result<void> TrainLoop::oneStep() {
  pauseIfAsked();
  restIfNeeded();
  enter(RunSection::Step);
  std::optional<HostSyncs::Step> counted = hostSyncs_.ofStep();
  const Result<Gradients> gradients = accumulate();
  if (!gradients.ok()) return gradients.error();
  const Result<StepWord> word = exchangeWord(*gradients == Gradients::OutOfMemory);
  if (!word.ok()) return word.error();
  if (word->outOfMemory) {
    pausedCommand_ = word->command;  // obeyed after the step that fits
    return makeRoom(*gradients);
  }
  if (Result<void> updated = update(*word); !updated.ok()) return updated;
  while (const auto arrived = readback_.takeDue())
    if (Result<void> told = tellCallbacks(*arrived); !told.ok()) return told;
  counted.reset();
  watch_.stand();
  if (step_->endsBatch())
    if (Result<void> ended = endBatch(); !ended.ok()) return ended;
  if (Result<void> obeyed = obey(*word); !obeyed.ok()) return obeyed;
  if (stopAfterBatch_ && step_->endsBatch() && !planFinished())
    stop({RunStatus::Stopped, "stopped by the user after the global batch"}, StopKind::WithCheckpoint);
  watch_.go();
  return {};
}

// A rank that has run out of memory makes the same sums as the others, to be thrown away by all.
Result<TrainLoop::Gradients> TrainLoop::accumulate() {
  around_.replica.optimizer.zeroGradients();
  lossSum_.zero_();
  noiseSums_.zero_();
  largestLogits_.zero_();
  const Result<Gradients> gradients = passAll();
  if (!gradients.ok() || !gradientSums_) return gradients;
  if (Result<void> summed = gradientSums_->finish(); !summed.ok()) return summed.error();
  return gradients;
}

Result<TrainLoop::Gradients> TrainLoop::passAll() {
  for (;;) {
    Result<std::optional<PlannedMicroBatch>> next = stream_->next();
    if (!next.ok()) return next.error();
    if (!*next) return Error::internal("the plan ended before the run did");
    step_ = (*next)->step;
    try {
      passOne(**next);
    } catch (const c10::OutOfMemoryError&) {
      return Gradients::OutOfMemory;
    } catch (const std::bad_alloc&) {
      return Gradients::OutOfMemory;
    }
    // A ramp makes steps a hundred times as long: what counts is that passes end.
    if (around_.monitor != nullptr) around_.monitor->alive();
    if ((*next)->index + 1 == step_->microBatches) return Gradients::Complete;
  }
}

void TrainLoop::passOne(const PlannedMicroBatch& micro) {
  Replica& replica = around_.replica;
  if (micro.batch.sequences() == 0) return;
  const bool measured = around_.measureNoise && micro.index == 0;
  const DeviceBatch batch = toDevice(micro.batch, replica.model.device());
  const LossSums sums =
      replica.model.forward(batch, {data_.seed, state_.now.step, /*training=*/true, around_.measureLogits});
  // A gradient that is to be measured must not be under way to the other ranks.
  if (gradientSums_ && !measured && micro.index + 1 == step_->microBatches) gradientSums_->expect();
  replica.model.backward(sums, 1.0 / static_cast<double>(step_->predicted), replica.optimizer.lossScale());
  lossSum_.add_(sums.loss);
  if (sums.largestLogit.defined()) {
    at::Tensor own = largestLogits_[around_.ranks.rank()];
    own.copy_(at::maximum(own, sums.largestLogit));
  }
  if (measured) measureSmallGradient(micro.batch);
}

// After the first micro-batch the gradients are its own alone, divided by the predicted tokens of the whole step.
void TrainLoop::measureSmallGradient(const MicroBatch& batch) {
  const torch::NoGradGuard noGrad;
  const double ownMean = static_cast<double>(step_->predicted) / static_cast<double>(batch.predicted());
  const at::Tensor norm = around_.replica.optimizer.gradientNorm().to(torch::kDouble) * ownMean;
  noiseSums_.copy_(torch::stack(
      {norm * norm, torch::full_like(norm, static_cast<double>(batch.sequences())), torch::ones_like(norm)}));
}

Result<TrainLoop::StepWord> TrainLoop::exchangeWord(bool outOfMemory) {
  const bool first = around_.ranks.rank() == 0;
  RunCommand command = std::exchange(pausedCommand_, RunCommand::None);
  if (command == RunCommand::None && first && around_.commands != nullptr) {
    // A pause is for the start of the next step.
    if (around_.commands->peek() != RunCommand::Pause) command = around_.commands->take();
  }
  const double seconds = trainedSec();
  std::array<double, 4> word = {outOfMemory ? 1.0 : 0.0, first ? static_cast<double>(command) : 0.0,
                                first ? seconds : 0.0, timeIsUp() ? 1.0 : 0.0};
  if (Result<void> summed = around_.ranks.sumValues(word); !summed.ok()) return summed.error();
  return StepWord{word[0] > 0, static_cast<RunCommand>(static_cast<int>(word[1])), word[2], word[3] > 0};
}

Result<void> TrainLoop::update(const StepWord& word) {
  const Part& part = step_->counts();
  if (Result<void> summed = around_.ranks.sumTensors(summed_); !summed.ok()) return summed;
  StepResult result;
  for (const auto& callback : around_.callbacks) callback->beforeUpdate(*this, result.limits);
  DeviceFigures figures;
  optimise(result.limits, figures);
  state_.now = state_.now.afterStep({part.samples, part.tokens, word.seconds}, part.units);
  result.after = state_.now;
  result.partsInBatch = static_cast<std::int64_t>(step_->batch->parts.size());
  result.samples = part.samples;
  result.tokens = part.tokens;
  result.computedTokens = step_->computedTokens;
  result.predicted = step_->predicted;
  result.learningRate = part.learningRate;
  result.seconds = word.seconds;
  std::optional<Timestamp> batchEnd;
  if (step_->endsBatch()) {
    state_.now = state_.now.afterBatch();
    if (step_->batch->endsEpoch) state_.now = state_.now.afterEpoch();
    batchEnd = state_.now;
  }
  readback_.add(result, batchEnd, figures);
  return {};
}

// A step above a limit that skips is left out on the device: nothing waits for the figures.
void TrainLoop::optimise(const StepLimits& limits, DeviceFigures& figures) {
  const torch::NoGradGuard noGrad;
  Replica& replica = around_.replica;
  const double learningRate = step_->counts().learningRate;
  SkipRule skip;
  const auto skipAbove = [&skip](const at::Tensor& value, const StepLimit& limit) {
    if (!limit.skips || !std::isfinite(limit.limit)) return;
    const at::Tensor above = value > limit.limit;
    skip.flag = skip.flag.defined() ? skip.flag.logical_or(above) : above;
  };
  skipAbove(lossSum_ / static_cast<double>(step_->predicted), limits.loss);
  if (around_.measureLogits) figures.largestLogit = largestLogits_.max();
  if (around_.measureLogits) skipAbove(figures.largestLogit, limits.attentionLogit);
  if (limits.gradNorm.skips) skip.gradNormLimit = limits.gradNorm.limit;
  const OptimizerStep done = replica.optimizer.step(learningRate, skip);
  replica.model.parametersChanged();
  if (around_.measureUpdates) figures.updateRatio = replica.optimizer.largestUpdateRatio(learningRate);
  figures.lossSum = lossSum_;
  figures.gradNorm = done.gradientNorm;
  figures.foundInf = done.foundInf;
  figures.noise = noiseSums_;
}

Result<void> TrainLoop::tellCallbacks(const StepReadback::Arrived& arrived) {
  const StepResult& step = arrived.result;
  state_.window.add(step);
  if (step.small && !step.skipped)
    state_.noise.add(*step.small, {step.gradNorm * step.gradNorm, static_cast<double>(step.samples)});
  state_.skippedInARow = step.finite() ? 0 : state_.skippedInARow + 1;
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->afterStep(*this, arrived.result); !done.ok()) return done;
  if (!arrived.batchEnd) return {};
  return finishRow(*arrived.batchEnd);
}

Result<void> TrainLoop::finishRow(const Timestamp& batchEnd) {
  MetricsRow row = state_.window.row(batchEnd);
  if (around_.measureNoise) row.noiseScale = state_.noise.scale();
  state_.window = {};
  if (std::isfinite(row.loss)) {
    state_.growth.lossSum += row.loss;
    ++state_.growth.lossCount;
  }
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->afterRow(*this, row); !done.ok()) return done;
  return {};
}

Result<void> TrainLoop::settle() {
  while (const auto arrived = readback_.takeAny())
    if (Result<void> told = tellCallbacks(*arrived); !told.ok()) return told;
  return {};
}

Result<void> TrainLoop::endBatch() {
  const Timestamp before = std::exchange(state_.batchStart, state_.now);
  if (rollsBack()) return {};
  if (Result<void> grown = growIfDue(); !grown.ok()) return grown;
  for (const auto& callback : around_.callbacks)
    if (Result<void> done = callback->afterBatch(*this, before); !done.ok()) return done;
  return {};
}

Result<void> TrainLoop::growIfDue() {
  if (!plan_.growthDue(state_.now, state_.growth) || planFinished()) return {};
  if (Result<void> settled = settle(); !settled.ok()) return settled;
  const std::int64_t old = state_.growth.globalUnits;
  Result<Plan::Grown> grown = plan_.grow(state_.now, state_.growth, state_.noise.scale());
  if (!grown.ok()) return grown.error();
  state_.growth = grown->state;
  // A size that the devices bound stays bounded at each asking.
  const bool told = grown->boundedAt && std::exchange(boundTold_, grown->boundedAt) == grown->boundedAt;
  if (!grown->note.empty() && !told) note(NoteLevel::Info, grown->note);
  if (state_.growth.globalUnits != old) restartStream();
  return {};
}

void TrainLoop::restartStream() {
  stream_.emplace(plan_, data_, around_.ranks.rank(), state_.now, state_.growth, state_.passesPerPack);
}

}  // namespace batchwise
