// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace batchwise {

/// Runs blocking sums of a rank one by one on its own thread, while the rank continues computing. The thread starts
/// with the first sum.
class AllReduceWorker {
 public:
  using Sum = std::function<Result<void>(const at::Tensor&)>;

  explicit AllReduceWorker(Sum sum) : sum_(std::move(sum)) {}
  AllReduceWorker(const AllReduceWorker&) = delete;
  AllReduceWorker& operator=(const AllReduceWorker&) = delete;
  /// Waits for the running sum; drops pending ones.
  ~AllReduceWorker() = default;

  void begin(const at::Tensor& tensor);
  /// Waits for all sums. Fails with the first error; later sums are skipped.
  Result<void> finish();

 private:
  void work(const std::stop_token& stop);

  const Sum sum_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<at::Tensor> waiting_ GUARDED_BY(mutex_);
  bool summing_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last member: joined first
};

}  // namespace batchwise
