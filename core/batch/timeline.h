// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/batch/ramp.h"
#include "core/batch/unit_source.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// A stretch of global batches of one shape.
struct Segment {
  Timestamp start;  ///< of its first global batch
  StepShape shape;
  std::int64_t stage = 0;        ///< of the ramp
  std::int64_t globalUnits = 1;  ///< the full size in force: G, or what growth made of it
};

/// Finds any place of a run without walking to it. Positions are starts of global batches, as Timestamps (seconds 0);
/// the run is taken to go on for ever. A number of steps logarithmic in the distance for samples; for packs one planned
/// epoch after the other. Any thread.
class Timeline {
 public:
  explicit Timeline(std::shared_ptr<const UnitSource> source) : source_(std::move(source)) {}

  /// The start of the global batch that comes `batches` (>= 0) after the one starting at `from`, all of one shape.
  Timestamp advance(const Timestamp& from, const StepShape& shape, std::int64_t batches) const;
  /// The first start at or after `from` where `reached` holds; `reached` must stay true once it is. Empty if it is not
  /// found within 2^60 global batches.
  std::optional<Timestamp> firstWhere(const Timestamp& from, const StepShape& shape,
                                      const std::function<bool(const Timestamp&)>& reached) const;
  /// The segments of a ramp from the global batch starting at `from` on, without those that no global batch falls into.
  std::vector<Segment> rampSegments(const Ramp& ramp, const Timestamp& from = {}) const;
  /// The last start that `beyond` does not hold for (it must stay true once it is), over all segments.
  Timestamp lastBefore(const std::vector<Segment>& segments, const std::function<bool(const Timestamp&)>& beyond) const;
  const UnitSource& source() const { return *source_; }

 private:
  Timestamp withCounts(Timestamp at) const;
  bool tooFar(const Timestamp& at, const StepShape& shape, std::int64_t batches) const;
  std::shared_ptr<const UnitSource> source_;
};

}  // namespace batchwise
