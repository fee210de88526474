// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/mutex.h"

namespace batchwise::cli {

/// Text on its way to a descriptor: in order, nothing left out, written by a thread of its own, so that write() does
/// not wait for whoever reads. A full disk is waited for, too. Once nobody can read any more (the other end of a pipe
/// has gone), what comes is dropped, which is said on stderr. If that was not the reader's own choice, std::cout is no
/// good any more once an outlet to stdout has ended, so that saidAll() fails. Any thread.
class TextOutlet {
 public:
  /// More than so much is not meant to wait: see obstacle().
  static constexpr std::size_t kRoomBytes = std::size_t{64} << 20;

  explicit TextOutlet(int descriptor, std::size_t roomBytes = kRoomBytes);
  /// Waits for the reader to take the rest; gives up at a disk that is full.
  ~TextOutlet();
  TextOutlet(const TextOutlet&) = delete;
  TextOutlet& operator=(const TextOutlet&) = delete;

  /// As shownSafely() gives it: what a run says steers no terminal. JSON comes escaped and passes as it is.
  void write(std::string_view text);
  /// Back to the start of the terminal's line, which is erased.
  void eraseLine();
  /// Everything is written, or can never be.
  bool idle() const;
  /// Why whoever writes should wait, from when more than the room is taken until half of it is free again; else empty.
  std::string obstacle() const;
  /// Waits until idle, at most so long.
  void drain(std::chrono::milliseconds patience);

 private:
  void enqueue(std::string_view bytes);
  void loop(const std::stop_token& stop);
  void writeAll(const std::stop_token& stop);
  bool goesOnAfter(int error, const std::stop_token& stop);
  void dropAll(int error);

  const int descriptor_;
  const std::size_t roomBytes_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::string pending_ GUARDED_BY(mutex_);
  std::string inHand_;  // of the thread alone, but for its size
  std::size_t inHandBytes_ GUARDED_BY(mutex_) = 0;
  bool held_ GUARDED_BY(mutex_) = false;      // the room was exceeded, and half of it is not free again
  bool gone_ GUARDED_BY(mutex_) = false;      // nobody can read any more
  bool failed_ GUARDED_BY(mutex_) = false;    // and not because a reader has left
  std::string lastError_ GUARDED_BY(mutex_);  // of a write that is tried again
  std::jthread thread_;                       // last: it uses everything above
};

}  // namespace batchwise::cli
