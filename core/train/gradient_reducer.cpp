// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/gradient_reducer.h"

#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/torch.h>

#include <algorithm>

namespace batchwise {
namespace {

constexpr std::int64_t kLeastBucketBytes = std::int64_t{1} << 18;
constexpr std::int64_t kBuckets = 20;  // only the last bucket's sum is not overlapped
constexpr std::int64_t kAlignment = 64 / static_cast<std::int64_t>(sizeof(float));

}  // namespace

// The autograd node that accumulates a parameter's gradient, and our hook on it.
struct GradientReducer::Watched {
  std::shared_ptr<torch::autograd::Node> accumulator;
  std::uintptr_t hook = 0;
};

GradientReducer::GradientReducer(EncoderModel& model, Communicator& ranks, std::int64_t bucketBytes) : ranks_(ranks) {
  // Backward goes from the head to the embeddings: roughly the model's order, reversed.
  std::vector<at::Tensor> parameters;
  for (const NamedTensor& named : model.parameters()) parameters.push_back(named.tensor);
  std::reverse(parameters.begin(), parameters.end());
  place(parameters, bucketBytes);
}

GradientReducer::~GradientReducer() {
  for (const Watched& one : watched_) one.accumulator->del_post_hook(one.hook);
}

std::int64_t GradientReducer::bucketBytesFor(const EncoderModel& model) {
  std::int64_t bytes = 0;
  for (const NamedTensor& named : model.parameters()) bytes += static_cast<std::int64_t>(named.tensor.nbytes());
  return std::max(kLeastBucketBytes, bytes / kBuckets);
}

void GradientReducer::place(const std::vector<at::Tensor>& parameters, std::int64_t bucketBytes) {
  const torch::NoGradGuard noGrad;
  for (std::size_t first = 0; first < parameters.size();) {
    std::int64_t elements = 0;
    std::size_t end = first;
    std::vector<std::int64_t> places;
    while (end < parameters.size() &&
           (end == first || elements * static_cast<std::int64_t>(sizeof(float)) < bucketBytes)) {
      places.push_back(elements);
      elements += (parameters[end++].numel() + kAlignment - 1) / kAlignment * kAlignment;
    }
    Bucket bucket{torch::zeros({elements}, parameters[first].options().requires_grad(false)),
                  static_cast<std::int64_t>(end - first), 0};
    for (std::size_t i = first; i < end; ++i) {
      const at::Tensor& parameter = parameters[i];
      at::Tensor gradient = bucket.flat.narrow(0, places[i - first], parameter.numel()).view(parameter.sizes());
      gradient.copy_(parameter.grad());
      at::Tensor(parameter).mutable_grad() = gradient;
      watch(parameter, buckets_.size());
    }
    buckets_.push_back(std::move(bucket));
    first = end;
  }
}

void GradientReducer::watch(const at::Tensor& parameter, std::size_t bucket) {
  using torch::autograd::variable_list;
  Watched one{torch::autograd::impl::grad_accumulator(parameter), 0};
  one.hook = one.accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
      [this, bucket](const variable_list& outputs, const variable_list&) {
        arrived(bucket);
        return outputs;
      }));
  watched_.push_back(std::move(one));
}

void GradientReducer::prepareForBackward() {
  const MutexLock lock(mutex_);
  expecting_ = true;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.gradients;
}

void GradientReducer::arrived(std::size_t bucket) {
  const MutexLock lock(mutex_);
  if (!expecting_) return;
  --buckets_[bucket].missing;
  startReadySums();
}

// All ranks start the sums in the same order.
void GradientReducer::startReadySums() {
  while (started_ < buckets_.size() && buckets_[started_].missing == 0)
    ranks_.startAllReduce(buckets_[started_++].flat);
}

Result<void> GradientReducer::finish() {
  {
    const MutexLock lock(mutex_);
    for (Bucket& bucket : buckets_) bucket.missing = 0;
    startReadySums();
    expecting_ = false;
    started_ = 0;
  }
  return ranks_.finishAllReduces();
}

}  // namespace batchwise
