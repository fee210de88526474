// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/micro_batch.h"

namespace batchwise {

/// A micro-batch as tensors on one device; sequences are concatenated in the order of the micro-batch.
struct DeviceBatch {
  at::Tensor tokenIds;            ///< [tokens], int64
  at::Tensor positions;           ///< [tokens], int64: position of the token in its sequence
  at::Tensor rowKeys;             ///< [tokens], int64: dropoutRowKey()
  at::Tensor sequenceStarts;      ///< [sequences + 1], int32
  at::Tensor predictedPositions;  ///< [predicted], int64, indices into tokenIds
  at::Tensor labels;              ///< [predicted], int64
  std::shared_ptr<const std::vector<std::int32_t>> hostStarts;       ///< sequenceStarts on the host
  std::shared_ptr<const std::vector<std::int32_t>> predictedStarts;  ///< [sequences + 1], into predictedPositions
  at::Tensor predictedStartsTensor;                                  ///< the same on the device, int32
  std::int32_t maxPredicted = 0;                                     ///< maximum over the sequences
  std::int32_t longest = 0;
  std::int64_t sequences = 0;
  std::int64_t firstIndexInStep = 0;

  std::int64_t tokens() const { return tokenIds.defined() ? tokenIds.size(0) : 0; }
  std::int64_t predicted() const { return labels.defined() ? labels.size(0) : 0; }
};

/// Copies a micro-batch to `device`; on CUDA asynchronously from pinned memory, on the current stream.
DeviceBatch toDevice(const MicroBatch& batch, at::Device device);

}  // namespace batchwise
