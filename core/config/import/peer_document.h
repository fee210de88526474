// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {

/// One setting of another trainer's file: a number, text or list, by its dotted name.
struct PeerValue {
  std::string key;      ///< "optimizer.lr"
  std::string text;     ///< a scalar's text; a list in YAML's one-line form
  bool null = false;    ///< given as null, or as nothing
  std::string problem;  ///< not empty: it refers to something that the file does not define

  /// The number, with "_" between digits left out; empty if it is none.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  bool isTrue() const;
  bool isFalse() const;
};

/// Another trainer's file as a flat list of settings, with its `${name}` references replaced by what they stand for.
class PeerDocument {
 public:
  /// YAML or JSON. Fails with Config if it is neither, or holds no section at its top.
  static Result<PeerDocument> read(const std::string& text, const std::string& sourceName);

  /// In the order of the file.
  const std::vector<PeerValue>& values() const { return values_; }
  /// The setting of that name, or null.
  const PeerValue* find(const std::string& key) const;
  /// True if the setting, or any below that section, is there.
  bool has(const std::string& key) const;

 private:
  explicit PeerDocument(const YAML::Node& root) : root_(root) {}
  struct Resolved {
    std::string text;
    YAML::Node section;  ///< what a reference alone stands for, if that is no scalar
    std::string problem;
  };
  void flatten(const std::string& path, const YAML::Node& node, int depth);
  void addScalar(const std::string& path, const YAML::Node& node, int depth);
  void addList(const std::string& path, const YAML::Node& node, int depth);
  Resolved resolve(const std::string& text, const std::string& path, int depth) const;
  YAML::Node target(const std::string& reference, const std::string& path) const;

  YAML::Node root_;
  std::vector<PeerValue> values_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace batchwise::config
