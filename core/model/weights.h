// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/model/encoder_model.h"
#include "core/model/ops.h"

namespace batchwise {

// Undefined: the family has none.

struct NormWeights {
  at::Tensor gamma, beta;  // [hidden], fp32
};

struct LayerWeights {
  Matrix queryKeyValue;  // [hidden + 2 key-value size, hidden]: contiguous in memory, one or three tensors outside
  Bias queryKeyValueBias;
  Matrix attentionOutput;  // [hidden, hidden]
  at::Tensor attentionOutputBias;
  NormWeights attentionNorm;  // no gamma: identity
  Matrix intermediate;        // [intermediate, hidden]; gated: [gate and up, hidden], one or two tensors outside
  at::Tensor intermediateBias;
  Matrix output;  // [hidden, intermediate]
  at::Tensor outputBias;
  NormWeights outputNorm;
};

/// Returns the rows of the decoder's compute copy: the vocabulary; in 16 bits on a GPU padded to a multiple of 64, so
/// that rows of logits are aligned to 128 bytes for fast matrix products.
std::int64_t decoderRows(std::int64_t vocabulary, at::ScalarType type, at::Device device);

/// Cosines and sines of RotaryPlan for positions [0, rows) of one theta.
struct RotaryTable {
  at::Tensor cosines, sines;  // [rows, headSize / 2], fp32
  std::int64_t rows() const { return cosines.defined() ? cosines.size(0) : 0; }
};

/// Computes a table in fp32, including the angles, as Hugging Face transformers does: its models have learned with
/// these.
RotaryTable rotaryTable(double theta, std::int64_t headSize, std::int64_t rows, at::Device device);

/// Parameters of an EncoderModel by role. Tensors share memory with EncoderModel::parameters(); `compute` of a Matrix
/// is a copy unless computing in fp32.
struct EncoderWeights {
  EmbeddingWeights embeddings;
  std::vector<LayerWeights> layers;
  NormWeights finalNorm;  // only with norm: pre
  Matrix transform;       // [hidden, hidden]; not with HeadKind::Decoder, but of task heads
  at::Tensor transformBias;
  NormWeights transformNorm;
  Matrix decoder;  // [vocabulary, hidden]; compute [decoderRows(), hidden]
  at::Tensor decoderBias;
  at::Tensor classifier, classifierBias;  // [outputs, hidden], [outputs], fp32; of a task head

  RotaryTable globalRotary, localRotary;  // of the layers without and with a window; grow with the sequences

  /// (copy, source) pairs to update after parameters change; empty in fp32.
  std::vector<at::Tensor> copies, sources;
};

}  // namespace batchwise
