// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/microbatch_rules.h"

#include <algorithm>
#include <bit>

#include "core/base/integer_math.h"
#include "core/run/launch/launch_check.h"

namespace batchwise {

std::int64_t cpuMicrobatch(const TrainConfig& config, const Lengths& lengths, std::int64_t devices) {
  if (config.batch.tokens.enabled()) return 1;
  const std::int64_t meanTokens = std::max<std::int64_t>(1, lengths.totalTokens() / lengths.size());
  const std::int64_t perDevice = ceilDiv(config.batch.globalTrainBatchSize, devices);
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
  const std::int64_t share = ceilDiv(config.batch.globalTrainBatchSize, devices);
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
  const std::int64_t share = ceilDiv(config.batch.globalTrainBatchSize, devices);
  if (largest <= share || config.batch.round != SizeRounding::PowerOfTwo) return std::min(largest, share);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(share)));
}

}  // namespace batchwise
