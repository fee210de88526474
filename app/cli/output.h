// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/config/config_file.h"

namespace batchwise::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kStopped = 3;  ///< by the user, with a checkpoint

using Json = nlohmann::ordered_json;

/// Says on stderr what went wrong and returns the exit code for it.
int fail(const Error& error);
/// All errors of a configuration, one a line.
int fail(const LoadedConfig& config);
int exitCode(const Error& error);

/// Notes of a configuration, on stderr.
void showNotes(const LoadedConfig& config);

/// Other notes, on stderr.
void showNotes(const std::vector<std::string>& notes);

/// Where the command reports that it wrote `file`: stdout, or stderr where the file itself goes to a stream.
std::ostream& accountStream(const std::filesystem::path& file);

/// One line on stdout. Bytes that are no UTF-8 are replaced; control characters and those that turn the direction of
/// text are escaped, which says the same in JSON.
void printJson(const Json& json);

/// `code` once all that was said on stdout is out; kFailed, told on stderr, if it did not all get there.
int saidAll(int code);

/// null if empty.
Json jsonNumber(const std::optional<double>& value);
/// An object with "field", "source", "line", "message" per issue.
Json jsonIssues(const std::vector<ConfigIssue>& issues);

/// "ramp, draft".
std::string tagsText(const std::vector<std::string>& tags);

/// Columns of text, as wide as they need to be.
class Table {
 public:
  enum class Align { Left, Right };
  explicit Table(std::vector<std::pair<std::string, Align>> columns) : columns_(std::move(columns)) {}
  /// Each cell is shown in one line, see shownInLine().
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<std::pair<std::string, Align>> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace batchwise::cli
