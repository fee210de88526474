// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_outlet.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <system_error>
#include <utility>

#include "core/base/format.h"
#include "core/base/plain_text.h"

namespace batchwise::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{500};
constexpr std::size_t kAtOnceBytes =
    1 << 16;  // a pipe takes all of a write or makes it wait: what is read is to be seen

std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// Signals are for the threads that want them, a broken pipe is an error of its write().
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

TextOutlet::TextOutlet(int descriptor, std::size_t roomBytes) : descriptor_(descriptor), roomBytes_(roomBytes) {
  std::cout << std::flush;  // what was said before comes before
  const NoSignals inherited;
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

TextOutlet::~TextOutlet() {
  thread_.request_stop();
  thread_.join();
  if (failed_ && descriptor_ == STDOUT_FILENO) std::cout.setstate(std::ios::badbit);
}

void TextOutlet::write(std::string_view text) {
  enqueue(shownSafely(text));
}

void TextOutlet::eraseLine() {
  enqueue("\r\033[K");
}

void TextOutlet::enqueue(std::string_view bytes) {
  const MutexLock lock(mutex_);
  if (gone_) return;
  pending_ += bytes;
  held_ = held_ || pending_.size() + inHandBytes_ > roomBytes_;
  changed_.notify_all();
}

bool TextOutlet::idle() const {
  const MutexLock lock(mutex_);
  return pending_.empty() && inHandBytes_ == 0;
}

std::string TextOutlet::obstacle() const {
  const MutexLock lock(mutex_);
  if (!held_) return {};
  const std::string waiting = formatBytes(static_cast<std::int64_t>(pending_.size() + inHandBytes_));
  if (!lastError_.empty()) return "the output cannot be written (" + lastError_ + "); " + waiting + " wait for it";
  return "nobody reads the output of the program; " + waiting + " wait for it";
}

void TextOutlet::drain(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, patience, [this]() REQUIRES(mutex_) { return pending_.empty() && inHandBytes_ == 0; });
}

void TextOutlet::loop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !pending_.empty(); })) {
    inHand_ = std::exchange(pending_, {});
    inHandBytes_ = inHand_.size();
    lock.unlock();
    writeAll(stop);
    lock.lock();
  }
}

// What is in hand.
void TextOutlet::writeAll(const std::stop_token& stop) {
  for (std::size_t at = 0; at < inHand_.size();) {
    const ssize_t written = ::write(descriptor_, inHand_.data() + at, std::min(inHand_.size() - at, kAtOnceBytes));
    const int error = errno;
    if (written < 0 && !goesOnAfter(error, stop)) return dropAll(error);
    if (written <= 0) continue;
    at += static_cast<std::size_t>(written);
    const MutexLock lock(mutex_);
    lastError_.clear();
    inHandBytes_ = inHand_.size() - at;
    if (pending_.size() + inHandBytes_ <= roomBytes_ / 2) held_ = false;
    changed_.notify_all();
  }
}

bool TextOutlet::goesOnAfter(int error, const std::stop_token& stop) {
  if (error == EINTR) return true;
  if (error == EAGAIN) {  // somebody shares the pipe and does not want to wait
    pollfd room{descriptor_, POLLOUT, 0};
    (void)::poll(&room, 1, static_cast<int>(kBetweenTries.count()));
    return true;
  }
  if ((error != ENOSPC && error != EDQUOT) || stop.stop_requested()) return false;
  MutexLock lock(mutex_);
  lastError_ = errorText(error);
  changed_.wait_for(lock, stop, kBetweenTries, [] { return false; });
  return true;
}

void TextOutlet::dropAll(int error) {
  {
    const MutexLock lock(mutex_);
    gone_ = true;
    struct stat status {};
    const bool hungUp = error == EIO && ::fstat(descriptor_, &status) == 0 && S_ISCHR(status.st_mode);
    failed_ = error != EPIPE && !hungUp;  // a terminal that has gone is a reader that has left
    held_ = false;
    pending_.clear();
    inHandBytes_ = 0;
    changed_.notify_all();
  }
  std::cerr << "batchwise: the rest of the output cannot be written: " << errorText(error) << std::endl;
}

}  // namespace batchwise::cli
