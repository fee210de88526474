// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/time/run_length.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"

namespace batchwise {
namespace {

Error wrong(std::string_view field, const Time& time, const std::string& what) {
  return Error::config(field, formatText("{} {}", time.text(), what));
}

/// Length of an epoch: in batches if they have one size, else in samples.
struct EpochMeasure {
  std::int64_t perEpoch;
  TimeUnit unit;
};

std::optional<EpochMeasure> epochMeasure(const RunLength& run) {
  if (run.batchesPerEpoch) return EpochMeasure{*run.batchesPerEpoch, TimeUnit::Batch};
  if (run.samplesPerEpoch) return EpochMeasure{*run.samplesPerEpoch, TimeUnit::Sample};
  return std::nullopt;
}

enum class Rounding { Truncate, Ceil };

Result<Time> rounded(double product, TimeUnit unit, Rounding rounding, std::string_view field, const Time& time) {
  if (!(product < 0x1.0p62)) return wrong(field, time, "is longer than 64 bits can count");
  const double whole = rounding == Rounding::Ceil ? std::ceil(product) : std::trunc(product);
  return Time::of(static_cast<std::int64_t>(whole), unit);
}

/// `fraction` of the run, in the unit of max_duration.
Result<Time> fractionOfRun(const Time& fraction, const RunLength& run, Rounding rounding, std::string_view field) {
  const Time& all = run.maxDuration;
  const bool wholeRun = fraction.number() == 1.0 && all.isWhole();  // stays exact; a double would round
  if (wholeRun && all.unit() != TimeUnit::Epoch) return all;
  if (all.unit() != TimeUnit::Epoch)
    return rounded(fraction.number() * all.number(), all.unit(), rounding, field, fraction);
  const auto measure = epochMeasure(run);
  if (!measure)
    return wrong(field, fraction, "of a run measured in epochs needs data with a known length; use ba, sp or tok");
  if (wholeRun) {
    auto whole = multiply(Time::of(measure->perEpoch, measure->unit), static_cast<double>(all.count()));
    if (whole) return *whole;
  }
  const double product = fraction.number() * static_cast<double>(measure->perEpoch) * all.number();
  return rounded(product, measure->unit, rounding, field, fraction);
}

Result<Time> resolveEpochs(const Time& epochs, const RunLength& run, double ratio, std::string_view field) {
  const auto measure = epochMeasure(run);
  if (!measure) return wrong(field, epochs, "needs data with a known length; use ba, sp or tok");
  if (epochs.isWhole()) {
    const auto whole = multiply(Time::of(measure->perEpoch, measure->unit), static_cast<double>(epochs.count()));
    if (!whole) return whole.error().about(field);
    return ratio == 1.0 ? *whole : multiply(*whole, ratio);
  }
  return rounded(epochs.number() * static_cast<double>(measure->perEpoch) * ratio, measure->unit, Rounding::Truncate,
                 field, epochs);
}

/// Returns `run` with epochs that are counted in samples, if their number is known.
RunLength inSamples(RunLength run) {
  if (run.samplesPerEpoch) run.batchesPerEpoch.reset();
  return run;
}

/// Returns the number of whole intervals elapsed on the interval's clock.
std::int64_t passed(const Timestamp& now, const Time& interval) {
  if (interval.unit() == TimeUnit::Second)
    return static_cast<std::int64_t>(std::floor(now.seconds / interval.number()));
  return clockValue(now, interval.unit()) / interval.count();
}

}  // namespace

Result<Time> scaleMaxDuration(const Time& maxDuration, double ratio) {
  if (maxDuration.unit() == TimeUnit::Duration)
    return wrong("max_duration", maxDuration,
                 "is a share of the run, whose length this field sets; use ep, ba, sp, tok or sec");
  if (!(maxDuration.number() > 0.0)) return wrong("max_duration", maxDuration, "is not above 0; use at least 1ba");
  if (!(ratio > 0.0) || !std::isfinite(ratio))
    return Error::config("scale_schedule_ratio",
                         formatText("{} is not above 0; use 1 for no scaling", formatExact(ratio)));
  if (ratio == 1.0) return maxDuration;
  auto scaled = multiply(maxDuration, ratio);
  if (!scaled) return scaled.error().about("scale_schedule_ratio");
  if (!(scaled->number() > 0.0))
    return wrong("scale_schedule_ratio", maxDuration,
                 formatText("x {} leaves nothing to train; use a larger ratio or a finer unit", formatExact(ratio)));
  return scaled;
}

Result<Time> resolveTime(const Time& time, const RunLength& run, double ratio, std::string_view field) {
  if (time.number() < 0.0) return wrong(field, time, "is negative; use 0 or more");
  switch (time.unit()) {
    case TimeUnit::Second:
      return wrong(field, time,
                   "is in seconds, which only max_duration and intervals may be; use ba, sp, tok, ep or dur");
    case TimeUnit::Duration:
      if (run.maxDuration.unit() == TimeUnit::Second)
        return wrong(field, time, "is a share of a run measured in seconds; use ba, sp, tok or ep");
      return fractionOfRun(time, run, Rounding::Truncate, field);
    case TimeUnit::Epoch: return resolveEpochs(time, run, ratio, field);
    case TimeUnit::Batch:
    case TimeUnit::Sample:
    case TimeUnit::Token: break;
  }
  return ratio == 1.0 ? time : multiply(time, ratio);
}

Result<Time> resolveInterval(const Time& interval, const RunLength& run, std::string_view field) {
  if (interval.number() < 0.0) return wrong(field, interval, "is negative; use a time above 0");
  if (interval.unit() == TimeUnit::Duration) {
    if (interval.number() == 0.0) return Time::of(0, TimeUnit::Batch);
    auto share = fractionOfRun(interval, run, Rounding::Ceil, field);
    if (share && share->count() < 1) return Time::of(1, share->unit());
    return share;
  }
  if (interval.isWhole()) return interval;
  auto part = resolveEpochs(interval, inSamples(run), 1.0, field);
  if (part && part->count() < 1) return Time::of(1, part->unit());
  return part;
}

Result<Time> resolveEnd(const RunLength& run) {
  const auto measure = epochMeasure(run);
  const double perCount =
      run.maxDuration.unit() == TimeUnit::Epoch && measure ? static_cast<double>(measure->perEpoch) : 1.0;
  if (!(run.maxDuration.number() * perCount < 0x1.0p62))
    return wrong("max_duration", run.maxDuration, "is longer than can be counted (2^62); use less");
  if (run.maxDuration.isWhole()) return run.maxDuration;
  auto end = resolveEpochs(run.maxDuration, inSamples(run), 1.0, "max_duration");
  if (end && end->count() < 1)
    return wrong("max_duration", run.maxDuration,
                 end->unit() == TimeUnit::Batch ? "is less than one global batch; use more"
                                                : "is less than one sample; use more");
  return end;
}

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

bool IntervalSet::anyDue(const Timestamp& before, const Timestamp& after, bool runEnds) const {
  const bool ends = runEnds && atEnd_ == AtEnd::Fire;
  return std::ranges::any_of(intervals_, [&](const Time& interval) {
    return interval.count() > 0 && (ends || passed(after, interval) > passed(before, interval));
  });
}

}  // namespace batchwise
