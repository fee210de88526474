// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/step_scaling.h"

#include "core/base/return_if_error.h"
#include "core/batch/messages.h"

namespace batchwise {

Result<StepScaling> StepScaling::make(const LrScalingConfig& config, double reference, bool packs) {
  StepScaling scaling;
  ASSIGN_OR_RETURN(const auto method, lrScalingMethod(config.method));
  scaling.method_ = method;
  scaling.reference_ = reference;
  if (config.by != "samples" && config.by != "tokens") return Error::config(messages::scalingUnitUnknown(config.by));
  scaling.byTokens_ = config.by == "tokens";
  scaling.packs_ = packs;
  for (const std::string& cause : config.appliesTo) {
    if (cause == "tokens")
      scaling.tokens_ = true;
    else if (cause == "growth")
      scaling.growth_ = true;
    else if (cause == "rampup")
      scaling.rampup_ = true;
    else if (cause == "last")
      scaling.last_ = true;
    else
      return Error::config(messages::scalingCauseUnknown(cause));
  }
  return scaling;
}

double StepScaling::countedSize(const StepSizes& sizes) const {
  double units = static_cast<double>(sizes.units);
  if (!last_ && sizes.units < sizes.plannedUnits) units = static_cast<double>(sizes.plannedUnits);
  if (!rampup_ && sizes.plannedUnits != sizes.fullUnits)
    units *= static_cast<double>(sizes.fullUnits) / static_cast<double>(sizes.plannedUnits);
  if (!growth_ && sizes.fullUnits != sizes.baseUnits)
    units *= static_cast<double>(sizes.baseUnits) / static_cast<double>(sizes.fullUnits);
  if (!packs_ && !byTokens_) return units;
  if (!tokens_) return reference_ * units / static_cast<double>(sizes.baseUnits);
  const auto has = static_cast<double>(byTokens_ ? sizes.tokens : sizes.samples);
  return units == static_cast<double>(sizes.units) ? has : has * (units / static_cast<double>(sizes.units));
}

double StepScaling::rate(double scheduleRate, const StepSizes& sizes) const {
  if (!active() || sizes.units == 0) return scheduleRate;
  return scaledRate(scheduleRate, countedSize(sizes), reference_, method_);
}

}  // namespace batchwise
