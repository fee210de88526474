// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/base/format.h"
#include "core/config/config_reader.h"
#include "core/config/run_stages.h"
#include "core/config/yaml_value.h"

// The values of `stages` and `eval.sets` from YAML.

namespace batchwise {
namespace config {
namespace {

/// Fields that a stage may set; a name ending in a dot stands for a whole group.
constexpr std::array<std::string_view, 15> kStageFields = {"data.train",
                                                           "data.max_seq_len",
                                                           "data.mlm_probability",
                                                           "data.mask_unit",
                                                           "data.mlm_probability_end",
                                                           "data.join_documents",
                                                           "data.shuffle",
                                                           "data.attention_across_documents",
                                                           "batch.",
                                                           "scheduler.",
                                                           "optimizer.lr",
                                                           "optimizer.weight_decay",
                                                           "lr_scaling.",
                                                           "model.rope_theta",
                                                           "model.local_rope_theta"};

std::string stageFieldNames() {
  std::string names;
  for (const std::string_view name : kStageFields)
    names.append(names.empty() ? "" : ", ").append(name).append(name.back() == '.' ? "*" : "");
  return names;
}

ValueProblems readSettings(const YAML::Node& node, StageConfig& stage) {
  YAML::Node settings(YAML::NodeType::Map);
  for (const auto& entry : node)
    if (keyOf(entry.first) != "until") settings[entry.first] = entry.second;
  LoadedConfig scratch;
  ConfigReader(scratch, "", nullptr).readRoot(settings);
  ValueProblems problems;
  for (ConfigIssue& issue : scratch.errors)
    problems.push_back({"." + issue.field, std::move(issue.message), issue.line, issue.nearest});
  for (const auto& [path, place] : scratch.locations) {
    if (isStageField(path)) {
      stage.settings.emplace_back(path, findField(path)->get(scratch.config));
    } else {
      problems.push_back(
          {"." + path, formatText("is fixed for the whole run; a stage can set {}", stageFieldNames()), place.line});
    }
  }
  return problems;
}

Field weightField() {
  Field weight;
  weight.kind = FieldKind::Number;
  weight.minimum = 0;
  weight.minimumOpen = true;
  return weight;
}

ValueProblems readEvalSet(const YAML::Node& node, EvalSetConfig& set) {
  const Field& text = *findField("data.eval");
  if (!node.IsMap()) return readValue(node, text, set.text);
  ValueProblems problems;
  for (const auto& entry : node) {
    const std::string key = keyOf(entry.first);
    if (key == "text") {
      appendProblems(problems, ".text", readValue(entry.second, text, set.text));
    } else if (key == "weight") {
      appendProblems(problems, ".weight", readValue(entry.second, weightField(), set.weight));
    } else {
      problems.push_back({"." + key, "unknown key; known: text, weight", lineOf(entry.first)});
    }
  }
  return problems;
}

bool isSetName(const std::string& name) {
  return !name.empty() && name.size() <= 40 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string::npos;
}

}  // namespace
}  // namespace config

bool isStageField(const std::string& path) {
  return std::ranges::any_of(config::kStageFields, [&](std::string_view allowed) {
    return allowed.back() == '.' ? path.starts_with(allowed) : path == allowed;
  });
}

namespace config {

ValueProblems readValue(const YAML::Node& node, const Field&, StageConfig& target) {
  const int line = lineOf(node);
  if (!node.IsMap())
    return {{"", formatText("{} is not a stage, such as {{until: 0.8dur, data.max_seq_len: 512}}", describeNode(node)),
             line}};
  if (!node["until"]) return {{".until", "is missing; give the end of the stage, such as 0.8dur", line}};
  ValueProblems problems;
  Field until = *findField("max_duration");
  until.units.push_back(TimeUnit::Duration);
  appendProblems(problems, ".until", readValue(node["until"], until, target.until));
  appendProblems(problems, "", node.size() > 1 ? readSettings(node, target) : ValueProblems{});
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<EvalSetConfig>& target) {
  if (!node.IsMap()) return unexpected(node, field);
  std::vector<EvalSetConfig> sets;
  ValueProblems problems;
  std::set<std::string> names;
  for (const auto& entry : node) {
    EvalSetConfig set;
    set.name = keyOf(entry.first);
    const int line = lineOf(entry.first);
    if (!isSetName(set.name))
      problems.push_back({"." + set.name, "is not a valid name of a set; use 1 to 40 letters, digits, - and _", line});
    if (!names.insert(set.name).second) problems.push_back({"." + set.name, "is given twice", line});
    appendProblems(problems, "." + set.name, readEvalSet(entry.second, set));
    if (problems.empty() && set.text.empty())
      problems.push_back({"." + set.name, "names no text; give files, folders or patterns", line});
    sets.push_back(std::move(set));
  }
  if (problems.empty()) target = std::move(sets);
  return problems;
}

}  // namespace config
}  // namespace batchwise
