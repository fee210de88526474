// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/store/records.h"

namespace batchwise {

/// All fields of a resolved configuration by dotted path, as text of the file.
using ConfigValues = std::map<std::string, std::string, std::less<>>;

/// Returns the values of all fields.
ConfigValues configValues(const TrainConfig& config);
/// Returns the values of a resolved configuration. Fails with Config, naming `runName`, if it cannot be parsed.
Result<ConfigValues> configValuesOf(const std::string& resolvedYaml, const std::string& runName);
/// Returns the values of a run's resolved configuration; of a run of another program what it logged, by its names.
Result<ConfigValues> configValuesOf(const RunDetail& run);

/// Returns whether a field has an effect: tokenizer.train.* has none with tokenizer.path or model.init_from, and the
/// preset and the sizes of the model have none with model.init_from, whose sizes hold.
bool hasEffect(const ConfigValues& values, std::string_view field);
bool hasEffect(const TrainConfig& config, std::string_view field);

/// Fields in which runs of the same experiment may differ. A pattern is a path ("seed"), or a group with ".*"
/// ("data.*").
class IgnoredFields {
 public:
  explicit IgnoredFields(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}
  /// Returns name, experiment, variant, zip, seed, version, launch.*, log.*, batch.tokens.metrics_path, of which only
  /// the seed affects training; and eval.seed and data.demo_seed, which decide what is measured.
  static IgnoredFields standard();

  bool has(std::string_view field) const;
  const std::vector<std::string>& patterns() const { return patterns_; }
  bool operator==(const IgnoredFields&) const = default;

 private:
  std::vector<std::string> patterns_;
};

/// A field in which runs differ. `values` in the order of the runs; "–" for a run without the field, or in which it
/// has no effect.
struct FieldRow {
  std::string field;
  std::vector<std::string> values;
};
struct ConfigComparison {
  std::size_t compared = 0;                     ///< number of fields compared
  std::vector<FieldRow> rows;                   ///< differing fields, in schema order
  std::vector<std::string> ignoredDifferences;  ///< ignored fields that differ, except the name
};

/// Compares configurations; fields that only runs of other programs have come last. Empty ones (unreadable
/// configuration) never count as different, nor does a field that has no effect in a run.
ConfigComparison compareConfigValues(std::span<const ConfigValues> runs, const IgnoredFields& ignored);

/// Returns a value as it stands in the file; empty if there is none.
const std::string& valueOf(const ConfigValues& values, std::string_view field);
/// Likewise without the quotes of the file.
std::string plainValue(const ConfigValues& values, std::string_view path);

/// Returns a key that is equal for runs that differ in ignored fields and fields without effect only.
std::string experimentKey(const ConfigValues& values, const IgnoredFields& ignored);

}  // namespace batchwise
