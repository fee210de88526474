// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "core/time/run_length.h"

namespace batchwise {

/// Whether an interval also fires when the run ends.
enum class AtEnd { Fire, Silent };

/// A set of intervals (`eval.interval`, `checkpoint.interval`, `log.interval`). When each is due is a pure function of
/// two Timestamps; no interval is due twice at one position, the end of the run included. A value. Thread-safe.
class IntervalSet {
 public:
  /// Makes an empty set, which is never due, not even at the end.
  IntervalSet() = default;
  /// Resolves every interval against the run. A Time of 0 is never due. Fails with Config, naming `field` and the Time.
  static Result<IntervalSet> resolve(const std::vector<Time>& intervals, const RunLength& run, AtEnd atEnd,
                                     std::string_view field);

  /// Returns the indices of the intervals with a boundary (a multiple of the interval on its own clock) after `before`
  /// and not after `after`. sec means training seconds (Timestamp::seconds). With `runEnds` and AtEnd::Fire returns all
  /// indices if none was due.
  std::vector<std::size_t> due(const Timestamp& before, const Timestamp& after, bool runEnds) const;
  bool anyDue(const Timestamp& before, const Timestamp& after, bool runEnds) const;

  /// Returns the resolved intervals in the order given: "0.25dur" of 12ba is 3ba.
  const std::vector<Time>& resolved() const { return intervals_; }

 private:
  std::vector<Time> intervals_;
  AtEnd atEnd_ = AtEnd::Silent;
};

}  // namespace batchwise
