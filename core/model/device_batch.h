// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/micro_batch.h"

namespace batchwise {

/// A micro-batch as tensors on one device; sequences one behind the other, in the order of the micro-batch.
struct DeviceBatch {
  at::Tensor tokenIds;            ///< [tokens], int64
  at::Tensor positions;           ///< [tokens], int64: place of the token in its sequence
  at::Tensor rowKeys;             ///< [tokens], int64: sample's place in the step << 32 | position, for dropout
  at::Tensor sequenceStarts;      ///< [sequences + 1], int32
  at::Tensor predictedPositions;  ///< [predicted], int64, into tokenIds
  at::Tensor labels;              ///< [predicted], int64
  std::shared_ptr<const std::vector<std::int32_t>> hostStarts;       ///< sequenceStarts on the host
  std::shared_ptr<const std::vector<std::int32_t>> predictedStarts;  ///< [sequences + 1], into predictedPositions
  at::Tensor predictedStartsTensor;                                  ///< the same, int32, on the device
  std::int32_t mostPredicted = 0;                                    ///< of one sequence
  std::int32_t longest = 0;
  std::int64_t sequences = 0;
  std::int64_t firstPlaceInStep = 0;

  std::int64_t tokens() const { return tokenIds.defined() ? tokenIds.size(0) : 0; }
  std::int64_t predicted() const { return labels.defined() ? labels.size(0) : 0; }
};

/// Copies to `device`: pinned and without waiting on CUDA (the current stream), by plain copies on the CPU.
DeviceBatch toDevice(const MicroBatch& batch, at::Device device);

}  // namespace batchwise
