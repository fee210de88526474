// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "core/time/run_length.h"

namespace batchwise {

/// Whether something that happens at intervals also happens when the run ends.
enum class AtEnd { Fire, Silent };

/// One or more intervals (`eval.interval`, `checkpoint.interval`, `log.interval`): when each is due, as a pure function
/// of two Timestamps. Nothing is due twice at one place, the end of the run included. A value; any thread.
class IntervalSet {
 public:
  /// An empty set: never due, also not at the end.
  IntervalSet() = default;
  /// Resolves every interval against the run. A Time of 0 is never due. Fails with Config, naming `field` and the Time.
  static Result<IntervalSet> resolve(const std::vector<Time>& intervals, const RunLength& run, AtEnd atEnd,
                                     std::string_view field);

  /// The intervals (indices into the list given) of which a boundary lies after `before` and not after `after`:
  /// multiples of the interval on its own clock. sec means training seconds (Timestamp::seconds). With `runEnds` and
  /// AtEnd::Fire, all of them if none was due.
  std::vector<std::size_t> due(const Timestamp& before, const Timestamp& after, bool runEnds) const;
  bool anyDue(const Timestamp& before, const Timestamp& after, bool runEnds) const;

  /// The resolved intervals, in the order given: "0.25dur" of 12ba is 3ba.
  const std::vector<Time>& resolved() const { return intervals_; }

 private:
  std::vector<Time> intervals_;
  AtEnd atEnd_ = AtEnd::Silent;
};

}  // namespace batchwise
