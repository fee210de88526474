// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/time/interval.h"

#include <cmath>

#include "core/base/return_if_error.h"
#include "core/time/arithmetic.h"

namespace batchwise {
namespace {

/// Returns the number of whole intervals elapsed on the interval's clock.
std::int64_t passed(const Timestamp& now, const Time& interval) {
  if (interval.unit() == TimeUnit::Second)
    return static_cast<std::int64_t>(std::floor(now.seconds / interval.number()));
  return clockValue(now, interval.unit()) / interval.count();
}

bool isDue(const Time& interval, const Timestamp& before, const Timestamp& after) {
  return interval.count() > 0 && passed(after, interval) > passed(before, interval);
}

}  // namespace

Result<IntervalSet> IntervalSet::resolve(const std::vector<Time>& intervals, const RunLength& run, AtEnd atEnd,
                                         std::string_view field) {
  IntervalSet set;
  set.atEnd_ = atEnd;
  for (const Time& interval : intervals) {
    ASSIGN_OR_RETURN(auto resolved, resolveInterval(interval, run, field));
    set.intervals_.push_back(resolved);
  }
  return set;
}

std::vector<std::size_t> IntervalSet::due(const Timestamp& before, const Timestamp& after, bool runEnds) const {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < intervals_.size(); ++index)
    if (isDue(intervals_[index], before, after)) found.push_back(index);
  if (!found.empty() || !runEnds || atEnd_ == AtEnd::Silent) return found;
  for (std::size_t index = 0; index < intervals_.size(); ++index)
    if (intervals_[index].count() > 0) found.push_back(index);
  return found;
}

bool IntervalSet::anyDue(const Timestamp& before, const Timestamp& after, bool runEnds) const {
  return !due(before, after, runEnds).empty();
}

}  // namespace batchwise
