// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/result.h"

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

/// Computes values ahead of use on its own thread, with at most `depth` finished ones waiting. `makeNext` runs on that
/// thread only and returns a value, nothing at the end, or an Error, which also ends the sequence. Exceptions become
/// Internal errors. The destructor requests stop, waits for the current makeNext and joins. next() is for one thread.
template <typename T>
class Prefetcher {
 public:
  using Make = std::function<Result<std::optional<T>>(std::stop_token)>;

  Prefetcher(Make makeNext, std::size_t depth)
      : queue_(depth), thread_([this, make = std::move(makeNext)](std::stop_token stop) { run(make, stop); }) {}
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Waits for the next value, in order. Returns nothing at the end. Fails with makeNext's Error (again on each later
  /// call), or Stopped on `stop`.
  Result<std::optional<T>> next(std::stop_token stop = {}) {
    if (last_) return *last_;
    std::optional<Item> item = queue_.pop(stop);
    if (!item) return Error{ErrorCode::Stopped, "stopped while waiting for the next batch", {}};
    if (!item->ok()) {
      last_.emplace(item->error());
    } else if (!item->value()) {
      last_.emplace(std::optional<T>{});
    }
    return std::move(*item);
  }

 private:
  using Item = Result<std::optional<T>>;

  void run(const Make& make, std::stop_token stop) {
    while (!stop.stop_requested()) {
      Item item = guarded(make, stop);
      const bool last = !item.ok() || !item.value();
      if (!queue_.push(std::move(item), stop) || last) return;
    }
  }

  static Item guarded(const Make& make, std::stop_token stop) try {
    return make(stop);
  } catch (const std::exception& e) {
    return Error::internal(formatText("the prefetch thread failed: {}", e.what()));
  }

  BoundedQueue<Item> queue_;
  std::optional<Item> last_;  // the end or the error, once reached
  std::jthread thread_;       // last member: joined before the queue is destroyed
};

}  // namespace batchwise
