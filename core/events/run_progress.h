// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/events/run_event.h"

namespace batchwise {

/// How far a run is and when it will end, from its events alone. Fed by one thread, in order.
class RunProgress {
 public:
  /// `nowSec`: a clock that never goes back, at the time of the event.
  void take(const RunEvent& event, double nowSec);

  std::int64_t plannedBatches() const { return plannedBatches_; }
  /// 0 to 1. Empty if the number of global batches is not known ahead.
  std::optional<double> fraction() const;
  /// Seconds to the end at the recent pace, evaluation and checkpoints included. Empty until two rows have come, and if
  /// the end is not known ahead.
  std::optional<double> etaSec() const;

 private:
  void takeRow(const MetricsRow& row, double nowSec);

  std::int64_t plannedBatches_ = 0;
  std::int64_t doneBatches_ = 0;
  std::optional<double> lastRowSec_;
  double weightedSec_ = 0.0;  ///< decaying sums over the recent rows
  double weightedBatches_ = 0.0;
};

}  // namespace batchwise
