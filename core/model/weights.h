// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/bert_model.h"
#include "core/model/ops.h"

namespace batchwise {

struct NormWeights {
  at::Tensor gamma, beta;  // [hidden], fp32
};

struct LayerWeights {
  Matrix queryKeyValue;  // [3 hidden, hidden]: contiguous in memory, three tensors in the state dictionary
  Bias queryKeyValueBias;
  Matrix query, keyValue;  // views of queryKeyValue for the last layer, which has queries for predicted tokens only
  Bias queryBias, keyValueBias;
  Matrix attentionOutput;  // [hidden, hidden]
  at::Tensor attentionOutputBias;
  NormWeights attentionNorm;
  Matrix intermediate;  // [intermediate, hidden]
  at::Tensor intermediateBias;
  Matrix output;  // [hidden, intermediate]
  at::Tensor outputBias;
  NormWeights outputNorm;
};

/// Returns the rows of the decoder's compute copy: the vocabulary; in 16 bits on a GPU padded to a multiple of 64, so
/// that rows of logits are aligned to 128 bytes for fast matrix products.
std::int64_t decoderRows(std::int64_t vocabulary, at::ScalarType type, at::Device device);

/// Parameters of a BertModel by role. Tensors share memory with BertModel::parameters(); `compute` of a Matrix is a
/// copy unless computing in fp32.
struct BertWeights {
  EmbeddingWeights embeddings;
  std::vector<LayerWeights> layers;
  NormWeights finalNorm;  // only with norm: pre
  Matrix transform;       // [hidden, hidden]
  at::Tensor transformBias;
  NormWeights transformNorm;
  Matrix decoder;  // [vocabulary, hidden]; compute [decoderRows(), hidden]
  at::Tensor decoderBias;

  /// (copy, source) pairs to update after parameters change; empty in fp32.
  std::vector<at::Tensor> copies, sources;
};

}  // namespace batchwise
