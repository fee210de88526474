// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/config/config_file.h"
#include "core/config/sweep.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {

/// True if the node holds several values of the field: a list, or for a field that is a list, a list of lists.
bool isSweep(const Field& field, const YAML::Node& node);

/// Walks a YAML tree and sets the fields it names, collecting every issue instead of ending at the first.
class ConfigReader {
 public:
  /// Lists where one value is expected go into `axes`; null: they are errors.
  ConfigReader(LoadedConfig& target, std::string sourceName, std::vector<SweepAxis>* axes)
      : target_(target), source_(std::move(sourceName)), axes_(axes) {}

  /// The root of a file: a section whose keys are fields and groups.
  void readRoot(const YAML::Node& root);
  /// Changes over what was read before: keys are dotted paths, and may set again what is set.
  void readChanges(const YAML::Node& root);
  /// One entry: the value `node` for the dotted path. `line` is that of its key.
  void readEntry(const std::string& path, const YAML::Node& node, int line);
  /// What is to be said about several fields together, once all sources have been read.
  void finish();

  void addError(const std::string& field, int line, std::string message);

 private:
  void readSection(const std::string& path, const YAML::Node& node);
  void readFieldNode(const Field& field, const YAML::Node& node, int line);
  void readAxis(const Field& field, const YAML::Node& node, int line);
  void readPeer(const std::string& path, const std::string& ours, const std::string& owner, const YAML::Node& node,
                int line);
  void readDynamicBatching(const std::string& path, const YAML::Node& node, int line);
  void reportUnknown(const std::string& path, int line);
  bool claim(const std::string& path, int line);
  FieldPlace placeOf(int line) const;
  void addNote(const std::string& field, int line, std::string message);

  LoadedConfig& target_;
  std::string source_;
  std::vector<SweepAxis>* axes_;
  bool inChanges_ = false;  ///< fields may be set again; lines would count from the end of the file
};

}  // namespace batchwise::config
