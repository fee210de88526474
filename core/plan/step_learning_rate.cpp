// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/step_learning_rate.h"

#include <algorithm>

namespace batchwise {
namespace {

bool hasExpression(const SchedulerConfig& scheduler) {
  return scheduler.name == "expression" || std::any_of(scheduler.parts.begin(), scheduler.parts.end(), hasExpression);
}

}  // namespace

Result<StepLearningRate> StepLearningRate::make(const TrainConfig& config, const SchedulerConfig& schedule,
                                                const ScheduleScale& scale, double reference) {
  ASSIGN_OR_RETURN(auto made, Schedule::make(schedule, scale));
  StepLearningRate rate(std::move(made));
  rate.usesExpression_ = hasExpression(schedule);
  rate.baseRate_ = config.optimizer.lr;
  rate.scaling_ = config.lrScaling;
  rate.reference_ = reference;
  rate.packs_ = config.batch.tokens.enabled();
  return rate;
}

void StepLearningRate::holdFrom(const Time& end, const Timestamp& clocks) {
  hold_ = Hold{end, clocks};
}

double StepLearningRate::factor(const Timestamp& at) const {
  Timestamp now = at;
  now.batch += start_.batch;
  now.step += start_.step;
  now.sample += start_.sample;
  now.token += start_.token;
  now.seconds += start_.seconds;
  const bool holds = hold_ && clockValue(now, hold_->end.unit()) >= hold_->end.count();
  return schedule_.factor(holds ? hold_->clocks : now);
}

double StepLearningRate::rate(double factor, const StepSizes& sizes) const {
  const double scheduled = baseRate_ * factor;
  if (scaling_.method == LrScalingMethod::None || sizes.units == 0) return scheduled;
  return scaledRate(scheduled, countedSize(sizes), reference_, scaling_.method, scaling_.exponent);
}

double StepLearningRate::scale(const StepSizes& sizes) const {
  if (scaling_.method == LrScalingMethod::None || sizes.units == 0) return 1.0;
  return scaledRate(1.0, countedSize(sizes), reference_, scaling_.method, scaling_.exponent);
}

double StepLearningRate::countedSize(const StepSizes& sizes) const {
  const auto scales = [this](StepSizeCause cause) { return std::ranges::count(scaling_.appliesTo, cause) > 0; };
  const bool byTokens = scaling_.by == StepSizeUnit::Tokens;
  double units = static_cast<double>(sizes.units);
  if (!scales(StepSizeCause::Last) && sizes.units < sizes.plannedUnits) units = static_cast<double>(sizes.plannedUnits);
  if (!scales(StepSizeCause::Rampup) && sizes.plannedUnits != sizes.fullUnits)
    units *= static_cast<double>(sizes.fullUnits) / static_cast<double>(sizes.plannedUnits);
  if (!scales(StepSizeCause::Growth) && sizes.fullUnits != sizes.baseUnits)
    units *= static_cast<double>(sizes.baseUnits) / static_cast<double>(sizes.fullUnits);
  if (!packs_ && !byTokens) return units;
  if (!scales(StepSizeCause::Tokens)) return reference_ * units / static_cast<double>(sizes.baseUnits);
  const auto has = static_cast<double>(byTokens ? sizes.tokens : sizes.samples);
  return units == static_cast<double>(sizes.units) ? has : has * (units / static_cast<double>(sizes.units));
}

}  // namespace batchwise
