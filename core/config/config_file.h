// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"

namespace batchwise {

/// One thing wrong (or noteworthy) in a configuration. `field` is the dotted path ("batch.rampup.duration"), empty for
/// the whole file; `line` counts from 1, 0 if the value came from no file.
struct ConfigIssue {
  std::string field;
  std::string source;  ///< file name, "--set", "form"; may be empty
  int line = 0;
  std::string message;       ///< value found, what is allowed, nearest known name
  std::string text() const;  ///< "config.yaml:12: batch.rampup.duration: …"
};

/// Where a field was set: file and line, or "--set" and 0.
struct FieldPlace {
  std::string source;
  int line = 0;
};

/// A configuration that has been read. `errors` empty means that `config` may be used.
struct LoadedConfig {
  TrainConfig config;
  /// As typed. Changes by --set follow as further YAML documents ("---", "optimizer.lr: 1e-3"), which parseConfig reads
  /// again, so this text alone gives the same configuration.
  std::string yaml;
  std::filesystem::path baseFolder;          ///< relative data paths are relative to this; empty: the working folder
  std::vector<ConfigIssue> errors;           ///< all of them at once
  std::vector<ConfigIssue> notes;            ///< accepted, but said: peers' names, likely slips
  std::map<std::string, FieldPlace> places;  ///< of the fields that were set, by dotted path
  bool ok() const { return errors.empty(); }
  /// All errors, one per line.
  std::string errorText() const;
  /// An issue of `field`, or of what lies below it ("batch.rampup.stages[1].at"), with the place where it was set.
  ConfigIssue issueAt(const std::string& field, std::string message) const;
};

/// Reads YAML text. `sourceName` is used in issues. Never throws; syntax errors become an issue with its line.
LoadedConfig parseConfig(const std::string& yaml, const std::string& sourceName,
                         const std::filesystem::path& baseFolder);

/// Reads a file, or the bundled preset `demo` if `pathOrName` is "demo", and applies `assignments` of the form
/// "a.b=c" (c is YAML; a field of kind Text takes it as it stands, unless it is quoted). Every problem of file and
/// flags is in the result's `errors`.
LoadedConfig loadConfig(const std::string& pathOrName, const std::vector<std::string>& assignments = {});

/// parseConfig with `assignments` as in loadConfig.
LoadedConfig parseConfigWith(const std::string& yaml, const std::string& sourceName,
                             const std::filesystem::path& baseFolder, const std::vector<std::string>& assignments);

/// The YAML text of a bundled preset: "demo". Empty for any other name.
std::string bundledConfig(const std::string& name);

/// Complete YAML with every field that differs from its default (or all of them), in schema order; reads back equal.
enum class YamlScope { ChangedOnly, Everything };
std::string configToYaml(const TrainConfig& config, YamlScope scope);

}  // namespace batchwise
