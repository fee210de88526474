// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/async_text_writer.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <system_error>
#include <utility>

#include "core/base/format.h"
#include "core/base/process_setup.h"
#include "core/base/text.h"

namespace batchwise::cli {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{500};
constexpr std::size_t kMaxWriteBytes =
    1 << 16;  // a pipe takes a write whole or blocks: small writes make its progress visible

std::string errorText(int error) {
  return std::generic_category().message(error);
}

}  // namespace

AsyncTextWriter::AsyncTextWriter(int descriptor, std::size_t maxPendingBytes)
    : descriptor_(descriptor), maxPendingBytes_(maxPendingBytes) {
  std::cout << std::flush;            // earlier output comes first
  const ScopedSignalBlock inherited;  // a broken pipe becomes an error of write()
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

AsyncTextWriter::~AsyncTextWriter() {
  thread_.request_stop();
  thread_.join();
  if (failed_ && descriptor_ == STDOUT_FILENO) std::cout.setstate(std::ios::badbit);
}

void AsyncTextWriter::write(std::string_view text) {
  enqueue(escapedForTerminal(text));
}

void AsyncTextWriter::eraseLine() {
  enqueue("\r\033[K");
}

void AsyncTextWriter::enqueue(std::string_view bytes) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  pending_ += bytes;
  overLimit_ = overLimit_ || pending_.size() + writingBytes_ > maxPendingBytes_;
  changed_.notify_all();
}

bool AsyncTextWriter::idle() const {
  const MutexLock lock(mutex_);
  return pending_.empty() && writingBytes_ == 0;
}

std::string AsyncTextWriter::blockedReason() const {
  const MutexLock lock(mutex_);
  if (!overLimit_) return {};
  const std::string waiting = formatBytes(static_cast<std::int64_t>(pending_.size() + writingBytes_));
  if (!lastError_.empty()) return "the output cannot be written (" + lastError_ + "); " + waiting + " wait for it";
  return "nobody reads the output of the program; " + waiting + " wait for it";
}

void AsyncTextWriter::drain(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, patience, [this]() REQUIRES(mutex_) { return pending_.empty() && writingBytes_ == 0; });
}

void AsyncTextWriter::loop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !pending_.empty(); })) {
    writing_ = std::exchange(pending_, {});
    writingBytes_ = writing_.size();
    lock.unlock();
    writeAll(stop);
    lock.lock();
  }
}

void AsyncTextWriter::writeAll(const std::stop_token& stop) {
  for (std::size_t at = 0; at < writing_.size();) {
    const ssize_t written = ::write(descriptor_, writing_.data() + at, std::min(writing_.size() - at, kMaxWriteBytes));
    const int error = errno;
    if (written < 0 && !retryAfter(error, stop)) return dropAll(error);
    if (written <= 0) continue;
    at += static_cast<std::size_t>(written);
    const MutexLock lock(mutex_);
    lastError_.clear();
    writingBytes_ = writing_.size() - at;
    if (pending_.size() + writingBytes_ <= maxPendingBytes_ / 2) overLimit_ = false;
    changed_.notify_all();
  }
}

bool AsyncTextWriter::retryAfter(int error, const std::stop_token& stop) {
  if (error == EINTR) return true;
  if (error == EAGAIN) {  // a process that shares the pipe made it non-blocking
    pollfd room{descriptor_, POLLOUT, 0};
    (void)::poll(&room, 1, static_cast<int>(kRetryInterval.count()));
    return true;
  }
  if ((error != ENOSPC && error != EDQUOT) || stop.stop_requested()) return false;
  MutexLock lock(mutex_);
  lastError_ = errorText(error);
  changed_.wait_for(lock, stop, kRetryInterval, [] { return false; });
  return true;
}

void AsyncTextWriter::dropAll(int error) {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    struct stat status {};
    const bool hungUp = error == EIO && ::fstat(descriptor_, &status) == 0 && S_ISCHR(status.st_mode);
    failed_ = error != EPIPE && !hungUp;  // a terminal that hung up counts as a closed reader
    overLimit_ = false;
    pending_.clear();
    writingBytes_ = 0;
    changed_.notify_all();
  }
  std::cerr << "batchwise: the rest of the output cannot be written: " << errorText(error) << std::endl;
}

}  // namespace batchwise::cli
