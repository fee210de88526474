// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/config/time/time.h"
#include "core/plan/epoch_order.h"
#include "core/plan/ramp.h"

namespace batchwise {

/// A range of global batches of one shape.
struct ShapeRange {
  Timestamp start;  ///< of its first global batch
  StepShape shape;
  std::int64_t rampStage = 0;
  std::int64_t globalUnits = 1;  ///< the full size in use: G, or the result of growth
};

/// The starts of the global batches of a run without end, as Timestamps (seconds 0). Searches jump over many global
/// batches at once, and over all epochs that are alike; epochs of other packs are planned one by one. Thread-safe.
class Timeline {
 public:
  /// A property of starts that holds for all after the first for which it holds.
  using Condition = std::function<bool(const Timestamp&)>;

  explicit Timeline(std::shared_ptr<const UnitSource> source) : source_(std::move(source)) {}

  // `clock`: what a condition reads. Tokens within an epoch take time to count, so starts that are only compared have
  // them for TimeUnit::Token alone.

  /// Returns the start of the global batch after the one at `at`, to be compared.
  Timestamp next(const Timestamp& at, const StepShape& shape, TimeUnit clock) const {
    return jump(at, shape, clock, 1);
  }
  /// Returns the last start at or after `from` for which `beyond` does not hold, `from` if it holds for all. Stops
  /// where counts would exceed UnitSource::lookaheadSamples().
  Timestamp lastBefore(const Timestamp& from, const StepShape& shape, TimeUnit clock, const Condition& beyond) const;
  /// The same over all ranges.
  Timestamp lastBefore(const std::vector<ShapeRange>& ranges, TimeUnit clock, const Condition& beyond) const;
  /// Returns the first start at or after `from` for which `reached` holds; empty if there is none that can be counted.
  std::optional<Timestamp> firstWhere(const Timestamp& from, const StepShape& shape, TimeUnit clock,
                                      const Condition& reached) const;
  /// Returns the ranges of a ramp from the global batch starting at `from` on, without empty ones.
  std::vector<ShapeRange> rampRanges(const Ramp& ramp, const Timestamp& from = {}) const;
  /// Returns `at` with the samples and tokens that belong to its unit in the epoch.
  Timestamp withCounts(Timestamp at) const;

 private:
  /// Returns the start that is `batches` (>= 1) after `at`, but at most the end of the epoch, or of as many whole
  /// epochs as fit if all are alike.
  Timestamp jump(Timestamp at, const StepShape& shape, TimeUnit clock, std::int64_t batches) const;
  bool isCountable(const Timestamp& at, const StepShape& shape, std::int64_t batches) const;
  std::shared_ptr<const UnitSource> source_;
};

}  // namespace batchwise
