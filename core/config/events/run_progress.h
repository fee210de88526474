// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/events/run_event.h"

namespace batchwise {

/// Computes progress and remaining time of a run from its events alone. Not thread-safe; events in order.
class RunProgress {
 public:
  /// monotonic time of the event
  void update(const RunEvent& event, double nowSec);

  std::int64_t plannedBatches() const { return plannedBatches_; }
  /// Returns 0 to 1; empty if the number of global batches is unknown.
  std::optional<double> fraction() const;
  /// Returns the estimated seconds to the end at the recent pace, evaluation and checkpoints included. Empty until two
  /// rows have arrived, and if the end is unknown.
  std::optional<double> etaSec() const;

 private:
  void updateFromRow(const MetricsRow& row, double nowSec);

  std::int64_t plannedBatches_ = 0;
  std::int64_t doneBatches_ = 0;
  std::optional<double> lastRowSec_;
  double weightedSec_ = 0.0;  ///< decaying sums over the recent rows
  double weightedBatches_ = 0.0;
};

}  // namespace batchwise
