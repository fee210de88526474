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
    events.publish(PhaseProgress{"searching for the largest micro-batch", done++, kMaxProbes, "probes"});
    return probe.measure(units, unit);
  });
}

// Says what kept the search from larger micro-batches than `most`.
std::string boundOf(const TrainConfig& config, const Lengths& lengths, std::int64_t devices, std::int64_t most) {
  if (most < maxUsefulUnits(config, lengths, devices))
    return formatText("{} is the most that the kernels take in one pass", formatInteger(most));
  if (config.batch.useMaximumBatchSize || most >= lengths.size() / devices)
    return formatText("{} is a device's share of the data, {} {} on {} {}", formatInteger(most),
                      formatInteger(lengths.size()), pluralText(lengths.size(), "sample", "samples"),
                      formatInteger(devices), pluralText(devices, "device", "devices"));
  if (growsToDevices(config))
    return formatText("{} is 16 times a device's share of the global batch of {}, the most that is tried for growth",
                      formatInteger(most), formatInteger(config.batch.globalTrainBatchSize));
  return formatText("{} is a device's share of the global batch, {} on {} {}", formatInteger(most),
                    formatInteger(config.batch.globalTrainBatchSize), formatInteger(devices),
                    pluralText(devices, "device", "devices"));
}

std::string describe(std::int64_t units, const MicrobatchResult& answer, std::int64_t limitBytes) {
  std::string text =
      formatText("batch.device_train_microbatch_size: auto is {}, within {} of memory; peak memory measured:", units,
                 formatBytes(limitBytes));
  for (const ProbeRecord& probe : answer.probes) {
    const std::string peak = formatBytes(probe.outcome.peakBytes);
    text += probe.outcome.fits ? formatText(" {} takes {};", probe.units, peak)
                               : formatText(" {}: {} (too much)", probe.units, peak);
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
  if (limit == 0 && config.batch.useMaximumBatchSize)
    return Error::config(
        "batch.use_maximum_batch_size needs a memory limit to fill; on the processor set devices.memory_limit");
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
  resolved.note = limit == 0 ? formatText(
                                   "batch.device_train_microbatch_size: auto is {}, about {} tokens per pass; "
                                   "devices.memory_limit would bound it",
                                   resolved.units, kCpuPassTokens)
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
  events.publish(PhaseProgress{"building the model", 0, 0, {}});
  ASSIGN_OR_RETURN(auto replicas, makeReplicas(model, config, devices));
  Replica& replica = replicas.front();
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0)
    return Error::config(
        "there is no memory limit to search against on the processor; set devices.memory_limit, for example to 2GiB");
  ASSIGN_OR_RETURN(const auto answer, probeFor(config, lengths, devices, replica, limit, events));
  BatchSearchResult found;
  found.microbatchUnits = answer.units;
  found.runUnits = usableUnits(config, answer.units, devices.count());
  found.limitBytes = limit;
  if (!answer.memoryDecides) found.bound = boundOf(config, *lengths, devices.count(), answer.most);
  for (const ProbeRecord& probe : answer.probes)
    found.probes.push_back({probe.units, probe.outcome.peakBytes, probe.outcome.fits});
  return found;
}

}  // namespace batchwise
