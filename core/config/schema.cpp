// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/external_names.h"
#include "core/config/messages.h"
#include "core/config/schema_builder.h"

namespace batchwise {
namespace config {
namespace {

const Schema& schema() {
  static const Schema built = [] {
    SchemaBuilder builder;
    declareNameFields(builder);
    declareModelFields(builder);
    declareDataFields(builder);
    declareBatchFields(builder);
    declareRateFields(builder);
    declareRunFields(builder);
    return builder.take();
  }();
  return built;
}

Message withRange(const Field& field, Message expected) {
  if (field.minimum) {
    const std::string bound = formatExact(*field.minimum);
    expected = field.minimumOpen ? messages::expectedAbove(std::move(expected), bound)
                                 : messages::expectedAtLeast(std::move(expected), bound);
  }
  if (field.maximum) {
    const std::string bound = formatExact(*field.maximum);
    expected = field.maximumOpen ? messages::expectedBelow(std::move(expected), bound)
                                 : messages::expectedAtMost(std::move(expected), bound);
  }
  return expected;
}

Message orUnset(const Field& field, Message expected) {
  if (!field.optional || field.unsetText.empty()) return expected;
  return messages::expectedOrWord(std::move(expected), field.unsetText);
}

Message expectedWholeNumber(const Field& field) {
  if (field.unit.empty()) return messages::expectedWholeNumber();
  if (messages::unitPerStep.made(field.unit)) return messages::expectedWholeNumberPerStep();
  return messages::expectedWholeNumberOf(field.unit);
}

Message expectedNumber(const Field& field) {
  if (field.unit.empty()) return messages::numberNoun();
  if (messages::unitPerStep.made(field.unit)) return messages::expectedNumberPerStep();
  return messages::expectedNumberOf(field.unit);
}

Message expectedTime(const Field& field) {
  std::vector<std::string> names;
  for (const TimeUnit unit : field.units) names.emplace_back(unitName(unit));
  if (std::find(names.begin(), names.end(), "sec") != names.end()) names.insert(names.end(), {"s", "m", "h"});
  Message examples;
  for (const auto& [unit, example] : {std::pair{"ba", "100ba"}, std::pair{"dur", "0.1dur"}, std::pair{"sec", "90m"}}) {
    if (!names.empty() && std::find(names.begin(), names.end(), unit) == names.end()) continue;
    examples = examples.empty() ? Message(example) : messages::exampleOr(std::move(examples), example);
  }
  return withRange(field, messages::expectedTime(joined(names), std::move(examples)));
}

}  // namespace

std::vector<std::string> partKeys() {
  std::vector<std::string> keys = {"name", "duration"};
  for (const Field& field : configSchema())
    if (field.group == "scheduler" && field.path != "scheduler.name" && field.path != "scheduler.parts")
      keys.push_back(field.path.substr(std::string{"scheduler."}.size()));
  return keys;
}

std::string parentOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

/// Sets a field from YAML text; see Field::set.
Message setFromText(const Field& field, TrainConfig& config, const std::string& text) {
  const ParsedYaml parsed = parseYaml(text);
  if (parsed.problem) return parsed.problem->message;
  if (parsed.documents.size() > 1) return messages::yamlSeveralDocuments(text, field.expectation());
  const YAML::Node node = parsed.documents.empty() ? YAML::Node() : parsed.documents.front();
  Message all;
  for (const ValueProblem& problem : field.read(config, node)) {
    const Message one = problem.where.empty() ? problem.message : messages::inContext(problem.where, problem.message);
    all = all.empty() ? one : messages::followedBy(all, one);
  }
  return all;
}

Field SchemaBuilder::described(const std::string& path, FieldOptions options, const char* help) {
  Field field;
  field.path = path;
  field.group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.find('.'));
  field.unsetText = std::move(options.unset);
  field.unit = std::move(options.unit);
  field.help = help;
  field.choices = std::move(options.choices);
  field.units = std::move(options.units);
  field.minimum = options.above ? options.above : options.min;
  field.maximum = options.below ? options.below : options.max;
  field.minimumOpen = options.above.has_value();
  field.maximumOpen = options.below.has_value();
  field.advanced = options.advanced;
  field.check = std::move(options.check);
  return field;
}

void SchemaBuilder::add(Field field) {
  field.set = [path = field.path](TrainConfig& config, const std::string& text) {
    return setFromText(*findField(path), config, text);
  };
  schema_.places[field.path] = schema_.fields.size();
  schema_.fields.push_back(std::move(field));
}

}  // namespace config

Message Field::expectation() const {
  switch (kind) {
    case FieldKind::Integer:
      return config::orUnset(*this, config::withRange(*this, config::expectedWholeNumber(*this)));
    case FieldKind::Number: return config::orUnset(*this, config::withRange(*this, config::expectedNumber(*this)));
    case FieldKind::Boolean: return messages::booleanNoun();
    case FieldKind::Text: return messages::textNoun();
    case FieldKind::Choice: return messages::expectedOneOf(joined(choices));
    case FieldKind::Time: return config::orUnset(*this, config::expectedTime(*this));
    case FieldKind::TimeList: return messages::expectedOrList(config::expectedTime(*this));
    case FieldKind::TextList:
      return choices.empty() ? messages::expectedTextOrTexts()
                             : messages::expectedOrList(messages::expectedOneOf(joined(choices)));
    case FieldKind::NumberList: return config::withRange(*this, messages::expectedNumbers());
    case FieldKind::Bytes: return config::orUnset(*this, config::withRange(*this, messages::expectedBytes()));
    case FieldKind::Stages: return messages::expectedStages();
    case FieldKind::Schedule: return messages::expectedParts();
    case FieldKind::EvalSets: return messages::expectedEvalSets();
    case FieldKind::RunStages: return messages::expectedRunStages();
  }
  return {};
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

namespace {

/// Escapes `|`, which would end a table cell.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char character : text) escaped += character == '|' ? std::string{"\\|"} : std::string(1, character);
  return escaped;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

std::string fieldRow(const Field& field, const TrainConfig& defaults) {
  return "| " + code(field.path) + " | " + cell(field.expectation().text()) + " | " + code(field.get(defaults)) +
         " | " + cell(field.help) + " |\n";
}

/// Returns the groups in the order of their first field.
std::vector<std::string> groups() {
  std::vector<std::string> names;
  for (const Field& field : configSchema())
    if (std::find(names.begin(), names.end(), field.group) == names.end()) names.push_back(field.group);
  return names;
}

std::string externalNameTable() {
  std::string text =
      "\n## Names of other trainers\n\nAccepted with a note. DeepSpeed's section `dynamic_batching` is read as "
      "`batch.tokens`.\n\n"
      "| theirs | ours | from |\n|---|---|---|\n";
  for (const config::ExternalName& row : config::externalNames())
    text += "| " + code(row.theirs) + " | " + code(row.ours) + " | " + row.owner + " |\n";
  return text;
}

}  // namespace

std::string configReference() {
  const TrainConfig defaults;
  std::string text =
      "# Configuration\n\nOne YAML file. What is left out has its default. `--set name=value` changes one value on the "
      "command line.\n"
      "Units of time: ep (epochs), ba (global batches), sp (samples), tok (tokens), dur (fraction of max_duration), "
      "sec; also 90m, 1h30m.\n";
  for (const std::string& group : groups()) {
    text += "\n## " + (group.empty() ? std::string("The run") : group) +
            "\n\n| field | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : configSchema())
      if (field.group == group) text += fieldRow(field, defaults);
  }
  return text + externalNameTable();
}

}  // namespace batchwise
