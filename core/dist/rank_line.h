// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace batchwise {

/// Control line of one rank to the others of its run, besides what carries tensors: a RankChannel between processes, a
/// line of a ThreadGroup between threads. exchange() is for one thread per rank, with all ranks calling in the same
/// order; everything else is thread-safe.
class RankLine {
 public:
  /// Called once, when the line breaks. `lost`: a rank was lost, as opposed to abandon(). Between processes it is not
  /// called for an abandon() of this rank itself.
  using OnBroken = std::function<void(const Error& why, bool lost)>;

  virtual ~RankLine() = default;
  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return size_; }

  /// All-gather: returns the texts of all ranks in rank order. Fails with Device once the line is broken, also if a
  /// rank ended although others wait for it.
  Result<std::vector<std::string>> exchange(const std::string& own);
  /// Notifies the others that this rank starts a collective operation, such as the sum of gradients.
  virtual void arrive() {}
  /// Sets the section of work of this rank, for error messages.
  virtual void enter(std::string_view /*section*/) {}
  /// Breaks the line: all calls of all ranks fail with `why`.
  virtual void abandon(const Error& why) = 0;
  /// Appends an entry to the log of the run: all ranks get the same entries in the same order, this rank included.
  virtual void post(const std::string& entry) = 0;

  /// Returns entry `index` of the log, waiting for it up to `timeoutSec`; nothing if it has not come. Fails with the
  /// error that broke the line.
  Result<std::optional<std::string>> posted(std::size_t index, double timeoutSec);
  /// Sets the callback of `owner`; an empty function removes it. Waits for a running callback. Callbacks run newest
  /// first: that of the run, which only records its end, before that of its communicator, which may wait for the
  /// device. Not called if the line is broken already: check error() afterwards.
  void onBroken(const void* owner, OnBroken callback);
  /// Returns the error that broke the line; nothing while it is intact.
  std::optional<Error> error() const;
  /// Returns whether the line broke because a rank was lost, not by abandon().
  bool lostRank() const;

 protected:
  RankLine(std::int64_t rank, std::int64_t size)
      : rank_(rank), size_(size), received_(static_cast<std::size_t>(size)) {}

  /// Part of exchange(): sends the text of this rank, which comes back by receive() like those of the others.
  virtual void sendText(const std::string& own) = 0;
  /// Part of exchange(), once the texts of all ranks have come.
  virtual void shareTexts(const std::vector<std::string>& /*all*/) REQUIRES(mutex_) {}
  void receive(std::size_t from, std::string text) REQUIRES(mutex_);
  void append(const std::string& entry) REQUIRES(mutex_);
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
  std::vector<std::deque<std::string>> received_ GUARDED_BY(mutex_);  // by rank, not yet returned
  std::vector<std::string> log_ GUARDED_BY(mutex_);
  bool lost_ GUARDED_BY(mutex_) = false;
  Mutex callbackMutex_;  // never taken while mutex_ is held
  std::vector<std::pair<const void*, OnBroken>> onBroken_ GUARDED_BY(callbackMutex_);
};

}  // namespace batchwise
