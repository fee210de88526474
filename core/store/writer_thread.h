// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/store/database.h"
#include "core/store/file_lock.h"
#include "core/store/store_presence.h"

namespace batchwise {

class WriterThread;

/// Something with rows to write now and then. Called on the writer thread only.
class WriteSource {
 public:
  virtual ~WriteSource() = default;
  /// Writes what is waiting, if anything, with writer.transact().
  virtual void tick(WriterThread& writer) = 0;
};

/// The one thread of a process that writes a workspace, with the only writing connection. Each transaction and each WAL
/// checkpoint is done under the workspace's lock.
class WriterThread {
 public:
  using Work = std::function<Result<void>(SQLite::Database&)>;

  /// How long a transaction waits for the lock: while it is not known that another program holds it, and from when that
  /// is known until the lock was got. So a writer with much to do waits long only once.
  struct Patience {
    std::chrono::milliseconds first = std::chrono::seconds{10};
    std::chrono::milliseconds whenHeld = std::chrono::seconds{1};
  };

  WriterThread(std::unique_ptr<SQLite::Database> database, std::filesystem::path file, FileLock lock,
               Patience patience);
  ~WriterThread();  ///< finishes what was asked for, then moves the WAL into the database

  /// Runs `work` as one transaction on the writer thread and waits for it; tries again for 25 s while a program that
  /// does not know the workspace's lock is writing. Any other thread. If `work` or the commit
  /// fails, nothing of it is stored.
  Result<void> execute(const Work& work);
  /// Runs `task` on the writer thread, outside a transaction, and waits for it.
  void call(const std::function<void()>& task);

  void add(WriteSource& source);
  /// When this returns, the source is not and will not be called.
  void remove(WriteSource& source);

  /// On the writer thread: one transaction, now. Fails with Busy if another program keeps the lock, and with Io if the
  /// database or its WAL has been deleted or replaced.
  Result<void> transact(const Work& work);

 private:
  void loop(const std::stop_token& stop);
  std::deque<std::packaged_task<void()>> waitForTasks(const std::stop_token& stop);
  /// Fails with Io if what is written would reach no file.
  Result<void> checkFilesInPlace();
  void moveWal();

  std::unique_ptr<SQLite::Database> database_;  // writer thread only, as are those down to walPages_
  std::filesystem::path file_;
  const StorePresence presence_;
  FileLock lock_;
  const Patience patience_;
  bool heldElsewhere_ = false;
  bool sealsRows_ = false;  // the connection has its views and triggers: from the first transaction on
  std::vector<WriteSource*> sources_;
  bool visited_ = false;            // the last transaction met a program that writes without the workspace's lock
  std::int64_t waitedAtPages_ = 0;  // length of the WAL when readers were waited for last
  std::int64_t walPages_ = 0;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::packaged_task<void()>> tasks_ GUARDED_BY(mutex_);

  std::jthread thread_;  // last: it uses everything above
};

}  // namespace batchwise
