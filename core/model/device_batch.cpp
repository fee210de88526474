// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_batch.h"

#include <ATen/core/CachingHostAllocator.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/model/kernels/dropout.h"

namespace batchwise {
namespace {

template <typename Stored, typename Value>
at::Tensor hostTensor(const std::vector<Value>& values, at::Device device) {
  const at::Tensor tensor =
      stagingTensor({static_cast<std::int64_t>(values.size())}, c10::CppTypeToScalarType<Stored>::value, device);
  std::transform(values.begin(), values.end(), tensor.mutable_data_ptr<Stored>(),
                 [](Value value) { return static_cast<Stored>(value); });
  return tensor;
}

template <typename Stored, typename Value>
at::Tensor deviceTensor(const std::vector<Value>& values, at::Device device) {
  const at::Tensor host = hostTensor<Stored>(values, device);
  return device.is_cuda() ? host.to(device, /*non_blocking=*/true) : host;
}

const std::vector<std::int32_t>& segmentsOf(const MicroBatch& batch) {
  return batch.attentionStarts.empty() ? batch.sequenceStarts : batch.attentionStarts;
}

/// Returns the position of each token in its segment, [tokens].
std::vector<std::int64_t> placesOf(const MicroBatch& batch) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(batch.tokens()));
  const std::vector<std::int32_t>& starts = segmentsOf(batch);
  for (std::size_t segment = 0; segment + 1 < starts.size(); ++segment)
    for (std::int64_t i = starts[segment]; i < starts[segment + 1]; ++i)
      places[static_cast<std::size_t>(i)] = i - starts[segment];
  return places;
}

std::vector<std::int64_t> rowKeysOf(const MicroBatch& batch) {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(batch.tokens()));
  for (std::size_t sequence = 0; sequence + 1 < batch.sequenceStarts.size(); ++sequence) {
    const std::int64_t first = batch.sequenceStarts[sequence];
    for (std::int64_t i = first; i < batch.sequenceStarts[sequence + 1]; ++i)
      keys[static_cast<std::size_t>(i)] = dropoutRowKey(batch.indicesInStep[sequence], i - first);
  }
  return keys;
}

/// Returns the offset of each segment's predicted tokens among all predicted tokens, [segments + 1].
std::vector<std::int32_t> predictedStarts(const MicroBatch& batch) {
  std::vector<std::int32_t> starts;
  starts.reserve(segmentsOf(batch).size());
  for (const std::int32_t first : segmentsOf(batch)) {
    const auto at = std::lower_bound(batch.predictedPositions.begin(), batch.predictedPositions.end(), first);
    starts.push_back(static_cast<std::int32_t>(at - batch.predictedPositions.begin()));
  }
  return starts;
}

std::vector<std::int32_t> predictedPlaces(const MicroBatch& batch, const std::vector<std::int64_t>& places) {
  std::vector<std::int32_t> chosen;
  chosen.reserve(batch.predictedPositions.size());
  for (const std::int32_t position : batch.predictedPositions)
    chosen.push_back(static_cast<std::int32_t>(places[static_cast<std::size_t>(position)]));
  return chosen;
}

/// Returns the largest difference of neighbours.
std::int32_t longestOf(const std::vector<std::int32_t>& starts) {
  std::int32_t longest = 0;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) longest = std::max(longest, starts[i + 1] - starts[i]);
  return longest;
}

// LibTorch's, the same for all of its page-locked memory.
std::atomic<c10::DeleterFnPtr> releaseThatThrows = nullptr;

// It records an event for each stream that has used the memory, which a GPU that has failed refuses. The memory is then
// lost, as everything on that GPU is.
void releaseWithoutThrowing(void* context) try { releaseThatThrows.load()(context); } catch (const c10::Error&) {
}

}  // namespace

DeviceBatch toDevice(const MicroBatch& batch, at::Device device) {
  const std::vector<std::int64_t> places = placesOf(batch);
  DeviceBatch result;
  result.tokenIds = deviceTensor<std::int64_t>(batch.tokenIds, device);
  result.positions = deviceTensor<std::int64_t>(places, device);
  result.rowKeys = deviceTensor<std::int64_t>(rowKeysOf(batch), device);
  if (!batch.segmentTypes.empty()) result.segmentTypes = deviceTensor<std::int64_t>(batch.segmentTypes, device);
  result.attentionStarts = deviceTensor<std::int32_t>(segmentsOf(batch), device);
  result.predictedPositions = deviceTensor<std::int64_t>(batch.predictedPositions, device);
  result.labels = deviceTensor<std::int64_t>(batch.labels, device);
  result.hostStarts = std::make_shared<const std::vector<std::int32_t>>(segmentsOf(batch));
  result.predictedStarts = std::make_shared<const std::vector<std::int32_t>>(predictedStarts(batch));
  result.predictedStartsTensor = deviceTensor<std::int32_t>(*result.predictedStarts, device);
  result.predictedPlaces = std::make_shared<const std::vector<std::int32_t>>(predictedPlaces(batch, places));
  result.maxPredicted = longestOf(*result.predictedStarts);
  result.longest = longestOf(*result.hostStarts);
  result.sequences = batch.sequences();
  result.firstIndexInStep = batch.firstIndexInStep;
  return result;
}

at::Tensor stagingTensor(at::IntArrayRef sizes, at::ScalarType type, at::Device device) {
  if (device.is_cpu()) return at::empty(sizes, type);
  const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * c10::elementSize(type);
  c10::DataPtr memory = at::getHostAllocator(device.type())->allocate(bytes);
  // Its context stays LibTorch's, by which a copy finds the memory that it uses.
  if (memory.get_context() != nullptr) {
    releaseThatThrows = memory.get_deleter();
    TORCH_CHECK(memory.compare_exchange_deleter(memory.get_deleter(), &releaseWithoutThrowing),
                "page-locked memory has no deleter");
  }
  return at::empty({0}, type).set_(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory), /*allocator=*/nullptr,
                   /*resizable=*/false),
      0, sizes);
}

}  // namespace batchwise
