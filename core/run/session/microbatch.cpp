// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/microbatch.h"

#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/batch/worst_case_unit.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/microbatch_rules.h"
#include "core/run/messages.h"
#include "core/run/session/launch_model.h"
#include "core/store/workspace.h"
#include "core/train/host_memory.h"
#include "core/train/memory_probe.h"

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
  const Result<std::vector<std::int64_t>> unit = worstCaseUnit(config, lengths);
  if (!unit.ok()) return unit.error();
  MicrobatchSearch search = microbatchSearch(config, *lengths, devices.count(), limitBytes);
  search.tokensPerUnit = std::accumulate(unit->begin(), unit->end(), std::int64_t{0});
  StepProbe probe(replica, config.data.mlmProbability);
  double done = 0;
  return searchMicrobatch(search, [&](std::int64_t units) {
    events.publish(PhaseProgress{messages::microbatchSearchPhase(), done++, kMaxProbes, "probes"});
    return probe.measure(units, *unit);
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
                                             const DeviceChoice& devices, Replica& replica, EventSink& events) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize)
    return ResolvedMicrobatch{*config.batch.deviceTrainMicrobatchSize, 0, std::nullopt, {}};
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0) {
    if (config.batch.useMaximumBatchSize) return Error::config(messages::maximumBatchNeedsMemoryLimit());
    const std::int64_t units = cpuMicrobatch(config, *lengths, devices.count());
    return ResolvedMicrobatch{units, 0, std::nullopt, messages::autoMicrobatchOnProcessor(units, kCpuPassTokens)};
  }
  Result<MicrobatchResult> answer = probeFor(config, lengths, devices, replica, limit, events);
  if (!answer.ok()) return answer.error();
  const std::int64_t units = usableUnits(config, answer->units, devices.count());
  const std::int64_t bound = growthBound(config, *lengths, devices.count(), answer->units);
  ResolvedMicrobatch resolved{units, bound, std::nullopt, describe(units, *answer, limit)};
  resolved.search = std::move(*answer);
  return resolved;
}

Result<BatchSearchResult> findMicrobatch(const LoadedConfig& loaded, const std::filesystem::path& workspacePath,
                                         EventSink& events, const Clock& clock) {
  TrainConfig config = loaded.config;
  const auto workspace = Workspace::open(workspacePath, Workspace::Mode::ReadWrite, clock);
  if (!workspace.ok()) return workspace.error();
  const Result<DeviceChoice> devices = useDevices(config.devices);
  if (!devices.ok()) return devices.error();
  CommandMailbox noCommands;
  const Result<PreparedData> data = prepareLaunchData(loaded, (*workspace)->cacheFolder(), events, noCommands);
  if (!data.ok()) return data.error();
  const auto lengths = std::make_shared<const DatasetLengths>(data->train);
  const Result<LaunchModel> model = launchModel(loaded, data->tokenizer.vocabulary().size());
  if (!model.ok()) return model.error();
  if (config.precision == "auto") config.precision = choosePrecision(model->shape, *devices);
  events.publish(PhaseProgress{messages::buildingModelPhase(), 0, 0, {}});
  Result<std::vector<Replica>> replicas = makeReplicas(*model, config, *devices);
  if (!replicas.ok()) return replicas.error();
  Replica& replica = replicas->front();
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0) return Error::config(messages::microbatchSearchNeedsMemoryLimit());
  const Result<MicrobatchResult> answer = probeFor(config, lengths, *devices, replica, limit, events);
  if (!answer.ok()) return answer.error();
  BatchSearchResult found;
  found.microbatchUnits = usableUnits(config, answer->units, devices->count());
  found.limitBytes = limit;
  for (const ProbeRecord& probe : answer->probes)
    found.probes.push_back({probe.units, probe.outcome.peakBytes, probe.outcome.fits});
  return found;
}

}  // namespace batchwise
