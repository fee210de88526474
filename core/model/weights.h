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
  Matrix queryKeyValue;  // [3 hidden, hidden]: the three parts of the state dictionary, side by side in memory
  Bias queryKeyValueBias;
  Matrix query, keyValue;  // the same memory, for the last layer, where only predicted tokens ask
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

/// Rows of the decoder's copy for the computation: the vocabulary, in 16 bits on a GPU with rows of zeros up to a
/// multiple of 64, so that rows of logits begin at 128 bytes, as the fast matrix products want.
std::int64_t decoderRows(std::int64_t vocabulary, at::ScalarType type, at::Device device);

/// The parameters of a BertModel by their place in the computation. Tensors share memory with BertModel::parameters();
/// `compute` of a Matrix is a copy if the computation is not in fp32.
struct BertWeights {
  EmbeddingWeights embeddings;
  std::vector<LayerWeights> layers;
  NormWeights finalNorm;  // with norm: pre only
  Matrix transform;       // [hidden, hidden]
  at::Tensor transformBias;
  NormWeights transformNorm;
  Matrix decoder;  // [vocabulary, hidden]; compute [decoderRows(), hidden]
  at::Tensor decoderBias;

  /// (copy, source) pairs to renew after the parameters changed; empty in fp32.
  std::vector<at::Tensor> copies, sources;
};

}  // namespace batchwise
