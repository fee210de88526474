// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace batchwise {

/// The losses of the newest global batches, oldest first. Saved with a checkpoint.
struct PlateauState {
  std::deque<double> recent;
  bool operator==(const PlateauState&) const = default;
};

/// Finds that the loss no longer falls: the mean over the newer half of the window is not more than minDelta below that
/// of the older half. Pure.
class Plateau {
 public:
  /// window >= 2 in global batches, minDelta >= 0 in nats.
  Plateau(std::int64_t window, double minDelta) : window_(window), minDelta_(minDelta) {}

  struct Found {
    double older = 0;
    double newer = 0;  ///< means of the halves, nats
  };
  /// Takes a loss in. After a finding the window begins anew, so that one plateau is reported once per window. A loss
  /// that is not finite is passed over.
  std::optional<Found> add(PlateauState& state, double loss) const;

 private:
  std::int64_t window_;
  double minDelta_;
};

}  // namespace batchwise
