// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace batchwise {

/// Control line of one rank to the others of its run, besides what carries tensors: a StoreLine between processes, a
/// line of a ThreadGroup between threads. exchange() is for one thread per rank, with all ranks calling in the same
/// order; everything else is thread-safe.
class RankLine {
 public:
  /// Called once, when the line breaks. `lost`: a rank was lost, as opposed to abandon().
  using OnBroken = std::function<void(const Error& why, bool lost)>;

  virtual ~RankLine() = default;
  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }

  /// All-gather: returns the texts of all ranks in rank order. Fails with the error that broke the line, also if a rank
  /// ended although others wait for it.
  virtual Result<std::vector<std::string>> exchange(const std::string& own) = 0;
  /// Notifies the others that this rank starts a collective operation, such as the sum of gradients.
  virtual void arrive() {}
  /// Sets the section of work of this rank, for error messages.
  virtual void enter(std::string_view /*section*/) {}
  /// Breaks the line: all calls of all ranks fail with `why`.
  virtual void abandon(const Error& why) = 0;

  /// Sets the callback of `owner`; an empty function removes it. Waits for a running callback. Callbacks run newest
  /// first: that of the run, which only records its end, before that of its communicator, which may wait for the
  /// device. Not called if the line is broken already: check error() afterwards.
  void onBroken(const void* owner, OnBroken callback);
  /// Returns the error that broke the line; nothing while it is intact.
  std::optional<Error> error() const;
  /// Returns whether the line broke because a rank was lost, not by abandon().
  bool lostRank() const;

 protected:
  RankLine(std::int64_t rank, std::int64_t size) : rank_(rank), size_(size) {}

  /// Breaks this end of the line; returns false if it was broken before.
  bool setBroken(const Error& why, bool lost) REQUIRES(mutex_);
  /// Calls the callbacks, once the line is broken.
  void notifyBroken();

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Error> broken_ GUARDED_BY(mutex_);

 private:
  const std::int64_t rank_;
  const std::int64_t size_;
  bool lost_ GUARDED_BY(mutex_) = false;
  Mutex callbackMutex_;  // never taken while mutex_ is held
  std::vector<std::pair<const void*, OnBroken>> onBroken_ GUARDED_BY(callbackMutex_);
};

}  // namespace batchwise
