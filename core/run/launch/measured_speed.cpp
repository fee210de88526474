// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/measured_speed.h"

#include <algorithm>
#include <charconv>

#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"
#include "core/run/launch/resolved_names.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostRunsRead = 20;

// Compares resolved sizes; models from folders and vocabulary files are equal if their paths are.
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
    return Error::notFound(messages::runHasNoMeasuredSpeed(run.summary.name));
  MeasuredSpeed speed{run.summary.name, static_cast<double>(at.token) / at.seconds,
                      static_cast<double>(at.token) / static_cast<double>(at.sample), 1};
  if (const auto devices = run.resolvedValues.find(resolved_names::kDevices); devices != run.resolvedValues.end())
    std::from_chars(devices->second.data(), devices->second.data() + devices->second.size(), speed.devices);
  speed.devices = std::max<std::int64_t>(1, speed.devices);
  return speed;
}

MeasuredSpeeds::MeasuredSpeeds(const Workspace& workspace) : workspace_(workspace) {
  const auto runs = workspace.listRuns();
  if (!runs.ok()) return;  // the window reports an unreadable store elsewhere
  for (const RunSummary& run : *runs)
    if (run.status == RunStatus::Finished && unread_.size() < kMostRunsRead) unread_.push_back(run.id);
  std::reverse(unread_.begin(), unread_.end());
}

std::optional<MeasuredSpeed> MeasuredSpeeds::of(const TrainConfig& config) {
  for (std::size_t i = 0;; ++i) {
    while (i == read_.size() && !unread_.empty()) readNext();
    if (i == read_.size()) return std::nullopt;
    if (sameModel(read_[i].config, config)) return read_[i].speed;
  }
}

void MeasuredSpeeds::readNext() {
  const auto detail = workspace_.findRun(unread_.back());
  unread_.pop_back();
  if (!detail.ok()) return;
  const LoadedConfig trained = parseConfig(detail->resolvedYaml, detail->summary.name, {});
  if (!trained.ok()) return;
  if (const auto speed = speedOf(*detail); speed.ok()) read_.push_back({trained.config, *speed});
}

}  // namespace batchwise
