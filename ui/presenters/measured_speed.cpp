// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/measured_speed.h"

#include "core/config/config_file.h"

namespace batchwise {
namespace {

constexpr int kMostRunsRead = 20;

}  // namespace

std::optional<MeasuredSpeed> measuredSpeed(const Workspace& workspace, const TrainConfig& config) {
  const auto runs = workspace.listRuns();
  if (!runs.ok()) return std::nullopt;  // the window tells of a store that cannot be read elsewhere
  int read = 0;
  for (const RunSummary& run : *runs) {
    if (run.status != RunStatus::Finished || run.at.token <= 0 || run.at.seconds <= 0) continue;
    if (++read > kMostRunsRead) break;
    const auto detail = workspace.findRun(run.id);
    if (!detail.ok()) continue;
    const LoadedConfig trained = parseConfig(detail->resolvedYaml, run.name, {});
    if (!trained.ok() || trained.config.model.preset != config.model.preset) continue;
    return MeasuredSpeed{run.name, static_cast<double>(run.at.token) / run.at.seconds};
  }
  return std::nullopt;
}

}  // namespace batchwise
