// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/nccl_communicator.h"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "core/dist/line_communicator.h"

namespace batchwise {
namespace {

// The part of NCCL's C interface that is used, declared here: the library comes with LibTorch, its header does not.
// These have been the same since NCCL 2.10.
using NcclComm = void*;
struct NcclId {
  std::array<char, 128> bytes;
};
constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;
constexpr int kNcclSum = 0;
constexpr int kNcclBytes = 1;  // ncclUint8

struct Nccl {
  int (*getUniqueId)(NcclId*) = nullptr;
  int (*commInitRank)(NcclComm*, int, NcclId, int) = nullptr;
  int (*allReduce)(const void*, void*, std::size_t, int, int, NcclComm, cudaStream_t) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, NcclComm, cudaStream_t) = nullptr;
  int (*commGetAsyncError)(NcclComm, int*) = nullptr;
  int (*commAbort)(NcclComm) = nullptr;
  int (*commDestroy)(NcclComm) = nullptr;
  const char* (*getErrorString)(int) = nullptr;

  Error error(int code, const char* what) const {
    return Error{ErrorCode::Device, std::string("NCCL: ") + what + ": " + getErrorString(code), {}};
  }
};

Result<Nccl> loadNccl() {
  void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error::unsupported(std::string("NCCL cannot be loaded: ") + dlerror());
  Nccl nccl;
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    all = all && function != nullptr;
  };
  find(nccl.getUniqueId, "ncclGetUniqueId");
  find(nccl.commInitRank, "ncclCommInitRank");
  find(nccl.allReduce, "ncclAllReduce");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.commGetAsyncError, "ncclCommGetAsyncError");
  find(nccl.commAbort, "ncclCommAbort");
  find(nccl.commDestroy, "ncclCommDestroy");
  find(nccl.getErrorString, "ncclGetErrorString");
  if (!all) return Error::unsupported("libnccl.so.2 is older than 2.10");
  return nccl;
}

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

class NcclCommunicator final : public LineCommunicator {
 public:
  NcclCommunicator(Nccl nccl, NcclComm comm, c10::Device device, std::shared_ptr<RankLine> line)
      : LineCommunicator(std::move(line)),
        nccl_(nccl),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index())),
        comm_(comm),
        watch_([this](const std::stop_token& stop) { watch(stop); }) {}

  ~NcclCommunicator() override {
    watch_.request_stop();
    watch_.join();
    const std::scoped_lock lock(mutex_);
    if (!failed_) nccl_.commDestroy(comm_);
  }

  Result<void> sumTensors(const std::vector<at::Tensor>& tensors) override {
    for (const at::Tensor& tensor : tensors) beginSum(tensor);
    return finishSums();
  }

  void beginSum(const at::Tensor& tensor) override {
    const auto type = ncclType(tensor.scalar_type());
    if (!type) return fail(Error::internal(std::string("ranks cannot add up ") + c10::toString(tensor.scalar_type())));
    afterPresentWork();
    const std::scoped_lock lock(mutex_);
    if (failed_) return;
    const int code = nccl_.allReduce(tensor.data_ptr(), tensor.data_ptr(), static_cast<std::size_t>(tensor.numel()),
                                     *type, kNcclSum, comm_, stream_.stream());
    if (code != kNcclSuccess) failed_ = nccl_.error(code, "adding up gradients");
  }

  Result<void> finishSums() override {
    at::cuda::CUDAEvent done;
    done.record(stream_);
    done.block(c10::cuda::getCurrentCUDAStream(stream_.device_index()));
    return whole();
  }

  Result<void> copyFromFirst(const std::vector<at::Tensor>& tensors) override {
    afterPresentWork();
    for (const at::Tensor& tensor : tensors) {
      const std::scoped_lock lock(mutex_);
      if (failed_) return *failed_;
      const int code = nccl_.broadcast(tensor.data_ptr(), tensor.data_ptr(), tensor.nbytes(), kNcclBytes, 0, comm_,
                                       stream_.stream());
      if (code != kNcclSuccess) failed_ = nccl_.error(code, "handing out the weights");
    }
    return finishSums();
  }

  Result<void> whole() override {
    const std::scoped_lock lock(mutex_);
    return failed_ ? Result<void>(*failed_) : Result<void>();
  }

 private:
  // What NCCL's stream does next comes after what this rank's stream has been given so far.
  void afterPresentWork() {
    at::cuda::CUDAEvent ready;
    ready.record(c10::cuda::getCurrentCUDAStream(stream_.device_index()));
    ready.block(stream_);
  }

  void fail(Error why) {
    const std::scoped_lock lock(mutex_);
    if (!failed_) failed_ = std::move(why);
  }

  // A kernel of NCCL waits for ever for a rank that is gone, and the host for the kernel.
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::optional<Error> trouble = line().trouble();
      const std::scoped_lock lock(mutex_);
      int code = kNcclSuccess;
      const int asked = nccl_.commGetAsyncError(comm_, &code);
      const bool broken = asked != kNcclSuccess || (code != kNcclSuccess && code != kNcclInProgress);
      if (!trouble && !broken) continue;
      failed_ = trouble ? *trouble : nccl_.error(code, "adding up gradients");
      nccl_.commAbort(comm_);
      return;
    }
  }

  const Nccl nccl_;
  const c10::cuda::CUDAStream stream_;
  std::mutex mutex_;  // guards comm_ and failed_
  NcclComm comm_;
  std::optional<Error> failed_;
  std::jthread watch_;  // last: ends first
};

}  // namespace

Result<std::unique_ptr<Communicator>> makeNcclCommunicator(c10::Device device, std::shared_ptr<RankLine> line) {
  const Result<Nccl> nccl = loadNccl();
  if (!nccl.ok()) return nccl.error();
  NcclId id{};
  if (line->rank() == 0)
    if (const int code = nccl->getUniqueId(&id); code != kNcclSuccess)
      return nccl->error(code, "meeting the other ranks");
  const Result<std::vector<std::string>> ids = line->exchange(std::string(id.bytes.data(), id.bytes.size()));
  if (!ids.ok()) return ids.error();
  std::memcpy(id.bytes.data(), ids->front().data(), std::min(id.bytes.size(), ids->front().size()));
  const c10::cuda::CUDAGuard onDevice(device);
  NcclComm comm = nullptr;
  const int code = nccl->commInitRank(&comm, static_cast<int>(line->size()), id, static_cast<int>(line->rank()));
  if (code != kNcclSuccess) return nccl->error(code, "meeting the other ranks");
  return std::unique_ptr<Communicator>(std::make_unique<NcclCommunicator>(*nccl, comm, device, std::move(line)));
}

}  // namespace batchwise
