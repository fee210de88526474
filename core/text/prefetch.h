// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {

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
