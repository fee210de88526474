// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace batchwise {

Result<std::vector<std::string>> RankLine::exchange(const std::string& own) {
  sendText(own);
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) {
    return broken_ || std::ranges::none_of(received_, [](const auto& texts) { return texts.empty(); });
  });
  if (broken_) return *broken_;
  std::vector<std::string> all;
  for (std::deque<std::string>& texts : received_) {
    all.push_back(std::move(texts.front()));
    texts.pop_front();
  }
  shareTexts(all);
  return all;
}

void RankLine::receive(std::size_t from, std::string text) {
  received_[from].push_back(std::move(text));
  changed_.notify_all();
}

Result<std::optional<std::string>> RankLine::posted(std::size_t index, double timeoutSec) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(timeoutSec),
                    [&]() REQUIRES(mutex_) { return broken_ || index < log_.size(); });
  if (broken_) return *broken_;
  return index < log_.size() ? std::optional(log_[index]) : std::nullopt;
}

void RankLine::append(const std::string& entry) {
  log_.push_back(entry);
  changed_.notify_all();
}

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
