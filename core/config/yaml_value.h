// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"

// Values of the configuration to and from YAML. Private to this folder, to confine yaml-cpp.

namespace batchwise::config {

/// An error in a value. `where` continues the field's path ("[2].at"), empty for the value itself.
struct ValueProblem {
  std::string where;
  std::string message;
  int line = 0;              ///< from 1, in the parsed text; 0 if unknown
  std::string nearest = {};  ///< see ConfigIssue
};
using ValueProblems = std::vector<ValueProblem>;

/// Parsed YAML text. Syntax errors become a problem with a line.
struct ParsedYaml {
  std::vector<YAML::Node> documents;
  std::optional<ValueProblem> problem;
};
ParsedYaml parseYaml(const std::string& text);

/// Returns the line of a node, from 1; 0 if it has none.
int lineOf(const YAML::Node& node);

/// Describes a value for an error message: "'abc'", "a list", "a section", "nothing".
std::string describeNode(const YAML::Node& node);
/// Returns the YAML of a value on one line.
std::string flowText(const YAML::Node& node);
/// Returns the text of a scalar key, else what describeNode() says of it.
std::string keyOf(const YAML::Node& key);

/// Returns whether a scalar says true, yes or on, or else false, no or off; empty if it says neither.
std::optional<bool> flagOf(const YAML::Node& node);

/// Appends the problems found in a part of a value, whose path continues with `where`.
void appendProblems(ValueProblems& problems, const std::string& where, ValueProblems found);

/// Whether a text is 1 to 40 letters, digits, - and _.
bool isName(const std::string& text);

/// Returns the problem of a value that is not what `field` expects.
ValueProblems unexpected(const YAML::Node& node, const Field& field, const std::string& reason = {});

/// Reads the keys of a section with `readKey`. One that is not among `known`, or given twice, becomes a problem.
using ReadKey = std::function<ValueProblems(const std::string& key, const YAML::Node& value)>;
ValueProblems readSection(const YAML::Node& node, const std::vector<std::string>& known, const ReadKey& readKey);

template <class T>
constexpr bool kIsSection = std::is_same_v<T, RampLevelConfig> || std::is_same_v<T, SchedulerConfig> ||
                            std::is_same_v<T, StageConfig> || std::is_same_v<T, TaskConfig>;

// Each overload reads `node` by the type and limits of `field`. On error `target` keeps its value.
ValueProblems readValue(const YAML::Node& node, const Field& field, std::int64_t& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, double& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, bool& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::string& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, Time& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, RampLevelConfig& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, SchedulerConfig& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, StageConfig& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, TaskConfig& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, TrainingText& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<EvalSetConfig>& target);
/// Also true and false, for auto and off.
ValueProblems readValue(const YAML::Node& node, const Field& field, NoiseScaleMode& target);

/// Reads a choice.
template <Choice E>
ValueProblems readValue(const YAML::Node& node, const Field& field, E& target) {
  std::string name;
  ValueProblems problems = readValue(node, field, name);
  if (problems.empty()) target = *choiceFromName<E>(name);
  return problems;
}
/// Reads a choice whose first name stands for "not set".
template <Choice E>
ValueProblems readValue(const YAML::Node& node, const Field& field, std::optional<E>& target) {
  std::string name;
  ValueProblems problems = readValue(node, field, name);
  if (problems.empty()) target = choiceFromName<E>(name);
  return problems;
}

/// Reads a list; a single value is a list of one, unless the items are sections.
template <class T>
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<T>& target) {
  if (kIsSection<T> && !node.IsSequence()) return unexpected(node, field);
  std::vector<T> items;
  ValueProblems problems;
  const auto readItem = [&](const YAML::Node& item, const std::string& where) {
    T value{};
    appendProblems(problems, where, readValue(item, field, value));
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

/// Reads an optional, empty for null and for the field's text for "not set".
template <class T>
ValueProblems readValue(const YAML::Node& node, const Field& field, std::optional<T>& target) {
  if (node.IsNull() || (node.IsScalar() && node.Scalar() == field.unsetText)) {
    target.reset();
    return {};
  }
  T value{};
  ValueProblems problems = readValue(node, field, value);
  if (problems.empty()) target = std::move(value);
  return problems;
}

/// Returns the allowed keys of a part of a chain.
std::vector<std::string> partKeys();

/// Returns the section of a dotted name; "" at the top level.
std::string parentOf(const std::string& path);

/// Returns YAML with the version and the fields accepted by `wanted`, in schema order and nested in their groups, with
/// the text returned by `value`.
std::string fieldsToYaml(const std::function<bool(const Field&)>& wanted,
                         const std::function<std::string(const Field&)>& value);
/// Same, with the values of `config`.
std::string fieldsToYaml(const TrainConfig& config, const std::function<bool(const Field&)>& wanted);

}  // namespace batchwise::config
