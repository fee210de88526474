// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trackers/run_source.h"

namespace batchwise {

// Runs whose figures are in the rows of one text file. One that has grown is read as a whole again, except those of the
// Python package.

/// The values of a row by the names of their columns; nothing for what is no number.
using Row = std::vector<std::pair<std::string, std::optional<double>>>;
/// Returns the members of a JSON object, as Python writes it, nested ones by "outer<separator>inner"; empty for
/// another.
Row jsonRow(std::string_view json, std::string_view separator);
/// Returns a whole number that can be a step; nothing for another.
std::optional<std::int64_t> stepOf(const std::optional<double>& number);

/// The columns of a CSV file, or the names in the first line of JSON Lines.
struct LogColumns {
  std::vector<std::string> names;
  /// The one that is known to hold steps; empty if none is.
  std::string step;
};
constexpr std::size_t kHeadBytes = 1 << 20;  ///< of a file, in which the first two rows are
/// Returns the columns of a file; no names if its first row has no two of them, one with a number.
LogColumns logColumns(RunSourceKind kind, const std::filesystem::path& file, std::size_t headBytes = kHeadBytes);
/// Returns the name of the run in a log of the Python package (SCHEMA.md, "Runs of other programs"); nothing for
/// another file.
std::optional<std::string> pythonRunName(const std::filesystem::path& file);
/// Returns whether a file is a trainer_state.json of transformers.
bool isTrainerState(const std::filesystem::path& file);

/// Reads all columns of numbers against the column `step`; one with times of day becomes the times of the points.
/// `kind`: Csv, Lightning or JsonLines, in which names of nested objects are joined by "/".
std::unique_ptr<RunSource> tableRun(RunSourceKind kind, const std::filesystem::path& file, const std::string& step);
/// Reads the log history that transformers' Trainer saves, under the names that it gives TensorBoard.
std::unique_ptr<RunSource> trainerStateRun(const std::filesystem::path& file);
/// Reads what the Python package logs, from where the last read has ended. A file that was changed at `storedMs` has
/// nothing new.
std::unique_ptr<RunSource> pythonRun(const std::filesystem::path& file, std::int64_t storedMs = 0);

}  // namespace batchwise
