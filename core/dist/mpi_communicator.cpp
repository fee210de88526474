// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/mpi_communicator.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/return_if_error.h"
#include "core/dist/all_reduce_worker.h"
#include "core/dist/channel_communicator.h"
#include "core/dist/messages.h"

namespace batchwise {
namespace {

using PendingList = std::vector<std::unique_ptr<MpiWorld::Pending>>;

class MpiCommunicator final : public ChannelCommunicator {
 public:
  MpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankChannel> line)
      : ChannelCommunicator(std::move(line)),
        world_(std::move(world)),
        sums_([this](const at::Tensor& tensor) { return allReduceTensors({tensor}); }) {}

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    return runCollective(tensors, [this](const at::Tensor& tensor) -> Result<std::unique_ptr<MpiWorld::Pending>> {
      const auto kind = numberKind(tensor.scalar_type());
      if (!kind) return Error::internal(messages::ranksCannotSumType(c10::toString(tensor.scalar_type())));
      return world_->startSum(tensor.data_ptr(), tensor.numel(), *kind);
    });
  }

  void startAllReduce(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishAllReduces() override { return sums_.finish(); }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    return runCollective(tensors, [this](const at::Tensor& tensor) {
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
  Result<void> runCollective(const std::vector<at::Tensor>& tensors, const Start& start) {
    line().arrive();
    PendingList pending;
    for (const at::Tensor& tensor : tensors) {
      ASSIGN_OR_RETURN(auto started, start(tensor));
      pending.push_back(std::move(started));
    }
    return finish(std::move(pending));
  }

  Result<void> finish(PendingList pending) {
    for (std::int64_t polls = 0;; ++polls) {
      bool done = true;
      for (const auto& one : pending) {
        ASSIGN_OR_RETURN(const auto advanced, one->advance());
        done = done && advanced;
      }
      if (done) return {};
      if (auto error = line().error()) {
        world_->skipFinalize();
        return *error;
      }
      backOff(polls);
    }
  }

  // Ranks on the same host share its processors, so yield.
  static void backOff(std::int64_t polls) {
    if (polls < 200) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::int64_t>(polls / 10, 500)));
  }

  const std::shared_ptr<MpiWorld> world_;
  AllReduceWorker sums_;  // last member: joined first
};

}  // namespace

std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankChannel> line) {
  return std::make_unique<MpiCommunicator>(std::move(world), std::move(line));
}

}  // namespace batchwise
