// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint/checkpoint_state.h"

#include <c10/core/Event.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "core/base/format.h"
#include "core/model/device_batch.h"
#include "core/model/device_error.h"
#include "core/store/checkpoints/checkpoint_file.h"

namespace batchwise {
namespace {

constexpr std::pair<std::string_view, at::ScalarType> kTypeNames[] = {
    {"fp32", at::kFloat}, {"fp64", at::kDouble}, {"bf16", at::kBFloat16}, {"fp16", at::kHalf},
    {"i64", at::kLong},   {"i32", at::kInt},     {"u8", at::kByte}};

/// Returns the name of the type in checkpoints; empty if they do not support it.
std::string typeName(at::ScalarType type) {
  for (const auto& [name, known] : kTypeNames)
    if (known == type) return std::string(name);
  return {};
}

std::optional<at::ScalarType> typeFromName(std::string_view name) {
  for (const auto& [known, type] : kTypeNames)
    if (known == name) return type;
  return std::nullopt;
}

std::span<std::byte> bytesOf(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

// Allocates outside of LibTorch's allocator, so that the copy does not count against the device memory limit of a step.
at::Tensor hostTensor(at::IntArrayRef sizes, at::ScalarType type) {
  std::size_t bytes = c10::elementSize(type);
  for (const std::int64_t size : sizes) bytes *= static_cast<std::size_t>(size);
  constexpr std::size_t kLine = 64;
  void* memory = std::aligned_alloc(kLine, (bytes + kLine) / kLine * kLine);
  TORCH_CHECK_WITH(OutOfMemoryError, memory != nullptr, "the system has no ", bytes, " bytes for a checkpoint");
  return torch::from_blob(
      memory, sizes, [](void* data) { std::free(data); }, type);
}

Result<at::Tensor> makeTensor(const CheckpointEntry& entry) {
  const std::optional<at::ScalarType> type = typeFromName(entry.type);
  if (!type) return Error::corrupt(formatText("tensor {} has the unknown type '{}'", entry.name, entry.type));
  // Shapes are untrusted: check for overflow before allocating.
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(*type));
  for (const std::int64_t size : entry.shape)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
      return Error::corrupt(formatText("tensor {} has an impossible shape", entry.name));
  if (bytes != entry.bytes)
    return Error::corrupt(formatText("tensor {} has {} bytes, but its shape takes {}", entry.name, entry.bytes, bytes));
  return hostTensor(entry.shape, *type);
}

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

std::int64_t tensorBytes(const std::vector<NamedTensor>& tensors) {
  std::int64_t bytes = 0;
  for (const NamedTensor& named : tensors) bytes += static_cast<std::int64_t>(named.tensor.nbytes());
  return bytes;
}

std::vector<NamedTensor> hostTensorsLike(const std::vector<NamedTensor>& tensors,
                                         const std::vector<NamedTensor>& spare) {
  std::vector<NamedTensor> made;
  made.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const at::Tensor& like = tensors[i].tensor;
    const bool fits = spare.size() == tensors.size() && spare[i].tensor.sizes() == like.sizes() &&
                      spare[i].tensor.scalar_type() == like.scalar_type();
    made.push_back({tensors[i].name, fits ? spare[i].tensor : hostTensor(like.sizes(), like.scalar_type())});
  }
  return made;
}

std::vector<NamedTensor> copyToHost(const std::vector<NamedTensor>& tensors, const std::vector<NamedTensor>& spare) {
  const torch::NoGradGuard noGrad;
  std::vector<NamedTensor> copies = hostTensorsLike(tensors, spare);
  for (std::size_t i = 0; i < tensors.size(); ++i) copies[i].tensor.copy_(tensors[i].tensor.detach());
  return copies;
}

bool allFinite(const std::vector<NamedTensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const NamedTensor& named) {
    return holdsFiniteNumbers(typeName(named.tensor.scalar_type()), bytesOf(named.tensor));
  });
}

Result<void> writeCheckpoint(const std::filesystem::path& path, const CheckpointState& state) {
  ASSIGN_OR_RETURN(auto writer, CheckpointWriter::create(path, tensorBytes(state.tensors)));
  for (const NamedTensor& named : state.tensors) {
    CheckpointEntry entry;
    entry.name = named.name;
    entry.type = typeName(named.tensor.scalar_type());
    if (entry.type.empty())
      return Error::internal(formatText("tensor {} has a type that checkpoints do not support", named.name));
    entry.shape = named.tensor.sizes().vec();
    entry.bytes = static_cast<std::int64_t>(named.tensor.nbytes());
    RETURN_IF_ERROR(writer.add(entry, bytesOf(named.tensor)));
  }
  return writer.finish(state.facts);
}

Result<CheckpointState> readCheckpoint(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(auto reader, CheckpointReader::open(path));
  CheckpointState state;
  state.facts = reader.facts();
  for (const CheckpointEntry& entry : reader.entries()) {
    Result<at::Tensor> tensor = makeTensor(entry);
    if (!tensor.ok()) return tensor.error().within(path.string());
    RETURN_IF_ERROR(reader.read(entry.name, bytesOf(*tensor)));
    state.tensors.push_back({entry.name, std::move(*tensor)});
  }
  return state;
}

std::vector<NamedTensor> tensorsUnder(const CheckpointState& state, const std::string& prefix) {
  std::vector<NamedTensor> found;
  for (const NamedTensor& named : state.tensors)
    if (named.name.starts_with(prefix)) found.push_back({named.name.substr(prefix.size()), named.tensor});
  return found;
}

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
