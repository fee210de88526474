// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/plan_preview.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/base/return_if_error.h"
#include "core/data/demo_corpus.h"
#include "core/data/text_source.h"

namespace batchwise {
namespace {

constexpr double kBytesPerToken = 4.5;
constexpr int kPlanPoints = 400;
constexpr double kDemoBytesPerParagraph = 200;  // see DemoCorpusSpec

std::int64_t bytesOf(const std::vector<std::filesystem::path>& files) {
  std::int64_t bytes = 0;
  for (const auto& file : files) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    if (!failed) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

double numberAt(const ResolvedValues& values, const char* name, double otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

StageUnits unitsOf(const Plan& plan) {
  const double perBatch = std::max(1.0, numberAt(plan.resolved(), "batch.global_train_batch_size", 1));
  return {plan.countsPacks(), plan.devices(),
          numberAt(plan.resolved(), "scheduler.samples_per_batch", perBatch) / perBatch,
          numberAt(plan.resolved(), "scheduler.tokens_per_batch", 0) / perBatch};
}

/// First of `names` that is resolved to a positive length.
std::optional<PlannedLength> lengthNamed(const Plan& plan, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = plan.resolved().find(name);
    if (found == plan.resolved().end()) continue;
    const auto length = Time::parse(found->second);
    if (!length.ok() || length->number() <= 0) continue;
    PlannedLength planned{*length, std::nullopt};
    if (length->unit() == TimeUnit::Batch) {
      planned.batches = length->count();
    } else if (const auto end = plan.pointAt(*length); end.ok()) {
      planned.batches = end->at.batch;
    }
    return planned;
  }
  return std::nullopt;
}

/// First global batch of the epoch after the one that contains `batch`; none if the data has no known length.
std::optional<std::int64_t> nextEpoch(const Plan& plan, std::int64_t batch) {
  const auto here = plan.pointAt(Time::of(batch, TimeUnit::Batch));
  if (!here.ok()) return std::nullopt;
  const auto next = plan.pointAt(Time::of(here->at.epoch + 1, TimeUnit::Epoch));
  if (!next.ok() || next->at.batch <= batch) return std::nullopt;
  return next->at.batch;
}

/// Representative global batches: evenly spaced ones, both sides of each stage boundary, and in each gap the end of an
/// epoch, whose last global batch may be short.
std::set<std::int64_t> representativeBatches(const Plan& plan, std::int64_t batches) {
  std::set<std::int64_t> chosen;
  const auto choose = [&](std::int64_t batch) {
    if (batch >= 0 && batch < batches) chosen.insert(batch);
  };
  const auto spread = [&](int i) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(batches - 1) * i / kPlanPoints));
  };
  for (const PlannedStage& stage : plan.stages()) {
    choose(stage.fromBatch - 1);
    choose(stage.fromBatch);
  }
  std::optional<std::int64_t> epochEnd = nextEpoch(plan, 0);
  for (int i = 0; i <= kPlanPoints; ++i) {
    choose(spread(i));
    if (epochEnd && *epochEnd <= spread(i)) epochEnd = nextEpoch(plan, spread(i));
    if (!epochEnd || *epochEnd > spread(i + 1)) continue;
    for (const std::int64_t around : {-2, -1, 0}) choose(*epochEnd + around);
  }
  return chosen;
}

Result<Plan> resolvePlan(const TrainConfig& config, const PlanAssumptions& assumptions) {
  std::shared_ptr<const Lengths> lengths = assumptions.lengths;
  if (!lengths && assumptions.samplesPerEpoch > 0)
    lengths = std::make_shared<EqualLengths>(
        assumptions.samplesPerEpoch, static_cast<std::uint32_t>(std::max<std::int64_t>(1, config.data.maxSeqLen)));
  DeviceShape shape;
  shape.devices = assumptions.devices;
  const std::int64_t perDevice = (config.batch.globalTrainBatchSize + shape.devices - 1) / shape.devices;
  shape.microbatchUnits = config.batch.deviceTrainMicrobatchSize.value_or(perDevice);
  return Plan::resolve(config, lengths, shape);
}

std::optional<std::int64_t> plannedTokens(const TrainConfig& config, const PlanAssumptions& assumptions) {
  const auto plan = resolvePlan(config, assumptions);
  return plan.ok() ? plan->totals().tokens : std::nullopt;
}

/// For equal data: both runs train the same number of tokens.
bool sameLength(const TrainConfig& a, const TrainConfig& b) {
  return a.maxDuration == b.maxDuration && a.scaleScheduleRatio == b.scaleScheduleRatio && a.batch == b.batch;
}

}  // namespace

void samplePlan(const Plan& plan, std::int64_t batches, std::vector<QPointF>& rate, std::vector<QPointF>& stepSize) {
  for (const std::int64_t batch : representativeBatches(plan, batches)) {
    const auto point = plan.pointAt(Time::of(batch, TimeUnit::Batch));
    if (!point.ok()) return;
    const auto done = static_cast<double>(batch + 1);  // x of its metrics row
    rate.emplace_back(done, point->learningRate);
    stepSize.emplace_back(done, static_cast<double>(point->stepSamples));
  }
}

std::optional<double> sweepSeconds(const std::vector<TrainConfig>& runs, const PlanAssumptions& assumptions,
                                   const std::function<std::optional<MeasuredSpeed>(const TrainConfig&)>& speedOf) {
  const TrainConfig& first = runs.front();
  std::optional<MeasuredSpeed> speed = speedOf(first);
  std::optional<std::int64_t> tokens = plannedTokens(first, assumptions);
  double seconds = 0;
  for (const TrainConfig& run : runs) {
    if (run.data != first.data || run.tokenizer != first.tokenizer) return std::nullopt;
    const auto runSpeed = run.model == first.model ? speed : speedOf(run);
    const auto runTokens = sameLength(run, first) ? tokens : plannedTokens(run, assumptions);
    if (!runSpeed || runSpeed->tokensPerSec <= 0 || !runTokens) return std::nullopt;
    seconds += static_cast<double>(*runTokens) / runSpeed->tokensPerSec;
  }
  return seconds;
}

Result<PlanPreview> previewPlan(const TrainConfig& config, const PlanAssumptions& assumptions) {
  ASSIGN_OR_RETURN(const auto plan, resolvePlan(config, assumptions));
  PlanPreview preview;
  preview.stages = plan.stages();
  preview.units = unitsOf(plan);
  preview.maxDuration = plan.runLength().maxDuration;
  preview.warmup = lengthNamed(plan, {"scheduler.t_warmup", "scheduler.parts[0].t_warmup"});
  preview.rampup = lengthNamed(plan, {"batch.rampup.duration"});
  preview.totals = plan.totals();
  preview.notes = plan.notes();
  preview.fill = plan.fill();
  preview.maxTokens = config.batch.tokens.maxTokens;
  preview.lengthsKnown = assumptions.lengths != nullptr;
  if (preview.totals.batches) samplePlan(plan, *preview.totals.batches, preview.rate, preview.stepSize);
  RETURN_IF_ERROR(plan.intact());
  return preview;
}

Result<Plan> restorePlan(const TrainConfig& config, const ResolvedValues& resolved) {
  const auto number = [&](const char* name, double otherwise) { return numberAt(resolved, name, otherwise); };
  const double samples = number("data.samples_per_epoch", 0);
  const double perBatch = std::max(1.0, number("scheduler.samples_per_batch", 1));
  const double tokens = std::max(1.0, number("scheduler.tokens_per_batch", perBatch) / perBatch);
  std::shared_ptr<const Lengths> lengths;
  if (samples > 0)
    lengths = std::make_shared<EqualLengths>(static_cast<std::int64_t>(samples),
                                             static_cast<std::uint32_t>(std::lround(tokens)));
  DeviceShape shape;
  shape.devices = std::max<std::int64_t>(1, std::llround(number("devices.count", 1)));
  shape.microbatchUnits = std::max<std::int64_t>(1, std::llround(number("batch.device_train_microbatch_size", 1)));
  return Plan::restore(config, resolved, lengths, shape);
}

std::optional<std::int64_t> estimateSamples(const DataConfig& data, const std::filesystem::path& baseFolder) {
  const auto longest = static_cast<double>(std::max<std::int64_t>(3, data.maxSeqLen) - 2);
  if (data.format == "demo") {
    const double pieces = std::ceil(kDemoBytesPerParagraph / kBytesPerToken / longest);
    return std::llround(static_cast<double>(DemoCorpusSpec{}.paragraphs) * (1.0 - data.holdout) * pieces);
  }
  const auto format = textFormatFromName(data.format);
  if (!format.ok()) return std::nullopt;
  const auto files = findTextFiles(data.train, baseFolder, *format);
  if (!files.ok()) return std::nullopt;
  const double tokens = static_cast<double>(bytesOf(*files)) / kBytesPerToken;
  if (tokens <= 0) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(tokens / longest));
}

}  // namespace batchwise
