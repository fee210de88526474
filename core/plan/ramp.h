// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/time/time.h"

namespace batchwise {

/// Returns the error for a size of a configuration that is not at least 1.
Error belowOneError(std::string_view field, std::int64_t value);

/// Returns the step sizes of the ramp's stages below `target`, doubling from `initial`: initial, 2 x initial, ... below
/// `target`, which is ceil(log2(target / initial)) sizes; none if `initial` is `target`. Fails with Config if `initial`
/// < 1 or `initial` > `target`.
Result<std::vector<std::int64_t>> doublingStages(std::int64_t initial, std::int64_t target);
/// Same, growing by `increment`: ceil((target - initial) / increment) stages. Also fails if `increment` < 1.
Result<std::vector<std::int64_t>> linearStages(std::int64_t initial, std::int64_t increment, std::int64_t target);

/// Returns where the stages of these sizes and then the end begin, for stages that fill `duration` with equal numbers
/// of steps: ceil(duration x sizes before / all sizes).
std::vector<std::int64_t> equalStepBegins(const std::vector<std::int64_t>& sizes, std::int64_t duration);

/// A step size, and the number of steps per global batch.
struct StepShape {
  std::int64_t stepUnits = 1;
  std::int64_t steps = 1;
  std::int64_t batchUnits() const { return stepUnits * steps; }
  bool operator==(const StepShape&) const = default;
};

/// Returns the shape with max(1, target / stepUnits) steps, rounded half up.
StepShape shapeOf(std::int64_t stepUnits, std::int64_t target);

/// Step size as a function of the position in the run. Stages are numbered from 0; the last has the final size and no
/// end. A value. Thread-safe.
class Ramp {
 public:
  /// Makes a single stage of `target`.
  explicit Ramp(std::int64_t target) : sizes_{target} {}
  /// Makes stages of equal length and sizes `below` that fill `duration` (a whole number of ba, sp or tok), then
  /// `target`.
  static Ramp equalStages(std::vector<std::int64_t> below, std::int64_t target, Time duration);
  /// Makes stages that start at `starts[k]`: all in one unit, ascending, the first 0.
  static Ramp table(std::vector<Time> starts, std::vector<std::int64_t> sizes);

  std::int64_t stages() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t sizeOf(std::int64_t stage) const { return sizes_[static_cast<std::size_t>(stage)]; }
  std::int64_t target() const { return sizes_.back(); }
  StepShape shape(std::int64_t stage) const { return shapeOf(sizeOf(stage), target()); }
  /// Returns the unit of the clock that decides.
  TimeUnit unit() const { return unit_; }
  /// Returns the stage of a global batch that starts at `start`.
  std::int64_t stageAt(const Timestamp& start) const;

 private:
  std::vector<std::int64_t> sizes_;  ///< the last is the final one
  TimeUnit unit_ = TimeUnit::Batch;
  std::vector<std::int64_t> begins_;  ///< clock values, one per stage
};

}  // namespace batchwise
