// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/store/database.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"
#include "core/store/writer_thread.h"

namespace batchwise {

/// What a Workspace holds; for the parts of core/store.
struct Workspace::State {
  std::filesystem::path folder;
  std::filesystem::path file;
  const Clock& clock;
  std::vector<std::string> notices;
  std::unique_ptr<WriterThread> writer;  ///< none in a read-only workspace
  Mutex readMutex;
  std::unique_ptr<SQLite::Database> reader GUARDED_BY(readMutex);

  /// Calls `work` (which returns a Result) with a snapshot of the database. Any thread.
  template <typename Work>
  auto read(Work&& work) -> decltype(work(*reader)) {
    const MutexLock lock(readMutex);
    SQLite::Database& database = *reader;
    return guarded(reader, file, [&] {
      const WorkLimit limit(database, stepsForFile(file));
      const ReadTransaction snapshot(database);
      return work(database);
    });
  }

  /// One write transaction; see WriterThread::execute. Fails with Io in a read-only workspace.
  Result<void> write(const WriterThread::Work& work);
};

/// The row number of the run with this id. Fails with NotFound.
Result<std::int64_t> runNumber(SQLite::Database& database, const std::string& id);

/// `wanted`, or with "-2", "-3", … if there is a run of that name.
std::string freeRunName(SQLite::Database& database, const std::string& wanted);

/// Enters a run, which has a name that checkRunName() passes, under that name or with "-2", "-3", … behind it. Inside
/// the caller's transaction; throws what SQLite throws.
void enterRun(SQLite::Database& database, const NewRun& run, const std::string& id, std::int64_t nowMs);

/// The derived values and reference levels of a run that has none yet. Like the following, inside the caller's
/// transaction; they throw what SQLite throws.
void enterFacts(SQLite::Database& database, std::int64_t run, const std::map<std::string, std::string>& resolvedValues,
                const std::map<std::string, double>& references);

/// In place of those there are; an empty or repeated one is left out.
void enterTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags);

void enterSegment(SQLite::Database& database, std::int64_t run, const RunSegment& segment);

void enterEvent(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t wallMs,
                const RunEvent& event);

/// The record of a checkpoint whose file has `record.bytes`.
void enterCheckpoint(SQLite::Database& database, std::int64_t run, const CheckpointRecord& record);

/// Whether files beside the database tell of runs: checkpoints or journals.
bool tellsOfRuns(const std::filesystem::path& folder);

/// Checkpoint files of runs that have no journal, which only the database tells of.
std::int64_t checkpointFilesWithoutJournal(const std::filesystem::path& folder);

/// A file beside that of a checkpoint which tells runs on other hosts, who cannot see the database, that it is pinned.
/// `file`: as CheckpointRecord::file.
std::filesystem::path pinMark(const std::filesystem::path& folder, const std::string& file);
bool hasPinMark(const std::filesystem::path& folder, const std::string& file);

/// Deletes files of the workspace `folder`, given as "checkpoints/<name>" or "runs/<name>"; those that are gone are
/// fine, and of a link only the link is deleted. Fails with Io, Corrupt or Unsupported after trying all.
Result<void> removeFiles(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// Compares the checkpoint rows with the files' sizes.
void checkCheckpointFiles(SQLite::Database& database, const std::filesystem::path& folder,
                          std::vector<std::string>& problems);

}  // namespace batchwise
