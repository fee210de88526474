// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/shape/model_shape.h"

namespace batchwise {

/// What a parameter tensor does in the model. In memory, queries, keys and values of a layer are rows of one matrix in
/// this order, and so are the two halves of a gated feed-forward part: first the activated one (gate), then the linear
/// one (up). Families differ in which of them are tensors of their own.
enum class TensorRole {
  WordEmbeddings,
  PositionEmbeddings,
  TypeEmbeddings,
  EmbeddingNorm,
  EmbeddingNormBias,
  Query,
  Key,
  Value,
  QueryKeyValue,  ///< all three in one tensor
  QueryBias,
  KeyBias,
  ValueBias,
  AttentionOutput,
  AttentionOutputBias,
  AttentionNorm,  ///< before or after attention: NormPlacement
  AttentionNormBias,
  Intermediate,
  IntermediateBias,
  Gate,
  Up,
  GateUp,  ///< both in one tensor
  Output,
  OutputBias,
  OutputNorm,  ///< before or after the feed-forward part
  OutputNormBias,
  FinalNorm,
  FinalNormBias,
  DecoderBias,
  Transform,
  TransformBias,
  TransformNorm,
  TransformNormBias,
  Decoder,     ///< only if it is not tied
  Classifier,  ///< last matrix of a task head, whose dense matrix and norm are those of the transform
  ClassifierBias,
};

/// Returns whether the tensor belongs to the head for masked tokens or a task, which folders of encoders lack.
constexpr bool isHeadRole(TensorRole role) {
  return role >= TensorRole::DecoderBias;
}

/// A trainable tensor of a model.
struct ParameterTensor {
  TensorRole role = TensorRole::WordEmbeddings;
  std::int64_t layer = -1;          ///< -1: outside the layers
  std::string name;                 ///< in the family's state dictionary of the masked language model
  std::vector<std::int64_t> shape;  ///< in the state dictionary
};

/// Returns the trainable tensors of a model in the order in which it allocates, checkpoints and updates them: word,
/// position and type embeddings, embedding norm; of each layer queries, keys, values, their biases, attention output,
/// its bias, attention norm, the matrices of the feed-forward part, each with its bias, and its norm; final norm; of
/// the head the decoder's bias, transform, its norm, and an untied decoder; or of a task head transform, its norm, the
/// classifier and its bias. Tensors that a family does not have are
/// left out. Names are unique; fresh weights are drawn by name.
std::vector<ParameterTensor> parameterTensors(const ModelShape& shape);

/// Row orders of the tensors of QueryKeyValueLayout::PerHead families: in files query, key and value of head 0, then of
/// head 1; in memory, and so in checkpoints, all queries, all keys, all values. Both take and return [rows, width]
/// row-major; rows = (heads + 2 keyValueHeads) x head size, requires heads == keyValueHeads.
std::vector<float> rowsFromFile(const ModelShape& shape, const std::vector<float>& values);
std::vector<float> rowsToFile(const ModelShape& shape, const std::vector<float>& values);

}  // namespace batchwise
