// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/measured_speed.h"

#include <algorithm>
#include <charconv>

#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"
#include "core/run/launch/resolved_names.h"

namespace batchwise {
namespace {

constexpr int kMostRunsRead = 20;

// The sizes that a preset and fields name; those of a folder or of a vocabulary's file are equal if their places are.
bool sameModel(const TrainConfig& a, const TrainConfig& b) {
  if (a.model.initFrom != b.model.initFrom || a.tokenizer != b.tokenizer) return false;
  const std::int64_t positions = std::max(a.data.maxSeqLen, b.data.maxSeqLen);
  const auto left = resolveModelShape(a.model, a.tokenizer.trainVocabSize, positions);
  const auto right = resolveModelShape(b.model, b.tokenizer.trainVocabSize, positions);
  return left.ok() && right.ok() && *left == *right;
}

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
    if (!trained.ok() || !sameModel(trained.config, config)) continue;
    if (const auto speed = speedOf(*detail); speed.ok()) return *speed;
  }
  return std::nullopt;
}

}  // namespace batchwise
