// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace batchwise {

/// The best evaluation so far and how many in a row were no better. Saved with a checkpoint.
struct EarlyStopState {
  std::optional<double> best;
  std::int64_t withoutBetter = 0;
  bool operator==(const EarlyStopState&) const = default;
};

/// Finds that evaluations bring no better result any more. Pure.
class EarlyStop {
 public:
  enum class Better { Lower, Higher };

  /// patience >= 1 in evaluations, minDelta >= 0 in the metric's unit.
  EarlyStop(Better better, std::int64_t patience, double minDelta)
      : better_(better), patience_(patience), minDelta_(minDelta) {}

  /// Takes a result in; true if it is the `patience`-th in a row that does not beat the best by more than minDelta.
  /// Then counting begins anew, so that a run that goes on is given as many again. NaN beats nothing.
  bool add(EarlyStopState& state, double value) const;

 private:
  Better better_;
  std::int64_t patience_;
  double minDelta_;
};

}  // namespace batchwise
