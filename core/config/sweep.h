// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {

/// One field with several values: a run for each of them, and for each combination with the values of other fields.
struct SweepAxis {
  std::string field;
  std::vector<std::string> values;  ///< YAML text; each can be read as the field's value
  bool operator==(const SweepAxis&) const = default;
};

/// More runs than this are refused: the grid is hardly meant then.
inline constexpr std::int64_t kMostSweepRuns = 500;

/// A configuration in which fields may hold a list of values where one is expected: `optimizer: {lr: [1e-4, 5e-4]}`;
/// for fields that are lists themselves, a list of lists.
struct SweepConfig {
  LoadedConfig first;  ///< with the first value of every axis; its errors are those of all values
  std::vector<SweepAxis> axes;
};
/// As parseConfig, parseConfigWith and loadConfig. The fields are those of one run where no axis is given.
SweepConfig parseSweep(const std::string& yaml, const std::string& sourceName, const std::filesystem::path& baseFolder,
                       const std::vector<std::string>& assignments = {});
SweepConfig loadSweep(const std::string& pathOrName, const std::vector<std::string>& assignments = {});

/// `text` as several values of the field: "1e-4, 5e-4", or "[0.9, 0.98], [0.9, 0.999]" for a list. Fails with Config if
/// it holds less than two values, or naming the one that cannot be read.
Result<std::vector<std::string>> sweepValues(const Field& field, const std::string& text);

/// Length of the grid: the product of the numbers of values, 1 without an axis.
std::int64_t sweepSize(const std::vector<SweepAxis>& axes);

/// The runs of the grid, the last axis changing fastest, each with a name that tells its values and with what is wrong
/// in it among its errors. Fails with Config above kMostSweepRuns, or if an axis has a value twice.
Result<std::vector<LoadedConfig>> sweepRuns(const LoadedConfig& first, const std::vector<SweepAxis>& axes);

/// What differs from the defaults as YAML, axes as lists; parseSweep reads it back.
std::string sweepToYaml(const TrainConfig& config, const std::vector<SweepAxis>& axes);

}  // namespace batchwise
