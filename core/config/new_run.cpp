// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/new_run.h"

#include "core/base/working_folder.h"
#include "core/config/bundled_presets.h"

namespace batchwise {

LoadedConfig newRunConfig() {
  return parseConfig(config::presetWithoutName(config::kDemoPreset), "demo", absoluteFolder({}));
}

std::string config::presetWithoutName(std::string yaml) {
  const std::size_t line = yaml.find("\nname:");
  return line == std::string::npos ? yaml : yaml.erase(line, yaml.find('\n', line + 1) - line);
}

std::vector<FieldProblem> checkNewRun(const TrainConfig& config) {
  std::vector<FieldProblem> problems;
  if (config.data.format != "demo") return problems;
  for (const auto& [field, names] : {std::pair("data.train", &config.data.train), {"data.eval", &config.data.eval}})
    if (!names->empty())
      problems.push_back({field,
                          "names text, and data.format is demo, which makes its own; set data.format to text, lines or "
                          "jsonl, or leave " +
                              std::string(field) + " empty"});
  return problems;
}

}  // namespace batchwise
