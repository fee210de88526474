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

/// Writes text to a descriptor in order, on its own thread, so that write() never blocks on the reader. Retries while
/// the disk is full. Once the reader is gone, drops the rest and reports it on stderr. If writing failed for another
/// reason, the destructor sets badbit of std::cout if the descriptor is stdout, so that flushStdout() fails.
/// Thread-safe.
class AsyncTextWriter {
 public:
  /// Limit of buffered bytes, above which blockedReason() reports a reason to wait.
  static constexpr std::size_t kMaxPendingBytes = std::size_t{64} << 20;

  explicit AsyncTextWriter(int descriptor, std::size_t maxPendingBytes = kMaxPendingBytes);
  /// Waits until the rest is written; stops waiting if the disk is full.
  ~AsyncTextWriter();
  AsyncTextWriter(const AsyncTextWriter&) = delete;
  AsyncTextWriter& operator=(const AsyncTextWriter&) = delete;

  /// Writes `text` escaped by escapedForTerminal(), so that it cannot control the terminal. JSON that is already
  /// escaped passes unchanged.
  void write(std::string_view text);
  /// Moves to the start of the terminal's line and erases it.
  void eraseLine();
  /// Returns whether everything is written, or can never be.
  bool idle() const;
  /// Returns why the producer should wait, from the moment the limit is exceeded until half of it is free again; else
  /// empty.
  std::string blockedReason() const;
  /// Waits until idle(), at most `patience`.
  void drain(std::chrono::milliseconds patience);

 private:
  void enqueue(std::string_view bytes);
  void loop(const std::stop_token& stop);
  void writeAll(const std::stop_token& stop);
  bool retryAfter(int error, const std::stop_token& stop);
  void dropAll(int error);

  const int descriptor_;
  const std::size_t maxPendingBytes_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::string pending_ GUARDED_BY(mutex_);
  std::string writing_;  // used by the thread only, except for its size
  std::size_t writingBytes_ GUARDED_BY(mutex_) = 0;
  bool overLimit_ GUARDED_BY(mutex_) = false;  // limit exceeded, and half of it not free again yet
  bool closed_ GUARDED_BY(mutex_) = false;     // writing is no longer possible
  bool failed_ GUARDED_BY(mutex_) = false;     // closed_ for another reason than a closed reader
  std::string lastError_ GUARDED_BY(mutex_);   // of a write that is being retried
  std::jthread thread_;                        // last: uses everything above
};

}  // namespace batchwise::cli
