// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/model/hugging_face/safetensors.h"

namespace batchwise {

/// Tensors of one file, or of the shards that an index lists; memory-mapped. Immutable and thread-safe.
class WeightsReader {
 public:
  /// Opens a file, or of a folder the first of model.safetensors, its index (model.safetensors.index.json),
  /// pytorch_model.bin and its index; of a sentence-transformers folder those of the Transformer. Fails with NotFound,
  /// Io, or as parseSafetensors() and, for a name that ends in .bin, parseTorchFile().
  static Result<WeightsReader> open(const std::filesystem::path& path);

  const std::vector<TensorInfo>& tensors() const;
  /// Returns the elements of tensor `index` as fp32. Fails with NonFinite if an element is not finite in fp32.
  Result<std::vector<float>> readFloats(std::size_t index) const;

 private:
  struct State;
  explicit WeightsReader(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace batchwise
