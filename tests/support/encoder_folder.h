// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/model/hugging_face/hugging_face.h"
#include "core/model/shape/tensor_names.h"
#include "tests/support/checked.h"

namespace batchwise::test {

/// Returns a bert of one layer whose vocabulary has six tokens.
inline ModelShape oneLayer(std::int64_t maxPositions) {
  ModelShape shape;
  shape.vocabSize = 6;
  shape.hiddenSize = 8;
  shape.layers = 1;
  shape.heads = shape.keyValueHeads = 2;
  shape.intermediateSize = 16;
  shape.maxPositions = maxPositions;
  return shape;
}

/// Writes a model of six tokens without its MLM head: config.json, vocabulary and weights, all 0.5.
inline void writeEncoder(const std::filesystem::path& folder, const ModelShape& shape, bool lowercase = true) {
  const auto vocabulary = *checked(Vocabulary::fromTokens({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat"}));
  std::vector<std::vector<float>> values;
  std::vector<TensorBytes> tensors;
  for (const ParameterTensor& tensor : parameterTensors(shape)) {
    if (isHeadRole(tensor.role)) continue;
    std::size_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= static_cast<std::size_t>(size);
    values.emplace_back(count, 0.5F);
    tensors.push_back({tensor.name, TensorType::F32, tensor.shape, std::as_bytes(std::span(values.back()))});
  }
  (void)checked(writeHuggingFaceModel(folder, shape, tensors, Tokenizer::bert(vocabulary, lowercase),
                                      shape.maxPositions, Replaces::AnyFiles));
}

}  // namespace batchwise::test
