// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/measured_speed.h"

#include <algorithm>
#include <charconv>

#include "core/config/config_file.h"
#include "core/run/launch_plan.h"

namespace batchwise {
namespace {

constexpr int kMostRunsRead = 20;

}  // namespace

Result<MeasuredSpeed> speedOf(const RunDetail& run) {
  const Timestamp& at = run.summary.at;
  if (at.token <= 0 || at.sample <= 0 || at.seconds <= 0)
    return Error::notFound("run '" + run.summary.name + "' has trained nothing yet, so there is no speed to go by");
  MeasuredSpeed speed{run.summary.name, static_cast<double>(at.token) / at.seconds,
                      static_cast<double>(at.token) / static_cast<double>(at.sample), 1};
  if (const auto devices = run.resolvedValues.find(resolved_names::kDevices); devices != run.resolvedValues.end())
    std::from_chars(devices->second.data(), devices->second.data() + devices->second.size(), speed.devices);
  speed.devices = std::max<std::int64_t>(1, speed.devices);
  return speed;
}

std::optional<MeasuredSpeed> measuredSpeed(const Workspace& workspace, const TrainConfig& config) {
  const auto runs = workspace.listRuns();
  if (!runs.ok()) return std::nullopt;  // the window tells of a store that cannot be read elsewhere
  int read = 0;
  for (const RunSummary& run : *runs) {
    if (run.status != RunStatus::Finished) continue;
    if (++read > kMostRunsRead) break;
    const auto detail = workspace.findRun(run.id);
    if (!detail.ok()) continue;
    const LoadedConfig trained = parseConfig(detail->resolvedYaml, run.name, {});
    if (!trained.ok() || trained.config.model.preset != config.model.preset) continue;
    if (const auto speed = speedOf(*detail); speed.ok()) return *speed;
  }
  return std::nullopt;
}

}  // namespace batchwise
