// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/plan/plan_state.h"

namespace batchwise {

// Seesaw (arXiv 2510.14717): where a schedule would divide the rate by a, the rate is divided by sqrt(a) and the batch
// multiplied by a. The loss stays, as long as the noise of the gradient dominates, that is below the critical batch;
// the serial steps fall to the mean of the schedule over its decay. Here the rate of each step is
//   optimizer.lr x f x sqrt(step size / initial size), f being the schedule,
// so that only the batch changes in stages.

/// A schedule on the clock that it reads.
struct DecayCurve {
  std::function<double(std::int64_t)> factor;
  TimeUnit unit = TimeUnit::Token;
  std::int64_t end = 0;     ///< of the run
  std::int64_t warmup = 0;  ///< its length, 0 if unknown
};

/// Returns the stages of a ramp that follows the decay: initial x factor^j from where the schedule has fallen to
/// factor^-j of its peak, the last at most `cap`; sizes are rounded. Requires initial < cap and factor > 1. Fails with
/// Config for a schedule that rises after its peak or never falls to 1 / factor of it.
Result<std::vector<RampLevelConfig>> seesawStages(const DecayCurve& curve, std::int64_t initial, double factor,
                                                  std::int64_t cap);

/// Returns the configuration with the scaling of the rate that batch.rampup.from_schedule implies; unchanged without.
TrainConfig withSeesawScaling(TrainConfig config);

/// Replaces batch.rampup.from_schedule of state.config by its stages and scaling. `derive` derives the values of a
/// state. Fails as it does, and with Config for a schedule that cannot be followed.
Result<void> expandSeesaw(PlanState& state, const std::function<Result<void>(PlanState&)>& derive);

/// Notes what the stages of `given` save, and what speaks against them. Requires the finished plan.
void noteSeesaw(const TrainConfig& given, PlanState& state);

/// Returns a warning if steps of up to `largest` samples exceed a measured limit, also in samples, of the batches up to
/// which a larger batch replaces a lower rate. `name`: "the critical batch", "the noise scale".
std::optional<FieldProblem> aboveCriticalBatch(std::int64_t largest, double limit, std::string_view name);

}  // namespace batchwise
