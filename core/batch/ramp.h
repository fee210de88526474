// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/time/time.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// Sizes of the stages below `target`, doubling from `initial`: ceil(log2(target / initial)) of them (Ramp-up in the
/// design). Fails with Config if `initial` < 1 or `initial` > `target`.
Result<std::vector<std::int64_t>> doublingStages(std::int64_t initial, std::int64_t target);
/// The same, growing by `increment`: ceil((target - initial) / increment) stages. Also fails if `increment` < 1.
Result<std::vector<std::int64_t>> linearStages(std::int64_t initial, std::int64_t increment, std::int64_t target);

/// Steps of one size, and how many make a global batch.
struct StepShape {
  std::int64_t stepUnits = 1;
  std::int64_t parts = 1;
  std::int64_t batchUnits() const { return stepUnits * parts; }
  bool operator==(const StepShape&) const = default;
};

/// max(1, target / stepUnits rounded, halves up) steps make a global batch.
StepShape shapeOf(std::int64_t stepUnits, std::int64_t target);

/// Which step size belongs to which place of the run. Stages are numbered from 0; the last has the final size and no
/// end. A value; any thread.
class Ramp {
 public:
  /// No ramp: one stage of `target`.
  explicit Ramp(std::int64_t target) : sizes_{target} {}
  /// `below`: sizes of the stages of equal length that fill `duration` (a whole number of ba, sp or tok), then
  /// `target`.
  static Ramp equalStages(std::vector<std::int64_t> below, std::int64_t target, Time duration);
  /// Stage k from `starts[k]` on; all in one unit, rising, the first 0.
  static Ramp table(std::vector<Time> starts, std::vector<std::int64_t> sizes);

  std::int64_t stages() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t sizeOf(std::int64_t stage) const { return sizes_[static_cast<std::size_t>(stage)]; }
  std::int64_t target() const { return sizes_.back(); }
  StepShape shape(std::int64_t stage) const { return shapeOf(sizeOf(stage), target()); }
  /// The stage of a global batch that starts at `start`.
  std::int64_t stageAt(const Timestamp& start) const;
  /// The clock value from which on `stage` (at least) holds; 0 for the first.
  std::int64_t beginOf(std::int64_t stage) const;
  TimeUnit unit() const { return unit_; }
  bool active() const { return sizes_.size() > 1; }

 private:
  std::vector<std::int64_t> sizes_;  ///< the last is the final one
  TimeUnit unit_ = TimeUnit::Batch;
  std::vector<std::int64_t> begins_;  ///< clock values, one per stage
};

}  // namespace batchwise
