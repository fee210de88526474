// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/sweep.h"

#include <algorithm>
#include <regex>

#include "core/config/config_reader.h"
#include "core/config/default_values.h"
#include "core/config/messages.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

constexpr std::size_t kLongestNamePart = 24;

/// Returns "lr" for "optimizer.lr", or the whole path if another axis has the same last name.
std::string shortName(const SweepAxis& axis, const std::vector<SweepAxis>& axes) {
  const auto leaf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  const auto alike = std::count_if(axes.begin(), axes.end(),
                                   [&](const SweepAxis& other) { return leaf(other.field) == leaf(axis.field); });
  return alike > 1 ? axis.field : leaf(axis.field);
}

/// Returns a value as part of a run name, or its number if it is long or contains characters not allowed in file names.
std::string namePart(const std::string& value, std::size_t number) {
  const bool plain = std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '+' || c == '_';
  });
  return plain && value.size() <= kLongestNamePart ? value : "#" + std::to_string(number + 1);
}

/// Detects a number with a thousands separator: "1,000" would be the list 1, 0.
bool looksLikeGroupedNumber(const std::string& text) {
  static const std::regex pattern(R"(\s*[+-]?\d{1,3}(,\d{3})+\s*)");
  return std::regex_match(text, pattern);
}

/// Returns a value that occurs more than once in an axis; empty if none.
std::string repeatedValue(const SweepAxis& axis) {
  for (auto value = axis.values.begin(); value != axis.values.end(); ++value)
    if (std::find(axis.values.begin(), value, *value) != value) return *value;
  return {};
}

LoadedConfig runOf(const LoadedConfig& first, TrainConfig config) {
  LoadedConfig run;
  run.baseFolder = first.baseFolder;
  run.yaml = configToYaml(config, YamlScope::ChangedOnly);
  run.config = std::move(config);
  for (auto& problems : {checkRules(run.config), checkNewRun(run.config)})
    for (const FieldProblem& problem : problems)
      run.errors.push_back({problem.field, run.config.name, 0, problem.message});
  return run;
}

}  // namespace

Result<std::vector<std::string>> sweepValues(const Field& field, const std::string& text) {
  if (looksLikeGroupedNumber(text)) return Error::config(messages::sweepListIsAmbiguous(text));
  const config::ParsedYaml parsed = config::parseYaml("[" + text + "]");
  if (parsed.problem || parsed.documents.size() != 1) return Error::config(messages::sweepValueNotList(text));
  const YAML::Node list = parsed.documents.front();
  const bool once = list.size() == 1 && config::isSweep(field, list[0]);
  const YAML::Node items = once ? list[0] : list;
  if (items.size() < 2) return Error::config(messages::sweepListIsOneValue(text));
  std::vector<std::string> values;
  for (const YAML::Node& item : items) {
    TrainConfig trial;
    if (const auto problems = field.read(trial, item); !problems.empty())
      return Error::config(messages::inContext(config::describeNode(item), problems.front().message));
    values.push_back(field.get(trial));
  }
  return values;
}

std::int64_t sweepSize(const std::vector<SweepAxis>& axes) {
  std::int64_t size = 1;
  for (const SweepAxis& axis : axes)
    size = std::min<std::int64_t>(size * static_cast<std::int64_t>(axis.values.size()), std::int64_t{1} << 40);
  return size;
}

Result<std::vector<LoadedConfig>> sweepRuns(const LoadedConfig& first, const std::vector<SweepAxis>& axes) {
  if (axes.empty()) return std::vector<LoadedConfig>{first};
  for (const SweepAxis& axis : axes)
    if (const std::string twice = repeatedValue(axis); !twice.empty())
      return Error::config(messages::sweepValueGivenTwice(axis.field, twice));
  const std::int64_t size = sweepSize(axes);
  if (size > kMaxSweepRuns) return Error::config(messages::sweepMakesTooManyRuns(axes.size(), size, kMaxSweepRuns));
  std::vector<LoadedConfig> runs;
  for (std::int64_t number = 0; number < size; ++number) {
    TrainConfig config = first.config;
    std::string name = config.name;
    std::int64_t below = size;
    for (const SweepAxis& axis : axes) {
      below /= static_cast<std::int64_t>(axis.values.size());
      const auto at = static_cast<std::size_t>(number / below % static_cast<std::int64_t>(axis.values.size()));
      findField(axis.field)->set(config, axis.values[at]);
      name += (name.empty() ? "" : "-") + shortName(axis, axes) + "=" + namePart(axis.values[at], at);
    }
    const bool named =
        std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.field == "name"; });
    if (!named) config.name = name;
    runs.push_back(runOf(first, std::move(config)));
  }
  return runs;
}

std::string sweepToYaml(const TrainConfig& config, const std::vector<SweepAxis>& axes) {
  const auto axisOf = [&axes](const Field& field) {
    return std::find_if(axes.begin(), axes.end(), [&](const SweepAxis& axis) { return axis.field == field.path; });
  };
  const TrainConfig defaults;
  return config::fieldsToYaml(
      [&](const Field& field) { return axisOf(field) != axes.end() || field.get(config) != field.get(defaults); },
      [&](const Field& field) {
        const auto axis = axisOf(field);
        return axis == axes.end() ? field.get(config) : "[" + config::joinNames(axis->values) + "]";
      });
}

}  // namespace batchwise
