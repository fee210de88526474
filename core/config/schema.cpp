// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/config_reader.h"
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

std::string withRange(const Field& field, std::string expected) {
  if (field.minimum) {
    const std::string bound = formatExact(*field.minimum);
    expected = field.minimumOpen ? formatText("{}, above {}", expected, bound)
                                 : formatText("{}, at least {}", expected, bound);
  }
  if (field.maximum) {
    const std::string bound = formatExact(*field.maximum);
    expected =
        field.maximumOpen ? formatText("{}, below {}", expected, bound) : formatText("{}, at most {}", expected, bound);
  }
  return expected;
}

std::string orUnset(const Field& field, std::string expected) {
  if (!field.optional || field.unsetText.empty()) return expected;
  return formatText("{}, or {}", expected, field.unsetText);
}

std::string expectedWholeNumber(const Field& field) {
  if (field.unit.empty()) return "a whole number";
  if (field.unit == kUnitPerStep) return "a whole number per step";
  return formatText("a whole number of {}", field.unit);
}

std::string expectedNumber(const Field& field) {
  if (field.unit.empty()) return kNumberNoun;
  if (field.unit == kUnitPerStep) return "a number per step";
  return formatText("a number of {}", field.unit);
}

std::string expectedTime(const Field& field) {
  std::vector<std::string> names;
  for (const TimeUnit unit : field.units) names.emplace_back(unitName(unit));
  if (std::find(names.begin(), names.end(), "sec") != names.end()) names.insert(names.end(), {"s", "m", "h"});
  std::string examples;
  for (const auto& [unit, example] : {std::pair{"ba", "100ba"}, std::pair{"dur", "0.1dur"}, std::pair{"sec", "90m"}}) {
    if (!names.empty() && std::find(names.begin(), names.end(), unit) == names.end()) continue;
    examples = examples.empty() ? std::string(example) : formatText("{} or {}", examples, example);
  }
  if (examples.empty()) examples = "1000000" + names.front();
  return withRange(field, formatText("a time with a unit ({}), such as {}", joined(names), examples));
}

}  // namespace

std::vector<std::string> partKeys() {
  std::vector<std::string> keys = {"name", "duration"};
  for (const Field& field : configSchema())
    if (field.group == "scheduler" && field.path != "scheduler.name" && field.path != "scheduler.parts" &&
        field.path != "scheduler.within_batch")
      keys.push_back(field.path.substr(std::string{"scheduler."}.size()));
  return keys;
}

std::string parentOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

/// Sets a field from YAML text; see Field::set.
std::string setFromText(const Field& field, TrainConfig& config, const std::string& text) {
  const ParsedYaml parsed = parseYaml(text);
  if (parsed.problem) return parsed.problem->message;
  if (parsed.documents.size() > 1)
    return formatText("'{}' is more than one YAML document, expected {}", text, field.expectation());
  const YAML::Node node = parsed.documents.empty() ? YAML::Node() : parsed.documents.front();
  std::string all;
  for (const ValueProblem& problem : field.read(config, node)) {
    const std::string one = problem.where.empty() ? problem.message : inContextText(problem.where, problem.message);
    all = all.empty() ? one : followedByText(all, one);
  }
  return all;
}

Field SchemaBuilder::described(const std::string& path, const char* label, FieldOptions options, const char* help) {
  Field field;
  field.path = path;
  field.group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.find('.'));
  field.label = label;
  field.unsetText = std::move(options.unset);
  field.unit = std::move(options.unit);
  field.help = help;
  field.choices = std::move(options.choices);
  field.choiceLabels = options.choiceLabels.empty() ? field.choices : std::move(options.choiceLabels);
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

std::string Field::expectation() const {
  switch (kind) {
    case FieldKind::Integer:
      return config::orUnset(*this, config::withRange(*this, config::expectedWholeNumber(*this)));
    case FieldKind::Number: return config::orUnset(*this, config::withRange(*this, config::expectedNumber(*this)));
    case FieldKind::Boolean: return "true or false";
    case FieldKind::Text: return kTextNoun;
    case FieldKind::Choice: return formatText("one of {}", joined(choices));
    case FieldKind::Time: return config::orUnset(*this, config::expectedTime(*this));
    case FieldKind::TimeList: return formatText("{}, or a list of them", config::expectedTime(*this));
    case FieldKind::TextList:
      return choices.empty() ? "a text or a list of texts"
                             : formatText("{}, or a list of them", formatText("one of {}", joined(choices)));
    case FieldKind::NumberList: return config::withRange(*this, "a list of numbers");
    case FieldKind::Bytes:
      return config::orUnset(*this, config::withRange(*this, "a size in bytes, such as 512MiB or 8GB"));
    case FieldKind::Stages: return "a list of stages, such as [{at: 0ba, global_train_batch_size: 32}]";
    case FieldKind::Schedule:
      return "a list of parts, such as [{name: constant, duration: 100ba}, {name: linear, duration: rest}]";
    case FieldKind::EvalSets:
      return "names with their texts, such as {own: [own.txt], general: {text: [wiki.txt], weight: 0.5}}";
    case FieldKind::Tasks: return "a list of tasks, such as [{path: movie-reviews.yaml}]";
    case FieldKind::RunStages:
      return "a list of stages, such as [{until: 0.8dur}, {until: 1dur, data.max_seq_len: 512}]";
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

std::string groupTitle(const std::string& path) {
  const auto& titles = config::schema().groupTitles;
  const auto found = titles.find(path);
  return found == titles.end() ? std::string() : found->second;
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
  return "| " + code(field.path) + " | " + cell(field.expectation()) + " | " + code(field.get(defaults)) + " | " +
         cell(field.help) + " |\n";
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

FieldProblem problemOf(const Error& error) {
  return {error.field, error.context.empty() ? error.message : inContextText(error.context, error.message)};
}

}  // namespace batchwise
