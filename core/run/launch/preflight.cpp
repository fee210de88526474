// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <unistd.h>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/config/device_names.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/planned_shape.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

using Findings = std::vector<PreflightFinding>;

constexpr std::int64_t kBytesPerParameter = 12;  // weight and both moments of AdamW, fp32

void checkDevices(const TrainConfig& config, Findings& found) {
  if (!config.devices.use.starts_with("cuda")) return;
  const std::int64_t gpus = machineInfo().gpus;
  std::int64_t wanted = 1;
  for (const int gpu : namedGpus(config.devices.use)) wanted = std::max<std::int64_t>(wanted, gpu + 1);
  if (gpus >= wanted) return;
  found.push_back({true, "devices.use",
                   config.devices.use + " is named, and the NVIDIA driver shows " +
                       (gpus == 0 ? std::string("no GPU") : std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs")),
                   gpus == 0 ? "use cpu or auto" : "use cuda for all that are there"});
}

/// The most samples (or packs) in a micro-batch that fit with layers computed again; 0 if that is done already.
std::int64_t fitsRecomputed(MemoryForecast forecast, std::int64_t limitBytes) {
  if (forecast.pass.recompute) return 0;
  forecast.pass.recompute = true;
  return forecast.largestWithin(limitBytes);
}

PreflightFinding smallerStep(const MemoryForecast& forecast, std::int64_t limitBytes, const std::string& what) {
  constexpr const char* kRecompute = ", or turn devices.activation_checkpointing on";
  if (forecast.perDevice.resident() > limitBytes)
    return {false, "model.preset", what, "take a smaller model: its weights, gradients and moments alone are too much"};
  const std::int64_t recomputed = fitsRecomputed(forecast, limitBytes);
  if (const std::int64_t fits = forecast.largestWithin(limitBytes); fits > 0)
    return {false, "batch.device_train_microbatch_size", what,
            "set batch.device_train_microbatch_size to at most " + std::to_string(fits) +
                (recomputed >= forecast.units ? kRecompute : "")};
  const std::string field = forecast.countsPacks ? "batch.tokens.max_tokens" : "data.max_seq_len";
  return {false, field, what, "lower " + field + (recomputed > 0 ? kRecompute : ", or take a smaller model")};
}

/// Of the samples, if the data lies ready in the cache; null if not.
std::shared_ptr<const Lengths> knownLengths(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  const std::filesystem::path cache = workspace / kCacheFolder;
  std::error_code unknown;
  if (!std::filesystem::is_directory(cache, unknown)) return nullptr;  // nothing is made here
  const auto data = cachedLaunchData(loaded, cache);
  if (!data.ok() || data->train.size() == 0) return nullptr;
  return std::make_shared<DatasetLengths>(data->train);
}

void checkMemory(const LoadedConfig& loaded, const std::filesystem::path& workspace, Findings& found) {
  const auto lengths = knownLengths(loaded, workspace);
  const auto forecast = forecastMemory(loaded, plannedDevices(loaded.config).devices, lengths.get());
  if (!forecast.ok()) return;  // of a file that another finding names
  if (auto finding = judgeMemory(*forecast, machineInfo().availableMemoryBytes)) found.push_back(std::move(*finding));
}

std::int64_t checkpointBytes(const LoadedConfig& config) {
  const auto shape = plannedShape(config);
  return shape.ok() ? shape->parameterCount() * kBytesPerParameter : 0;
}

void checkDisk(const LoadedConfig& loaded, const std::filesystem::path& workspace, Findings& found) {
  if (access(workspace.c_str(), W_OK | X_OK) != 0) {
    found.push_back({true, "", "the workspace " + workspace.string() + " cannot be written",
                     "open another one, or give this account the right to write there"});
    return;
  }
  const auto free = freeBytes(workspace);
  // One more than is kept is on disk while a new one is written.
  const TrainConfig& config = loaded.config;
  const std::int64_t kept = config.checkpoint.keepLast + config.checkpoint.keepBest + 1;
  const std::int64_t needed = kept * checkpointBytes(loaded);
  if (!free.ok() || needed <= *free) return;
  found.push_back({false, "checkpoint.keep_last",
                   std::to_string(kept) + " checkpoints need about " + formatBytes(needed) + ", and " +
                       formatBytes(*free) + " are free",
                   "keep fewer checkpoints, or open a workspace on another disk"});
}

}  // namespace

std::optional<PreflightFinding> judgeMemory(const MemoryForecast& forecast, std::optional<std::int64_t> freeBytes) {
  const std::int64_t needed = forecast.perDevice.total();
  if (forecast.limitBytes) {
    const bool searched = forecast.sizeFrom == MemoryForecast::SizeFrom::Limit;
    const double usable = static_cast<double>(*forecast.limitBytes) * (searched ? 1.0 - forecast.reserve : 1.0);
    if (const auto limit = static_cast<std::int64_t>(usable); needed > limit)
      return smallerStep(forecast, limit,
                         "a step is expected to take about " + formatBytes(needed) + " per device, and " +
                             formatBytes(limit) + " of devices.memory_limit can be used");
  }
  if (forecast.pass.onGpu || !freeBytes || needed <= *freeBytes / forecast.devices) return std::nullopt;
  return smallerStep(forecast, *freeBytes / forecast.devices,
                     "a step is expected to take about " + formatBytes(forecast.devices * needed) + " of memory, and " +
                         formatBytes(*freeBytes) + " are free");
}

std::vector<PreflightFinding> preflight(const LoadedConfig& loaded, const std::filesystem::path& workspace) {
  Findings found;
  for (const ConfigIssue& issue : checkPlan(loaded, plannedDevices(loaded.config)))
    found.push_back({true, issue.field, issue.message, {}});
  if (const std::string why = namesNoText(loaded.config); !why.empty()) found.push_back({true, "data.train", why, {}});
  for (PreflightFinding& finding : checkFiles(loaded)) found.push_back(std::move(finding));
  checkDevices(loaded.config, found);
  checkMemory(loaded, workspace, found);
  checkDisk(loaded, workspace, found);
  return found;
}

}  // namespace batchwise
