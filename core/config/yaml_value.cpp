// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/yaml_value.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/task_config.h"

namespace batchwise::config {
namespace {

constexpr const char* kYamlNumberOutOfRange = "out of range";

constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> kByteUnits = {{
    {"B", 1},
    {"KiB", std::int64_t{1} << 10},
    {"MiB", std::int64_t{1} << 20},
    {"GiB", std::int64_t{1} << 30},
    {"TiB", std::int64_t{1} << 40},
    {"kB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
}};

ValueProblems problemAt(const YAML::Node& node, std::string message) {
  return {{"", std::move(message), lineOf(node)}};
}

bool inRange(double number, const Field& field) {
  if (field.minimum && (number < *field.minimum || (field.minimumOpen && number == *field.minimum))) return false;
  if (field.maximum && (number > *field.maximum || (field.maximumOpen && number == *field.maximum))) return false;
  return true;
}

/// Returns the scalar's text without a leading plus sign, which from_chars rejects.
std::string_view numberText(const YAML::Node& node) {
  std::string_view text = node.Scalar();
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
std::errc parseWhole(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return error;
  return end == text.data() + text.size() ? std::errc{} : std::errc::invalid_argument;
}

/// Parses "512MiB", "2 GB", "1.5GiB", "1048576". Empty if invalid or out of range.
std::optional<std::int64_t> parseBytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  if (unit.empty()) unit = "B";
  for (const auto& [name, bytes] : kByteUnits) {
    if (name != unit) continue;
    const double total = number * static_cast<double>(bytes);
    if (total >= 9.2e18 || total != std::floor(total)) return std::nullopt;
    return static_cast<std::int64_t>(total);
  }
  return std::nullopt;
}

void requireKey(const YAML::Node& node, const std::string& key, const std::string& message, ValueProblems& problems) {
  if (node.IsMap() && !node[key]) problems.push_back({"." + key, message, lineOf(node)});
}

Field stageAtField() {
  Field field;
  field.kind = FieldKind::Time;
  field.units = findField("batch.rampup.duration")->units;
  field.minimum = 0;
  return field;
}

/// Reads a part through the fields of `scheduler` itself, so that its parameters are declared once.
ValueProblems readPartKey(const std::string& key, const YAML::Node& value, SchedulerConfig& part) {
  if (key == "duration" && value.IsScalar() && value.Scalar() == "rest") {
    part.rest = true;
    return {};
  }
  if (key == "duration") return readValue(value, *findField("scheduler.t_max"), part.length);
  TrainConfig scratch;
  scratch.scheduler = std::move(part);
  ValueProblems problems = findField("scheduler." + key)->read(scratch, value);
  part = std::move(scratch.scheduler);
  return problems;
}

// Throws on an endless loop of yaml-cpp 0.7, which parses text that cannot start a document, such as a comma, as an
// infinite series of empty documents.
class ProgressCheck : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == lastStart_) throw YAML::ParserException(mark, std::string("a document cannot begin with this"));
    lastStart_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int lastStart_ = -1;
};

std::string lineAt(const std::string& text, const YAML::Mark& mark) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 0; number <= mark.line; ++number) std::getline(lines, line);
  return line;
}

/// Returns whether YAML takes nothing more of a line because a tab indents it, which it says of few.
bool isIndentedWithTab(const std::string& text, const YAML::Exception& error) {
  const std::array<std::string_view, 4> unwanted = {YAML::ErrorMsg::MAP_VALUE, YAML::ErrorMsg::MAP_KEY,
                                                    YAML::ErrorMsg::BLOCK_ENTRY, YAML::ErrorMsg::TAB_IN_INDENTATION};
  if (error.mark.is_null() || std::ranges::find(unwanted, error.msg) == unwanted.end()) return false;
  const std::string line = lineAt(text, error.mark);
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

/// Returns "*.txt" if YAML parsed such a pattern at or right before `mark` as an alias; empty otherwise: the name of an
/// alias is a plain word.
std::string unquotedPattern(const std::string& text, const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  const std::string line = lineAt(text, mark);
  const auto at = static_cast<std::size_t>(mark.column);
  for (const std::size_t begin : {at, at - 1}) {
    if (begin >= line.size() || line[begin] != '*') continue;
    const std::string word = line.substr(begin, line.find_first_of(" \t\r,]}", begin) - begin);
    return word == "*" || word.find_first_of("./?*", 1) != std::string::npos ? word : "";
  }
  return {};
}

ValueProblems unknownChoice(const YAML::Node& node, const Field& field) {
  const std::string nearest = nearestName(node.Scalar(), field.choices);
  ValueProblems problems =
      unexpected(node, field, nearest.empty() ? std::string() : formatText("did you mean '{}'?", nearest));
  problems.front().nearest = nearest;
  return problems;
}

}  // namespace

ValueProblems readSection(const YAML::Node& node, const std::vector<std::string>& known, const ReadKey& readKey) {
  if (node.IsNull()) return problemAt(node, formatText("is empty; give a section with the keys {}", joined(known)));
  if (!node.IsMap())
    return problemAt(node, formatText("{} is not a section with the keys {}", describeNode(node), joined(known)));
  ValueProblems problems;
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = keyOf(entry.first);
    const bool repeated = std::find(seen.begin(), seen.end(), key) != seen.end();
    seen.push_back(key);
    if (repeated) {
      problems.push_back({"." + key, "is given twice", lineOf(entry.first)});
    } else if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string nearest = nearestName(key, known);
      problems.push_back({"." + key,
                          nearest.empty()
                              ? formatText("unknown key; known: {}", joined(known))
                              : formatText("unknown key; did you mean '{}'? Known: {}", nearest, joined(known)),
                          lineOf(entry.first), nearest});
    } else {
      appendProblems(problems, "." + key, readKey(key, entry.second));
    }
  }
  return problems;
}

bool isName(const std::string& text) {
  return !text.empty() && text.size() <= 40 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string::npos;
}

ValueProblems unexpected(const YAML::Node& node, const Field& field, const std::string& reason) {
  if (node.IsNull()) return problemAt(node, formatText("has no value; give {}", field.expectation()));
  return problemAt(node, reason.empty()
                             ? formatText("{} is not {}", describeNode(node), field.expectation())
                             : formatText("{} is not {} ({})", describeNode(node), field.expectation(), reason));
}

void appendProblems(ValueProblems& problems, const std::string& where, ValueProblems found) {
  for (ValueProblem& problem : found) {
    problem.where = where + problem.where;
    problems.push_back(std::move(problem));
  }
}

int lineOf(const YAML::Node& node) {
  return node.Mark().is_null() ? 0 : node.Mark().line + 1;
}

std::string flowText(const YAML::Node& node) {
  if (node.IsNull()) return "null";
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  return emitter.c_str();
}

std::string keyOf(const YAML::Node& key) {
  return key.IsScalar() ? key.Scalar() : describeNode(key);
}

std::string describeNode(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return "nothing";
    case YAML::NodeType::Sequence: return kListNoun;
    case YAML::NodeType::Map: return "a section";
    case YAML::NodeType::Scalar: break;
  }
  std::string text = node.Scalar();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return "'" + text + "'";
}

ParsedYaml parseYaml(const std::string& text) try {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  for (ProgressCheck progress; parser.HandleNextDocument(progress);) {
  }
  return {YAML::LoadAll(text), std::nullopt};
} catch (const YAML::Exception& error) {
  const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
  if (const std::string pattern = unquotedPattern(text, error.mark); !pattern.empty())
    return {{},
            ValueProblem{
                "",
                formatText(
                    "a pattern that begins with * needs quotes, as * alone refers to an anchor in YAML; write \"{}\"",
                    pattern),
                line}};
  if (isIndentedWithTab(text, error))
    return {{},
            ValueProblem{"", "the line is indented with a tab, which YAML does not take; indent with spaces", line}};
  const int column = error.mark.is_null() ? 0 : error.mark.column + 1;
  return {{}, ValueProblem{"", formatText("this is not valid YAML: {} (column {})", error.msg, column), line}};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::int64_t& target) {
  if (!node.IsScalar()) return unexpected(node, field);
  std::int64_t number = 0;
  if (field.kind == FieldKind::Bytes) {
    const auto bytes = parseBytes(node.Scalar());
    if (!bytes) return unexpected(node, field);
    number = *bytes;
  } else if (const std::errc error = parseWhole(numberText(node), number); error != std::errc{}) {
    return unexpected(node, field, error == std::errc::result_out_of_range ? "too large for 64 bits" : std::string());
  }
  if (!inRange(static_cast<double>(number), field)) return unexpected(node, field, kYamlNumberOutOfRange);
  target = number;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, double& target) {
  if (!node.IsScalar()) return unexpected(node, field);
  static const std::vector<std::string> notFinite = {".nan", ".NaN",  ".NAN",  ".inf", ".Inf",
                                                     ".INF", "-.inf", "-.Inf", "-.INF"};
  if (std::find(notFinite.begin(), notFinite.end(), node.Scalar()) != notFinite.end())
    return unexpected(node, field, "it must be finite");
  double number = 0;
  const std::errc error = parseWhole(numberText(node), number);
  if (error == std::errc::result_out_of_range) return unexpected(node, field, "outside what a double can hold");
  if (error != std::errc{}) return unexpected(node, field);
  if (!std::isfinite(number)) return unexpected(node, field, "it must be finite");
  if (!inRange(number, field)) return unexpected(node, field, kYamlNumberOutOfRange);
  target = number;
  return {};
}

std::optional<bool> flagOf(const YAML::Node& node) {
  static const std::array<std::string_view, 12> words = {"true",  "True",  "TRUE",  "yes", "on",  "Yes",
                                                         "false", "False", "FALSE", "no",  "off", "No"};
  if (!node.IsScalar()) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), node.Scalar());
  return found == words.end() ? std::nullopt : std::optional(found - words.begin() < 6);
}

ValueProblems readValue(const YAML::Node& node, const Field& field, bool& target) {
  const std::optional<bool> flag = flagOf(node);
  if (!flag) return unexpected(node, field);
  target = *flag;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::string& target) {
  if (!node.IsScalar()) return unexpected(node, field);
  const std::string& text = node.Scalar();
  if (!field.choices.empty() && std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end())
    return unknownChoice(node, field);
  const std::string reason = field.check ? field.check(text) : std::string();
  if (!reason.empty()) return problemAt(node, formatText("{} {}", describeNode(node), reason));
  target = text;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, NoiseScaleMode& target) {
  const std::string written = node.IsScalar() ? node.Scalar() : "";
  std::string name = written == "true" ? "auto" : written == "false" ? "off" : "";
  const ValueProblems problems = name.empty() ? readValue(node, field, name) : ValueProblems{};
  if (problems.empty()) target = *choiceFromName<NoiseScaleMode>(name);
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field& field, Time& target) {
  if (!node.IsScalar() || node.Scalar().empty()) return unexpected(node, field);
  const Result<Time> time = Time::parse(node.Scalar(), field.expectation());
  if (!time) return problemAt(node, time.error().message);
  if (!field.units.empty() && std::find(field.units.begin(), field.units.end(), time->unit()) == field.units.end())
    return unexpected(node, field, formatText("'{}' has no meaning here", unitName(time->unit())));
  if (!inRange(time->number(), field)) return unexpected(node, field, kYamlNumberOutOfRange);
  target = *time;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field&, RampLevelConfig& target) {
  static const Field at = stageAtField();
  const Field& size = *findField("batch.global_train_batch_size");
  ValueProblems problems =
      readSection(node, {"at", "global_train_batch_size"}, [&](const std::string& key, const YAML::Node& value) {
        return key == "at" ? readValue(value, at, target.at) : readValue(value, size, target.globalTrainBatchSize);
      });
  requireKey(node, "at", "is missing: when the stage starts, such as 0ba or 0.1dur", problems);
  requireKey(node, "global_train_batch_size", "is missing: the number of samples in one step of the stage", problems);
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field&, SchedulerConfig& target) {
  ValueProblems problems = readSection(node, partKeys(), [&](const std::string& key, const YAML::Node& value) {
    return readPartKey(key, value, target);
  });
  requireKey(node, "name", "is missing: which schedule the part follows", problems);
  requireKey(node, "duration", "is missing: how long the part lasts, such as 100ba or 0.1dur; one part has rest",
             problems);
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field&, TaskConfig& target) {
  static const std::vector<std::string> keys = {"path", "name",  "kind",   "train",   "validation", "test",
                                                "text", "label", "metric", "queries", "documents",  "pairs"};
  static const Field text = [] {
    Field field;
    field.kind = FieldKind::Text;
    return field;
  }();
  const auto choiceOf = [](const auto& names) {
    Field field = text;
    field.choices = {names.begin(), names.end()};
    return field;
  };
  TaskConfig task;
  ValueProblems problems = readSection(node, keys, [&](const std::string& key, const YAML::Node& value) {
    if (key == "kind") return readValue(value, choiceOf(kChoiceNames<TaskKind>), task.kind);
    if (key == "metric") return readValue(value, choiceOf(kChoiceNames<TaskMetric>), task.metric);
    if (key == "text") return readValue(value, text, task.text);
    if (key == "name") return readValue(value, text, task.name);
    if (key == "label") return readValue(value, text, task.label);
    const auto* file = std::ranges::find(kTaskFiles, key, &TaskFile::key);
    return readValue(value, text, task.*file->member);
  });
  if (problems.empty())
    if (const std::string problem = problemOf(task); !problem.empty()) return problemAt(node, problem);
  if (problems.empty()) target = std::move(task);
  return problems;
}

}  // namespace batchwise::config
