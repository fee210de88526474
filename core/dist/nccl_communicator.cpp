// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_communicator.h"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dist/messages.h"

namespace batchwise {
namespace {

using Moment = std::chrono::steady_clock::time_point;

double secondsSince(Moment startedAt) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - startedAt).count();
}

// Calls take about 10 us once ranks are connected; connecting takes seconds.
void backOff(int polls) {
  constexpr int kShort = 500;
  if (polls < kShort) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(200));
}

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
                   std::shared_ptr<RankChannel> channel)
      : ChannelCommunicator(std::move(channel)),
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

Result<NcclLibrary> NcclLibrary::load(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error::unsupported(messages::ncclCannotBeLoaded(dlerror()));
  NcclLibrary nccl;
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    all = all && function != nullptr;
  };
  find(nccl.getUniqueId, "ncclGetUniqueId");
  find(nccl.commInitRankConfig, "ncclCommInitRankConfig");
  find(nccl.allReduce, "ncclAllReduce");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.groupStart, "ncclGroupStart");
  find(nccl.groupEnd, "ncclGroupEnd");
  find(nccl.commGetAsyncError, "ncclCommGetAsyncError");
  find(nccl.commAbort, "ncclCommAbort");
  find(nccl.commDestroy, "ncclCommDestroy");
  find(nccl.getErrorString, "ncclGetErrorString");
  if (!all) return Error::unsupported(messages::ncclLibraryTooOld(file));
  return nccl;
}

Error NcclLibrary::error(int code, const Message& what) const {
  return Error{ErrorCode::Device, messages::ncclFailed(what, getErrorString(code)), {}};
}

Result<std::unique_ptr<NcclLink>> NcclLink::connect(const NcclLibrary& nccl, std::shared_ptr<RankChannel> channel,
                                                    double timeoutSec) {
  const Message purpose = messages::meetingRanks();
  NcclId id{};
  if (channel->rank() == 0)
    if (const int code = nccl.getUniqueId(&id); code != kNcclSuccess) return nccl.error(code, purpose);
  ASSIGN_OR_RETURN(const auto ids, channel->exchange(std::string(id.bytes.data(), id.bytes.size())));
  std::memcpy(id.bytes.data(), ids.front().data(), std::min(id.bytes.size(), ids.front().size()));
  NcclComm comm = nullptr;
  NcclConfig config;
  const int code =
      nccl.commInitRankConfig(&comm, static_cast<int>(channel->size()), id, static_cast<int>(channel->rank()), &config);
  if (code != kNcclSuccess && code != kNcclInProgress) return nccl.error(code, purpose);
  std::unique_ptr<NcclLink> link(new NcclLink(nccl, comm, std::move(channel)));
  link->awaitReady(purpose, timeoutSec);
  RETURN_IF_ERROR(link->status());
  return link;
}

NcclLink::NcclLink(const NcclLibrary& nccl, NcclComm comm, std::shared_ptr<RankChannel> channel)
    : nccl_(nccl),
      channel_(std::move(channel)),
      comm_(comm),
      watch_([this](const std::stop_token& stop) { watch(stop); }) {}

NcclLink::~NcclLink() {
  watch_.request_stop();
  watch_.join();
  const MutexLock lock(mutex_);
  if (comm_ != nullptr) nccl_.commDestroy(comm_);
}

void NcclLink::call(const Message& purpose, const std::function<int(NcclComm)>& function) {
  {
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = function(comm_);
    if (code == kNcclSuccess) return;
    if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
  }
  // No timeout: a lost or hanging rank breaks the channel.
  awaitReady(purpose, std::nullopt);
}

void NcclLink::awaitReady(const Message& purpose, std::optional<double> timeoutSec) {
  const Moment startedAt = std::chrono::steady_clock::now();
  for (int polls = 0;; ++polls) {
    {
      const MutexLock lock(mutex_);
      if (broken_) return;
      const int code = state();
      if (code == kNcclSuccess) return;
      if (code != kNcclInProgress) return abort(nccl_.error(code, purpose));
      if (timeoutSec && secondsSince(startedAt) > *timeoutSec)
        return abort(Error{ErrorCode::Device, messages::ncclOperationTimedOut(purpose, *timeoutSec), {}});
    }
    backOff(polls);
  }
}

// Requires comm_ not to be null.
int NcclLink::state() const {
  int code = kNcclSuccess;
  const int asked = nccl_.commGetAsyncError(comm_, &code);
  return asked == kNcclSuccess ? code : asked;
}

// Requires an unbroken link. Also aborts kernels running on the device.
void NcclLink::abort(const Error& why) {
  broken_ = why;
  nccl_.commAbort(std::exchange(comm_, nullptr));
}

void NcclLink::refuse(const Error& why) {
  const MutexLock lock(mutex_);
  if (!broken_) abort(why);
}

Result<void> NcclLink::status() const {
  const MutexLock lock(mutex_);
  return broken_ ? Result<void>(*broken_) : Result<void>();
}

// Without this, NCCL kernels would wait forever for a lost rank, and the host for the kernels.
void NcclLink::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::optional<Error> error = channel_->error();
    const MutexLock lock(mutex_);
    if (broken_) return;
    const int code = state();
    if (error)
      abort(*error);
    else if (code != kNcclSuccess && code != kNcclInProgress)
      abort(nccl_.error(code, messages::ncclSummingGradients()));
  }
}

Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankChannel> channel) {
  ASSIGN_OR_RETURN(const auto nccl, NcclLibrary::load());
  const c10::cuda::CUDAGuard onDevice(device);
  ASSIGN_OR_RETURN(auto link, NcclLink::connect(nccl, channel, kTimeoutSec));
  return std::unique_ptr<Communicator>(
      std::make_unique<NcclCommunicator>(nccl, std::move(link), device, std::move(channel)));
}

}  // namespace batchwise
