// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/new_run.h"

#include "core/base/format.h"
#include "core/base/working_folder.h"
#include "core/config/bundled_presets.h"
#include "core/config/messages.h"

namespace batchwise {

LoadedConfig newRunConfig() {
  return parseConfig(config::presetWithoutName(config::kDemoPreset), "demo", absoluteFolder({}));
}

std::string config::presetWithoutName(std::string yaml) {
  const std::size_t line = yaml.find("\nname:");
  return line == std::string::npos ? yaml : yaml.erase(line, yaml.find('\n', line + 1) - line);
}

namespace {

std::vector<FieldProblem> brokenRules(const TrainConfig& config) {
  std::vector<FieldProblem> problems;
  if (static_cast<float>(config.optimizer.eps) == 0.0F)
    problems.push_back({"optimizer.eps", messages::optimizerEpsZeroInFp32(config.optimizer.eps)});
  if (config.data.format != "demo") return problems;
  for (const auto& [field, names] : {std::pair("data.train", &config.data.train), {"data.eval", &config.data.eval}})
    if (!names->empty()) problems.push_back({field, messages::demoFormatExcludesText(field)});
  return problems;
}

}  // namespace

std::vector<FieldProblem> checkNewRun(const TrainConfig& config, const TrainConfig* stored) {
  std::vector<FieldProblem> problems = brokenRules(config);
  if (stored == nullptr) return problems;
  for (const FieldProblem& excused : brokenRules(*stored))
    std::erase_if(problems, [&](const FieldProblem& problem) {
      const Field& field = *findField(problem.field);
      return problem.field == excused.field && field.get(config) == field.get(*stored);
    });
  return problems;
}

}  // namespace batchwise
