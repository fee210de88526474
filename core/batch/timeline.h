// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/batch/ramp.h"
#include "core/batch/unit_source.h"
#include "core/time/time.h"

namespace batchwise {

/// A range of global batches of one shape.
struct Segment {
  Timestamp start;  ///< of its first global batch
  StepShape shape;
  std::int64_t stage = 0;        ///< of the ramp
  std::int64_t globalUnits = 1;  ///< the full size in use: G, or the result of growth
};

/// Locates any position of a run without iterating over it. Positions are starts of global batches, as Timestamps
/// (seconds 0), of a run without end. Takes O(log distance) steps for samples; packs are planned epoch by epoch.
/// Thread-safe.
class Timeline {
 public:
  explicit Timeline(std::shared_ptr<const UnitSource> source) : source_(std::move(source)) {}

  /// Returns the start of the global batch that is `batches` (>= 0) after the one starting at `from`, all of one shape.
  Timestamp advance(const Timestamp& from, const StepShape& shape, std::int64_t batches) const;
  /// Returns the first start at or after `from` for which `reached` holds; `reached` must be monotonic. Empty if there
  /// is none within 2^60 global batches.
  std::optional<Timestamp> firstWhere(const Timestamp& from, const StepShape& shape,
                                      const std::function<bool(const Timestamp&)>& reached) const;
  /// Returns the segments of a ramp from the global batch starting at `from` on, without empty ones.
  std::vector<Segment> rampSegments(const Ramp& ramp, const Timestamp& from = {}) const;
  /// Returns the last start, over all segments, for which `beyond` (monotonic) does not hold.
  Timestamp lastBefore(const std::vector<Segment>& segments, const std::function<bool(const Timestamp&)>& beyond) const;
  /// Returns `at` with the samples and tokens that belong to its unit in the epoch.
  Timestamp withCounts(Timestamp at) const;

 private:
  bool tooFar(const Timestamp& at, const StepShape& shape, std::int64_t batches) const;
  std::shared_ptr<const UnitSource> source_;
};

}  // namespace batchwise
