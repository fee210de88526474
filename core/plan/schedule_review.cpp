// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/format.h"
#include "core/plan/plan_state.h"

namespace batchwise {
namespace {

// From where on the preview notes something.
constexpr double kUnscaled = 4.0;    ///< times that step sizes differ, while what depends on them stays
constexpr double kExtraSteps = 0.2;  ///< of the steps of the same run without a ramp
constexpr double kUndecayed = 0.5;   ///< factor at the end of the run
constexpr double kLongRun = 10.0;    ///< times the warm-up that Adam wants; a shorter run has no steps for it

/// A plan whose ranges are listed, with what several notes read. Steps and samples are about those of the run, as if
/// sequences and epochs were even.
class ScheduleReview {
 public:
  explicit ScheduleReview(PlanState& state) : state_(state), full_(asDouble(state.derived.globalUnits)) {
    for (const ShapeRange& range : state.ranges) {
      if (state.finished(range.start)) break;
      smallest_ = std::min(smallest_, asDouble(range.shape.stepUnits));
      largest_ = std::max(largest_, asDouble(range.shape.stepUnits));
      hasGrown_ = hasGrown_ || asDouble(range.globalUnits) > kUnscaled * full_;
    }
    end_ = state.derived.samplesAt(state.derived.run.maxDuration);
    steps_ = stepsUntil(end_);
  }

  void fillRanges() {
    for (std::size_t index = 0; index < state_.plannedRanges.size(); ++index) {
      PlannedRange& shown = state_.plannedRanges[index];
      const ShapeRange& range = state_.ranges[index];
      shown.firstRate = state_.config.optimizer.lr * state_.learningRate->factor(range.start) *
                        scale(range.shape.stepUnits, range.globalUnits);
      shown.rateOverSqrtRule = overSqrtRule(range);
      shown.halfLifeSteps = halfLife(shown.beta2.value_or(beta2()));
      if (shown.optimizerSteps && shown.globalBatches)
        shown.extraSteps = *shown.optimizerSteps - std::llround(asDouble(*shown.globalBatches * shown.steps) *
                                                                asDouble(shown.stepUnits) / full_);
    }
  }

  void addNotes(bool fromSchedule) {
    if (state_.config.optimizer.lr <= 0.0 || state_.end.unit() == TimeUnit::Second || end_ <= 0.0) return;
    // A stage of a longer schedule has the warm-up of the run only at its begin, and not its end.
    const bool isPart = state_.place.runDuration.has_value();
    const bool isFirst = state_.place.start.sample == 0;
    if (!isPart || isFirst) noteWarmup();
    if (!isPart && isFirst) noteShortRun();
    noteRates();
    noteMemory();
    if (!fromSchedule) noteExtraSteps();  // it has fewer than the batch that it begins with
    if (!isPart) noteEnd();
  }

 private:
  static double asDouble(std::int64_t count) { return static_cast<double>(count); }
  bool varies() const { return largest_ >= kUnscaled * smallest_; }
  /// Of the first steps.
  double beta2() const { return state_.plannedRanges.front().beta2.value_or(state_.config.optimizer.betas.back()); }
  static double halfLife(double beta2) { return std::log(0.5) / std::log(beta2); }
  /// Steps of warm-up that Adam wants: Ma and Yarats 2021, arXiv 1910.04209.
  double wantedWarmup() const { return 2.0 / (1.0 - beta2()); }

  double scale(std::int64_t step, std::int64_t global) const {
    StepSizes sizes = state_.fullStep(step);
    sizes.fullUnits = global;
    return state_.learningRate->scale(sizes);
  }
  double overSqrtRule(const ShapeRange& range) const {
    return scale(range.shape.stepUnits, range.globalUnits) /
           scale(state_.derived.globalUnits, state_.derived.globalUnits) /
           std::sqrt(asDouble(range.shape.stepUnits) / full_);
  }
  double stepsUntil(double samples) const {
    const double perUnit = state_.derived.samplesPerBatch / full_;
    double steps = 0.0;
    for (std::size_t index = 0; index < state_.ranges.size(); ++index) {
      const bool isLast = index + 1 == state_.ranges.size();
      const double from = asDouble(state_.ranges[index].start.sample);
      const double to = isLast ? samples : std::min(samples, asDouble(state_.ranges[index + 1].start.sample));
      if (to > from) steps += (to - from) / (asDouble(state_.ranges[index].shape.stepUnits) * perUnit);
    }
    return steps;
  }
  double warmupSamples() const {
    const auto& warmup = state_.derived.scheduler.tWarmup;
    return warmup ? state_.derived.samplesAt(*warmup) : 0.0;
  }

  void noteWarmup() {
    const double steps = stepsUntil(warmupSamples());
    if (!state_.derived.scheduler.tWarmup || steps >= wantedWarmup() || steps_ < kLongRun * wantedWarmup()) return;
    state_.note(
        "scheduler.t_warmup",
        formatText("takes about {} steps; AdamW with a beta2 of {} wants about {} until its second moment can be "
                   "trusted; make it longer, or begin with a smaller batch",
                   std::llround(steps), formatValue(beta2()), std::llround(wantedWarmup())));
  }
  void noteShortRun() {
    // Who counts the run in global batches knows how few they are.
    if (largest_ <= 1.0 || steps_ >= wantedWarmup() || state_.end.unit() == TimeUnit::Batch) return;
    state_.note("batch.global_train_batch_size",
                formatText("the run has about {} steps, fewer than the {} that AdamW with a beta2 of {} wants for its "
                           "warm-up alone; a smaller batch gives more",
                           std::llround(steps_), std::llround(wantedWarmup()), formatValue(beta2())));
  }
  void noteRates() {
    const LrScalingConfig& scaling = state_.config.lrScaling;
    const auto follows = [&](StepSizeCause cause) { return std::ranges::count(scaling.appliesTo, cause) > 0; };
    const auto& first = state_.ranges.front();
    // Within the warm-up rates are small anyhow (GPT-3 and others do that).
    const bool outlastsWarmup = state_.ranges.size() > 1 && asDouble(state_.ranges[1].start.sample) > warmupSamples();
    const double hot = overSqrtRule(first);
    if (scaling.method == LrScalingMethod::Linear && varies() &&
        (follows(StepSizeCause::Rampup) || (hasGrown_ && follows(StepSizeCause::Growth))))
      state_.note("lr_scaling.method",
                  "linear is a rule for SGD; AdamW's rate follows the square root of the batch while "
                  "noise dominates; use sqrt, or compare both in a sweep");
    else if (asDouble(first.shape.stepUnits) * kUnscaled < full_ && outlastsWarmup && hot * hot > kUnscaled)
      state_.note(
          "batch.rampup",
          formatText("steps of the first stage have {} times the rate of the square root rule, and it is longer than "
                     "the warm-up; set lr_scaling.method to sqrt for rampup, or compare both in a sweep",
                     formatValue(hot)));
    if (hasGrown_ && (scaling.method == LrScalingMethod::None || !follows(StepSizeCause::Growth)))
      state_.note("batch.growth", formatText("the batch grows by more than {} times and the rate stays; set "
                                             "lr_scaling.method to sqrt for growth, or compare both in a sweep",
                                             formatValue(kUnscaled)));
    if (varies() && state_.config.guard.gradNorm.action != GuardAction::Off &&
        !state_.config.guard.gradNorm.scaleWithBatch)
      state_.note("guard.grad_norm.limit",
                  formatText("gradients of smaller steps are noisier, and step sizes differ by {} "
                             "times; guard.grad_norm.scale_with_batch lets the limit follow",
                             formatValue(largest_ / smallest_)));
  }
  void noteMemory() {
    if (!varies() || state_.config.optimizer.beta2HalfLife) return;
    const double tokens = state_.derived.tokensPerBatch / full_ * halfLife(beta2());
    state_.note(
        "optimizer.betas",
        formatText("the second moment forgets half in {} tokens in the smallest steps and in {} in the largest; "
                   "optimizer.beta2_half_life keeps it in tokens",
                   formatCount(tokens * smallest_), formatCount(tokens * largest_)));
  }
  void noteExtraSteps() {
    const double extra = steps_ / (end_ / state_.derived.samplesPerBatch) - 1.0;
    if (extra <= kExtraSteps) return;
    state_.note("batch.rampup", formatText("costs about {} % more steps than a constant batch of {}",
                                           std::llround(extra * 100.0), formatInteger(state_.derived.globalUnits)));
    if (state_.config.optimizer.weightDecay > 0.0 &&
        state_.config.optimizer.weightDecayFollows == WeightDecayClock::Steps)
      state_.note("optimizer.weight_decay",
                  formatText("acts once per step, about {} % more often than with a constant batch; "
                             "set optimizer.weight_decay_follows to tokens to keep it per token",
                             std::llround(extra * 100.0)));
  }
  void noteEnd() {
    const double batch = std::max(0.0, end_ / state_.derived.samplesPerBatch - 1.0);  // the last one
    Timestamp last;
    last.sample = static_cast<std::int64_t>(batch * state_.derived.samplesPerBatch);
    last.batch = static_cast<std::int64_t>(batch);
    last.token = static_cast<std::int64_t>(batch * state_.derived.tokensPerBatch);
    if (!varies() || state_.learningRate->factor(last) < kUndecayed) return;
    state_.note("scheduler.name",
                "the rate has not decayed when the run ends, which flatters large batches: they have "
                "less noise, not more progress; compare after a decay");
  }

  PlanState& state_;
  double full_ = 1.0;                                                          ///< units of a global batch at the start
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = 0.0;  ///< steps that are reached, in units
  bool hasGrown_ = false;
  double end_ = 0.0;  ///< in samples
  double steps_ = 0.0;
};

}  // namespace

void reviewRanges(PlanState& state) {
  ScheduleReview(state).fillRanges();
}
void noteScheduleSlips(const TrainConfig& given, PlanState& state) {
  ScheduleReview(state).addNotes(given.batch.rampup.fromSchedule.enabled());
}

}  // namespace batchwise
