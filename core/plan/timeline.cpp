// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/timeline.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace batchwise {

Timestamp Timeline::jump(Timestamp at, const StepShape& shape, TimeUnit clock, std::int64_t batches) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  std::int64_t wanted = 0;
  if (__builtin_mul_overflow(batches, shape.batchUnits(), &wanted) || wanted > kMost) wanted = kMost;
  // One more unit shows whether the epoch goes on after them.
  const std::int64_t units = source_->unitsUpTo(at.epoch, at.unitInEpoch + wanted + 1);
  const std::int64_t left = units - at.unitInEpoch;
  if (left > wanted) {
    at.unitInEpoch += wanted;
    at.batchInEpoch += batches;
    at.batch += batches;
    at.step += batches * shape.steps;
    if (clock == TimeUnit::Token) return withCounts(at);
    const std::int64_t samples = source_->samplesBefore(at.epoch, at.unitInEpoch);
    at.sample += samples - at.sampleInEpoch;
    at.sampleInEpoch = samples;
    return at;
  }
  const std::int64_t batchesLeft = ceilDiv(left, shape.batchUnits());
  const std::int64_t stepsLeft =
      left / shape.batchUnits() * shape.steps + ceilDiv(left % shape.batchUnits(), shape.stepUnits);
  const UnitCounts whole = source_->before(at.epoch, units);
  const bool alike = at.unitInEpoch == 0 && batchesLeft > 0 && source_->sameEveryEpoch();
  const std::int64_t epochs = alike ? batches / batchesLeft : 1;
  at.batch += epochs * batchesLeft;
  at.step += epochs * stepsLeft;
  at.sample += epochs * whole.samples - at.sampleInEpoch;
  at.token += epochs * whole.tokens - at.tokenInEpoch;
  at.epoch += epochs - 1;
  return at.afterEpoch();
}

bool Timeline::isCountable(const Timestamp& at, const StepShape& shape, std::int64_t batches) const {
  // A global batch never crosses the end of its epoch, however large.
  const std::int64_t perBatch = std::max<std::int64_t>(1, source_->unitsUpTo(at.epoch, shape.batchUnits()));
  return batches <= (source_->lookaheadSamples() - at.sample) / perBatch;
}

Timestamp Timeline::withCounts(Timestamp at) const {
  const UnitCounts inEpoch = source_->before(at.epoch, at.unitInEpoch);
  at.sample += inEpoch.samples - at.sampleInEpoch;
  at.token += inEpoch.tokens - at.tokenInEpoch;
  at.sampleInEpoch = inEpoch.samples;
  at.tokenInEpoch = inEpoch.tokens;
  return at;
}

Timestamp Timeline::lastBefore(const Timestamp& from, const StepShape& shape, TimeUnit clock,
                               const Condition& beyond) const {
  constexpr int kMaxEmptyEpochs = 1'000'000;  // all their packs may be discarded
  Timestamp at = from;
  int empty = 0;
  bool overshot = false;
  // Doubles the jump until it goes too far, then halves it.
  for (std::int64_t batches = 1; batches > 0 && empty < kMaxEmptyEpochs;) {
    const bool countable = isCountable(at, shape, batches);
    const Timestamp next = countable ? jump(at, shape, clock, batches) : at;
    if (!countable || beyond(next)) {
      overshot = true;
      batches /= 2;
      continue;
    }
    empty = next.batch == at.batch ? empty + 1 : 0;
    at = next;
    if (!overshot) batches *= 2;
  }
  return withCounts(at);
}

Timestamp Timeline::lastBefore(const std::vector<ShapeRange>& ranges, TimeUnit clock, const Condition& beyond) const {
  std::size_t index = 0;
  while (index + 1 < ranges.size() && !beyond(ranges[index + 1].start)) ++index;
  return lastBefore(ranges[index].start, ranges[index].shape, clock, beyond);
}

std::optional<Timestamp> Timeline::firstWhere(const Timestamp& from, const StepShape& shape, TimeUnit clock,
                                              const Condition& reached) const {
  if (reached(from)) return from;
  const Timestamp first = next(lastBefore(from, shape, clock, reached), shape, clock);
  return reached(first) ? std::optional(withCounts(first)) : std::nullopt;
}

std::vector<ShapeRange> Timeline::rampRanges(const Ramp& ramp, const Timestamp& from) const {
  std::vector<ShapeRange> ranges;
  for (std::optional<Timestamp> at = from; at;) {
    const std::int64_t stage = ramp.stageAt(*at);
    ranges.push_back({*at, ramp.shape(stage), stage, ramp.target()});
    if (stage == ramp.stages() - 1) break;
    at = firstWhere(*at, ramp.shape(stage), ramp.unit(),
                    [&](const Timestamp& start) { return ramp.stageAt(start) > stage; });
  }
  return ranges;
}

}  // namespace batchwise
