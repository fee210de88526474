// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint_state.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>

#include "core/store/checkpoints/checkpoint_file.h"

namespace batchwise {
namespace {

struct TypeName {
  const char* name;
  at::ScalarType type;
};
constexpr std::array kTypeNames = {
    TypeName{"fp32", at::kFloat}, TypeName{"fp64", at::kDouble}, TypeName{"bf16", at::kBFloat16},
    TypeName{"fp16", at::kHalf},  TypeName{"i64", at::kLong},    TypeName{"i32", at::kInt},
    TypeName{"u8", at::kByte},
};

std::string typeName(at::ScalarType type) {
  for (const TypeName& known : kTypeNames)
    if (known.type == type) return known.name;
  return {};
}

std::optional<at::ScalarType> typeFromName(const std::string& name) {
  for (const TypeName& known : kTypeNames)
    if (name == known.name) return known.type;
  return std::nullopt;
}

std::span<std::byte> bytesOf(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

// In memory of its own, which does not count against the limit on tensors of a device: a copy on its way to the disk is
// not part of a step.
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
  if (!type) return Error::corrupt("tensor " + entry.name + " has the unknown type '" + entry.type + "'");
  // The sizes come from a file: the product is checked before anything is allocated.
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(*type));
  for (const std::int64_t size : entry.shape)
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes))
      return Error::corrupt("tensor " + entry.name + " has an impossible shape");
  if (bytes != entry.bytes)
    return Error::corrupt("tensor " + entry.name + " has " + std::to_string(entry.bytes) +
                          " bytes where its shape takes " + std::to_string(bytes));
  return hostTensor(entry.shape, *type);
}

}  // namespace

std::int64_t CheckpointState::tensorBytes() const {
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
  Result<CheckpointWriter> writer = CheckpointWriter::create(path, state.tensorBytes());
  if (!writer.ok()) return writer.error();
  for (const NamedTensor& named : state.tensors) {
    CheckpointEntry entry;
    entry.name = named.name;
    entry.type = typeName(named.tensor.scalar_type());
    if (entry.type.empty()) return Error::internal("tensor " + named.name + " has a type that checkpoints do not know");
    entry.shape = named.tensor.sizes().vec();
    entry.bytes = static_cast<std::int64_t>(named.tensor.nbytes());
    if (Result<void> added = writer->add(entry, bytesOf(named.tensor)); !added.ok()) return added;
  }
  return writer->finish(state.facts);
}

Result<CheckpointState> readCheckpoint(const std::filesystem::path& path) {
  Result<CheckpointReader> reader = CheckpointReader::open(path);
  if (!reader.ok()) return reader.error();
  CheckpointState state;
  state.facts = reader->facts();
  for (const CheckpointEntry& entry : reader->entries()) {
    Result<at::Tensor> tensor = makeTensor(entry);
    if (!tensor.ok()) return tensor.error().within(path.string());
    if (Result<void> read = reader->read(entry.name, bytesOf(*tensor)); !read.ok()) return read.error();
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
