// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

enum class FieldKind { Integer, Number, Boolean, Text, Choice, Time, TimeList, TextList, NumberList, Bytes, Stages, Schedule };

/// One field of the configuration, as declared in schema.cpp. File reader, flags, checks, form, reference page and
/// comparison of runs all read this.
struct Field {
  std::string path;   ///< "optimizer.lr"
  std::string group;  ///< "optimizer"; "" at top level
  FieldKind kind;
  bool optional = false;              ///< may be left out / "auto"
  std::string emptyWord;              ///< what stands for "not set" in files and form: "auto", "none", ""
  std::string unit;                   ///< "tokens", "per step"; may be empty
  std::string help;                   ///< one or two sentences
  std::vector<std::string> choices;   ///< for Choice
  std::optional<double> minimum;      ///< inclusive unless minimumOpen
  std::optional<double> maximum;
  bool minimumOpen = false;
  bool advanced = false;              ///< folded in the form

  /// The value as YAML text ("5e-4", "[0.9, 0.98]", "auto").
  std::function<std::string(const TrainConfig&)> get;
  /// Sets it from YAML text. Returns what is wrong, empty if nothing is.
  std::function<std::string(TrainConfig&, const std::string&)> set;
};

/// Every field, in the order of the reference page. Built once; any thread.
const std::vector<Field>& configSchema();

/// The field at `path`, or null.
const Field* findField(const std::string& path);

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
