// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/analysis/figure.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/config/config_file.h"

// Texts that are raised in several places.

namespace batchwise::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kStopped = 3;  ///< by the user, with a checkpoint

using Json = nlohmann::ordered_json;

/// Prints the error on stderr, and as an answer if `json`; returns its exit code.
int fail(const Error& error, bool json = false);
/// Does so with all errors of a configuration, one per line; returns kBadInput.
int fail(const LoadedConfig& config, bool json = false);
int exitCode(const Error& error);

/// Prints the notes of a configuration on stderr.
void showNotes(const LoadedConfig& config);

void showNotes(const std::vector<std::string>& notes);

/// Notes of one of the runs of a configuration.
struct RunNotes {
  std::string run;
  std::vector<std::string> notes;
};
RunNotes runNotes(const LoadedConfig& run);
/// Prints each note once, with the name of the first run that has it if there are several: most are those of all.
void showRunNotes(const std::vector<RunNotes>& runs);
/// Returns the errors of one of several runs, with its name.
Error errorOfRun(const LoadedConfig& run);

/// Returns the stream on which a command reports that it wrote `file`: stdout, or stderr if `file` is itself a stream.
std::ostream& reportStream(const std::filesystem::path& file);

/// Prints one line on stdout and returns kDone. Replaces invalid UTF-8; escapes control and bidirectional formatting
/// characters, which leaves the JSON value unchanged.
int printJson(const Json& json);

/// Flushes stdout. Returns `code`, or kFailed with a message on stderr if stdout could not be written.
int flushStdout(int code);

/// Returns an array with `toJson` of each item.
template <typename Items, typename ToJson>
Json jsonList(const Items& items, ToJson toJson) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(std::invoke(toJson, item));
  return list;
}

/// Returns JSON null if empty.
Json jsonNumber(const std::optional<double>& value);
/// Returns the answer of a command that failed: "code", by the names of ErrorCode, "field" (may be empty), "message".
Json errorJson(const Error& error);
/// Returns an array of objects with "code", "field", "source", "line", "message", and "nearest" if a known name
/// was probably meant.
Json jsonIssues(const std::vector<ConfigIssue>& issues);

/// Text table with column widths that fit the content.
class Table {
 public:
  enum class Align { Left, Right };
  explicit Table(std::vector<std::pair<std::string, Align>> columns) : columns_(std::move(columns)) {}
  /// Adds a row; each cell is shown on one line, see escapedLine().
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<std::pair<std::string, Align>> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Makes std::cout and std::cerr escape all text with escapedForTerminal(), so that text from a workspace, a model or a
/// file cannot control the terminal. Text that is already escaped passes unchanged. Call once per process, before other
/// threads start; writing is thread-safe afterwards.
void escapeStandardStreams();

inline std::string stdoutHoldsJsonText(const auto& file) {
  return formatText(
      "with --json, stdout holds the JSON, and {} writes to the same place; write to another file, or leave out --json",
      file);
}

struct ChartSize {
  double widthCm = 16, heightCm = 9;

  /// Parses a size such as "16x9". Fails with Config unless sides are 2 to 200 cm.
  static Result<ChartSize> parse(const std::string& text);
};

/// Fails with Config if `file` does not end in .svg, or as checkOutputFile().
Result<void> checkChartFile(const std::filesystem::path& file, Replaces replaces);

/// Writes the figure as .svg. Fails as checkChartFile(), or with Io.
Result<void> writeChart(const Figure& figure, const std::filesystem::path& file, const ChartSize& size,
                        Replaces replaces);

}  // namespace batchwise::cli
