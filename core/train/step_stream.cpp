// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/batch/deal.h"

namespace batchwise {
namespace {

using Units = std::vector<std::vector<std::int64_t>>;

// The samples of a step as they are dealt to the devices, where each unit begins, and which place in the step each
// sample has: the same for any number of devices.
struct StepPlaces {
  std::vector<std::int64_t> samples;
  std::vector<std::int32_t> places;     // [samples]
  std::vector<std::size_t> unitStarts;  // [units + 1]

  static StepPlaces of(const Units& units, const TokenDataset& data, std::int64_t devices) {
    std::vector<std::int32_t> firstPlaces = {0};
    for (const std::vector<std::int64_t>& unit : units)
      firstPlaces.push_back(firstPlaces.back() + static_cast<std::int32_t>(unit.size()));
    StepPlaces places;
    places.unitStarts.push_back(0);
    for (const std::int64_t dealt :
         dealUnits(units, devices, [&data](std::int64_t sample) { return std::int64_t{data.length(sample)}; })) {
      const auto unit = static_cast<std::size_t>(dealt);
      places.samples.insert(places.samples.end(), units[unit].begin(), units[unit].end());
      for (std::int32_t place = firstPlaces[unit]; place < firstPlaces[unit + 1]; ++place)
        places.places.push_back(place);
      places.unitStarts.push_back(places.samples.size());
    }
    return places;
  }
  std::span<const std::int64_t> samplesOf(const Plan::MicroBatchRange& range) const {
    return std::span(samples).subspan(begin(range), end(range) - begin(range));
  }
  std::span<const std::int32_t> placesOf(const Plan::MicroBatchRange& range) const {
    return std::span(places).subspan(begin(range), end(range) - begin(range));
  }

 private:
  std::size_t begin(const Plan::MicroBatchRange& range) const {
    return unitStarts[static_cast<std::size_t>(range.firstUnit)];
  }
  std::size_t end(const Plan::MicroBatchRange& range) const {
    return unitStarts[static_cast<std::size_t>(range.firstUnit + range.units)];
  }
};

std::int64_t paddedTokens(const TokenDataset& samples, std::span<const std::int64_t> ids) {
  std::uint32_t longest = 0;
  for (const std::int64_t id : ids) longest = std::max(longest, samples.length(id));
  return static_cast<std::int64_t>(ids.size()) * longest;
}

PlannedStep figuresOf(const Plan& plan, const TrainingData& data, std::shared_ptr<const GlobalBatch> batch,
                      std::size_t partIndex, const StepPlaces& places) {
  PlannedStep step{std::move(batch), partIndex, 0, 0, 0};
  const Part& part = step.counts();
  for (const std::int64_t id : places.samples)
    step.predicted += predictedTokens(data.samples.length(id), data.masks.probability);
  step.computedTokens = part.units * data.packTokens;
  for (std::int64_t device = 0; device < plan.devices(); ++device) {
    const std::vector<Plan::MicroBatchRange> ranges = plan.microBatchesOf(part, device);
    step.microBatches = static_cast<std::int64_t>(ranges.size());
    if (data.packTokens > 0) continue;
    for (const Plan::MicroBatchRange& range : ranges)
      step.computedTokens += paddedTokens(data.samples, places.samplesOf(range));
  }
  return step;
}

// Walks through the plan, one micro-batch at a time. Used by the prefetch thread only.
class Walk {
 public:
  Walk(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from, const GrowthState& growth)
      : plan_(std::move(plan)), data_(std::move(data)), device_(device), now_(from), growth_(growth) {}

  Result<std::optional<PlannedMicroBatch>> next() {
    if (nextRange_ == ranges_.size()) {
      if (step_) leaveStep();
      if (now_.partInBatch == 0 && plan_.finished(now_)) return std::optional<PlannedMicroBatch>();
      if (Result<void> entered = enterStep(); !entered.ok()) return entered.error();
    }
    const std::size_t index = nextRange_++;
    const Plan::MicroBatchRange& range = ranges_[index];
    const MaskingKey key{data_.seed, step_->batch->epoch};
    return std::optional(PlannedMicroBatch{
        step_, static_cast<std::int64_t>(index),
        buildMicroBatch(data_.samples, places_.samplesOf(range), places_.placesOf(range), key, data_.masks)});
  }

 private:
  Result<void> enterStep() {
    if (!batch_) {
      Result<GlobalBatch> batch = plan_.globalBatchAt(now_, growth_);
      if (!batch.ok()) return batch.error();
      batch_ = std::make_shared<const GlobalBatch>(std::move(*batch));
    }
    const auto partIndex = static_cast<std::size_t>(now_.partInBatch);
    if (partIndex >= batch_->parts.size())
      return Error::internal("the plan has no part " + std::to_string(now_.partInBatch) + " in global batch " +
                             std::to_string(now_.batch));
    const Part& part = batch_->parts[partIndex];
    Result<Units> units = plan_.unitsOf(batch_->epoch, part);
    if (!units.ok()) return units.error();
    places_ = StepPlaces::of(*units, data_.samples, plan_.devices());
    step_ = std::make_shared<const PlannedStep>(figuresOf(plan_, data_, batch_, partIndex, places_));
    ranges_ = plan_.microBatchesOf(part, device_);
    nextRange_ = 0;
    return {};
  }

  void leaveStep() {
    const Part& part = step_->counts();
    now_ = now_.afterStep({part.samples, part.tokens, 0.0}, part.units);
    if (!step_->endsBatch()) return;
    now_ = now_.afterBatch();
    if (batch_->endsEpoch) now_ = now_.afterEpoch();
    batch_ = nullptr;
  }

  const Plan plan_;
  const TrainingData data_;
  const std::int64_t device_;
  Timestamp now_;
  const GrowthState growth_;
  std::shared_ptr<const GlobalBatch> batch_;
  std::shared_ptr<const PlannedStep> step_;
  StepPlaces places_;
  std::vector<Plan::MicroBatchRange> ranges_;
  std::size_t nextRange_ = 0;
};

}  // namespace

StepStream::StepStream(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from,
                       const GrowthState& growth)
    : prefetcher_([walk = std::make_shared<Walk>(std::move(plan), std::move(data), device, from, growth)](
                      std::stop_token) { return walk->next(); },
                  kAhead) {}

}  // namespace batchwise
