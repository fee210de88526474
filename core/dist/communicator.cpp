// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/communicator.h"

#include <c10/util/Exception.h>

#include <cstring>
#include <exception>
#include <utility>

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

Result<void> LineCommunicator::allReduceValues(std::span<double> values) {
  const Result<std::vector<std::string>> all =
      line_->exchange(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  if (!all.ok()) return all.error();
  std::fill(values.begin(), values.end(), 0.0);
  for (const std::string& bytes : *all) {
    if (bytes.size() != values.size_bytes())
      return Error::internal("the ranks sum different numbers of values: they are not at the same point");
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      values[i] += value;
    }
  }
  return {};
}

void BlockingCommunicator::startAllReduce(const at::Tensor& tensor) {
  if (!thread_) thread_ = std::make_unique<c10::ThreadPool>(1);
  thread_->run([this, tensor] { run(tensor); });
}

Result<void> BlockingCommunicator::finishAllReduces() {
  if (thread_) thread_->waitWorkComplete();
  return std::exchange(outcome_, Result<void>());
}

// Later sums than one that failed are skipped.
void BlockingCommunicator::run(const at::Tensor& tensor) {
  if (!outcome_.ok()) return;
  try {
    outcome_ = allReduce_({tensor});
  } catch (const c10::Error& e) {
    outcome_ = Error{ErrorCode::Device, e.what_without_backtrace(), kSummingGradients};
  } catch (const std::exception& e) {
    outcome_ = Error::internal(e.what()).within(kSummingGradients);
  }
}

}  // namespace batchwise
