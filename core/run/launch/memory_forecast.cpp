// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/memory_forecast.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "core/base/integer_math.h"
#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/plan/microbatch_search.h"
#include "core/run/launch/launch_check.h"
#include "core/text/masking.h"

namespace batchwise {
namespace {

using SizeSource = MemoryForecast::SizeSource;

/// Returns enough samples of the maximum length for any micro-batch.
EqualLengths longestAllowed(const TrainConfig& config) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  return {kMany, static_cast<std::uint32_t>(std::max(kShortestSequence, config.data.maxSeqLen))};
}

SizeSource chooseSizeSource(const TrainConfig& config, bool onGpu) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize) return SizeSource::Config;
  if (config.devices.memoryLimitBytes) return SizeSource::Limit;
  return onGpu ? SizeSource::Device : SizeSource::ProcessorRule;
}

/// Returns the configured micro-batch, but no more than a device's share of the largest step, unless the batch grows.
std::int64_t namedUnits(const TrainConfig& config, std::int64_t devices) {
  const std::int64_t named = *config.batch.deviceTrainMicrobatchSize;
  if (config.batch.growth.enabled()) return named;
  const auto& stages = config.batch.rampup.stages;
  std::int64_t most = stages.empty() ? largestGlobalBatch(config.batch) : 1;
  for (const RampLevelConfig& stage : stages) most = std::max(most, stage.globalTrainBatchSize);
  return std::clamp<std::int64_t>(ceilDiv(most, devices), 1, named);
}

/// Runs the micro-batch search with the forecast instead of a device. One unit if none fits.
std::int64_t searchedUnits(const TrainConfig& config, const MemoryForecast& forecast, const Lengths& lengths) {
  const std::int64_t rest = forecast.of(1).resident();
  const auto answer = searchMicrobatch(
      microbatchSearch(config, lengths, forecast.devices, *forecast.limitBytes), [&](std::int64_t units) {
        const std::int64_t peak = forecast.of(units).total();
        return Result<ProbeOutcome>(ProbeOutcome{peak <= *forecast.limitBytes, peak, rest});
      });
  return answer.ok() ? usableUnits(config, answer->units, forecast.devices) : 1;
}

std::int64_t unitsOf(const TrainConfig& config, const MemoryForecast& forecast, const Lengths& lengths) {
  switch (forecast.sizeSource) {
    case SizeSource::Config: return namedUnits(config, forecast.devices);
    case SizeSource::ProcessorRule: return cpuMicrobatch(config, lengths, forecast.devices);
    case SizeSource::Limit: return searchedUnits(config, forecast, lengths);
    case SizeSource::Device: break;
  }
  if (config.batch.useMaximumBatchSize) return 1;
  return usableUnits(config, maxUsefulUnits(config, lengths, forecast.devices), forecast.devices);
}

const char* nameOf(SizeSource from) {
  switch (from) {
    case SizeSource::Config: return "config";
    case SizeSource::ProcessorRule: return "processor";
    case SizeSource::Limit: return "limit";
    case SizeSource::Device: break;
  }
  return "device";
}

/// Returns the forecast of the stage that needs most.
Result<MemoryForecast> forecastStages(const LoadedConfig& loaded, std::int64_t devices, const Lengths* given) {
  std::optional<MemoryForecast> most;
  for (const RunStage& stage : runStages(loaded.config)) {
    LoadedConfig own;
    own.config = stage.config;
    own.baseFolder = loaded.baseFolder;
    const bool sameData = readsSameData(stage.config, loaded.config);
    ASSIGN_OR_RETURN(auto forecast, forecastMemory(own, devices, sameData ? given : nullptr));
    if (!most || forecast.perDevice.total() > most->perDevice.total()) most = std::move(forecast);
  }
  return std::move(*most);
}

}  // namespace

std::int64_t MemoryForecast::sequencesOf(std::int64_t count) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return count > kMost / sequencesPerUnit ? kMost : count * sequencesPerUnit;
}

TrainingMemory MemoryForecast::of(std::int64_t count) const {
  const std::int64_t sequences = sequencesOf(count);
  return trainingMemory(shape, pass,
                        {sequences, sequences * longest, sequences * predictedTokens(longest, maskProbability)});
}

std::int64_t MemoryForecast::largestWithin(std::int64_t bytes) const {
  std::int64_t fits = 0, above = units + 1;
  while (above - fits > 1) {
    const std::int64_t middle = fits + (above - fits) / 2;
    (of(middle).total() <= bytes ? fits : above) = middle;
  }
  return fits;
}

Result<MemoryForecast> forecastMemory(const LoadedConfig& loaded, std::int64_t devices, const Lengths* given) {
  const TrainConfig& config = loaded.config;
  if (!config.stages.empty()) return forecastStages(loaded, devices, given);
  const EqualLengths allowed = longestAllowed(config);
  const Lengths& lengths = given != nullptr ? *given : allowed;
  if (lengths.size() == 0 || lengths.longest() == 0)
    return Error::config("there are no samples to forecast the memory use from");
  ASSIGN_OR_RETURN(auto shape, plannedShape(loaded));
  MemoryForecast forecast;
  forecast.shape = shape;
  forecast.pass.onGpu = plansGpus(config);
  const bool half = config.precision == Precision::Bf16 || config.precision == Precision::Fp16 ||
                    (!config.precision && forecast.pass.onGpu);  // GPUs before Ampere use fp32
  forecast.pass.bytesPerNumber = half ? 2 : 4;
  forecast.pass.recompute = config.devices.activationCheckpointing;
  forecast.maskProbability = largestMlmProbability(config.data);
  forecast.longest = std::clamp<std::int64_t>(lengths.longest(), kShortestSequence,
                                              std::max(kShortestSequence, config.data.maxSeqLen));
  forecast.sequencesPerUnit = sequencesPerUnit(config, lengths);
  forecast.countsPacks = config.batch.tokens.enabled();
  forecast.devices = devices;
  forecast.limitBytes = config.devices.memoryLimitBytes;
  forecast.reserve = config.batch.reserve;
  forecast.fillsDevice = config.batch.useMaximumBatchSize;
  forecast.sizeSource = chooseSizeSource(config, forecast.pass.onGpu);
  forecast.units = unitsOf(config, forecast, lengths);
  forecast.perDevice = forecast.of(forecast.units);
  return forecast;
}

nlohmann::json memoryJson(const MemoryForecast& forecast) {
  const TrainingMemory& m = forecast.perDevice;
  return {{"per_device_bytes", m.total()},
          {"weights", m.weights},
          {"gradients", m.gradients},
          {"moments", m.moments},
          {"copies", m.copies},
          {"activations", m.activations},
          {"head", m.head},
          {"work", m.work},
          {"micro_batch",
           {{"units", forecast.units},
            {"sequences", forecast.sequencesOf(forecast.units)},
            {"tokens_per_sequence", forecast.longest},
            {"from", nameOf(forecast.sizeSource)}}},
          {"limit_bytes", forecast.limitBytes ? nlohmann::json(*forecast.limitBytes) : nlohmann::json(nullptr)}};
}

std::int64_t cpuMicrobatch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices) {
  if (config.batch.tokens.enabled()) return 1;
  const std::int64_t meanTokens = std::max<std::int64_t>(1, lengths.totalTokens() / lengths.size());
  const std::int64_t perDevice = ceilDiv(largestGlobalBatch(config.batch), devices);
  return std::clamp<std::int64_t>(kCpuPassTokens / meanTokens, 1, std::max<std::int64_t>(1, perDevice));
}

std::int64_t plannedMicrobatch(const TrainConfig& config, const Lengths* lengths, std::int64_t devices) {
  const bool byRule = lengths != nullptr && lengths->size() > 0 && !plansGpus(config) &&
                      !config.devices.memoryLimitBytes && !config.batch.useMaximumBatchSize;
  return byRule ? cpuMicrobatch(config, *lengths, devices) : 0;
}

std::int64_t sequencesPerUnit(const TrainConfig& config, const Lengths& lengths) {
  return config.batch.tokens.enabled() ? ceilDiv(*config.batch.tokens.maxTokens, lengths.longest()) : 1;
}

bool growsToDevices(const TrainConfig& config) {
  return config.batch.growth.enabled() && config.batch.growth.bound == GrowthBound::DeviceMaximum;
}

std::int64_t maxUsefulUnits(const TrainConfig& config, const Lengths& lengths, std::int64_t devices) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  constexpr std::int64_t kGrowth = 16;
  const std::int64_t share = ceilDiv(largestGlobalBatch(config.batch), devices);
  const std::int64_t ofData = lengths.size() / devices;
  if (config.batch.useMaximumBatchSize) return std::max<std::int64_t>(1, std::min(kMost, ofData));
  return std::max<std::int64_t>(1, growsToDevices(config) ? std::min({kMost, ofData, kGrowth * share}) : share);
}

MicrobatchSearch microbatchSearch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices,
                                  std::int64_t limitBytes) {
  MicrobatchSearch search;
  search.limitBytes = limitBytes;
  search.reserve = config.batch.reserve;
  search.tokensPerUnit = sequencesPerUnit(config, lengths) * lengths.longest();
  search.most = maxUsefulUnits(config, lengths, devices);
  search.rounding = config.batch.round;
  return search;
}

std::int64_t usableUnits(const TrainConfig& config, std::int64_t largest, std::int64_t devices) {
  if (config.batch.useMaximumBatchSize) return largest;
  const std::int64_t share = ceilDiv(largestGlobalBatch(config.batch), devices);
  if (largest <= share || config.batch.round != SizeRounding::PowerOfTwo) return std::min(largest, share);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(share)));
}

}  // namespace batchwise
