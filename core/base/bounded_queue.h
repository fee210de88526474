// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/mutex.h"

namespace batchwise {

/// Blocking FIFO queue of at most `capacity` values. Thread-safe, with any number of producers and consumers.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Blocks until there is room. Returns false, and drops `value`, if the queue was closed or `stop` was requested.
  bool push(T value, std::stop_token stop = {}) {
    MutexLock lock(mutex_);
    roomOrClosed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return closed_ || items_.size() < capacity_; });
    if (closed_ || stop.stop_requested()) return false;
    items_.push_back(std::move(value));
    itemOrClosed_.notify_one();
    return true;
  }

  /// Blocks until there is a value. Returns nothing once the queue is closed and empty, or if `stop` was requested.
  std::optional<T> pop(std::stop_token stop = {}) {
    MutexLock lock(mutex_);
    itemOrClosed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return closed_ || !items_.empty(); });
    return take();
  }

  /// Returns a value if there is one; never blocks.
  std::optional<T> tryPop() {
    const MutexLock lock(mutex_);
    return take();
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return items_.size();
  }

  /// Rejects further pushes; queued values can still be popped.
  void close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    roomOrClosed_.notify_all();
    itemOrClosed_.notify_all();
  }

 private:
  std::optional<T> take() REQUIRES(mutex_) {
    if (items_.empty()) return std::nullopt;
    T value = std::move(items_.front());
    items_.pop_front();
    roomOrClosed_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::condition_variable_any roomOrClosed_;
  std::condition_variable_any itemOrClosed_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace batchwise
