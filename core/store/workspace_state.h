// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/store/database.h"
#include "core/store/run_rows.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"
#include "core/store/writer_thread.h"

namespace batchwise {

/// Members of a Workspace; used inside core/store only.
struct Workspace::State {
  std::filesystem::path folder;
  std::filesystem::path file;
  const Clock& clock;
  std::vector<std::string> notices;
  std::unique_ptr<WriterThread> writer;  ///< null in a read-only workspace
  Mutex readMutex;
  std::unique_ptr<SQLite::Database> reader GUARDED_BY(readMutex);
  Mutex experimentsMutex = {};
  /// Experiment and variant of the configurations in the queue, by YAML: a window looks at the queue often.
  std::map<std::string, std::pair<std::string, std::string>> experiments GUARDED_BY(experimentsMutex) = {};

  /// Calls `work`, which returns a Result, a value or nothing, with a snapshot of the database. Thread-safe.
  template <typename Work>
  ResultOfCall<Work, SQLite::Database&> read(Work&& work) {
    const MutexLock lock(readMutex);
    SQLite::Database& database = *reader;
    return catchDatabaseErrors(reader, file, [&] {
      const WorkLimit limit(database, vmStepLimit(file));
      const ReadTransaction snapshot(database);
      return work(database);
    });
  }

  /// Runs one write transaction; see WriterThread::execute. `work` returns a Result<void> or nothing. Fails with Io in
  /// a read-only workspace.
  template <typename Work>
  Result<void> write(Work&& work) {
    if (!writer)
      return Error{ErrorCode::Io, formatText("the workspace '{}' was opened for reading only", folder.native()), {}};
    return writer->execute([&](SQLite::Database& database) -> Result<void> {
      if constexpr (std::is_void_v<std::invoke_result_t<Work, SQLite::Database&>>) {
        work(database);
        return {};
      } else {
        return work(database);
      }
    });
  }
};

/// Compares the recorded sizes of checkpoints with their files.
void checkCheckpointFiles(SQLite::Database& database, const std::filesystem::path& folder,
                          std::vector<std::string>& problems);

}  // namespace batchwise
