// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/thread_group.h"

#include <ATen/core/grad_mode.h>

#include <condition_variable>
#include <optional>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/dist/communicator.h"

namespace batchwise {
namespace {

// Returns the elements of the tensor that `rank` reduces, as a flat view.
at::Tensor rangeOf(const at::Tensor& tensor, std::int64_t rank, std::int64_t ranks) {
  const std::int64_t elements = tensor.numel();
  const std::int64_t begin = elements / ranks * rank + std::min(rank, elements % ranks);
  const std::int64_t length = elements / ranks + (rank < elements % ranks ? 1 : 0);
  return tensor.view({-1}).narrow(0, begin, length);
}

}  // namespace

struct ThreadGroup::State {
  explicit State(std::int64_t ranks)
      : size(ranks),
        tensors(static_cast<std::size_t>(ranks)),
        values(static_cast<std::size_t>(ranks)),
        texts(static_cast<std::size_t>(ranks)) {}

  // Barrier. Fails once a rank has called abandon().
  Result<void> barrier() {
    MutexLock lock(mutex);
    if (broken) return *broken;
    const std::uint64_t generation = generations;
    if (++arrived == size) {
      arrived = 0;
      ++generations;
      allArrived.notify_all();
      return {};
    }
    allArrived.wait(lock, [&]() REQUIRES(mutex) { return generations != generation || broken.has_value(); });
    if (generations == generation) return *broken;
    return {};
  }

  const std::int64_t size;
  Mutex mutex;
  std::condition_variable_any allArrived;
  std::int64_t arrived GUARDED_BY(mutex) = 0;
  std::uint64_t generations GUARDED_BY(mutex) = 0;
  std::optional<Error> broken GUARDED_BY(mutex);
  // Each rank writes its own entry before a barrier; all ranks read between it and the next.
  // Tensors, not references to them: a rank that abandons the group may free its own.
  std::vector<std::vector<at::Tensor>> tensors;
  std::vector<std::vector<double>> values;
  std::vector<std::string> texts;
};

namespace {

template <typename State>
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(State& group, std::int64_t rank)
      : group_(group), rank_(rank), sums_([this](const at::Tensor& tensor) { return allReduceTensors({tensor}); }) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return group_.size; }

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    group_.tensors[static_cast<std::size_t>(rank_)] = tensors;
    RETURN_IF_ERROR(group_.barrier());
    reduceOwnRange();
    return group_.barrier();
  }

  void startAllReduce(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishAllReduces() override { return sums_.finish(); }

  Result<void> allReduceValues(std::span<double> values) override {
    group_.values[static_cast<std::size_t>(rank_)].assign(values.begin(), values.end());
    RETURN_IF_ERROR(group_.barrier());
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      for (const std::vector<double>& ofRank : group_.values) sum += ofRank[i];
      values[i] = sum;
    }
    return group_.barrier();
  }

  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override {
    group_.texts[static_cast<std::size_t>(rank_)] = own;
    RETURN_IF_ERROR(group_.barrier());
    std::vector<std::string> all = group_.texts;
    RETURN_IF_ERROR(group_.barrier());
    return all;
  }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    group_.tensors[static_cast<std::size_t>(rank_)] = tensors;
    RETURN_IF_ERROR(group_.barrier());
    const at::NoGradGuard noGrad;
    if (rank_ != 0)
      for (std::size_t i = 0; i < tensors.size(); ++i) at::Tensor(tensors[i]).copy_(group_.tensors.front()[i]);
    return group_.barrier();
  }

  void abandon(const Error& why) override {
    const MutexLock lock(group_.mutex);
    if (!group_.broken) group_.broken = why;
    group_.allArrived.notify_all();
  }

 private:
  void reduceOwnRange() {
    const at::NoGradGuard noGrad;
    const std::vector<at::Tensor>& first = group_.tensors.front();
    for (std::size_t i = 0; i < first.size(); ++i) {
      const at::Tensor sum = rangeOf(first[i], rank_, group_.size);
      for (std::size_t r = 1; r < group_.tensors.size(); ++r)
        sum.add_(rangeOf(group_.tensors[r][i], rank_, group_.size));
      for (std::size_t r = 1; r < group_.tensors.size(); ++r)
        rangeOf(group_.tensors[r][i], rank_, group_.size).copy_(sum);
    }
  }

  State& group_;
  const std::int64_t rank_;
  AllReduceWorker sums_;  // last member: joined first
};

}  // namespace

ThreadGroup::ThreadGroup(std::int64_t size) : state_(std::make_unique<State>(size)) {}
ThreadGroup::~ThreadGroup() = default;

std::unique_ptr<Communicator> ThreadGroup::communicator(std::int64_t rank) {
  return std::make_unique<ThreadCommunicator<State>>(*state_, rank);
}

}  // namespace batchwise
