// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint/checkpoint_state.h"

#include <torch/torch.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>

#include "core/base/format.h"
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

}  // namespace batchwise
