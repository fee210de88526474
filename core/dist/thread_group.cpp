// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/thread_group.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <deque>

#include "core/base/mutex.h"

namespace batchwise {
namespace {

class ThreadLine final : public RankLine {
 public:
  struct Group {
    Mutex order;  // of entries, the same on all lines; taken before a line's own
    std::vector<std::shared_ptr<ThreadLine>> lines;
  };
  ThreadLine(Group& group, std::int64_t rank, std::int64_t size)
      : group_(group), rank_(rank), received_(static_cast<std::size_t>(size)) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(group_.lines.size()); }

  Result<std::vector<std::string>> exchange(const std::string& own) override {
    for (const auto& line : group_.lines) line->receive(static_cast<std::size_t>(rank_), own);
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
    for (const auto& line : group_.lines) line->breakLine(why);
  }

  void post(const std::string& entry) override {
    const MutexLock order(group_.order);
    for (const auto& line : group_.lines) line->append(entry);
  }

 private:
  void receive(std::size_t from, const std::string& text) {
    const MutexLock lock(mutex_);
    received_[from].push_back(text);
    changed_.notify_all();
  }
  void append(const std::string& entry) {
    const MutexLock lock(mutex_);
    log_.push_back(entry);
    changed_.notify_all();
  }
  void breakLine(const Error& why) {
    {
      const MutexLock lock(mutex_);
      if (!setBroken(why, false)) return;
    }
    notifyBroken();
  }

  Group& group_;
  const std::int64_t rank_;
  std::vector<std::deque<std::string>> received_ GUARDED_BY(mutex_);  // by rank, not yet consumed
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

class ThreadCommunicator final : public LineCommunicator {
 public:
  ThreadCommunicator(std::shared_ptr<RankLine> line, TensorsOfRanks& tensors)
      : LineCommunicator(std::move(line)),
        tensors_(tensors),
        sums_([this](const at::Tensor& tensor) { return allReduceTensors({tensor}); }) {}

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    return together(tensors, [this] {
      for (std::size_t i = 0; i < tensors_.front().size(); ++i) reduceOwnRange(i);
    });
  }

  void startAllReduce(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishAllReduces() override { return sums_.finish(); }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    return together(tensors, [&] {
      for (std::size_t i = 0; rank() != 0 && i < tensors.size(); ++i) at::Tensor(tensors[i]).copy_(tensors_.front()[i]);
    });
  }

 private:
  template <typename Work>
  Result<void> together(const std::vector<at::Tensor>& tensors, const Work& work) {
    tensors_[static_cast<std::size_t>(rank())] = tensors;
    if (auto all = line().exchange({}); !all.ok()) return all.error();
    const at::NoGradGuard noGrad;
    work();
    if (auto all = line().exchange({}); !all.ok()) return all.error();
    return {};
  }

  void reduceOwnRange(std::size_t index) {
    const at::Tensor sum = rangeOf(tensors_.front()[index], rank(), size());
    for (std::size_t r = 1; r < tensors_.size(); ++r) sum.add_(rangeOf(tensors_[r][index], rank(), size()));
    for (std::size_t r = 1; r < tensors_.size(); ++r) rangeOf(tensors_[r][index], rank(), size()).copy_(sum);
  }

  TensorsOfRanks& tensors_;
  AllReduceWorker sums_;  // last member: joined first
};

}  // namespace

struct ThreadGroup::State {
  ThreadLine::Group group;
  TensorsOfRanks tensors;
};

ThreadGroup::ThreadGroup(std::int64_t size) : state_(std::make_unique<State>()) {
  state_->tensors.resize(static_cast<std::size_t>(size));
  for (std::int64_t rank = 0; rank < size; ++rank)
    state_->group.lines.push_back(std::make_shared<ThreadLine>(state_->group, rank, size));
}
ThreadGroup::~ThreadGroup() = default;

std::shared_ptr<RankLine> ThreadGroup::line(std::int64_t rank) {
  return state_->group.lines[static_cast<std::size_t>(rank)];
}

std::unique_ptr<Communicator> ThreadGroup::communicator(std::int64_t rank) {
  return std::make_unique<ThreadCommunicator>(line(rank), state_->tensors);
}

}  // namespace batchwise
