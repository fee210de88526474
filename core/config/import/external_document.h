// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {

/// Returns the text without the "_" between digits, which our readers do not accept.
std::string withoutUnderscores(std::string text);

/// One setting of an external file by its dotted name: a number, text or list, or a section without settings ("{}").
struct ExternalValue {
  std::string key;      ///< "optimizer.lr"
  std::string text;     ///< a scalar's text; a list in YAML's flow form
  bool null = false;    ///< given as null, or left empty
  std::string problem;  ///< not empty: it refers to something undefined

  /// Returns the number, ignoring "_" between digits; empty if invalid.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  bool isTrue() const;  ///< true, yes or on, which are the same to PyYAML
  bool isFalse() const;
};

/// An external file as a flat list of settings, with `${name}` references resolved.
class ExternalDocument {
 public:
  /// Parses YAML or JSON, or a command with flags. Fails with Config if it is none of them, gives a name twice, or
  /// holds several documents.
  static Result<ExternalDocument> read(const std::string& text, const std::string& sourceName);

  /// Returns all settings in file order.
  const std::vector<ExternalValue>& values() const { return values_; }
  /// Returns the setting of that name, or null.
  const ExternalValue* find(const std::string& key) const;
  /// Returns whether the setting, or any below that section, has a value.
  bool has(const std::string& key) const;

 private:
  explicit ExternalDocument(const YAML::Node& root) : root_(root) {}
  struct Resolved {
    std::string text;
    YAML::Node section;  ///< value of a reference alone, if that is not a scalar
    std::string problem;
  };
  void add(ExternalValue value);
  void flatten(const std::string& path, const YAML::Node& node, int depth);
  void flattenEntries(const std::string& path, const YAML::Node& section, int depth, std::set<std::string>& names);
  void addScalar(const std::string& path, const YAML::Node& node, int depth);
  void addList(const std::string& path, const YAML::Node& node, int depth);
  Resolved resolve(const std::string& text, const std::string& path, int depth) const;
  YAML::Node target(const std::string& reference, const std::string& path) const;

  YAML::Node root_;
  std::vector<ExternalValue> values_;
  std::size_t nodes_ = 0;  // seen so far
  std::string repeated_;   // the first name that a section has twice
  std::map<std::string, std::size_t> places_;
};

/// Returns the flags of the command of a script that has the most: "--name value", "--name=value", or "--name" alone as
/// "true"; a "-" within a name becomes "_". A shell variable, known only when the script runs, becomes the problem of
/// its flag.
std::vector<ExternalValue> commandFlags(const std::string& text);

}  // namespace batchwise::config
