// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/thread_group.h"

#include <ATen/core/grad_mode.h>

#include <condition_variable>
#include <optional>

#include "core/base/mutex.h"
#include "core/dist/sum_worker.h"

namespace batchwise {
namespace {

// One element range of every tensor, as a flat view.
at::Tensor shareOf(const at::Tensor& tensor, std::int64_t rank, std::int64_t ranks) {
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

  // Waits for all ranks. Fails once a rank has abandoned the group.
  Result<void> meet() {
    MutexLock lock(mutex);
    if (broken) return *broken;
    const std::uint64_t meeting = meetings;
    if (++arrived == size) {
      arrived = 0;
      ++meetings;
      allThere.notify_all();
      return {};
    }
    allThere.wait(lock, [&]() REQUIRES(mutex) { return meetings != meeting || broken.has_value(); });
    if (meetings == meeting) return *broken;
    return {};
  }

  const std::int64_t size;
  Mutex mutex;
  std::condition_variable_any allThere;
  std::int64_t arrived GUARDED_BY(mutex) = 0;
  std::uint64_t meetings GUARDED_BY(mutex) = 0;
  std::optional<Error> broken GUARDED_BY(mutex);
  // Written by each rank in its own place before a meeting, read by all between that meeting and the next.
  std::vector<std::vector<at::Tensor>> tensors;  // a rank that gives up early leaves nothing that dangles
  std::vector<std::vector<double>> values;
  std::vector<std::string> texts;
};

namespace {

template <typename State>
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(State& group, std::int64_t rank)
      : group_(group), rank_(rank), sums_([this](const at::Tensor& tensor) { return sumTensors({tensor}); }) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return group_.size; }

  Result<void> sumTensors(const std::vector<at::Tensor>& tensors) override {
    group_.tensors[static_cast<std::size_t>(rank_)] = tensors;
    if (Result<void> met = group_.meet(); !met.ok()) return met;
    addMyShare();
    return group_.meet();
  }

  void beginSum(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishSums() override { return sums_.finish(); }

  Result<void> sumValues(std::span<double> values) override {
    group_.values[static_cast<std::size_t>(rank_)].assign(values.begin(), values.end());
    if (Result<void> met = group_.meet(); !met.ok()) return met;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      for (const std::vector<double>& ofRank : group_.values) sum += ofRank[i];
      values[i] = sum;
    }
    return group_.meet();
  }

  Result<std::vector<std::string>> exchangeTexts(const std::string& own) override {
    group_.texts[static_cast<std::size_t>(rank_)] = own;
    if (Result<void> met = group_.meet(); !met.ok()) return met.error();
    std::vector<std::string> all = group_.texts;
    if (Result<void> met = group_.meet(); !met.ok()) return met.error();
    return all;
  }

  Result<void> copyFromFirst(const std::vector<at::Tensor>& tensors) override {
    group_.tensors[static_cast<std::size_t>(rank_)] = tensors;
    if (Result<void> met = group_.meet(); !met.ok()) return met;
    const at::NoGradGuard noGrad;
    if (rank_ != 0)
      for (std::size_t i = 0; i < tensors.size(); ++i) at::Tensor(tensors[i]).copy_(group_.tensors.front()[i]);
    return group_.meet();
  }

  void abandon(const Error& why) override {
    const MutexLock lock(group_.mutex);
    if (!group_.broken) group_.broken = why;
    group_.allThere.notify_all();
  }

 private:
  void addMyShare() {
    const at::NoGradGuard noGrad;
    const std::vector<at::Tensor>& first = group_.tensors.front();
    for (std::size_t i = 0; i < first.size(); ++i) {
      const at::Tensor sum = shareOf(first[i], rank_, group_.size);
      for (std::size_t r = 1; r < group_.tensors.size(); ++r)
        sum.add_(shareOf(group_.tensors[r][i], rank_, group_.size));
      for (std::size_t r = 1; r < group_.tensors.size(); ++r)
        shareOf(group_.tensors[r][i], rank_, group_.size).copy_(sum);
    }
  }

  State& group_;
  const std::int64_t rank_;
  SumWorker sums_;  // last: its thread ends first
};

}  // namespace

ThreadGroup::ThreadGroup(std::int64_t size) : state_(std::make_unique<State>(size)) {}
ThreadGroup::~ThreadGroup() = default;

std::unique_ptr<Communicator> ThreadGroup::communicator(std::int64_t rank) {
  return std::make_unique<ThreadCommunicator<State>>(*state_, rank);
}

}  // namespace batchwise
