// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_communicator.h"

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/mutex.h"

namespace batchwise {
namespace {

static_assert(NCCL_MAJOR == 2 && NCCL_MINOR == 28, "c10d's options contain the ncclConfig_t of LibTorch's own NCCL");

// In effect none: a lost rank breaks the line, and guard.hang finds a hang. c10d's watchdog counts the time in which
// the process was suspended too, and looks at it before it looks whether the operation is complete.
constexpr std::chrono::hours kTimeout(24 * 365);

using Group = c10::intrusive_ptr<c10d::ProcessGroupNCCL>;

class NcclCommunicator final : public LineCommunicator {
 public:
  NcclCommunicator(std::shared_ptr<RankLine> ownLine, Group group)
      : LineCommunicator(std::move(ownLine)), group_(std::move(group)) {}

  ~NcclCommunicator() override {
    line().onBroken(this, {});
    attempt(kSummingGradients, [this] { group_->shutdown(); });
    if (!status().ok()) abort();
  }

  Result<void> connect(c10::Device device) {
    line().onBroken(this, [this](const Error&, bool) { abort(); });
    attempt("connecting to the other ranks", [&] { group_->eagerConnectSingleDevice(device); });
    return status();
  }

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    start("summing values", tensors, [this](std::vector<at::Tensor>& one) { return group_->allreduce(one); });
    return finishAllReduces();
  }

  void startAllReduce(const at::Tensor& tensor) override {
    start(kSummingGradients, {tensor}, [this](std::vector<at::Tensor>& one) { return group_->allreduce(one); });
  }

  Result<void> finishAllReduces() override {
    attempt(kSummingGradients, [this] {
      for (const auto& work : started_) work->wait();
    });
    started_.clear();
    return status();
  }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    start("broadcasting the weights", tensors, [this](std::vector<at::Tensor>& one) { return group_->broadcast(one); });
    return finishAllReduces();
  }

  Result<void> status() override {
    if (const auto broken = line().error()) return *broken;
    const MutexLock lock(mutex_);
    if (!failed_ && group_->getError() != c10d::ErrorType::SUCCESS)
      failed_ = Error{ErrorCode::Device,
                      "NCCL aborted an operation, because a rank or the connection to it failed; the environment "
                      "variable NCCL_DEBUG=INFO shows the cause",
                      {}};
    return failed_ ? Result<void>(*failed_) : Result<void>();
  }

  void abandon(const Error& why) override {
    LineCommunicator::abandon(why);
    abort();
  }

 private:
  // Queues the collective for each tensor, grouped, after all work queued so far on this rank's stream.
  template <typename Collective>
  void start(const std::string& purpose, const std::vector<at::Tensor>& tensors, const Collective& collective) {
    if (tensors.empty()) return;
    attempt(purpose, [&] {
      group_->startCoalescing();
      for (const at::Tensor& tensor : tensors) {
        std::vector<at::Tensor> one{tensor};
        collective(one);
      }
      started_.push_back(group_->endCoalescing());
    });
  }

  // Calls c10d, unless the group has failed; its exceptions are failures of the group.
  template <typename Call>
  void attempt(const std::string& purpose, const Call& call) {
    if (!status().ok()) return;
    try {
      call();
    } catch (const c10::Error& e) {
      {
        const MutexLock lock(mutex_);
        failed_ = Error{ErrorCode::Device, formatText("NCCL: {}: {}", purpose, e.what_without_backtrace()), {}};
      }
      abort();
    }
  }

  // Ends the operations that run on the device, or the host would wait for them forever. Thread-safe.
  void abort() {
    if (aborted_.exchange(true)) return;
    try {
      group_->abort();
    } catch (const c10::Error&) {  // NCCL did not end them; the group has failed already
    }
  }

  const Group group_;
  std::vector<c10::intrusive_ptr<c10d::Work>> started_;  // and not waited for
  std::atomic<bool> aborted_ = false;
  Mutex mutex_;
  std::optional<Error> failed_ GUARDED_BY(mutex_);
};

}  // namespace

Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankLine> line,
                                                           c10::intrusive_ptr<c10d::Store> store) try {
  const auto options = c10d::ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
  options->timeout = kTimeout;
  auto group = c10::make_intrusive<c10d::ProcessGroupNCCL>(std::move(store), static_cast<int>(line->rank()),
                                                           static_cast<int>(line->size()), options);
  auto made = std::make_unique<NcclCommunicator>(std::move(line), std::move(group));
  RETURN_IF_ERROR(made->connect(device));
  return std::unique_ptr<Communicator>(std::move(made));
} catch (const c10::Error& e) {
  return Error{
      ErrorCode::Device, formatText("NCCL: connecting to the other ranks: {}", e.what_without_backtrace()), {}};
}

}  // namespace batchwise
