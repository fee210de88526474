// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/mpi_communicator.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/dist/line_communicator.h"
#include "core/dist/sum_worker.h"

namespace batchwise {
namespace {

using PendingList = std::vector<std::unique_ptr<MpiWorld::Pending>>;

class MpiCommunicator final : public LineCommunicator {
 public:
  MpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line)
      : LineCommunicator(std::move(line)),
        world_(std::move(world)),
        sums_([this](const at::Tensor& tensor) { return sumTensors({tensor}); }) {}

  Result<void> sumTensors(const std::vector<at::Tensor>& tensors) override {
    return together(tensors, [this](const at::Tensor& tensor) -> Result<std::unique_ptr<MpiWorld::Pending>> {
      const auto kind = numberKind(tensor.scalar_type());
      if (!kind) return Error::internal(std::string("ranks cannot add up ") + c10::toString(tensor.scalar_type()));
      return world_->startSum(tensor.data_ptr(), tensor.numel(), *kind);
    });
  }

  void beginSum(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishSums() override { return sums_.finish(); }

  Result<void> copyFromFirst(const std::vector<at::Tensor>& tensors) override {
    return together(tensors, [this](const at::Tensor& tensor) {
      return world_->startCopy(tensor.data_ptr(), static_cast<std::int64_t>(tensor.nbytes()));
    });
  }

 private:
  static std::optional<MpiWorld::Number> numberKind(at::ScalarType type) {
    if (type == at::kFloat) return MpiWorld::Number::Float32;
    if (type == at::kDouble) return MpiWorld::Number::Float64;
    if (type == at::kLong) return MpiWorld::Number::Int64;
    return std::nullopt;
  }

  template <typename Start>
  Result<void> together(const std::vector<at::Tensor>& tensors, const Start& start) {
    line().arrive();
    PendingList pending;
    for (const at::Tensor& tensor : tensors) {
      auto started = start(tensor);
      if (!started.ok()) return started.error();
      pending.push_back(std::move(*started));
    }
    return finish(std::move(pending));
  }

  Result<void> finish(PendingList pending) {
    for (std::int64_t looks = 0;; ++looks) {
      bool done = true;
      for (const auto& one : pending) {
        const Result<bool> advanced = one->advance();
        if (!advanced.ok()) return advanced.error();
        done = done && *advanced;
      }
      if (done) return {};
      if (auto trouble = line().trouble()) {
        world_->giveUp();
        return *trouble;
      }
      waitALittle(looks);
    }
  }

  // Others need the processor too: the ranks of one host share it.
  static void waitALittle(std::int64_t looks) {
    if (looks < 200) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::int64_t>(looks / 10, 500)));
  }

  const std::shared_ptr<MpiWorld> world_;
  SumWorker sums_;  // last: its thread ends first
};

}  // namespace

std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line) {
  return std::make_unique<MpiCommunicator>(std::move(world), std::move(line));
}

}  // namespace batchwise
