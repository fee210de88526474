// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

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
  Schedule
};

/// One field of the configuration, as declared in schema.cpp. File reader, flags, checks, form, reference page and
/// comparison of runs all read this.
struct Field {
  std::string path;   ///< "optimizer.lr"
  std::string group;  ///< "optimizer"; "" at top level
  FieldKind kind;
  bool optional = false;             ///< may be left out / "auto"
  std::string emptyWord;             ///< what stands for "not set" in files and form: "auto", "none", ""
  std::string unit;                  ///< "tokens", "per step"; may be empty
  std::string help;                  ///< one or two sentences
  std::vector<std::string> choices;  ///< for Choice
  std::vector<TimeUnit> units;       ///< for Time and TimeList: the units that make sense here
  std::optional<double> minimum;     ///< inclusive unless minimumOpen; of the number of a Time, of every item of a list
  std::optional<double> maximum;     ///< inclusive unless maximumOpen
  bool minimumOpen = false;
  bool maximumOpen = false;
  bool advanced = false;  ///< folded in the form

  /// The value as YAML text ("5e-4", "[0.9, 0.98]", "auto").
  std::function<std::string(const TrainConfig&)> get;
  /// Sets it from YAML text. Returns what is wrong, empty if nothing is; then the old value stays.
  std::function<std::string(TrainConfig&, const std::string&)> set;

  /// Type, unit and range in words: "a whole number of samples, at least 1".
  std::string expectation() const;
};

/// Every field, in the order of the reference page. Built once; any thread.
const std::vector<Field>& configSchema();

/// The field at `path`, or null.
const Field* findField(const std::string& path);

/// True if fields lie below `path`: "batch", "batch.rampup".
bool isFieldGroup(const std::string& path);

/// Something that a rule over several fields found, at the field to be changed.
struct FieldProblem {
  std::string field;
  std::string message;
};
/// What the values of several fields make impossible together. Rules that need data are in Plan::resolve.
std::vector<FieldProblem> checkRules(const TrainConfig& config);
/// What has a meaning but looks like a slip.
std::vector<FieldProblem> checkSlips(const TrainConfig& config);
/// The parameters of the schedule `name` by their names in the file, required ones first; empty for an unknown name.
std::vector<std::string> scheduleParameters(const std::string& name);

/// A difference between two configurations: field and both values as text, defaults resolved.
struct ConfigDifference {
  std::string field;
  std::string left;
  std::string right;
};
std::vector<ConfigDifference> compareConfigs(const TrainConfig& left, const TrainConfig& right);

/// The reference page (Markdown): every field with type, default, unit, range and help, by group.
std::string configReference();

}  // namespace batchwise
