// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writer_thread.h"

#include <optional>

#include "core/base/file.h"
#include "core/base/process_setup.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kTick{100};             // events wait at most two of these
constexpr std::int64_t kWalPages = 1000;                    // 4 MB: length at which the WAL is copied into the database
constexpr std::int64_t kLongWalPages = 32 * kWalPages;      // readers kept it from restarting: wait for them once
constexpr std::chrono::seconds kExternalWriterTimeout{25};  // for a program that writes without the workspace's lock

}  // namespace

WriterThread::WriterThread(std::unique_ptr<SQLite::Database> database, std::filesystem::path file, FileLock lock,
                           LockTimeouts timeouts)
    : database_(std::move(database)),
      file_(std::move(file)),
      wal_(fileIdOf(walOf(file_))),
      lock_(std::move(lock)),
      timeouts_(timeouts) {
  watchWal(*database_, &walPages_);
  const ScopedSignalBlock inherited;
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

WriterThread::~WriterThread() {
  thread_.request_stop();
  thread_.join();
  if (const auto held = lock_.acquire(timeouts_.whenHeld); held.ok())
    (void)catchDatabaseErrors(database_, file_, [&] { checkpointWal(*database_, WalCheckpoint::TruncateIfIdle); });
}

Result<void> WriterThread::execute(const Work& work) {
  const auto deadline = std::chrono::steady_clock::now() + kExternalWriterTimeout;
  Result<void> done;
  bool externalWriter = false;
  do {
    call([&] {
      done = transact(work);
      externalWriter = externalWriter_;
    });
  } while (externalWriter && std::chrono::steady_clock::now() < deadline);
  return done;
}

void WriterThread::call(const std::function<void()>& task) {
  std::packaged_task<void()> packaged(task);
  auto finished = packaged.get_future();
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(packaged));
  }
  wake_.notify_one();
  finished.get();
}

void WriterThread::add(const void* of, std::function<void()> write) {
  call([&] { sources_[of] = std::move(write); });
}

void WriterThread::remove(const void* of) {
  call([&] { sources_.erase(of); });
}

std::deque<std::packaged_task<void()>> WriterThread::waitForTasks(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const auto asked = [this]() REQUIRES(mutex_) { return !tasks_.empty(); };
  if (sources_.empty()) {
    wake_.wait(lock, stop, asked);
  } else {
    wake_.wait_for(lock, stop, kTick, asked);
  }
  return std::exchange(tasks_, {});
}

void WriterThread::loop(const std::stop_token& stop) {
  while (true) {
    auto tasks = waitForTasks(stop);
    if (tasks.empty() && stop.stop_requested()) return;
    for (auto& task : tasks) task();
    for (const auto& [of, write] : sources_) write();
  }
}

Result<void> WriterThread::transact(const Work& work) {
  const auto held = lock_.acquire(heldElsewhere_ ? timeouts_.whenHeld : timeouts_.first);
  heldElsewhere_ = !held.ok() && held.error().code == ErrorCode::Busy;
  externalWriter_ = false;
  if (!held.ok()) return held.error();
  RETURN_IF_ERROR(checkFilesInPlace());
  std::optional<WriteTransaction> transaction;
  auto done = catchDatabaseErrors(database_, file_, [&] { transaction.emplace(*database_); });
  externalWriter_ = !done.ok() && done.error().code == ErrorCode::Busy;
  if (!done.ok()) return done;
  done = catchDatabaseErrors(database_, file_, [&]() -> Result<void> {
    RETURN_IF_ERROR(work(*database_));
    transaction->commit();
    return {};
  });
  transaction.reset();
  if (done.ok() && walPages_ >= kWalPages) runWalCheckpoint();
  return done;
}

// Rows written to a file without its name would be lost.
Result<void> WriterThread::checkFilesInPlace() {
  if (hasMoved(*database_)) return Error::notFound(storeFileLostText(file_.native()));
  const auto wal = fileIdOf(walOf(file_));
  if (!wal_ || wal == wal_) return {};  // SQLite never deletes a WAL that is open
  if (!wal) runWalCheckpoint();         // saves the rows of the deleted WAL
  return Error::notFound(storeFileLostText(walOf(file_).native()));
}

void WriterThread::runWalCheckpoint() {
  // A failure (for example a full disk) costs only space: the rows are durable in the WAL, and the next commit tries
  // again.
  if (walPages_ < kLongWalPages) waitedAtPages_ = 0;
  const bool waits = walPages_ >= waitedAtPages_ + kLongWalPages;
  if (waits) waitedAtPages_ = walPages_;
  const auto mode = waits ? WalCheckpoint::TruncateBriefly : WalCheckpoint::Passive;
  (void)catchDatabaseErrors(database_, file_, [&] { checkpointWal(*database_, mode); });
}

}  // namespace batchwise
