// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint/snapshot.h"

#include <c10/core/Event.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>

#include "core/model/device_batch.h"
#include "core/model/device_error.h"
#include "core/train/checkpoint/checkpoint_state.h"

namespace batchwise {
namespace {

/// Two page-locked buffers (cached by LibTorch), instead of one for all weights.
class PinnedStagingBuffers final : public StagingBuffers {
 public:
  explicit PinnedStagingBuffers(c10::cuda::CUDAStream stream) : stream_(stream) {
    for (at::Tensor& buffer : buffers_) buffer = stagingTensor({kBytes}, at::kByte, stream.device());
  }
  std::int64_t count() const override { return std::ssize(buffers_); }
  std::int64_t bytes() const override { return kBytes; }
  void begin(std::int64_t stage, const at::Tensor& source) override {
    const auto i = static_cast<std::size_t>(stage);
    buffers_[i].narrow(0, 0, source.numel()).copy_(source, /*non_blocking=*/true);
    filled_[i].record(stream_);
  }
  const void* wait(std::int64_t stage) override {
    const auto i = static_cast<std::size_t>(stage);
    filled_[i].synchronize();
    return buffers_[i].const_data_ptr();
  }

 private:
  static constexpr std::int64_t kBytes = std::int64_t{32} << 20;
  const c10::cuda::CUDAStream stream_;
  std::array<at::Tensor, 2> buffers_;
  std::array<c10::Event, 2> filled_ = {c10::Event(c10::kCUDA), c10::Event(c10::kCUDA)};
};

class GpuSnapshot final : public Snapshot {
 public:
  GpuSnapshot(const std::vector<NamedTensor>& tensors, c10::Device device) : device_(device) {
    const torch::NoGradGuard noGrad;
    const c10::cuda::CUDAGuard onDevice(device_);
    // Copies hundreds of tensors, nearly all fp32, in few kernels.
    std::vector<at::Tensor> batchedCopies, originals;
    for (const auto& [name, tensor] : tensors) {
      const at::Tensor original = tensor.detach();
      const bool withOthers = original.is_cuda() && original.scalar_type() == at::kFloat && original.is_contiguous();
      copies_.push_back({name, withOthers ? at::empty_like(original) : original.clone(at::MemoryFormat::Contiguous)});
      if (!withOthers) continue;
      batchedCopies.push_back(copies_.back().tensor);
      originals.push_back(original);
    }
    if (!batchedCopies.empty()) at::_foreach_copy_(batchedCopies, originals);
    made_.record(c10::cuda::getCurrentCUDAStream(device_.index()));
  }

  std::int64_t bytes() const override { return tensorBytes(copies_); }

  std::vector<NamedTensor> toHost(const std::vector<NamedTensor>& spare) override {
    const torch::NoGradGuard noGrad;
    const c10::cuda::CUDAGuard onDevice(device_);
    const c10::cuda::CUDAStream copyStream = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device_.index());
    const c10::cuda::CUDAStreamGuard onStream(copyStream);
    made_.block(copyStream);
    std::vector<NamedTensor> host = hostTensorsLike(copies_, spare);
    PinnedStagingBuffers stages(copyStream);
    copyStaged(stages, copies_, host);
    // All copies have been read, so their memory may return to the original stream.
    copies_.clear();
    return host;
  }

 private:
  const c10::Device device_;
  std::vector<NamedTensor> copies_;
  c10::Event made_{c10::kCUDA};  // unlike at::cuda::CUDAEvent it can be released when the GPU has failed
};

}  // namespace

std::unique_ptr<Snapshot> takeSnapshot(const std::vector<NamedTensor>& tensors, std::int64_t availableBytes,
                                       const MakeSnapshot& make) try {
  return tensorBytes(tensors) <= availableBytes ? make(tensors) : nullptr;
} catch (const std::exception& e) {
  if (!isOutOfMemory(e)) throw;
  return nullptr;
}

std::unique_ptr<Snapshot> makeGpuSnapshot(const std::vector<NamedTensor>& tensors) {
  return std::make_unique<GpuSnapshot>(tensors, tensors.front().tensor.device());
}

void copyStaged(StagingBuffers& stages, const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to) {
  struct Destination {
    std::byte* to = nullptr;  // null: the buffer is unused
    std::size_t bytes = 0;
  };
  std::vector<Destination> destinations(static_cast<std::size_t>(stages.count()));
  const auto empty = [&](std::int64_t stage) {
    const Destination filled = std::exchange(destinations[static_cast<std::size_t>(stage)], {});
    if (filled.to != nullptr) std::memcpy(filled.to, stages.wait(stage), filled.bytes);
  };
  std::int64_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].tensor.numel() == 0) continue;
    const at::Tensor bytes = from[i].tensor.reshape({-1}).view(at::kByte);
    auto* const target = static_cast<std::byte*>(to[i].tensor.mutable_data_ptr());
    for (std::int64_t first = 0; first < bytes.numel(); first += stages.bytes()) {
      const std::int64_t size = std::min(stages.bytes(), bytes.numel() - first);
      empty(next);
      stages.begin(next, bytes.narrow(0, first, size));
      destinations[static_cast<std::size_t>(next)] = {target + first, static_cast<std::size_t>(size)};
      next = (next + 1) % stages.count();
    }
  }
  for (std::int64_t i = 0; i < stages.count(); ++i) empty((next + i) % stages.count());  // oldest first
}

}  // namespace batchwise
