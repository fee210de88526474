// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/baseline_check.h"

#include "core/analysis/measured_alike.h"
#include "core/config/sweep.h"
#include "core/run/launch/launch_data.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

/// Number of evaluated tokens of runs that have none yet: only whether there is an evaluation matters.
constexpr double kEvaluated = 1;

bool isEvaluated(const TrainConfig& config) {
  const bool holdsOut =
      config.data.eval.empty() && (config.data.holdout ? *config.data.holdout > 0 : config.eval.sets.empty());
  return !config.data.eval.empty() || !config.eval.sets.empty() || holdsOut || config.data.format == TextFormat::Demo;
}

}  // namespace

std::string baselineNote(const LoadedConfig& config, const RunDetail& baseline, const Workspace& workspace) {
  const auto stored = configValuesOf(baseline.resolvedYaml, baseline.summary.name);
  auto resolved = currentResolvedValues(baseline);
  const std::string text = resolved[resolved_names::kEvaluationText];
  if (!stored.ok() || !isEvaluated(config.config) || (text.empty() && !baseline.summary.evalLoss)) return {};
  ConfigValues values = configValues(config.config);
  const bool isAutomatic = !parseConfig(baseline.configYaml, baseline.summary.name, {}).config.data.holdout;
  if (const auto share = stored->find("data.holdout");
      isAutomatic && !config.config.data.holdout && share != stored->end())
    values["data.holdout"] = share->second;  // the automatic share is resolved at launch, and follows from the text
  MeasuredRun first{
      baseline.summary.name, &*stored, kEvaluated, {}, resolved[resolved_names::kTokenizerIdentity], text};
  MeasuredRun draft{"", &values, kEvaluated, {}};
  if (const auto data = cachedLaunchData(config, workspace.cacheFolder()); data.ok()) {
    draft.evaluationText = data->evaluationText;
    draft.tokenizer = data->tokenizer.identity().hex();
  }
  return plannedEvaluationNote(first, draft);
}

std::vector<std::string> sweepBaselineNotes(const std::vector<LoadedConfig>& runs) {
  std::vector<std::string> notes;
  const ConfigValues first = runs.empty() ? ConfigValues() : configValues(runs.front().config);
  for (const LoadedConfig& run : runs) {
    const ConfigValues values = configValues(run.config);
    const bool both = isEvaluated(run.config) && isEvaluated(runs.front().config);
    notes.push_back(both ? plannedEvaluationNote({runName(runs.front().config), &first, kEvaluated, {}},
                                                 {"", &values, kEvaluated, {}})
                         : std::string());
  }
  return notes;
}

}  // namespace batchwise
