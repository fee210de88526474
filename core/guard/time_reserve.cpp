// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/time_reserve.h"

#include <algorithm>

namespace batchwise {

void TimeReserve::recordPollGap(double seconds) {
  longestPollGapSec_ = std::max(longestPollGapSec_, seconds);
}

void TimeReserve::recordCheckpoint(double seconds) {
  longestCheckpointSec_ = std::max(longestCheckpointSec_, seconds);
}

double TimeReserve::reserveSec() const {
  return 2.0 * longestCheckpointSec_ + 1.5 * longestPollGapSec_ + std::min(10.0, 0.1 * limitSec_);
}

}  // namespace batchwise
