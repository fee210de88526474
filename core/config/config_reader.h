// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/sweep.h"
#include "core/config/yaml_value.h"

// Names of other training tools with the same meaning as one of ours.

namespace batchwise::config {

/// Returns whether the node holds several values of the field: a list, or for a list field a list of lists.
bool isSweep(const Field& field, const YAML::Node& node);

/// Sets the fields named in a YAML tree; collects all issues instead of stopping at the first.
class ConfigReader {
 public:
  /// Lists where one value is expected are added to `axes`; null: they are errors.
  ConfigReader(LoadedConfig& target, std::string sourceName, std::vector<SweepAxis>* axes)
      : target_(target), source_(std::move(sourceName)), axes_(axes) {}

  /// Reads the root of a file: a section whose keys are fields and groups.
  void readRoot(const YAML::Node& root);
  /// Reads changes: keys are dotted paths, and may override fields read before.
  void readChanges(const YAML::Node& root);
  /// Reads one entry: the value `node` for the dotted path. `line` is that of its key.
  void readEntry(const std::string& path, const YAML::Node& node, int line);
  /// Adds the issues that concern several fields, after all sources have been read.
  void finish();

  void addError(const std::string& field, int line, std::string message, const std::string& nearest = {});

 private:
  void readSection(const std::string& path, const YAML::Node& node);
  void readFieldNode(const Field& field, const YAML::Node& node, int line);
  void readAxis(const Field& field, const YAML::Node& node, int line);
  void readDynamicBatching(const std::string& path, const YAML::Node& node, int line);
  void reportUnknown(const std::string& path, int line);
  bool claim(const std::string& path, int line);
  FieldLocation locationOf(int line) const;
  void addNote(const std::string& field, int line, std::string message);

  LoadedConfig& target_;
  std::string source_;
  std::vector<SweepAxis>* axes_;
  bool inChanges_ = false;  ///< fields may be set again; line numbers are meaningless
};

/// A name accepted, with a note, for one of our fields.
struct ExternalName {
  std::string theirs;
  std::string ours;
  std::string owner;  ///< the tool: "bert24", "Composer", "torchtune"
};
/// Returns all such names.
const std::vector<ExternalName>& externalNames();
/// Returns the entry of another tool's dotted name, or null.
const ExternalName* externalName(const std::string& theirs);

}  // namespace batchwise::config
