// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/config/messages.h"
#include "core/config/schema_builder.h"

namespace batchwise {
namespace config {
namespace {

const Schema& schema() {
  static const Schema built = [] {
    SchemaBuilder builder;
    declareDataFields(builder);
    declareBatchFields(builder);
    declareRateFields(builder);
    declareRunFields(builder);
    return builder.take();
  }();
  return built;
}

std::string rangeText(const Field& field) {
  std::string text;
  if (field.minimum) text += std::string(field.minimumOpen ? ", above " : ", at least ") + formatExact(*field.minimum);
  if (field.maximum) text += std::string(field.maximumOpen ? ", below " : ", at most ") + formatExact(*field.maximum);
  return text;
}

std::string timeText(const Field& field) {
  std::vector<std::string> names;
  for (const TimeUnit unit : field.units) names.emplace_back(unitName(unit));
  std::string example;
  for (const auto& [unit, candidate] :
       {std::pair{"ba", "100ba"}, std::pair{"dur", "0.1dur"}, std::pair{"sec", "90m"}}) {
    if (!names.empty() && std::find(names.begin(), names.end(), unit) == names.end()) continue;
    example += (example.empty() ? "" : " or ") + std::string{candidate};
  }
  return "a time with a unit (" + joinNames(names) + "), as " + example + rangeText(field);
}

}  // namespace

ValueProblems readField(const Field& field, TrainConfig& config, const YAML::Node& node) {
  return schema().readers[schema().places.at(field.path)](field, config, node);
}

const FieldCheck* checkOf(const Field& field) {
  const auto found = schema().checks.find(field.path);
  return found == schema().checks.end() ? nullptr : &found->second;
}

std::vector<std::string> partKeys() {
  std::vector<std::string> keys = {"name", "duration"};
  for (const Field& field : configSchema())
    if (field.group == "scheduler" && field.path != "scheduler.name" && field.path != "scheduler.parts")
      keys.push_back(field.path.substr(std::string{"scheduler."}.size()));
  return keys;
}

std::string joinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Message SchemaBuilder::setFromText(const Field& field, TrainConfig& config, const std::string& text) {
  const ParsedYaml parsed = parseYaml(text);
  if (parsed.problem) return parsed.problem->message;
  if (parsed.documents.size() > 1) return messages::yamlSeveralDocuments(text, field.expectation());
  const YAML::Node node = parsed.documents.empty() ? YAML::Node() : parsed.documents.front();
  Message all;
  for (const ValueProblem& problem : readField(field, config, node)) {
    const Message one =
        problem.where.empty() ? problem.message : messages::issueWithField(problem.where, problem.message);
    all = all.empty() ? one : messages::followedBy(all, one);
  }
  return all;
}

}  // namespace config

std::string Field::expectation() const {
  const std::string of = unit.empty() ? "" : unit.rfind("per ", 0) == 0 ? " " + unit : " of " + unit;
  const std::string orEmpty = optional && !unsetText.empty() ? ", or " + unsetText : "";
  switch (kind) {
    case FieldKind::Integer: return "a whole number" + of + config::rangeText(*this) + orEmpty;
    case FieldKind::Number: return "a number" + of + config::rangeText(*this) + orEmpty;
    case FieldKind::Boolean: return "true or false";
    case FieldKind::Text: return "a text";
    case FieldKind::Choice: return "one of " + config::joinNames(choices);
    case FieldKind::Time: return config::timeText(*this) + orEmpty;
    case FieldKind::TimeList: return config::timeText(*this) + ", or a list of them";
    case FieldKind::TextList:
      return choices.empty() ? "a text or a list of texts"
                             : "one of " + config::joinNames(choices) + ", or a list of them";
    case FieldKind::NumberList: return "a list of numbers" + config::rangeText(*this);
    case FieldKind::Bytes: return "a size in bytes, as 512MiB or 8GB" + config::rangeText(*this) + orEmpty;
    case FieldKind::Stages: return "a list of stages, as [{at: 0ba, global_train_batch_size: 32}]";
    case FieldKind::Schedule:
      return "a list of parts, as [{name: constant, duration: 100ba}, {name: linear, duration: rest}]";
  }
  return "";
}

const std::vector<Field>& configSchema() {
  return config::schema().fields;
}

const Field* findField(const std::string& path) {
  const auto& places = config::schema().places;
  const auto found = places.find(path);
  return found == places.end() ? nullptr : &config::schema().fields[found->second];
}

bool isFieldGroup(const std::string& path) {
  const auto& places = config::schema().places;
  const auto found = places.lower_bound(path + ".");
  return found != places.end() && found->first.rfind(path + ".", 0) == 0;
}

std::vector<ConfigDifference> compareConfigs(const TrainConfig& left, const TrainConfig& right) {
  std::vector<ConfigDifference> differences;
  for (const Field& field : configSchema()) {
    std::string leftText = field.get(left);
    std::string rightText = field.get(right);
    if (leftText != rightText) differences.push_back({field.path, std::move(leftText), std::move(rightText)});
  }
  return differences;
}

}  // namespace batchwise
