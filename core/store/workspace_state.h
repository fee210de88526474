// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/message.h"
#include "core/base/mutex.h"
#include "core/store/database.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"
#include "core/store/writer_thread.h"

namespace batchwise {

/// Members of a Workspace; used inside core/store only.
struct Workspace::State {
  std::filesystem::path folder;
  std::filesystem::path file;
  const Clock& clock;
  std::vector<Message> notices;
  std::unique_ptr<WriterThread> writer;  ///< null in a read-only workspace
  Mutex readMutex;
  std::unique_ptr<SQLite::Database> reader GUARDED_BY(readMutex);

  /// Calls `work` (which returns a Result) with a snapshot of the database. Thread-safe.
  template <typename Work>
  auto read(Work&& work) -> decltype(work(*reader)) {
    const MutexLock lock(readMutex);
    SQLite::Database& database = *reader;
    return catchDatabaseErrors(reader, file, [&] {
      const WorkLimit limit(database, vmStepLimit(file));
      const ReadTransaction snapshot(database);
      return work(database);
    });
  }

  /// Runs one write transaction; see WriterThread::execute. Fails with Io in a read-only workspace.
  Result<void> write(const WriterThread::Work& work);
};

/// Returns the row number of the run with this id. Fails with NotFound.
Result<std::int64_t> runNumber(SQLite::Database& database, const std::string& id);

/// Returns `wanted`, or if that name is taken, `wanted` with "-2", "-3", … appended.
std::string uniqueRunName(SQLite::Database& database, const std::string& wanted);

/// Inserts a run under its name (which checkRunName() accepts) or uniqueRunName() of it. Requires the caller's
/// transaction, as do the following functions; throws what SQLite throws.
void insertRun(SQLite::Database& database, const NewRun& run, const std::string& id, std::int64_t nowMs);

/// Inserts derived values and reference levels of a run that has none yet.
void insertResolvedValues(SQLite::Database& database, std::int64_t run,
                          const std::map<std::string, std::string>& resolvedValues,
                          const std::map<std::string, double>& references);

/// Replaces the tags of a run; skips empty and repeated ones.
void replaceTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags);

void insertSegment(SQLite::Database& database, std::int64_t run, const RunSegment& segment);

void insertEvent(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t wallMs,
                 const RunEvent& event);

/// Inserts the record of a checkpoint whose file has `record.bytes` bytes.
void insertCheckpoint(SQLite::Database& database, std::int64_t run, const CheckpointRecord& record);

/// Returns whether there are checkpoint files or journals beside the database.
bool hasRunFiles(const std::filesystem::path& folder);

/// Returns the number of checkpoint files whose run has no journal: only the database describes them.
std::int64_t checkpointFilesWithoutJournal(const std::filesystem::path& folder);

/// Returns the path of a marker file that shows runs on other hosts, which cannot read the database, that a checkpoint
/// is pinned. `file`: as in CheckpointRecord::file.
std::filesystem::path pinMarkerPath(const std::filesystem::path& folder, const std::string& file);
bool hasPinMarker(const std::filesystem::path& folder, const std::string& file);

/// Deletes files of the workspace, given as "checkpoints/<name>" or "runs/<name>"; ignores missing ones and deletes
/// links, not their targets. Fails with Io, Corrupt or Unsupported after trying all of them.
Result<void> removeFiles(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// Compares the recorded sizes of checkpoints with their files.
void checkCheckpointFiles(SQLite::Database& database, const std::filesystem::path& folder,
                          std::vector<Message>& problems);

}  // namespace batchwise
