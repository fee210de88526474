// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <unistd.h>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/batch/memory_limit.h"
#include "core/config/device_names.h"
#include "core/run/launch/launch_data.h"
#include "core/run/messages.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

using Findings = std::vector<PreflightFinding>;

constexpr std::int64_t kBytesPerParameter = 12;  // fp32 weight and both moments of AdamW

void checkDevices(const TrainConfig& config, Findings& found) {
  if (!config.devices.use.starts_with("cuda")) return;
  const std::int64_t gpus = machineInfo().gpus;
  std::int64_t wanted = 1;
  for (const int gpu : namedGpus(config.devices.use)) wanted = std::max<std::int64_t>(wanted, gpu + 1);
  if (gpus >= wanted) return;
  found.push_back({true, "devices.use",
                   gpus == 0 ? messages::gpusNamedNoneFound(config.devices.use)
                             : messages::gpusNamedFewerFound(config.devices.use, gpus),
                   gpus == 0 ? messages::useCpuOrAuto() : messages::useCudaForAll()});
}

/// Returns the largest micro-batch that fits with activation checkpointing; 0 if that is on already.
std::int64_t unitsWithCheckpointing(MemoryForecast forecast, std::int64_t limitBytes) {
  if (forecast.pass.recompute) return 0;
  forecast.pass.recompute = true;
  return forecast.largestWithin(limitBytes);
}

PreflightFinding smallerStep(const MemoryForecast& forecast, std::int64_t limitBytes, const Message& what) {
  if (forecast.perDevice.resident() > limitBytes) return {false, "model.preset", what, messages::chooseSmallerModel()};
  const std::int64_t recomputed = unitsWithCheckpointing(forecast, limitBytes);
  if (const std::int64_t fits = forecast.largestWithin(limitBytes); fits > 0)
    return {
        false, "batch.device_train_microbatch_size", what,
        recomputed >= forecast.units ? messages::lowerMicrobatchOrRecompute(fits) : messages::lowerMicrobatch(fits)};
  const std::string field = forecast.countsPacks ? "batch.tokens.max_tokens" : "data.max_seq_len";
  return {false, field, what,
          recomputed > 0 ? messages::lowerFieldOrRecompute(field) : messages::lowerFieldOrSmallerModel(field)};
}

/// Returns the data if the cache has it.
std::optional<PreparedData> knownData(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  const std::filesystem::path cache = workspace / kCacheFolder;
  std::error_code unknown;
  if (!std::filesystem::is_directory(cache, unknown)) return std::nullopt;  // opening the cache would create the folder
  auto data = cachedLaunchData(loaded, cache);
  if (!data.ok() || data->train.size() == 0) return std::nullopt;
  return std::move(*data);
}

/// Passes on what was found about a field when the data was prepared, such as evaluation text that is trained on.
void checkNotes(const PreparedData& data, Findings& found) {
  for (const Message& note : data.notes)
    if (const FieldProblem problem = splitField(note); !problem.field.empty())
      found.push_back({false, problem.field, problem.message, {}});
}

void checkMemory(const LoadedConfig& loaded, const std::optional<PreparedData>& data, Findings& found) {
  const auto lengths = data ? std::make_shared<const DatasetLengths>(data->train) : nullptr;
  const auto forecast = forecastMemory(loaded, plannedDevices(loaded.config).devices, lengths.get());
  if (!forecast.ok()) return;  // another finding names the file
  if (auto finding = assessMemory(*forecast, machineInfo().availableMemoryBytes)) found.push_back(std::move(*finding));
}

std::int64_t checkpointBytes(const LoadedConfig& config) {
  const auto shape = plannedShape(config);
  return shape.ok() ? shape->parameterCount() * kBytesPerParameter : 0;
}

void checkDisk(const LoadedConfig& loaded, const std::filesystem::path& workspace, Findings& found) {
  if (access(workspace.c_str(), W_OK | X_OK) != 0) {
    found.push_back(
        {true, "", messages::workspaceFolderNotWritable(workspace.string()), messages::openWritableWorkspace()});
    return;
  }
  const auto free = freeBytes(workspace);
  // While a new checkpoint is written, one more than is kept is on disk.
  const TrainConfig& config = loaded.config;
  const std::int64_t kept = config.checkpoint.keepLast + config.checkpoint.keepBest + 1;
  const std::int64_t needed = kept * checkpointBytes(loaded);
  if (!free.ok() || needed <= *free) return;
  found.push_back({false, "checkpoint.keep_last", messages::checkpointsExceedFreeSpace(kept, needed, *free),
                   messages::keepFewerCheckpoints()});
}

}  // namespace

std::optional<PreflightFinding> assessMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes) {
  const std::int64_t needed = forecast.perDevice.total();
  const bool searched = forecast.sizeSource == MemoryForecast::SizeSource::Limit;
  std::optional<std::int64_t> configured = forecast.limitBytes;
  if (configured && searched)
    configured = static_cast<std::int64_t>(static_cast<double>(*configured) * (1.0 - forecast.reserve));
  if (forecast.pass.onGpu) freeBytes.reset();
  for (const MemoryLimit& limit : forecastLimits(configured, freeBytes, forecast.devices)) {
    if (needed <= limit.bytes) continue;
    return smallerStep(forecast, limit.bytes,
                       limit.source == MemoryLimit::Source::Host
                           ? messages::stepExceedsFreeMemory(forecast.devices * needed, *freeBytes)
                           : messages::stepExceedsDeviceMemoryLimit(needed, limit.bytes));
  }
  return std::nullopt;
}

std::vector<PreflightFinding> preflight(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  Findings found;
  for (const ConfigIssue& issue : checkPlan(loaded, plannedDevices(loaded.config)))
    found.push_back({true, issue.field, issue.message, {}});
  if (const Message why = missingTextMessage(loaded.config); !why.empty())
    found.push_back({true, "data.train", why, {}});
  for (PreflightFinding& finding : checkFiles(loaded)) found.push_back(std::move(finding));
  checkDevices(loaded.config, found);
  const auto data = knownData(loaded, workspace);
  if (data) checkNotes(*data, found);
  checkMemory(loaded, data, found);
  checkDisk(loaded, workspace, found);
  return found;
}

}  // namespace batchwise
