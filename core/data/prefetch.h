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
#include "core/base/result.h"

namespace batchwise {

/// Makes values ahead of their use on a thread of its own, at most `depth` finished ones waiting. `makeNext` runs on
/// that thread only, one call at a time: a value, nothing at the end, or an Error, which ends it too. An exception
/// becomes an Internal error. Destruction stops and joins the thread; the call of makeNext under way is waited for and
/// sees the stop token that it was given. next() is for one thread.
template <typename T>
class Prefetcher {
 public:
  using Make = std::function<Result<std::optional<T>>(std::stop_token)>;

  Prefetcher(Make makeNext, std::size_t depth)
      : queue_(depth), thread_([this, make = std::move(makeNext)](std::stop_token stop) { run(make, stop); }) {}
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next value, in order; waits for it. Nothing at the end, the Error if making failed (and again at each later
  /// call), Stopped on `stop`.
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
    return Error::internal(std::string("the prefetch thread failed: ") + e.what());
  }

  BoundedQueue<Item> queue_;
  std::optional<Item> last_;  // the end or the error, once met
  std::jthread thread_;       // last member: joined before the queue goes
};

}  // namespace batchwise
