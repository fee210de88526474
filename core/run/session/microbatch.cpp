// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/microbatch.h"

#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/default_values.h"
#include "core/model/attention_limits.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/microbatch_rules.h"
#include "core/run/messages.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/session/launch_model.h"
#include "core/store/workspace.h"
#include "core/train/device_memory.h"

namespace batchwise {
namespace {

/// Returns the bound of batch growth; 0 if everything probed fits, so that the bound is unknown.
std::int64_t growthBound(const TrainConfig& config, const Lengths& lengths, std::int64_t devices, std::int64_t units) {
  const std::int64_t most = maxUsefulUnits(config, lengths, devices);
  const bool isOfTheDevice = units < most || most >= lengths.size() / devices || !growsToDevices(config);
  return isOfTheDevice ? units : 0;
}

Result<MicrobatchResult> probeFor(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                  const DeviceChoice& devices, Replica& replica, std::int64_t limitBytes,
                                  EventSink& events) {
  ASSIGN_OR_RETURN(const auto unit, worstCaseUnit(config, lengths));
  MicrobatchSearch search = microbatchSearch(config, *lengths, devices.count(), limitBytes);
  search.tokensPerUnit = std::accumulate(unit.begin(), unit.end(), std::int64_t{0});
  if (devices.onGpu())
    search.most = std::min(search.most, std::max<std::int64_t>(1, kMostSequencesInPass / std::ssize(unit)));
  StepProbe probe(replica, largestMlmProbability(config.data));
  double done = 0;
  return searchMicrobatch(search, [&](std::int64_t units) {
    events.publish(PhaseProgress{messages::microbatchSearchPhase(), done++, kMaxProbes, "probes"});
    return probe.measure(units, unit);
  });
}

Message describe(std::int64_t units, const MicrobatchResult& answer, std::int64_t limitBytes) {
  Message text = messages::autoMicrobatchMeasured(units, limitBytes);
  for (const ProbeRecord& probe : answer.probes) {
    const auto& entry = probe.outcome.fits ? messages::probeFits : messages::probeTooMuch;
    text = entry(text, probe.units, probe.outcome.peakBytes);
  }
  return text;
}

}  // namespace

Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events,
                                             RankGroup* rankGroup) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize)
    return ResolvedMicrobatch{*config.batch.deviceTrainMicrobatchSize, 0, {}};
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0 && config.batch.useMaximumBatchSize) return Error::config(messages::maximumBatchNeedsMemoryLimit());
  ResolvedMicrobatch resolved;
  MicrobatchResult answer;
  if (limit == 0) {
    resolved.units = cpuMicrobatch(config, *lengths, devices.count());
  } else {
    ASSIGN_OR_RETURN(answer, probeFor(config, lengths, devices, replica, limit, events));
    resolved.units = usableUnits(config, answer.units, devices.count());
    resolved.largest = growthBound(config, *lengths, devices.count(), answer.units);
  }
  if (rankGroup != nullptr)
    for (std::int64_t* own : {&resolved.units, &resolved.largest}) {
      ASSIGN_OR_RETURN(*own, rankGroup->smallest(*own));
    }
  resolved.note = limit == 0 ? messages::autoMicrobatchOnProcessor(resolved.units, kCpuPassTokens)
                             : describe(resolved.units, answer, limit);
  return resolved;
}

Result<BatchSearchResult> findMicrobatch(const LoadedConfig& loaded, const std::filesystem::path& workspacePath,
                                         EventSink& events, const Clock& clock) {
  TrainConfig config = loaded.config;
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(workspacePath, Workspace::Mode::ReadWrite, clock));
  ASSIGN_OR_RETURN(const auto devices, useDevices(config.devices));
  CommandMailbox noCommands;
  ASSIGN_OR_RETURN(const auto data, prepareLaunchData(loaded, workspace->cacheFolder(), events, noCommands));
  const auto lengths = std::make_shared<const DatasetLengths>(data.train);
  ASSIGN_OR_RETURN(const auto model, launchModel(loaded, data.tokenizer.vocabulary()));
  if (!config.precision) config.precision = choosePrecision(model.shape, devices);
  events.publish(PhaseProgress{messages::buildingModelPhase(), 0, 0, {}});
  ASSIGN_OR_RETURN(auto replicas, makeReplicas(model, config, devices));
  Replica& replica = replicas.front();
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0) return Error::config(messages::microbatchSearchNeedsMemoryLimit());
  ASSIGN_OR_RETURN(const auto answer, probeFor(config, lengths, devices, replica, limit, events));
  BatchSearchResult found;
  found.microbatchUnits = usableUnits(config, answer.units, devices.count());
  found.limitBytes = limit;
  for (const ProbeRecord& probe : answer.probes)
    found.probes.push_back({probe.units, probe.outcome.peakBytes, probe.outcome.fits});
  return found;
}

}  // namespace batchwise
