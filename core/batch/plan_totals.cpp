// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/batch/balance.h"
#include "core/batch/plan_state.h"
#include "core/time/time.h"

namespace batchwise {
namespace {

bool isEndPredictable(const PlanState& state) {
  if (state.end.unit() == TimeUnit::Second) return false;
  if (state.unknownFrom && !state.finished(*state.unknownFrom)) return false;
  return state.derived.samplesAt(state.derived.run.maxDuration) < static_cast<double>(state.source->lookaheadSamples());
}

/// Tokens of rows, and their area when each micro-batch is padded to its longest row.
struct RowArea {
  std::int64_t tokens = 0;
  std::int64_t padded = 0;
};

/// Adds a part of an epoch, where one sample is one unit.
Result<void> addPart(const Plan& plan, const Lengths& lengths, std::int64_t epoch, const Part& part, RowArea& area) {
  ASSIGN_OR_RETURN(const auto units, plan.unitsOf(epoch, part));
  const std::vector<std::int64_t> distributed =
      balanceUnits(units, plan.devices(), [&lengths](std::int64_t sample) { return lengths.at(sample); });
  for (std::int64_t device = 0; device < plan.devices(); ++device)
    for (const Plan::MicroBatchRange& range : plan.microBatchesOf(part, device)) {
      std::int64_t longest = 0;
      for (std::int64_t unit = range.firstUnit; unit < range.firstUnit + range.units; ++unit) {
        const std::int64_t own = distributed[static_cast<std::size_t>(unit)];
        const std::int64_t length = lengths.at(units[static_cast<std::size_t>(own)].front());
        longest = std::max(longest, length);
        area.tokens += length;
      }
      area.padded += longest * range.units;
    }
  return {};
}

}  // namespace

bool PlanState::finished(const Timestamp& now) const {
  if (end.unit() == TimeUnit::Second) return now.seconds >= end.number();
  return clockValue(now, end.unit()) >= end.count();
}

std::optional<PlanState::EndOfRun> PlanState::endOfRun() const {
  const Timestamp last = timeline->lastBefore(segments, [&](const Timestamp& at) { return finished(at); });
  const auto batch = batchFrom(last, segmentOf(segments, last), RunEnd::Cuts);
  if (!batch) return std::nullopt;
  return EndOfRun{last, afterBatch(last, *batch), batch->endsEpoch};
}

Plan::Totals PlanState::countTotals() const {
  Plan::Totals totals;
  if (!isEndPredictable(*this)) return totals;
  const std::optional<EndOfRun> found = endOfRun();
  if (!found) return totals;
  const Timestamp& at = found->inItsEpoch;
  totals.batches = at.batch;
  totals.steps = at.step;
  totals.samples = at.sample;
  if (!dataKnown) return totals;
  const double inEpoch = static_cast<double>(at.sampleInEpoch) / static_cast<double>(*derived.run.samplesPerEpoch);
  totals.epochs = static_cast<double>(at.epoch) + (found->endsEpoch ? 1.0 : inEpoch);
  if (const Timestamp from = begin(); from != Timestamp{})
    *totals.epochs -= static_cast<double>(from.epoch) +
                      static_cast<double>(from.sampleInEpoch) / static_cast<double>(*derived.run.samplesPerEpoch);
  totals.tokens = at.token;
  return totals;
}

std::optional<Timestamp> Plan::predictedEnd() const {
  if (!isEndPredictable(*state_)) return std::nullopt;
  const auto end = state_->endOfRun();
  return end ? std::optional(state_->inRun(end->next())) : std::nullopt;
}

Plan::Totals Plan::totals() const {
  std::call_once(state_->lazyTotals->once, [&] { state_->lazyTotals->totals = state_->countTotals(); });
  return state_->lazyTotals->totals;
}

std::optional<double> Plan::fill(std::int64_t epoch) const {
  return state_->packs ? std::optional{state_->packs->fill(epoch)} : std::nullopt;
}

Result<std::optional<double>> Plan::paddedFill() const {
  constexpr std::int64_t kEnough = std::int64_t{1} << 22;
  if (state_->packs || !state_->lengths) return std::optional<double>{};
  RowArea area;
  std::int64_t samples = 0;
  const auto addBatch = [&](const GlobalBatch& batch) -> Result<bool> {
    for (const Part& part : batch.parts) {
      RETURN_IF_ERROR(addPart(*this, *state_->lengths, batch.epoch, part, area));
      samples += part.samples;
    }
    return samples < kEnough;
  };
  RETURN_IF_ERROR(state_->visitEpoch(state_->begin().epoch, addBatch));
  return std::optional{area.padded > 0 ? static_cast<double>(area.tokens) / static_cast<double>(area.padded) : 1.0};
}

}  // namespace batchwise
