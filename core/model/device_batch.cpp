// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_batch.h"

#include <torch/torch.h>

#include <algorithm>
#include <cstring>

#include "core/kernels/dropout.h"

namespace batchwise {
namespace {

/// Returns a host tensor with these values; pinned for CUDA, so that the copy is asynchronous.
template <typename Stored, typename Value>
at::Tensor hostTensor(const std::vector<Value>& values, at::Device device) {
  auto options = at::TensorOptions().dtype(c10::CppTypeToScalarType<Stored>::value).pinned_memory(device.is_cuda());
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, options);
  std::transform(values.begin(), values.end(), tensor.mutable_data_ptr<Stored>(),
                 [](Value value) { return static_cast<Stored>(value); });
  return tensor;
}

template <typename Stored, typename Value>
at::Tensor deviceTensor(const std::vector<Value>& values, at::Device device) {
  const at::Tensor host = hostTensor<Stored>(values, device);
  return device.is_cuda() ? host.to(device, /*non_blocking=*/true) : host;
}

/// Returns the offset of each sequence's predicted tokens among all predicted tokens, [sequences + 1].
std::vector<std::int32_t> predictedStarts(const MicroBatch& batch) {
  std::vector<std::int32_t> starts;
  starts.reserve(batch.sequenceStarts.size());
  for (const std::int32_t first : batch.sequenceStarts) {
    const auto at = std::lower_bound(batch.predictedPositions.begin(), batch.predictedPositions.end(), first);
    starts.push_back(static_cast<std::int32_t>(at - batch.predictedPositions.begin()));
  }
  return starts;
}

}  // namespace

DeviceBatch toDevice(const MicroBatch& batch, at::Device device) {
  const auto tokens = static_cast<std::size_t>(batch.tokens());
  std::vector<std::int64_t> positions(tokens);
  std::vector<std::int64_t> rowKeys(tokens);
  for (std::size_t sequence = 0; sequence + 1 < batch.sequenceStarts.size(); ++sequence) {
    const std::int64_t first = batch.sequenceStarts[sequence];
    for (std::int64_t i = first; i < batch.sequenceStarts[sequence + 1]; ++i) {
      positions[static_cast<std::size_t>(i)] = i - first;
      rowKeys[static_cast<std::size_t>(i)] = dropoutRowKey(batch.indicesInStep[sequence], i - first);
    }
  }
  DeviceBatch result;
  result.tokenIds = deviceTensor<std::int64_t>(batch.tokenIds, device);
  result.positions = deviceTensor<std::int64_t>(positions, device);
  result.rowKeys = deviceTensor<std::int64_t>(rowKeys, device);
  result.sequenceStarts = deviceTensor<std::int32_t>(batch.sequenceStarts, device);
  result.predictedPositions = deviceTensor<std::int64_t>(batch.predictedPositions, device);
  result.labels = deviceTensor<std::int64_t>(batch.labels, device);
  result.hostStarts = std::make_shared<const std::vector<std::int32_t>>(batch.sequenceStarts);
  result.predictedStarts = std::make_shared<const std::vector<std::int32_t>>(predictedStarts(batch));
  result.predictedStartsTensor = deviceTensor<std::int32_t>(*result.predictedStarts, device);
  for (std::size_t i = 0; i + 1 < result.predictedStarts->size(); ++i)
    result.maxPredicted =
        std::max(result.maxPredicted, (*result.predictedStarts)[i + 1] - (*result.predictedStarts)[i]);
  result.longest = batch.longest;
  result.sequences = batch.sequences();
  result.firstIndexInStep = batch.firstIndexInStep;
  return result;
}

}  // namespace batchwise
