// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// An error or note about a configuration. `field` is the dotted path ("batch.rampup.duration"), empty for the whole
/// file; `line` counts from 1 and is 0 if the value is not from a file.
struct ConfigIssue {
  std::string field;
  std::string source;  ///< file name, "--set", "form"; empty if the message names it
  int line = 0;
  std::string message;       ///< value found, allowed values, nearest known name
  std::string nearest = {};  ///< known name or value that was probably meant; empty: none
  std::string value = {};    ///< of a field that cannot be read: YAML of what the file says; else empty
  /// Returns "config.yaml:12: batch.rampup.duration: …".
  std::string text() const;
};

/// Where a field was set: file and line, or "--set" and 0.
struct FieldLocation {
  std::string source;
  int line = 0;
};

/// A loaded configuration. `config` may be used if `errors` is empty.
struct LoadedConfig {
  TrainConfig config;
  /// The text as given. Changes by --set follow as further YAML documents ("---", "optimizer.lr: 1e-3"), so that
  /// parsing this text alone gives the same configuration.
  std::string yaml;
  std::filesystem::path baseFolder;  ///< base of relative data paths; empty: the working folder
  std::vector<ConfigIssue> errors;
  std::vector<ConfigIssue> notes;                  ///< accepted, but reported: other tools' names, likely mistakes
  std::map<std::string, FieldLocation> locations;  ///< of the fields that were set, by dotted path
  std::set<std::string> assigned = {};             ///< fields that the assignments set, by dotted path
  bool ok() const { return errors.empty(); }
  /// Returns the errors as one message, a line each.
  std::string errorText() const;
  /// Returns an issue of `field`, or of an item in it ("batch.rampup.stages[1].at"), with the location where it was
  /// set.
  ConfigIssue issueAt(const std::string& field, std::string message) const;
};

/// Parses YAML text and applies `assignments` as loadConfig() does. `sourceName` is used in issues. Never throws;
/// syntax errors become an issue with a line.
LoadedConfig parseConfig(const std::string& yaml, const std::string& sourceName,
                         const std::filesystem::path& baseFolder, const std::vector<std::string>& assignments = {});

/// Reads a file, or the bundled preset of this name, and applies `assignments` of the form "a.b=c" (c is
/// YAML; a field of kind Text takes it literally unless quoted). All problems are in the result's `errors`.
LoadedConfig loadConfig(const std::string& pathOrName, const std::vector<std::string>& assignments = {});

/// Returns the YAML text of a bundled preset ("demo", "continue"); empty for any other name.
std::string bundledConfig(const std::string& name);
/// Returns the names of the bundled presets, sorted.
std::vector<std::string> bundledConfigNames();
/// Returns what a bundled preset is for and where its values are from: the comment at its beginning.
std::string bundledConfigHelp(const std::string& name);

/// Returns complete YAML with the fields that differ from their defaults, or all, in schema order. Round-trips.
enum class YamlScope { ChangedOnly, Everything };
std::string configToYaml(const TrainConfig& config, YamlScope scope);

}  // namespace batchwise
