// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/thread_group.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <deque>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/base/mutex.h"

namespace batchwise {
namespace {

class ThreadLine final : public RankLine {
 public:
  using Lines = std::vector<std::shared_ptr<ThreadLine>>;
  ThreadLine(const Lines& lines, std::int64_t rank, std::int64_t size)
      : RankLine(rank, size), lines_(lines), received_(static_cast<std::size_t>(size)) {}

  Result<std::vector<std::string>> exchange(const std::string& own) override {
    for (const auto& line : lines_) line->receive(static_cast<std::size_t>(rank()), own);
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
    return all;
  }

  void abandon(const Error& why) override {
    // First all lines, because a callback may wait for the device.
    std::vector<ThreadLine*> broken;
    for (const auto& line : lines_)
      if (line->breakOwnEnd(why)) broken.push_back(line.get());
    for (ThreadLine* line : broken) line->notifyBroken();
  }

 private:
  void receive(std::size_t from, const std::string& text) {
    const MutexLock lock(mutex_);
    received_[from].push_back(text);
    changed_.notify_all();
  }
  bool breakOwnEnd(const Error& why) {
    const MutexLock lock(mutex_);
    return setBroken(why, false);
  }

  const Lines& lines_;                                                // of all ranks
  std::vector<std::deque<std::string>> received_ GUARDED_BY(mutex_);  // by rank, not yet returned
};

// Returns the elements of the tensor that `rank` reduces, as a flat view.
at::Tensor rangeOf(const at::Tensor& tensor, std::int64_t rank, std::int64_t ranks) {
  const std::int64_t elements = tensor.numel();
  const std::int64_t begin = elements / ranks * rank + std::min(rank, elements % ranks);
  const std::int64_t length = elements / ranks + (rank < elements % ranks ? 1 : 0);
  return tensor.view({-1}).narrow(0, begin, length);
}

// The tensors of each rank, for the collective that is under way. Each rank sets its own before an exchange; all ranks
// read between it and the next. Tensors, not references to them: a rank that abandons the group may free its own.
using TensorsOfRanks = std::vector<std::vector<at::Tensor>>;

// Calls `work` once all ranks have set their tensors, and waits until all have done it.
template <typename Work>
Result<void> together(RankLine& line, TensorsOfRanks& all, const std::vector<at::Tensor>& own, const Work& work) {
  all[static_cast<std::size_t>(line.rank())] = own;
  RETURN_IF_ERROR(line.exchange({}));
  const at::NoGradGuard noGrad;
  work();
  RETURN_IF_ERROR(line.exchange({}));
  return {};
}

void reduceOwnRange(const RankLine& line, const TensorsOfRanks& all, std::size_t index) {
  const auto range = [&](std::size_t of) { return rangeOf(all[of][index], line.rank(), line.size()); };
  const at::Tensor sum = range(0);
  for (std::size_t r = 1; r < all.size(); ++r) sum.add_(range(r));
  for (std::size_t r = 1; r < all.size(); ++r) range(r).copy_(sum);
}

}  // namespace

struct ThreadGroup::State {
  ThreadLine::Lines lines;
  TensorsOfRanks tensors;
  c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::HashStore>();
};

ThreadGroup::ThreadGroup(std::int64_t size) : state_(std::make_unique<State>()) {
  state_->tensors.resize(static_cast<std::size_t>(size));
  for (std::int64_t rank = 0; rank < size; ++rank)
    state_->lines.push_back(std::make_shared<ThreadLine>(state_->lines, rank, size));
}
ThreadGroup::~ThreadGroup() = default;

std::shared_ptr<RankLine> ThreadGroup::line(std::int64_t rank) {
  return state_->lines[static_cast<std::size_t>(rank)];
}

c10::intrusive_ptr<c10d::Store> ThreadGroup::store() const {
  return state_->store;
}

std::unique_ptr<Communicator> ThreadGroup::communicator(std::int64_t rank) {
  TensorsOfRanks& all = state_->tensors;
  const std::shared_ptr<RankLine> own = line(rank);
  const auto sum = [own, &all](const std::vector<at::Tensor>& tensors) {
    return together(*own, all, tensors, [&] {
      for (std::size_t i = 0; i < all.front().size(); ++i) reduceOwnRange(*own, all, i);
    });
  };
  const auto copy = [own, &all](const std::vector<at::Tensor>& tensors) {
    return together(*own, all, tensors, [&] {
      for (std::size_t i = 0; own->rank() != 0 && i < tensors.size(); ++i) at::Tensor(tensors[i]).copy_(all.front()[i]);
    });
  };
  return std::make_unique<BlockingCommunicator>(own, sum, copy);
}

}  // namespace batchwise
