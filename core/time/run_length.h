// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time/time.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// What a run lasts and what an epoch of it holds: enough to turn every Time into one that a clock can be compared
/// with.
struct RunLength {
  Time maxDuration;                             ///< after scale_schedule_ratio
  std::optional<std::int64_t> samplesPerEpoch;  ///< that can be used; empty: the data has no known length
  std::optional<std::int64_t>
      batchesPerEpoch;  ///< set if all global batches have one size (the last of an epoch aside)
};

/// max_duration x scale_schedule_ratio, truncated; exact when the ratio is 1. Fails with Config if nothing is left, or
/// if either is not above 0.
Result<Time> scaleMaxDuration(const Time& maxDuration, double ratio);

/// A Time of the schedule or of a ramp as a whole number of ba, sp or tok. `dur` takes the unit of max_duration; `ep`,
/// and `dur` of a run measured in ep, become ba where all global batches have one size, else sp. Products are taken
/// left to right in double and truncated; `ratio` (scale_schedule_ratio, 1 for what it does not scale) never applies to
/// `dur`. Fails with Config, naming `field`: a Time in sec, `dur` of a run measured in sec, an epoch without a known
/// length, a negative Time.
Result<Time> resolveTime(const Time& time, const RunLength& run, double ratio, std::string_view field);

/// An interval: as resolveTime, but `dur` is rounded up and at least 1, sec is allowed, and whole epochs stay epochs
/// (they are due at the end of an epoch, however many batches it took).
Result<Time> resolveInterval(const Time& interval, const RunLength& run, std::string_view field);

/// Where the run ends, on a clock: max_duration itself, or for fractional epochs the ba (or sp) that resolveTime gives.
/// Fails with Config, naming max_duration, if that is nothing, or 2^62 and more.
Result<Time> resolveEnd(const RunLength& run);

/// Done over max_duration, moving with every step also in runs measured in epochs. Above 1 past the end.
double fractionDone(const Timestamp& now, const RunLength& run);

}  // namespace batchwise
