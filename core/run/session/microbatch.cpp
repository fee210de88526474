// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/microbatch.h"

#include <algorithm>
#include <numeric>

#include "core/base/format.h"
#include "core/batch/largest_unit.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/microbatch_rules.h"
#include "core/run/session/launch_model.h"
#include "core/store/workspace.h"
#include "core/train/host_memory.h"
#include "core/train/memory_probe.h"

namespace batchwise {
namespace {

/// What bounds the growth; 0 where everything that was looked at fits, so that the bound is not known.
std::int64_t boundOfGrowth(const TrainConfig& config, const Lengths& lengths, std::int64_t devices,
                           std::int64_t units) {
  const std::int64_t most = largestOfUse(config, lengths, devices);
  const bool isOfTheDevice = units < most || most >= lengths.size() / devices || !growsToDevices(config);
  return isOfTheDevice ? units : 0;
}

Result<MicrobatchAnswer> probeFor(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                  const DeviceChoice& devices, Replica& replica, std::int64_t limitBytes,
                                  EventSink& events) {
  const Result<std::vector<std::int64_t>> unit = largestUnit(config, lengths);
  if (!unit.ok()) return unit.error();
  MicrobatchSearch search = microbatchSearch(config, *lengths, devices.count(), limitBytes);
  search.tokensPerUnit = std::accumulate(unit->begin(), unit->end(), std::int64_t{0});
  StepProbe probe(replica, config.data.mlmProbability);
  double done = 0;
  return searchMicrobatch(search, [&](std::int64_t units) {
    events.publish(PhaseProgress{"searching the largest micro-batch", done++, kMostProbes, "probes"});
    return probe.measure(units, *unit);
  });
}

std::string describe(std::int64_t units, const MicrobatchAnswer& answer, std::int64_t limitBytes) {
  std::string text = "batch.device_train_microbatch_size: auto is " + std::to_string(units) + " of " +
                     formatBytes(limitBytes) + "; measured";
  for (const ProbeRecord& probe : answer.probes)
    text += " " + std::to_string(probe.units) + ": " + formatBytes(probe.outcome.peakBytes) +
            (probe.outcome.fits ? "" : " (too much)");
  return text;
}

}  // namespace

Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize)
    return ResolvedMicrobatch{*config.batch.deviceTrainMicrobatchSize, 0, std::nullopt, {}};
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0) {
    if (config.batch.useMaximumBatchSize)
      return Error::config(
          "batch.use_maximum_batch_size needs a limit to reach for; on the processor set devices.memory_limit");
    const std::int64_t units = cpuMicrobatch(config, *lengths, devices.count());
    return ResolvedMicrobatch{units, 0, std::nullopt,
                              "batch.device_train_microbatch_size: auto is " + std::to_string(units) + ", about " +
                                  std::to_string(kCpuPassTokens) +
                                  " tokens per pass; devices.memory_limit would bound it"};
  }
  Result<MicrobatchAnswer> answer = probeFor(config, lengths, devices, replica, limit, events);
  if (!answer.ok()) return answer.error();
  const std::int64_t units = shareOf(config, answer->units, devices.count());
  const std::int64_t bound = boundOfGrowth(config, *lengths, devices.count(), answer->units);
  ResolvedMicrobatch resolved{units, bound, std::nullopt, describe(units, *answer, limit)};
  resolved.search = std::move(*answer);
  return resolved;
}

Result<FoundBatch> findMicrobatch(const LoadedConfig& loaded, const std::filesystem::path& workspacePath,
                                  EventSink& events, const Clock& clock) {
  TrainConfig config = loaded.config;
  const auto workspace = Workspace::open(workspacePath, Workspace::Mode::ReadWrite, clock);
  if (!workspace.ok()) return workspace.error();
  const Result<DeviceChoice> devices = useDevices(config.devices);
  if (!devices.ok()) return devices.error();
  CommandMailbox nobodyCommands;
  const Result<PreparedData> data = prepareLaunchData(loaded, (*workspace)->cacheFolder(), events, nobodyCommands);
  if (!data.ok()) return data.error();
  const auto lengths = std::make_shared<const DatasetLengths>(data->train);
  const Result<LaunchModel> model = launchModel(loaded, data->tokenizer.vocabulary().size());
  if (!model.ok()) return model.error();
  if (config.precision == "auto") config.precision = choosePrecision(model->shape, *devices);
  events.publish(PhaseProgress{"building the model", 0, 0, {}});
  Result<std::vector<Replica>> replicas = makeReplicas(*model, config, *devices);
  if (!replicas.ok()) return replicas.error();
  Replica& replica = replicas->front();
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0)
    return Error::config(
        "there is no memory limit to search against on the processor; set devices.memory_limit, as 2GiB");
  const Result<MicrobatchAnswer> answer = probeFor(config, lengths, *devices, replica, limit, events);
  if (!answer.ok()) return answer.error();
  FoundBatch found;
  found.microbatchUnits = shareOf(config, answer->units, devices->count());
  found.limitBytes = limit;
  for (const ProbeRecord& probe : answer->probes)
    found.probes.push_back({probe.units, probe.outcome.peakBytes, probe.outcome.fits});
  return found;
}

}  // namespace batchwise
