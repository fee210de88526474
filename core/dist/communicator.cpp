// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/communicator.h"

#include <c10/util/Exception.h>

#include <cstring>
#include <exception>
#include <utility>

#include "core/dist/messages.h"

namespace batchwise {

Result<void> ChannelCommunicator::allReduceValues(std::span<double> values) {
  const Result<std::vector<std::string>> all =
      channel_->exchange(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  if (!all.ok()) return all.error();
  std::fill(values.begin(), values.end(), 0.0);
  for (const std::string& bytes : *all) {
    if (bytes.size() != values.size_bytes()) return Error::internal(messages::ranksSumDifferentCounts());
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      values[i] += value;
    }
  }
  return {};
}

void AllReduceWorker::begin(const at::Tensor& tensor) {
  const MutexLock lock(mutex_);
  waiting_.push_back(tensor);
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  changed_.notify_all();
}

Result<void> AllReduceWorker::finish() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return waiting_.empty() && !summing_; });
  if (failed_) return *std::exchange(failed_, std::nullopt);
  return {};
}

void AllReduceWorker::work(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !waiting_.empty(); })) {
    const at::Tensor tensor = std::move(waiting_.front());
    waiting_.pop_front();
    summing_ = true;
    const bool intact = !failed_;
    lock.unlock();
    Result<void> summed;
    try {
      if (intact) summed = sum_(tensor);
    } catch (const c10::Error& e) {
      summed = Error{ErrorCode::Device, e.what_without_backtrace(), messages::ncclSummingGradients()};
    } catch (const std::exception& e) {
      summed = Error::internal(e.what()).within(messages::ncclSummingGradients());
    }
    lock.lock();
    if (!summed.ok() && !failed_) failed_ = summed.error();
    summing_ = false;
    changed_.notify_all();
  }
}

}  // namespace batchwise
