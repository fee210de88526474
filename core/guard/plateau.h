// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace batchwise {

/// Losses of the newest global batches, oldest first. Saved with a checkpoint.
struct PlateauState {
  std::deque<double> recent;
  bool operator==(const PlateauState&) const = default;
};

/// Detects that the loss no longer falls: the mean over the newer half of the window is not more than minDelta below
/// that of the older half. Pure.
class Plateau {
 public:
  /// Requires window >= 2 (global batches), minDelta >= 0 (nats).
  Plateau(std::int64_t window, double minDelta) : window_(window), minDelta_(minDelta) {}

  struct Found {
    double older = 0;
    double newer = 0;  ///< means of the halves, nats
  };
  /// Adds a loss; ignores one that is not finite. The window restarts after a detection, so that a plateau is reported
  /// once per window.
  std::optional<Found> add(PlateauState& state, double loss) const;

 private:
  std::int64_t window_;
  double minDelta_;
};

}  // namespace batchwise
