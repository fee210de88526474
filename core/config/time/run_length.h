// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/config/time/time.h"

namespace batchwise {

/// Length of a run and of its epochs: enough to resolve any Time to one that is comparable with a clock.
struct RunLength {
  Time maxDuration;                             ///< after scale_schedule_ratio
  std::optional<std::int64_t> samplesPerEpoch;  ///< usable samples; empty if the length of the data is unknown
  std::optional<std::int64_t> batchesPerEpoch;  ///< set if all global batches have one size (except an epoch's last)
};

/// Returns max_duration x scale_schedule_ratio, truncated; exact for a ratio of 1. Fails with Config if either is not
/// above 0 or the result is 0.
Result<Time> scaleMaxDuration(const Time& maxDuration, double ratio);

/// Resolves a Time of the schedule or a ramp to a whole number of ba, sp or tok. `dur` takes the unit of max_duration;
/// `ep`, and `dur` of a run measured in ep, become ba if all global batches have one size, else sp. Products are
/// computed left to right in double and truncated. `ratio` is scale_schedule_ratio, or 1 for Times that it does not
/// scale; it never applies to `dur`. Fails with Config, naming `field`, for a Time in sec, `dur` of a run measured in
/// sec, `ep` if the epoch length is unknown, or a negative Time.
Result<Time> resolveTime(const Time& time, const RunLength& run, double ratio, std::string_view field);

/// Resolves an interval like resolveTime, but `dur` is rounded up to at least 1, sec is allowed, whole epochs stay
/// epochs (due at the end of an epoch, however many batches it had), and a part of an epoch is that share of its
/// samples.
Result<Time> resolveInterval(const Time& interval, const RunLength& run, std::string_view field);

/// Returns the end of the run on a clock: max_duration itself, or for fractional epochs that share of the samples (of
/// the batches, if the number of samples is not known). Fails with Config, naming max_duration, if that is 0, or 2^62
/// or more.
Result<Time> resolveEnd(const RunLength& run);

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

  /// Returns whether an interval has a boundary (a multiple of the interval on its own clock) after `before` and not
  /// after `after`. sec means training seconds (Timestamp::seconds). With `runEnds` and AtEnd::Fire, any interval is
  /// due.
  bool anyDue(const Timestamp& before, const Timestamp& after, bool runEnds) const;

  /// Returns the resolved intervals in the order given: "0.25dur" of 12ba is 3ba.
  const std::vector<Time>& resolved() const { return intervals_; }

 private:
  std::vector<Time> intervals_;
  AtEnd atEnd_ = AtEnd::Silent;
};

}  // namespace batchwise
