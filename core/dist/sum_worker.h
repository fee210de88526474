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

/// Makes the sums of a rank in a thread of its own, one after the other, while the rank goes on computing: for
/// communicators whose sums wait. The thread begins with the first sum.
class SumWorker {
 public:
  using Sum = std::function<Result<void>(const at::Tensor&)>;

  explicit SumWorker(Sum sum) : sum_(std::move(sum)) {}
  SumWorker(const SumWorker&) = delete;
  SumWorker& operator=(const SumWorker&) = delete;
  /// Waits for the sum under way; what has not begun is forgotten.
  ~SumWorker() = default;

  void begin(const at::Tensor& tensor);
  /// Waits for all that was begun. Fails with the first error; sums after it are not made.
  Result<void> finish();

 private:
  void work(const std::stop_token& stop);

  const Sum sum_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<at::Tensor> waiting_ GUARDED_BY(mutex_);
  bool summing_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last: ends first
};

}  // namespace batchwise
