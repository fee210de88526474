// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/writer_thread.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/file.h"
#include "core/store/row_seal.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kTick{100};         // events wait at most two of these
constexpr std::int64_t kWalPages = 1000;                // 4 MB: then the WAL is copied into the database
constexpr std::int64_t kLongWalPages = 32 * kWalPages;  // readers kept it from starting over: wait for them once
constexpr std::chrono::seconds kVisitorPatience{25};    // with a program that writes without the workspace's lock

}  // namespace

WriterThread::WriterThread(std::unique_ptr<SQLite::Database> database, std::filesystem::path file, FileLock lock,
                           Patience patience)
    : database_(std::move(database)),
      file_(std::move(file)),
      presence_(file_),
      lock_(std::move(lock)),
      patience_(patience) {
  watchWal(*database_, &walPages_);
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

WriterThread::~WriterThread() {
  thread_.request_stop();
  thread_.join();
  if (const auto held = lock_.take(patience_.whenHeld); held.ok())
    (void)guarded(database_, file_, [&]() -> Result<void> {
      checkpointWal(*database_, WalCheckpoint::TruncateIfIdle);
      return {};
    });
}

Result<void> WriterThread::execute(const Work& work) {
  const auto deadline = std::chrono::steady_clock::now() + kVisitorPatience;
  Result<void> done;
  bool visited = false;
  do {
    call([&] {
      done = transact(work);
      visited = visited_;
    });
  } while (visited && std::chrono::steady_clock::now() < deadline);
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

void WriterThread::add(WriteSource& source) {
  call([&] { sources_.push_back(&source); });
}

void WriterThread::remove(WriteSource& source) {
  call([&] { std::erase(sources_, &source); });
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
    for (WriteSource* source : sources_) source->tick(*this);
  }
}

Result<void> WriterThread::transact(const Work& work) {
  const auto held = lock_.take(heldElsewhere_ ? patience_.whenHeld : patience_.first);
  heldElsewhere_ = !held.ok() && held.error().code == ErrorCode::Busy;
  visited_ = false;
  if (!held.ok()) return held.error();
  if (auto inPlace = checkFilesInPlace(); !inPlace.ok()) return inPlace;
  std::optional<WriteTransaction> transaction;
  auto done = guarded(database_, file_, [&]() -> Result<void> {
    transaction.emplace(*database_);
    return {};
  });
  visited_ = !done.ok() && done.error().code == ErrorCode::Busy;
  if (!done.ok()) return done;
  done = guarded(database_, file_, [&]() -> Result<void> {
    if (!sealsRows_) checkAndSealRows(*database_);
    if (auto worked = work(*database_); !worked.ok()) return worked;
    transaction->commit();
    sealsRows_ = true;  // what a transaction has made is gone if it is rolled back
    return {};
  });
  transaction.reset();
  if (done.ok() && walPages_ >= kWalPages) moveWal();
  return done;
}

// What is written into a file without a name arrives nowhere. One that was moved as a whole is written where it is now.
Result<void> WriterThread::checkFilesInPlace() {
  const auto loss = presence_.loss();
  if (!loss || presence_.isReachable()) return {};
  if (fileIdOf(file_) && !fileIdOf(walOf(file_))) moveWal();  // what is in the nameless WAL comes home
  return Error{ErrorCode::Io, loss->message + "; end every program that uses the workspace, then resume", {}};
}

void WriterThread::moveWal() {
  // A failure (disk full, for example) costs nothing but space: the rows are safe in the WAL, and the next commit tries
  // again.
  if (walPages_ < kLongWalPages) waitedAtPages_ = 0;
  const bool waits = walPages_ >= waitedAtPages_ + kLongWalPages;
  if (waits) waitedAtPages_ = walPages_;
  const auto mode = waits ? WalCheckpoint::Truncate : WalCheckpoint::Passive;
  (void)guarded(database_, file_, [&]() -> Result<void> {
    checkpointWal(*database_, mode);
    return {};
  });
}

}  // namespace batchwise
