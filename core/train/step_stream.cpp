// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_stream.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/format.h"

namespace batchwise {
namespace {

using Units = std::vector<std::vector<std::int64_t>>;

// A range of the distributed samples of a step: the input of one pass.
struct Pass {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The samples of a step as distributed to the devices, the start of each unit, and each sample's place in the step,
// which does not depend on the number of devices.
struct StepLayout {
  std::vector<std::int64_t> samples;
  std::vector<std::int32_t> placeInStep;  // [samples]
  std::vector<std::size_t> unitStarts;    // [units + 1]

  static StepLayout of(const Units& units, const TokenDataset& data, std::int64_t devices) {
    std::vector<std::int32_t> firstPlaces = {0};
    for (const std::vector<std::int64_t>& unit : units)
      firstPlaces.push_back(firstPlaces.back() + static_cast<std::int32_t>(unit.size()));
    StepLayout layout;
    layout.unitStarts.push_back(0);
    for (const std::int64_t unitNumber :
         balanceUnits(units, devices, [&data](std::int64_t sample) { return std::int64_t{data.length(sample)}; })) {
      const auto unit = static_cast<std::size_t>(unitNumber);
      layout.samples.insert(layout.samples.end(), units[unit].begin(), units[unit].end());
      for (std::int32_t place = firstPlaces[unit]; place < firstPlaces[unit + 1]; ++place)
        layout.placeInStep.push_back(place);
      layout.unitStarts.push_back(layout.samples.size());
    }
    return layout;
  }
  std::span<const std::int64_t> samplesOf(const Pass& pass) const {
    return std::span(samples).subspan(pass.begin, pass.end - pass.begin);
  }
  std::span<const std::int32_t> placesOf(const Pass& pass) const {
    return std::span(placeInStep).subspan(pass.begin, pass.end - pass.begin);
  }
  Pass passOf(const Plan::MicroBatchRange& range) const {
    return {unitStarts[static_cast<std::size_t>(range.firstUnit)],
            unitStarts[static_cast<std::size_t>(range.firstUnit + range.units)]};
  }
};

// Assigns each sequence to the pass in whose share of the tokens it starts. Omits passes without sequences.
void splitPass(const StepLayout& layout, const TokenDataset& data, const Pass& whole, std::int64_t pieces,
               std::vector<Pass>& passes) {
  std::int64_t all = 0;
  for (const std::int64_t id : layout.samplesOf(whole)) all += data.length(id);
  std::int64_t before = 0;
  std::int64_t current = -1;
  for (std::size_t place = whole.begin; place < whole.end; ++place) {
    const std::int64_t piece = before * pieces / all;
    if (piece != current) passes.push_back({place, place});
    current = piece;
    passes.back().end = place + 1;
    before += data.length(layout.samples[place]);
  }
}

// Returns the passes of one device; one per micro-batch if these are not split.
std::vector<Pass> passesOf(const Plan& plan, const TokenDataset& data, const OptimizerStep& step,
                           const StepLayout& layout, std::int64_t device, std::int64_t passesPerPack) {
  std::vector<Pass> passes;
  for (const Plan::MicroBatchRange& range : plan.microBatchesOf(step, device)) {
    const Pass whole = layout.passOf(range);
    if (passesPerPack > 1)
      splitPass(layout, data, whole, passesPerPack, passes);
    else
      passes.push_back(whole);
  }
  return passes;
}

std::int64_t paddedTokens(const TokenDataset& samples, std::span<const std::int64_t> ids) {
  std::uint32_t longest = 0;
  for (const std::int64_t id : ids) longest = std::max(longest, samples.length(id));
  return static_cast<std::int64_t>(ids.size()) * longest;
}

// Returns the masks of a global batch, whose share of predicted tokens may change in the course of the run.
MaskSpec masksOf(const TrainingData& data, const GlobalBatch& batch) {
  MaskSpec masks = data.masks;
  masks.probability = batch.maskProbability;
  return masks;
}

// Counts the predicted tokens of the samples of a step, before its first pass.
std::vector<std::int64_t> predictedInStep(const TrainingData& data, const GlobalBatch& batch,
                                          const std::vector<std::int64_t>& samples) {
  const MaskSpec masks = masksOf(data, batch);
  std::vector<std::int64_t> predicted;
  std::vector<std::int32_t> tokens;
  for (const std::int64_t id : samples) {
    if (masks.countsByLength()) {
      predicted.push_back(predictedTokens(data.samples.length(id), masks.probability));
      continue;
    }
    tokens.clear();
    data.samples.appendTokens(id, tokens);
    predicted.push_back(predictedTokens(tokens, id, {data.seed, batch.epoch}, masks));
  }
  return predicted;
}

// Sets what the parts of the step are worth, from the predicted tokens of its samples.
void weighParts(PlannedStep& step, std::span<const std::int64_t> predicted,
                const std::vector<std::vector<Pass>>& passesOfDevices) {
  double all = 0, squares = 0, ofPasses = 0;
  for (const std::int64_t one : predicted) {
    all += static_cast<double>(one);
    squares += static_cast<double>(one) * static_cast<double>(one);
  }
  for (const std::vector<Pass>& passes : passesOfDevices)
    for (const Pass& pass : passes) {
      double sum = 0, squaresOfPass = 0;
      for (const std::int64_t one : predicted.subspan(pass.begin, pass.end - pass.begin)) {
        sum += static_cast<double>(one);
        squaresOfPass += static_cast<double>(one) * static_cast<double>(one);
      }
      if (sum > 0) ofPasses += squaresOfPass / sum / all;
    }
  const OptimizerStep& counts = step.counts();
  step.ofMicrobatches = {0, ofPasses, 0, squares / (all * all), counts.samples, counts.tokens};
  step.ofSamples = step.ofMicrobatches;
  step.ofSamples.partInverse = 1;
}

PlannedStep planStep(const TrainingData& data, std::shared_ptr<const GlobalBatch> batch, std::size_t index,
                     const StepLayout& layout, const std::vector<std::vector<Pass>>& passesOfDevices) {
  PlannedStep step;
  step.batch = std::move(batch);
  step.index = index;
  const std::vector<std::int64_t> predicted = predictedInStep(data, *step.batch, layout.samples);
  step.predicted = std::accumulate(predicted.begin(), predicted.end(), std::int64_t{0});
  weighParts(step, predicted, passesOfDevices);
  step.computedTokens = step.counts().units * data.packTokens;
  for (const std::string& name : data.sources) step.sources.push_back({name, 0});
  if (!step.sources.empty())
    for (const std::int64_t id : layout.samples)
      step.sources[data.samples.sourceOf(id)].tokens += data.samples.length(id);
  for (const std::vector<Pass>& passes : passesOfDevices) {
    step.microBatches = std::max(step.microBatches, std::ssize(passes));
    for (const Pass& pass : passes) {
      step.mostSequences = std::max(step.mostSequences, std::ssize(layout.samplesOf(pass)));
      if (data.packTokens == 0) step.computedTokens += paddedTokens(data.samples, layout.samplesOf(pass));
    }
  }
  return step;
}

// Iterates over the plan by micro-batch. Prefetch thread only.
class MicroBatchGenerator {
 public:
  MicroBatchGenerator(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from,
                      const GrowthState& growth, std::int64_t passesPerPack)
      : plan_(std::move(plan)),
        data_(std::move(data)),
        device_(device),
        now_(from),
        growth_(growth),
        passesPerPack_(passesPerPack) {}

  Result<std::optional<PlannedMicroBatch>> next() {
    if (nextPass_ == passes_.size()) {
      if (step_) leaveStep();
      if (now_.stepInBatch == 0 && plan_.finished(now_)) return std::optional<PlannedMicroBatch>();
      RETURN_IF_ERROR(enterStep());
    }
    const std::size_t index = nextPass_++;
    const Pass& pass = passes_[index];
    const MaskingKey key{data_.seed, step_->batch->epoch};
    PlannedMicroBatch made{step_, static_cast<std::int64_t>(index),
                           buildMicroBatch(data_.samples, layout_.samplesOf(pass), layout_.placesOf(pass), key,
                                           masksOf(data_, *step_->batch))};
    RETURN_IF_ERROR(data_.samples.intact());
    return std::optional(std::move(made));
  }

 private:
  Result<void> enterStep() {
    if (!batch_) {
      Result<GlobalBatch> batch = plan_.globalBatchAt(now_, growth_);
      RETURN_IF_ERROR(data_.samples.intact());
      if (!batch.ok()) return batch.error();
      batch_ = std::make_shared<const GlobalBatch>(std::move(*batch));
    }
    const auto index = static_cast<std::size_t>(now_.stepInBatch);
    if (index >= batch_->steps.size())
      return Error::internal(formatText("the plan has no step {} in global batch {}", now_.stepInBatch, now_.batch));
    const OptimizerStep& step = batch_->steps[index];
    ASSIGN_OR_RETURN(auto units, plan_.unitsOf(batch_->epoch, step));
    layout_ = StepLayout::of(units, data_.samples, plan_.devices());
    std::vector<std::vector<Pass>> passes;
    for (std::int64_t device = 0; device < plan_.devices(); ++device)
      passes.push_back(passesOf(plan_, data_.samples, step, layout_, device, passesPerPack_));
    step_ = std::make_shared<const PlannedStep>(planStep(data_, batch_, index, layout_, passes));
    passes_ = std::move(passes[static_cast<std::size_t>(device_)]);
    passes_.resize(static_cast<std::size_t>(step_->microBatches));  // the other devices still compute
    nextPass_ = 0;
    return {};
  }

  void leaveStep() {
    const OptimizerStep& done = step_->counts();
    now_ = now_.afterStep({done.samples, done.tokens, 0.0}, done.units);
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
  const std::int64_t passesPerPack_;
  std::shared_ptr<const GlobalBatch> batch_;
  std::shared_ptr<const PlannedStep> step_;
  StepLayout layout_;
  std::vector<Pass> passes_;
  std::size_t nextPass_ = 0;
};

}  // namespace

StepStream::StepStream(Plan plan, TrainingData data, std::int64_t device, const Timestamp& from,
                       const GrowthState& growth, std::int64_t passesPerPack)
    : prefetcher_([generator = std::make_shared<MicroBatchGenerator>(std::move(plan), std::move(data), device, from,
                                                                     growth, passesPerPack)](
                      std::stop_token) { return generator->next(); },
                  kAhead) {}

}  // namespace batchwise
