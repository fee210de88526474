// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/text/masking.h"

namespace batchwise {

/// A micro-batch as tensors on one device; sequences are concatenated in the order of the micro-batch. Attention stays
/// inside a segment, which is a sequence, or one of its documents (MicroBatch::attentionStarts).
struct DeviceBatch {
  at::Tensor tokenIds;            ///< [tokens], int64
  at::Tensor positions;           ///< [tokens], int64: position of the token in its segment
  at::Tensor rowKeys;             ///< [tokens], int64: dropoutRowKey() of the position in the sequence
  at::Tensor segmentTypes;        ///< [tokens], int64; undefined: all 0
  at::Tensor attentionStarts;     ///< [segments + 1], int32
  at::Tensor predictedPositions;  ///< [predicted], int64, indices into tokenIds
  at::Tensor labels;              ///< [predicted], int64
  std::shared_ptr<const std::vector<std::int32_t>> hostStarts;       ///< attentionStarts on the host
  std::shared_ptr<const std::vector<std::int32_t>> predictedStarts;  ///< [segments + 1], into predictedPositions
  at::Tensor predictedStartsTensor;                                  ///< the same on the device, int32
  /// [predicted]: positions of the predicted tokens in their segments, on the host.
  std::shared_ptr<const std::vector<std::int32_t>> predictedPlaces;
  std::int32_t maxPredicted = 0;  ///< maximum over the segments
  std::int32_t longest = 0;       ///< tokens of the longest segment
  std::int64_t sequences = 0;
  std::int64_t firstIndexInStep = 0;

  std::int64_t tokens() const { return tokenIds.defined() ? tokenIds.size(0) : 0; }
  std::int64_t predicted() const { return labels.defined() ? labels.size(0) : 0; }
};

/// Copies a micro-batch to `device`; on CUDA asynchronously from pinned memory, on the current stream.
DeviceBatch toDevice(const MicroBatch& batch, at::Device device);

/// Returns a host tensor without content, to copy to or from `device`: for a GPU in page-locked memory, cached by
/// LibTorch, so that copies are asynchronous. LibTorch waits with the memory's next use for copies that were queued
/// before its release.
///
/// Its release never throws. LibTorch's does once the GPU has failed, in a destructor, which ends the process: so use
/// this for all page-locked memory.
at::Tensor stagingTensor(at::IntArrayRef sizes, at::ScalarType type, at::Device device);

}  // namespace batchwise
