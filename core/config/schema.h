// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/train_config.h"

namespace YAML {
class Node;
}

namespace batchwise {
namespace config {
struct ValueProblem;
}

enum class FieldKind {
  Integer,
  Number,
  Boolean,
  Text,
  Choice,
  Time,
  TimeList,
  TextList,
  NumberList,
  Bytes,
  Stages,
  Schedule,
  EvalSets,
  Tasks,
  RunStages
};

/// One field of the configuration, as declared in fields_*.cpp. Used by file reader, flags, checks, form, reference
/// page and comparison of runs.
struct Field {
  std::string path;   ///< "optimizer.lr"
  std::string group;  ///< "optimizer"; "" at top level
  std::string label;  ///< "Peak learning rate"; where that says too little alone, with its group: "Ramp-up: length"
  FieldKind kind;
  bool optional = false;                  ///< may be left out, or "auto"
  std::string unsetText;                  ///< text for "not set" in files and form: "auto", "none", ""
  std::string unit;                       ///< "tokens", "per step"; may be empty
  std::string help;                       ///< one or two sentences
  std::vector<std::string> choices;       ///< for Choice
  std::vector<std::string> choiceLabels;  ///< of each of them
  std::vector<TimeUnit> units;            ///< for Time and TimeList: the allowed units
  std::optional<double> minimum;  ///< inclusive unless minimumOpen; applies to the number of a Time and to list items
  std::optional<double> maximum;  ///< inclusive unless maximumOpen
  bool minimumOpen = false;
  bool maximumOpen = false;
  bool advanced = false;  ///< collapsed in the form
  /// Returns the error in a text beyond its type, as the end of a sentence that begins with it ("is none; known: cpu,
  /// cuda"); empty if valid. Null: every text is.
  std::function<std::string(const std::string&)> check;

  /// Returns the value as YAML text ("5e-4", "[0.9, 0.98]", "auto").
  std::function<std::string(const TrainConfig&)> get;
  /// Sets it from YAML text. Returns an error message and keeps the old value, or an empty text on success.
  std::function<std::string(TrainConfig&, const std::string&)> set;
  /// Sets it from a YAML node. On error the old value stays.
  std::function<std::vector<config::ValueProblem>(TrainConfig&, const YAML::Node&)> read;

  /// Describes type, unit and range: "a whole number of samples, at least 1".
  std::string expectation() const;
};

/// Returns every field in the order of the reference page. Built once. Thread-safe.
const std::vector<Field>& configSchema();

/// Returns the field at `path`, or null.
const Field* findField(const std::string& path);

/// Returns the title of a group or of a part of one: "Ramp-up" for "batch.rampup"; empty if there is none.
std::string groupTitle(const std::string& path);

/// Returns whether fields exist below `path`: "batch", "batch.rampup".
bool isFieldGroup(const std::string& path);

/// Learning rates above it are noted as a likely mistake: no published recipe trains with Adam at such a rate.
constexpr double kLargestUsualRate = 0.1;

/// A violation of a rule over several fields; `field` is the one to change.
struct FieldProblem {
  std::string field;  ///< or a group of fields; empty: of the whole
  std::string message;
  bool untilLaunch = false;  ///< a launch decides it
  std::string text() const { return field.empty() ? message : inContextText(field, message); }
  bool operator==(const FieldProblem&) const = default;
};
/// Returns the problem that an error states, with its field.
FieldProblem problemOf(const Error& error);
/// Returns combinations of values that are impossible. Rules that need data are in Plan::resolve.
std::vector<FieldProblem> checkRules(const TrainConfig& config);
/// Returns values that are valid but likely mistakes.
std::vector<FieldProblem> findLikelyMistakes(const TrainConfig& config);
/// Returns the parameters of the schedule `name` by their names in the file, required ones first; empty if unknown.
std::vector<std::string> scheduleParameters(const std::string& name);

/// A difference between two configurations, with both values as text and defaults resolved.
struct ConfigDifference {
  std::string field;
  std::string left;
  std::string right;
};
std::vector<ConfigDifference> compareConfigs(const TrainConfig& left, const TrainConfig& right);

/// Returns the reference page (Markdown): every field with type, default, unit, range and help, by group.
std::string configReference();

}  // namespace batchwise
