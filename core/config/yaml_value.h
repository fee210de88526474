// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"

// Values of the configuration to and from YAML. Only for the files of this folder: yaml-cpp does not leave it.

namespace batchwise::config {

/// What is wrong with a value. `where` continues the field's path ("[2].at"), empty for the value itself.
struct ValueProblem {
  std::string where;
  std::string message;
  int line = 0;  ///< counted from 1 in the text read; 0 if not known
};
using ValueProblems = std::vector<ValueProblem>;

/// The text of YAML as a node. Syntax errors become a problem with their line.
struct ParsedYaml {
  std::vector<YAML::Node> documents;
  std::optional<ValueProblem> problem;
};
ParsedYaml parseYaml(const std::string& text);

/// Line of a node, counted from 1; 0 if it has none.
int lineOf(const YAML::Node& node);

/// "'abc'", "a list", "a section", "nothing": a value as an error message shows it.
std::string describeNode(const YAML::Node& node);

// Each reads `node` by the type and the limits of `field`. If anything is wrong `target` keeps its value.
ValueProblems readValue(const YAML::Node& node, const Field& field, std::int64_t& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, double& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, bool& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::string& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, Time& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<RampStageConfig>& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<SchedulerConfig>& target);

/// A list; one value alone is a list of one.
template <class T>
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<T>& target) {
  std::vector<T> items;
  ValueProblems problems;
  const auto readItem = [&](const YAML::Node& item, const std::string& where) {
    T value{};
    for (ValueProblem& problem : readValue(item, field, value)) {
      problem.where = where + problem.where;
      problems.push_back(std::move(problem));
    }
    items.push_back(std::move(value));
  };
  if (node.IsSequence()) {
    for (std::size_t i = 0; i < node.size(); ++i) readItem(node[i], "[" + std::to_string(i) + "]");
  } else {
    readItem(node, "");
  }
  if (problems.empty()) target = std::move(items);
  return problems;
}

/// Empty for null and for the field's word for "not set".
template <class T>
ValueProblems readValue(const YAML::Node& node, const Field& field, std::optional<T>& target) {
  if (node.IsNull() || (node.IsScalar() && node.Scalar() == field.emptyWord)) {
    target.reset();
    return {};
  }
  T value{};
  ValueProblems problems = readValue(node, field, value);
  if (problems.empty()) target = std::move(value);
  return problems;
}

}  // namespace batchwise::config
