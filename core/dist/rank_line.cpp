// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <chrono>
#include <utility>

namespace batchwise {

Result<std::optional<std::string>> RankLine::posted(std::size_t index, double timeoutSec) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(timeoutSec),
                    [&]() REQUIRES(mutex_) { return broken_ || index < log_.size(); });
  if (broken_) return *broken_;
  return index < log_.size() ? std::optional(log_[index]) : std::nullopt;
}

void RankLine::onBroken(const void* owner, OnBroken callback) {
  const MutexLock lock(callbackMutex_);
  if (callback)
    onBroken_[owner] = std::move(callback);
  else
    onBroken_.erase(owner);
}

std::optional<Error> RankLine::error() const {
  const MutexLock lock(mutex_);
  return broken_;
}

bool RankLine::lostRank() const {
  const MutexLock lock(mutex_);
  return lost_;
}

bool RankLine::setBroken(const Error& why, bool lost) {
  if (broken_) return false;
  broken_ = why;
  lost_ = lost;
  changed_.notify_all();
  return true;
}

void RankLine::notifyBroken() {
  const MutexLock lock(callbackMutex_);
  const Error why = error().value();
  for (const auto& [owner, callback] : onBroken_) callback(why, lostRank());
}

}  // namespace batchwise
