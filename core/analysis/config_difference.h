// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Every field of a configuration by its dotted path, defaults resolved, as text of the file.
using ConfigValues = std::map<std::string, std::string, std::less<>>;

/// The values of a run's resolved configuration. Fails with Config if it cannot be read; `runName` is named then.
Result<ConfigValues> configValuesOf(const std::string& resolvedYaml, const std::string& runName);

/// Fields in which runs may differ without being different experiments. A pattern is a path ("seed"), or ends with ".*"
/// for everything below a group ("data.*").
class IgnoredFields {
 public:
  explicit IgnoredFields(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}
  /// name, seed, version, launch.*, log.*, batch.tokens.metrics_path: none of them changes what is computed but the
  /// seed.
  static IgnoredFields standard();

  bool has(std::string_view field) const;
  const std::vector<std::string>& patterns() const { return patterns_; }
  bool operator==(const IgnoredFields&) const = default;

 private:
  std::vector<std::string> patterns_;
};

/// One field in which runs differ. `values` in the order of the runs; "–" for a run that does not have the field.
struct FieldRow {
  std::string field;
  std::vector<std::string> values;
};
struct ConfigComparison {
  std::size_t compared = 0;            ///< fields that were looked at
  std::vector<FieldRow> rows;          ///< those that differ, in the order of the schema
  std::vector<std::string> uncounted;  ///< ignored fields that differ, without the name
};

/// A run without any value (its configuration could not be read) makes no difference.
ConfigComparison compareConfigValues(std::span<const ConfigValues> runs, const IgnoredFields& ignored);

/// Equal texts for runs that differ in ignored fields only.
std::string experimentKey(const ConfigValues& values, const IgnoredFields& ignored);

}  // namespace batchwise
