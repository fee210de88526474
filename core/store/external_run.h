// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

// Runs that other programs record, as they enter a workspace (SCHEMA.md, "Runs of other programs").

/// A series under the name that the other program gives it. Points in ascending order of step.
struct LoggedSeries {
  std::string name;
  std::vector<SeriesPoint> points;
};

/// What the files of a run say, or what is new in them. Texts are plain lines.
struct ExternalRun {
  std::string id;                 ///< of the run in the workspace; empty: that of this source and path, or a new one
  std::string source;             ///< the program: "tensorboard", …
  std::string path;               ///< of the folder or file, absolute
  std::string name;               ///< of a new run
  std::vector<std::string> tags;  ///< of a new run
  std::map<std::string, std::string> config;  ///< settings that it logged, in addition to known ones
  /// The points of each replace those from the first of their steps on. A series without points is unchanged.
  std::vector<LoggedSeries> series;
  /// The series are all that the run has: they replace others, unless they are only the beginning of those.
  bool isWhole = false;
  /// Running: the files do not say how it ended.
  RunStatus status = RunStatus::Running;
  std::string reason;
  std::int64_t startedMs = 0;  ///< of its first point; 0 if unknown
  std::int64_t writtenMs = 0;  ///< of its newest file
  bool bringsBack = true;      ///< entered again though it was deleted
};

/// The folder of a workspace in which the Python package logs.
inline constexpr const char* kLoggedFolder = "logged";

/// Returns whether the Python package has written the file, by its name and its first bytes.
bool isPythonLog(const std::filesystem::path& file);

/// Key of the setting that says that the run of a source and path was deleted.
std::string deletedRunKey(const std::string& source, const std::string& path);

/// What became of an ExternalRun.
struct StoredExternalRun {
  std::string id;  ///< empty: the run was deleted, nothing was stored
  bool isNew = false;
  std::int64_t points = 0;  ///< that it did not have
  std::string note = {};    ///< what became of the run that was there before; empty if it is the same
};

/// Without a new point for as long, a run whose files do not say how it ended counts as stopped.
constexpr std::int64_t kExternalRunSilenceMs = std::int64_t{10} * 60 * 1000;

/// A name of other programs for a series and our name for it. In both, "*" at the end stands for the same rest.
struct SeriesAlias {
  std::string logged;
  std::string name;
  bool operator==(const SeriesAlias&) const = default;
};
/// Reads "loss/main = loss": the name in the files, and ours behind the last "="; empty: none. Fails with Config.
Result<SeriesAlias> parseSeriesAlias(std::string_view line);
/// The table of a new workspace. Of several names that a run has for one series, the first in the table counts.
const std::vector<SeriesAlias>& standardSeriesAliases();
/// Returns whether a series of ours is a position or a time, over which others are drawn: finite, and never falling.
bool isClockSeries(std::string_view name);
/// Returns the names of the series of a run by those logged. A series that the table does not have, or that has no
/// values of its own there, keeps its name; one that is called like a clock or a step of ours gets "logged/" in front.
std::map<std::string, std::string> namesOfLogged(const std::vector<std::string>& logged,
                                                 const std::vector<SeriesAlias>& aliases);

}  // namespace batchwise
