// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/timeline.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace batchwise {
namespace {

/// A search stops after this many epochs without a unit.
constexpr std::int64_t kMaxEpochs = 1'000'000;

/// Returns left x right, saturated at a quarter of the 64-bit range.
std::int64_t saturatingProduct(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  std::int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) || product > kMost ? kMost : product;
}

/// Global batches and steps in a number of units: whole ones, then the remainder.
struct BatchesAndSteps {
  std::int64_t batches;
  std::int64_t steps;
};

BatchesAndSteps batchesAndSteps(std::int64_t units, const StepShape& shape) {
  const std::int64_t whole = units / shape.batchUnits();
  const std::int64_t rest = units % shape.batchUnits();
  return {whole + (rest > 0 ? 1 : 0), whole * shape.parts + ceilDiv(rest, shape.stepUnits)};
}

}  // namespace

bool Timeline::tooFar(const Timestamp& at, const StepShape& shape, std::int64_t batches) const {
  // A global batch never crosses the end of its epoch, however large.
  const std::int64_t perBatch = std::max<std::int64_t>(1, source_->unitsUpTo(at.epoch, shape.batchUnits()));
  return batches > std::max<std::int64_t>(0, source_->lookaheadSamples() - at.sample) / perBatch;
}

Timestamp Timeline::advance(const Timestamp& from, const StepShape& shape, std::int64_t batches) const {
  Timestamp at = from;
  std::int64_t left = batches;
  const auto finishEpoch = [&](std::int64_t units) {
    const BatchesAndSteps made = batchesAndSteps(units - at.unitInEpoch, shape);
    const UnitCounts all = source_->before(at.epoch, units);
    at.sample += all.samples - at.sampleInEpoch;
    at.token += all.tokens - at.tokenInEpoch;
    at.step += made.steps;
    at.batch += made.batches;
    left -= made.batches;
    at = at.afterEpoch();
  };
  while (left > 0) {
    // One extra unit shows whether the epoch continues after them.
    const std::int64_t wanted = saturatingProduct(left, shape.batchUnits());
    const std::int64_t units = source_->unitsUpTo(at.epoch, at.unitInEpoch + wanted + 1);
    const BatchesAndSteps rest = batchesAndSteps(units - at.unitInEpoch, shape);
    if (rest.batches > left) break;
    if (rest.batches == 0) {
      // Only packs can all be discarded; samples, or epochs that are all alike, are never empty.
      if (source_->sameEveryEpoch() || at.sample >= source_->lookaheadSamples() || at.epoch > from.epoch + kMaxEpochs)
        return at;
      at = at.afterEpoch();
      continue;
    }
    if (at.unitInEpoch == 0 && source_->sameEveryEpoch()) {
      // All epochs are alike: skip as many as fit at once.
      const std::int64_t epochs = left / rest.batches;
      const UnitCounts all = source_->before(at.epoch, units);
      at.epoch += epochs;
      at.batch += epochs * rest.batches;
      at.step += epochs * rest.steps;
      at.sample += epochs * all.samples;
      at.token += epochs * all.tokens;
      left -= epochs * rest.batches;
      continue;
    }
    finishEpoch(units);
  }
  if (left == 0) return at;
  at.unitInEpoch += left * shape.batchUnits();
  at.batchInEpoch += left;
  at.batch += left;
  at.step += left * shape.parts;
  return withCounts(at);
}

Timestamp Timeline::withCounts(Timestamp at) const {
  const UnitCounts inEpoch = source_->before(at.epoch, at.unitInEpoch);
  at.sample += inEpoch.samples - at.sampleInEpoch;
  at.token += inEpoch.tokens - at.tokenInEpoch;
  at.sampleInEpoch = inEpoch.samples;
  at.tokenInEpoch = inEpoch.tokens;
  return at;
}

std::optional<Timestamp> Timeline::firstWhere(const Timestamp& from, const StepShape& shape,
                                              const std::function<bool(const Timestamp&)>& reached) const {
  if (reached(from)) return from;
  // Double the step until it overshoots, then halve it. `at` never satisfies `reached`.
  Timestamp at = from;
  std::int64_t step = 1;
  std::optional<Timestamp> found;
  while (!found) {
    if (tooFar(at, shape, step)) return std::nullopt;
    const Timestamp next = advance(at, shape, step);
    if (reached(next)) {
      found = next;
    } else {
      at = next;
      step *= 2;
    }
  }
  for (; step > 1;) {
    step /= 2;
    const Timestamp middle = advance(at, shape, step);
    if (reached(middle))
      found = middle;
    else
      at = middle;
  }
  return found;
}

std::vector<Segment> Timeline::rampSegments(const Ramp& ramp, const Timestamp& from) const {
  std::vector<Segment> segments;
  Timestamp at = from;
  while (true) {
    const std::int64_t stage = ramp.stageAt(at);
    segments.push_back({at, ramp.shape(stage), stage, ramp.target()});
    if (stage == ramp.stages() - 1) return segments;
    const auto next =
        firstWhere(at, ramp.shape(stage), [&](const Timestamp& start) { return ramp.stageAt(start) > stage; });
    if (!next) return segments;
    at = *next;
  }
}

Timestamp Timeline::lastBefore(const std::vector<Segment>& segments,
                               const std::function<bool(const Timestamp&)>& beyond) const {
  std::size_t index = 0;
  while (index + 1 < segments.size() && !beyond(segments[index + 1].start)) ++index;
  const Segment& segment = segments[index];
  Timestamp at = segment.start;
  std::int64_t step = 1;
  while (!tooFar(at, segment.shape, step)) {
    const Timestamp next = advance(at, segment.shape, step);
    if (beyond(next)) break;
    at = next;
    step *= 2;
  }
  for (; step > 1;) {
    step /= 2;
    const Timestamp middle = advance(at, segment.shape, step);
    if (!beyond(middle)) at = middle;
  }
  return at;
}

}  // namespace batchwise
