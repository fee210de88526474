// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchwise {

/// Best evaluation so far and the number of evaluations since without improvement. Saved with a checkpoint.
struct EarlyStopState {
  std::optional<double> best;
  std::int64_t withoutImprovement = 0;
  bool operator==(const EarlyStopState&) const = default;
};

/// Detects that evaluations no longer improve. Pure.
class EarlyStop {
 public:
  enum class Better { Lower, Higher };

  /// Requires patience >= 1 (evaluations) and minDelta >= 0 (in the metric's unit).
  EarlyStop(Better better, std::int64_t patience, double minDelta)
      : better_(better), patience_(patience), minDelta_(minDelta) {}

  /// Adds a result; returns true if it is the `patience`-th in a row that does not improve the best by more than
  /// minDelta. The count then restarts, so that a run that continues gets as many again. NaN is never an improvement.
  bool add(EarlyStopState& state, double value) const;

 private:
  Better better_;
  std::int64_t patience_;
  double minDelta_;
};

}  // namespace batchwise
