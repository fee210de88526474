// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/memory_forecast.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/integer_math.h"
#include "core/batch/largest_unit.h"
#include "core/data/masking.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/microbatch_rules.h"
#include "core/run/launch/planned_shape.h"

namespace batchwise {
namespace {

using SizeFrom = MemoryForecast::SizeFrom;

/// As many samples of the greatest length as make any micro-batch.
EqualLengths longestAllowed(const TrainConfig& config) {
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  return {kMany, static_cast<std::uint32_t>(std::max(kShortestSequence, config.data.maxSeqLen))};
}

SizeFrom whoDecides(const TrainConfig& config, bool onGpu) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize) return SizeFrom::Config;
  if (config.devices.memoryLimitBytes) return SizeFrom::Limit;
  return onGpu ? SizeFrom::Device : SizeFrom::ProcessorRule;
}

/// A named micro-batch is not larger than what a device has to do in a step, unless the batch grows.
std::int64_t namedUnits(const TrainConfig& config, std::int64_t devices) {
  const std::int64_t named = *config.batch.deviceTrainMicrobatchSize;
  if (config.batch.growth.enabled()) return named;
  const auto& stages = config.batch.rampup.stages;
  std::int64_t most = stages.empty() ? config.batch.globalTrainBatchSize : 1;
  for (const RampStageConfig& stage : stages) most = std::max(most, stage.globalTrainBatchSize);
  return std::clamp<std::int64_t>(ceilDiv(most, devices), 1, named);
}

/// The answer of the search, with the forecast in the place of the device. One unit if none fits.
std::int64_t searchedUnits(const TrainConfig& config, const MemoryForecast& forecast, const Lengths& lengths) {
  const std::int64_t rest = forecast.of(1).resident();
  const auto answer = searchMicrobatch(
      microbatchSearch(config, lengths, forecast.devices, *forecast.limitBytes), [&](std::int64_t units) {
        const std::int64_t peak = forecast.of(units).total();
        return Result<ProbeOutcome>(ProbeOutcome{peak <= *forecast.limitBytes, peak, rest});
      });
  return answer.ok() ? shareOf(config, answer->units, forecast.devices) : 1;
}

std::int64_t unitsOf(const TrainConfig& config, const MemoryForecast& forecast, const Lengths& lengths) {
  switch (forecast.sizeFrom) {
    case SizeFrom::Config: return namedUnits(config, forecast.devices);
    case SizeFrom::ProcessorRule: return cpuMicrobatch(config, lengths, forecast.devices);
    case SizeFrom::Limit: return searchedUnits(config, forecast, lengths);
    case SizeFrom::Device: break;
  }
  if (config.batch.useMaximumBatchSize) return 1;
  return shareOf(config, largestOfUse(config, lengths, forecast.devices), forecast.devices);
}

const char* nameOf(SizeFrom from) {
  switch (from) {
    case SizeFrom::Config: return "config";
    case SizeFrom::ProcessorRule: return "processor";
    case SizeFrom::Limit: return "limit";
    case SizeFrom::Device: break;
  }
  return "device";
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
  const EqualLengths allowed = longestAllowed(config);
  const Lengths& lengths = given != nullptr ? *given : allowed;
  if (lengths.size() == 0 || lengths.longest() == 0)
    return Error::config("there are no samples to forecast the memory of");
  Result<ModelShape> shape = plannedShape(loaded);
  if (!shape.ok()) return shape.error();
  MemoryForecast forecast;
  forecast.shape = *shape;
  forecast.pass.onGpu = plansGpus(config);
  const bool half = config.precision == "bf16" || config.precision == "fp16" ||
                    (config.precision == "auto" && forecast.pass.onGpu);  // fp32 on GPUs before Ampere
  forecast.pass.bytesPerNumber = half ? 2 : 4;
  forecast.pass.recompute = config.devices.activationCheckpointing;
  forecast.maskProbability = config.data.mlmProbability;
  forecast.longest = std::clamp<std::int64_t>(lengths.longest(), kShortestSequence,
                                              std::max(kShortestSequence, config.data.maxSeqLen));
  forecast.sequencesPerUnit = sequencesPerUnit(config, lengths);
  forecast.countsPacks = config.batch.tokens.enabled();
  forecast.devices = devices;
  forecast.limitBytes = config.devices.memoryLimitBytes;
  forecast.reserve = config.batch.reserve;
  forecast.fillsDevice = config.batch.useMaximumBatchSize;
  forecast.sizeFrom = whoDecides(config, forecast.pass.onGpu);
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
            {"from", nameOf(forecast.sizeFrom)}}},
          {"limit_bytes", forecast.limitBytes ? nlohmann::json(*forecast.limitBytes) : nlohmann::json(nullptr)}};
}

}  // namespace batchwise
