// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/yaml_value.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/config/schema_entries.h"

namespace batchwise::config {
namespace {

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

ValueProblems unexpected(const YAML::Node& node, const Field& field, const std::string& reason = {}) {
  if (node.IsNull()) return problemAt(node, "has no value; give " + field.expectation());
  std::string message = describeNode(node) + " is not " + field.expectation();
  if (!reason.empty()) message += " (" + reason + ")";
  return problemAt(node, message);
}

bool inRange(double number, const Field& field) {
  if (field.minimum && (number < *field.minimum || (field.minimumOpen && number == *field.minimum))) return false;
  if (field.maximum && (number > *field.maximum || (field.maximumOpen && number == *field.maximum))) return false;
  return true;
}

/// The scalar's text without a leading plus sign, which from_chars does not take.
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

/// "512MiB", "2 GB", "1.5GiB", "1048576". Empty if it is none or does not fit.
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

std::string nearestOf(const std::string& given, const std::vector<std::string>& known) {
  const std::string nearest = nearestName(given, known);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

/// Reads the keys of one item of a list of sections and hands each to `readKey`, which returns false for a key it does
/// not know.
template <class ReadKey>
ValueProblems readSection(const YAML::Node& node, const std::vector<std::string>& known, ReadKey readKey) {
  if (node.IsNull()) return problemAt(node, "is empty; give a section with the keys " + joinNames(known));
  if (!node.IsMap()) return problemAt(node, describeNode(node) + " is not a section with the keys " + joinNames(known));
  ValueProblems problems;
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : describeNode(entry.first);
    const bool repeated = std::find(seen.begin(), seen.end(), key) != seen.end();
    seen.push_back(key);
    if (repeated) {
      problems.push_back({"." + key, "is given twice", lineOf(entry.first)});
    } else if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string hint = nearestOf(key, known);
      problems.push_back({"." + key,
                          "unknown key; " + (hint.empty() ? "known: " : hint + " Known: ") + joinNames(known),
                          lineOf(entry.first)});
    } else {
      for (ValueProblem& problem : readKey(key, entry.second)) {
        problem.where = "." + key + problem.where;
        problems.push_back(std::move(problem));
      }
    }
  }
  return problems;
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

ValueProblems readStage(const YAML::Node& node, RampStageConfig& stage) {
  static const Field at = stageAtField();
  const Field& size = *findField("batch.global_train_batch_size");
  ValueProblems problems =
      readSection(node, {"at", "global_train_batch_size"}, [&](const std::string& key, const YAML::Node& value) {
        return key == "at" ? readValue(value, at, stage.at) : readValue(value, size, stage.globalTrainBatchSize);
      });
  requireKey(node, "at", "is missing: when the stage begins, as 0ba or 0.1dur", problems);
  requireKey(node, "global_train_batch_size", "is missing: the samples of one step of the stage", problems);
  return problems;
}

/// A part is read through the fields of `scheduler` itself, so its parameters are declared once.
ValueProblems readPartKey(const std::string& key, const YAML::Node& value, SchedulerConfig& part) {
  if (key == "duration" && value.IsScalar() && value.Scalar() == "rest") {
    part.rest = true;
    return {};
  }
  if (key == "duration") return readValue(value, *findField("scheduler.t_max"), part.length);
  TrainConfig scratch;
  scratch.scheduler = std::move(part);
  ValueProblems problems = readField(*findField("scheduler." + key), scratch, value);
  part = std::move(scratch.scheduler);
  return problems;
}

// yaml-cpp 0.7 takes what no document can begin with, as a comma, for an empty document before it, and for another one,
// and so on for ever. Throws then.
class ProgressCheck : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == lastStart_) throw YAML::ParserException(mark, "a document cannot begin with this");
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

}  // namespace

int lineOf(const YAML::Node& node) {
  return node.Mark().is_null() ? 0 : node.Mark().line + 1;
}

std::string describeNode(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return "nothing";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Map: return "a section";
    case YAML::NodeType::Scalar: break;
  }
  std::string text = node.Scalar();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return "'" + text + "'";
}

namespace {

/// "*.txt" where YAML, at or right before `mark`, took such a word for a reference to an anchor; empty if it is
/// something else: the name of an anchor is a plain word.
std::string unquotedPattern(const std::string& text, const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  std::istringstream lines(text);
  std::string line;
  for (int number = 0; number <= mark.line; ++number) std::getline(lines, line);
  const auto at = static_cast<std::size_t>(mark.column);
  for (const std::size_t begin : {at, at - 1}) {
    if (begin >= line.size() || line[begin] != '*') continue;
    const std::string word = line.substr(begin, line.find_first_of(" \t\r,]}", begin) - begin);
    return word == "*" || word.find_first_of("./?*", 1) != std::string::npos ? word : "";
  }
  return {};
}

}  // namespace

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
            ValueProblem{"",
                         "a pattern that begins with * needs quotes, as * alone refers to an anchor in YAML; write \"" +
                             pattern + "\"",
                         line}};
  const int column = error.mark.is_null() ? 0 : error.mark.column + 1;
  return {{},
          ValueProblem{"", "this is not valid YAML: " + error.msg + " (column " + std::to_string(column) + ")", line}};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::int64_t& target) {
  if (!node.IsScalar()) return unexpected(node, field);
  std::int64_t number = 0;
  if (field.kind == FieldKind::Bytes) {
    const auto bytes = parseBytes(node.Scalar());
    if (!bytes) return unexpected(node, field);
    number = *bytes;
  } else if (const std::errc error = parseWhole(numberText(node), number); error != std::errc{}) {
    return unexpected(node, field, error == std::errc::result_out_of_range ? "too large for 64 bits" : "");
  }
  if (!inRange(static_cast<double>(number), field)) return unexpected(node, field, "out of range");
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
  if (!inRange(number, field)) return unexpected(node, field, "out of range");
  target = number;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, bool& target) {
  static const std::array<std::string_view, 12> words = {"true",  "True",  "TRUE",  "yes", "on",  "Yes",
                                                         "false", "False", "FALSE", "no",  "off", "No"};
  if (!node.IsScalar()) return unexpected(node, field);
  const auto found = std::find(words.begin(), words.end(), node.Scalar());
  if (found == words.end()) return unexpected(node, field);
  target = found - words.begin() < 6;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::string& target) {
  if (node.IsNull() && !field.emptyWord.empty()) {
    target.clear();
    return {};
  }
  if (!node.IsScalar()) return unexpected(node, field);
  const std::string& text = node.Scalar();
  if (!field.choices.empty() && std::find(field.choices.begin(), field.choices.end(), text) == field.choices.end())
    return unexpected(node, field, nearestOf(text, field.choices));
  if (const FieldCheck* check = checkOf(field)) {
    const std::string reason = (*check)(text);
    if (!reason.empty()) return problemAt(node, describeNode(node) + " " + reason);
  }
  target = text;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, Time& target) {
  if (!node.IsScalar() || node.Scalar().empty()) return unexpected(node, field);
  const Result<Time> time = Time::parse(node.Scalar(), field.expectation());
  if (!time) return problemAt(node, time.error().message);
  if (!field.units.empty() && std::find(field.units.begin(), field.units.end(), time->unit()) == field.units.end())
    return unexpected(node, field, "'" + std::string{unitName(time->unit())} + "' has no meaning here");
  if (!inRange(time->number(), field)) return unexpected(node, field, "out of range");
  target = *time;
  return {};
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<RampStageConfig>& target) {
  if (!node.IsSequence()) return unexpected(node, field);
  std::vector<RampStageConfig> stages(node.size());
  ValueProblems problems;
  for (std::size_t i = 0; i < node.size(); ++i) {
    for (ValueProblem& problem : readStage(node[i], stages[i])) {
      problem.where = "[" + std::to_string(i) + "]" + problem.where;
      problems.push_back(std::move(problem));
    }
  }
  if (problems.empty()) target = std::move(stages);
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<SchedulerConfig>& target) {
  if (!node.IsSequence()) return unexpected(node, field);
  std::vector<SchedulerConfig> parts(node.size());
  ValueProblems problems;
  const std::vector<std::string> known = partKeys();
  for (std::size_t i = 0; i < node.size(); ++i) {
    ValueProblems found = readSection(node[i], known, [&](const std::string& key, const YAML::Node& value) {
      return readPartKey(key, value, parts[i]);
    });
    requireKey(node[i], "name", "is missing: which schedule the part follows", found);
    requireKey(node[i], "duration", "is missing: how long the part lasts, as 100ba or 0.1dur; one part says rest",
               found);
    for (ValueProblem& problem : found) {
      problem.where = "[" + std::to_string(i) + "]" + problem.where;
      problems.push_back(std::move(problem));
    }
  }
  if (problems.empty()) target = std::move(parts);
  return problems;
}

}  // namespace batchwise::config
