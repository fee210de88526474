// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

namespace batchwise {

void RankLine::onBroken(const void* owner, OnBroken callback) {
  const MutexLock lock(callbackMutex_);
  std::erase_if(onBroken_, [owner](const auto& each) { return each.first == owner; });
  if (callback) onBroken_.emplace_back(owner, std::move(callback));
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
  for (auto newest = onBroken_.rbegin(); newest != onBroken_.rend(); ++newest) newest->second(why, lostRank());
}

}  // namespace batchwise
