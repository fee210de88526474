// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

/// A field with several values. A sweep has a run for each combination of the values of all axes; axes whose fields
/// TrainConfig::zip names advance together and count as one.
struct SweepAxis {
  std::string field;
  std::vector<std::string> values;  ///< YAML text; each is a valid value of the field
  bool operator==(const SweepAxis&) const = default;
};

/// Maximum runs of a sweep; larger grids are likely mistakes.
inline constexpr std::int64_t kMaxSweepRuns = 500;

/// A configuration in which fields may have a list of values instead of one: `optimizer: {lr: [1e-4, 5e-4]}`; for list
/// fields, a list of lists.
struct SweepConfig {
  LoadedConfig first;  ///< with the first value of every axis; its errors cover all values
  std::vector<SweepAxis> axes;
};
/// Like parseConfig and loadConfig. The result without axes is a single run.
SweepConfig parseSweep(const std::string& yaml, const std::string& sourceName, const std::filesystem::path& baseFolder,
                       const std::vector<std::string>& assignments = {});
SweepConfig loadSweep(const std::string& pathOrName, const std::vector<std::string>& assignments = {});

/// Parses several values of the field: "1e-4, 5e-4", "[0.9, 0.98], [0.9, 0.999]" for a list, or for a number a range:
/// "8..32 x4" are four values with equal steps, "1e-4..1e-2 x4 log" with equal ratios. Fails with Config for less than
/// two values, or naming the invalid one.
Result<std::vector<std::string>> sweepValues(const Field& field, const std::string& text);

/// Returns the number of runs: the product of the numbers of values, where the fields of `zip` count once; 1 without
/// axes.
std::int64_t sweepSize(const std::vector<SweepAxis>& axes, const std::vector<std::string>& zip = {});

/// Returns the name of the run: `name`, else experiment, variant and seed ("ramp-8 to 64-seed=17"); empty without a
/// name and an experiment.
std::string runName(const TrainConfig& config);

/// Returns a name for a run like `parent` with other values: "base-lr=5e-4-seed=2", with at most three of them. Where
/// the name has the former value, the new one takes its place: "base-lr=1e-4" becomes "base-lr=5e-4". Labels, and
/// values that are no part of a name, such as lists of files, are left out. Returns an empty text if none is left.
std::string nameFromValues(const std::string& parent, const std::vector<ConfigDifference>& differences);

/// Returns the runs of the sweep, the last axis changing fastest. Their names contain their variant or their values
/// ("base-lr=1e-4-seed=2"), and each has its own errors. Fails with Config above kMaxSweepRuns, if zipped axes have
/// unequal lengths, or if an axis has a value, or zipped axes have the same values, twice.
Result<std::vector<LoadedConfig>> sweepRuns(const LoadedConfig& first, const std::vector<SweepAxis>& axes);

/// Returns the differences from the defaults as YAML, axes as lists. Round-trips through parseSweep.
std::string sweepToYaml(const TrainConfig& config, const std::vector<SweepAxis>& axes);

}  // namespace batchwise
