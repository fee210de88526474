// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/early_stop.h"

#include <cmath>

namespace batchwise {

bool EarlyStop::add(EarlyStopState& state, double value) const {
  const double gain = !state.best ? 0 : better_ == Better::Lower ? *state.best - value : value - *state.best;
  if (!std::isnan(value) && (!state.best || gain > minDelta_)) {
    state = {value, 0};
    return false;
  }
  if (++state.withoutImprovement < patience_) return false;
  state.withoutImprovement = 0;
  return true;
}

}  // namespace batchwise
