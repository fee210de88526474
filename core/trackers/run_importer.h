// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/workspace.h"
#include "core/trackers/other_runs.h"
#include "core/trackers/run_source.h"

namespace batchwise {

/// A table whose steps are in a column that the user has to name.
struct UnknownSteps {
  std::filesystem::path file;
  std::vector<std::string> columns;
};

/// What an import has found and stored.
struct ImportReport {
  std::int64_t runs = 0;              ///< that the path holds
  std::int64_t newRuns = 0;           ///< that the workspace did not have
  std::int64_t points = 0;            ///< new ones
  std::vector<std::string> ids;       ///< of all runs, in the order of their names
  std::vector<std::string> changed;   ///< of those with new points, new runs included
  std::vector<std::string> problems;  ///< what could not be read, with file and place
  std::vector<UnknownSteps> unknownSteps;
};

/// Reads the runs of other programs in a folder and those inside it, or in one file, into a workspace, and again what
/// is new in them. Files are only read. Not thread-safe; the workspace must outlive it.
class RunImporter {
 public:
  /// Called with the number of runs read and found; from the calling thread.
  using ImportProgress = std::function<void(std::int64_t done, std::int64_t total)>;

  /// `bringsBack`: runs that were deleted are entered again.
  RunImporter(Workspace& workspace, const std::filesystem::path& path, bool bringsBack = true);

  /// Stores the runs without points, so that lists have them, then their points. Fails with NotFound, with Unsupported
  /// if there is no run of another program, with Stopped on `stop`, or as the store does; what was stored stays.
  Result<ImportReport> update(const ImportProgress& progress = {}, const std::stop_token& stop = {});

 private:
  /// A run that was found.
  struct Found {
    RunSourceKind kind = RunSourceKind::TensorBoard;
    std::filesystem::path path;  ///< of the run in the workspace
    std::filesystem::path file;  ///< to be read
    std::string step = {};
    RunTitle title = {};  ///< empty for one that is known
    std::string key() const { return std::string(choiceName(kind)) + " " + path.native(); }
  };
  struct Known {
    std::unique_ptr<RunSource> source;
    std::filesystem::path file;
    std::string step;
    RunTitle title;
    std::string id;  ///< in the workspace; empty: not stored yet
    bool deleted = false;
    std::int64_t unreadMs = 0;   ///< time of change at which it could not be read
    std::int64_t newPoints = 0;  ///< of this update
  };

  Result<std::vector<Found>> find(ImportReport& report, const std::stop_token& stop);
  void findInFolder(const std::filesystem::path& folder, int depth, std::vector<Found>& found, ImportReport& report,
                    const std::stop_token& stop);
  void addFile(const std::filesystem::path& file, bool isGiven, std::vector<Found>& found, ImportReport& report);
  void addDatabase(const std::filesystem::path& file, std::vector<Found>& found, ImportReport& report);
  bool add(Found run, RunTitle (*titleOf)(const std::filesystem::path&), std::vector<Found>& found) const;
  ExternalRun described(const Found& one, ExternalRun run = {}) const;
  std::string nameOf(const Found& found) const;
  Result<void> store(std::vector<ExternalRun>& runs, std::vector<Known*>& known, ImportReport& report);

  Workspace& workspace_;
  const std::filesystem::path root_;
  const bool bringsBack_;
  std::map<std::string, std::string> steps_;  // columns of steps, by those of the table
  std::map<std::string, Known> known_;        // by Found::key()
  struct KnownDatabase {
    std::int64_t state = 0;
    DatabaseRuns runs;
  };
  std::map<std::filesystem::path, KnownDatabase> databases_;
  std::map<std::filesystem::path, FileState> noRuns_;  // tables without steps
};

/// Returns the kind of a CSV or JSON Lines file by its name.
RunSourceKind tableKind(const std::filesystem::path& file);

/// Returns whether the name of a file is that of a CSV or JSON Lines table.
bool hasTableName(const std::filesystem::path& file);

/// Returns whether a file is a log, or among the first 200 entries of a folder and those inside it is one, by their
/// names and by the beginnings of a few. `asksForSteps`: also a table whose steps have to be named.
bool looksLikeRuns(const std::filesystem::path& path, bool asksForSteps = false);

/// Remembers for the workspace which column of tables with these columns holds the steps.
Result<void> rememberStepColumn(Workspace& workspace, const std::vector<std::string>& columns, const std::string& step);

}  // namespace batchwise
