// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/config/schema.h"

// Values of the configuration to and from YAML. Private to this folder, to confine yaml-cpp.

namespace batchwise::config {

/// An error in a value. `where` continues the field's path ("[2].at"), empty for the value itself.
struct ValueProblem {
  std::string where;
  Message message;
  int line = 0;  ///< from 1, in the parsed text; 0 if unknown
};
using ValueProblems = std::vector<ValueProblem>;

/// Parsed YAML text. Syntax errors become a problem with a line.
struct ParsedYaml {
  std::vector<YAML::Node> documents;
  std::optional<ValueProblem> problem;
};
ParsedYaml parseYaml(const std::string& text);

/// Returns the message of the catalog for what yaml-cpp says is wrong; `text` itself if it is none of its known
/// reasons.
Message yamlReason(std::string_view text);

/// Returns the line of a node, from 1; 0 if it has none.
int lineOf(const YAML::Node& node);

/// Describes a value for an error message: "'abc'", "a list", "a section", "nothing".
Message describeNode(const YAML::Node& node);
/// Returns the text of a scalar key, else what describeNode() says of it.
std::string keyOf(const YAML::Node& key);

// Each overload reads `node` by the type and limits of `field`. On error `target` keeps its value.
ValueProblems readValue(const YAML::Node& node, const Field& field, std::int64_t& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, double& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, bool& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::string& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, Time& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<RampStageConfig>& target);
ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<SchedulerConfig>& target);

/// Reads a list; a single value is a list of one.
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

}  // namespace batchwise::config
