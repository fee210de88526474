// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/communicator.h"
#include "core/model/bert_model.h"

namespace torch::autograd {
struct Node;
}

namespace batchwise {

/// Adds up the gradients of a step over the ranks while the backward pass of its last micro-batch is still under way
/// (Li et al. 2020, section 3.2.3): they lie in a few flat buckets, in the order in which a backward pass completes
/// them, and a bucket's sum begins as soon as its last gradient is there and those before it have begun.
///
/// Each step: expect() before the last backward pass, or not at all, then finish(); whether a rank has failed on the
/// way or had nothing to compute, it makes the same sums as the others.
class GradientSums {
 public:
  /// Gives the model's gradients their places in the buckets, with their present values. `ranks` and `model` must
  /// outlive this.
  GradientSums(BertModel& model, Communicator& ranks, std::int64_t bucketBytes);
  GradientSums(const GradientSums&) = delete;
  GradientSums& operator=(const GradientSums&) = delete;
  ~GradientSums();

  /// The gradients of this rank are complete after the backward pass that follows.
  void expect();
  /// Begins the sums that have not begun, and waits for all. The gradients may still be incomplete: see expect().
  Result<void> finish();

  std::int64_t buckets() const {
    const MutexLock lock(mutex_);
    return static_cast<std::int64_t>(buckets_.size());
  }

  /// A size that makes at most about 20 buckets of a model, none below 256 KiB but for the last.
  static std::int64_t bucketBytesFor(const BertModel& model);

 private:
  struct Bucket {
    at::Tensor flat;
    std::int64_t gradients = 0;  // in it
    std::int64_t missing = 0;    // in this step
  };
  void place(const std::vector<at::Tensor>& parameters, std::int64_t bucketBytes) REQUIRES(mutex_);
  void watch(const at::Tensor& parameter, std::size_t bucket) REQUIRES(mutex_);
  void arrived(std::size_t bucket);
  void beginReady() REQUIRES(mutex_);

  Communicator& ranks_;
  mutable Mutex mutex_;  // a backward pass has its own threads on a GPU
  std::vector<Bucket> buckets_ GUARDED_BY(mutex_);
  std::size_t begun_ GUARDED_BY(mutex_) = 0;  // buckets whose sums have begun
  bool expecting_ GUARDED_BY(mutex_) = false;
  struct Watched;
  std::vector<Watched> watched_ GUARDED_BY(mutex_);
};

}  // namespace batchwise
