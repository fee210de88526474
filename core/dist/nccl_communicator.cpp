// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_communicator.h"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>
#include <utility>

#include "core/base/return_if_error.h"
#include "core/dist/channel_communicator.h"
#include "core/dist/messages.h"
#include "core/dist/nccl_link.h"

namespace batchwise {
namespace {

constexpr double kTimeoutSec = 300.0;  // for all ranks to connect

std::optional<int> ncclType(at::ScalarType type) {
  switch (type) {
    case at::kLong: return 4;
    case at::kHalf: return 6;
    case at::kFloat: return 7;
    case at::kDouble: return 8;
    case at::kBFloat16: return 9;
    default: return std::nullopt;
  }
}

class NcclCommunicator final : public ChannelCommunicator {
 public:
  NcclCommunicator(const NcclLibrary& nccl, std::unique_ptr<NcclLink> link, c10::Device device,
                   std::shared_ptr<RankChannel> line)
      : ChannelCommunicator(std::move(line)),
        nccl_(nccl),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index())),
        link_(std::move(link)) {}

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    add(messages::ncclSummingValues(), tensors);
    return finishAllReduces();
  }

  void startAllReduce(const at::Tensor& tensor) override { add(messages::ncclSummingGradients(), {tensor}); }

  Result<void> finishAllReduces() override {
    at::cuda::CUDAEvent done;
    done.record(stream_);
    done.block(c10::cuda::getCurrentCUDAStream(stream_.device_index()));
    return status();
  }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    queue(messages::ncclBroadcastingWeights(), tensors, [this](const at::Tensor& tensor, NcclComm comm) {
      return nccl_.broadcast(tensor.data_ptr(), tensor.data_ptr(), tensor.nbytes(), kNcclBytes, 0, comm,
                             stream_.stream());
    });
    return finishAllReduces();
  }

  Result<void> status() override { return link_->status(); }

 private:
  // Queues a grouped call on NCCL's stream, after all work queued so far on this rank's stream. Grouped, because NCCL
  // uses a thread for each nonblocking call.
  template <typename Each>
  void queue(const Message& purpose, const std::vector<at::Tensor>& tensors, const Each& each) {
    at::cuda::CUDAEvent ready;
    ready.record(c10::cuda::getCurrentCUDAStream(stream_.device_index()));
    ready.block(stream_);
    link_->call(purpose, [&](NcclComm comm) {
      int code = nccl_.groupStart();
      for (const at::Tensor& tensor : tensors)
        if (code == kNcclSuccess || code == kNcclInProgress) code = each(tensor, comm);
      const int ended = nccl_.groupEnd();
      return code == kNcclSuccess || code == kNcclInProgress ? ended : code;
    });
  }

  // Queues an all-reduce, or nothing if one of the types is unsupported.
  void add(const Message& purpose, const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors)
      if (!ncclType(tensor.scalar_type()))
        return link_->refuse(
            Error::unsupported(messages::ncclCannotSumType(purpose, c10::toString(tensor.scalar_type()))));
    queue(purpose, tensors, [this](const at::Tensor& tensor, NcclComm comm) {
      return nccl_.allReduce(tensor.data_ptr(), tensor.data_ptr(), static_cast<std::size_t>(tensor.numel()),
                             *ncclType(tensor.scalar_type()), kNcclSum, comm, stream_.stream());
    });
  }

  const NcclLibrary nccl_;
  const c10::cuda::CUDAStream stream_;
  const std::unique_ptr<NcclLink> link_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankChannel> line) {
  ASSIGN_OR_RETURN(const auto nccl, NcclLibrary::load());
  const c10::cuda::CUDAGuard onDevice(device);
  ASSIGN_OR_RETURN(auto link, NcclLink::connect(nccl, line, kTimeoutSec));
  return std::unique_ptr<Communicator>(
      std::make_unique<NcclCommunicator>(nccl, std::move(link), device, std::move(line)));
}

}  // namespace batchwise
