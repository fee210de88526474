// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/time_reserve.h"

#include <algorithm>

namespace batchwise {

void TimeReserve::tookBetweenLooks(double seconds) {
  longestStretchSec_ = std::max(longestStretchSec_, seconds);
}

void TimeReserve::tookForCheckpoint(double seconds) {
  longestCheckpointSec_ = std::max(longestCheckpointSec_, seconds);
}

double TimeReserve::reserveSec() const {
  return 2.0 * longestCheckpointSec_ + 1.5 * longestStretchSec_ + std::min(10.0, 0.1 * limitSec_);
}

}  // namespace batchwise
