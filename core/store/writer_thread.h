// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/file_lock.h"

namespace batchwise {

/// The thread of a process that writes a workspace, with its only writing connection. Each transaction and each WAL
/// checkpoint holds the workspace's lock.
class WriterThread {
 public:
  using Work = std::function<Result<void>(SQLite::Database&)>;

  /// Timeouts of a transaction's wait for the lock: normally, and after a timeout until the lock is acquired again. So
  /// a busy writer waits long only once.
  struct LockTimeouts {
    std::chrono::milliseconds first = std::chrono::seconds{10};
    std::chrono::milliseconds whenHeld = std::chrono::seconds{1};
  };

  WriterThread(std::unique_ptr<SQLite::Database> database, std::filesystem::path file, FileLock lock,
               LockTimeouts timeouts);
  ~WriterThread();  ///< runs the queued tasks, then copies the WAL into the database

  /// Runs `work` as one transaction on the writer thread and waits for it; retries for 25 s while a program that does
  /// not use the workspace's lock is writing. Call from any other thread. If `work` or the commit fails, nothing is
  /// stored.
  Result<void> execute(const Work& work);
  /// Runs `task` on the writer thread, outside a transaction, and waits for it.
  void call(const std::function<void()>& task);

  /// Calls `write` on the writer thread again and again; it writes pending rows, if any, with transact(). `of` names
  /// it.
  void add(const void* of, std::function<void()> write);
  /// After it returns, what was added for `of` is not being called and will not be called.
  void remove(const void* of);

  /// Runs one transaction now. Writer thread only. Fails with Busy if another program keeps the lock, and with NotFound
  /// if the database or its WAL was moved, deleted or replaced.
  Result<void> transact(const Work& work);

 private:
  void loop(const std::stop_token& stop);
  std::deque<std::packaged_task<void()>> waitForTasks(const std::stop_token& stop);
  /// Fails with NotFound if they are not.
  Result<void> checkFilesInPlace();
  void runWalCheckpoint();

  std::unique_ptr<SQLite::Database> database_;  // members down to walPages_: writer thread only
  std::filesystem::path file_;
  const std::optional<FileId> wal_;
  FileLock lock_;
  const LockTimeouts timeouts_;
  bool heldElsewhere_ = false;
  std::map<const void*, std::function<void()>> sources_;
  bool externalWriter_ = false;     // the last transaction found a program that writes without the workspace's lock
  std::int64_t waitedAtPages_ = 0;  // length of the WAL when a checkpoint last waited for readers
  std::int64_t walPages_ = 0;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::packaged_task<void()>> tasks_ GUARDED_BY(mutex_);

  std::jthread thread_;  // last, because it uses everything above
};

}  // namespace batchwise
