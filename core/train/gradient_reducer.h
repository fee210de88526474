// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/communicator.h"
#include "core/model/encoder_model.h"

namespace torch::autograd {
struct Node;
}

namespace batchwise {

/// Sums the gradients of a step over the ranks while the last backward pass still runs, as DistributedDataParallel does
/// (Li et al. 2020, section 3.2.3): gradients are views into a few flat buckets in the order in which backward
/// completes them; the sum of a bucket starts when its last gradient is complete and the sums of all earlier buckets
/// have started.
///
/// Per step: optionally prepareForBackward() before the last backward pass, then finish(). A rank that failed or had
/// nothing to compute makes the same sums as the others.
class GradientReducer {
 public:
  /// Moves the model's gradients into the buckets, keeping their values. `ranks` and `model` must outlive this.
  GradientReducer(EncoderModel& model, Communicator& ranks, std::int64_t bucketBytes);
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;
  ~GradientReducer();

  /// Announces that the next backward pass completes the gradients of this rank.
  void prepareForBackward();
  /// Starts the remaining sums and waits for all. The gradients are incomplete if prepareForBackward() was not called.
  Result<void> finish();

  std::int64_t buckets() const {
    const MutexLock lock(mutex_);
    return static_cast<std::int64_t>(buckets_.size());
  }

  /// Returns a size that gives at most about 20 buckets, none below 256 KiB except the last.
  static std::int64_t bucketBytesFor(const EncoderModel& model);

 private:
  struct Bucket {
    at::Tensor flat;
    std::int64_t gradients = 0;  // gradients in it
    std::int64_t missing = 0;    // incomplete in this step
  };
  void place(const std::vector<at::Tensor>& parameters, std::int64_t bucketBytes) REQUIRES(mutex_);
  void watch(const at::Tensor& parameter, std::size_t bucket) REQUIRES(mutex_);
  void arrived(std::size_t bucket);
  void startReadySums() REQUIRES(mutex_);

  Communicator& ranks_;
  mutable Mutex mutex_;  // on a GPU, backward runs on its own threads
  std::vector<Bucket> buckets_ GUARDED_BY(mutex_);
  std::size_t started_ GUARDED_BY(mutex_) = 0;  // buckets whose sums have started
  bool expecting_ GUARDED_BY(mutex_) = false;
  struct Watched;
  std::vector<Watched> watched_ GUARDED_BY(mutex_);
};

}  // namespace batchwise
