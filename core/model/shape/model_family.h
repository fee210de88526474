// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/config/choices.h"

namespace batchwise {

enum class NormKind {
  LayerNorm,        ///< mean and variance; weight and bias
  LayerNormNoBias,  ///< mean and variance; weight only
  RmsNorm,          ///< root mean square; weight only
};

enum class PositionKind {
  Learned,           ///< a table added to the word embeddings
  RotaryHalves,      ///< rotates feature i with i + d / 2 (Su et al. 2021, as in GPT-NeoX)
  RotaryInterleaved  ///< rotates feature 2 i with 2 i + 1
};

/// Feed-forward part. The gated forms multiply an activated half by a linear one (Shazeer 2020).
enum class FeedForward { Plain, Gated };

/// How queries, keys and values stand in the tensors of the family's files; in memory they are always one matrix of all
/// queries, all keys, all values.
enum class QueryKeyValueLayout {
  Separate,  ///< three tensors
  Stacked,   ///< one tensor: all queries, all keys, all values
  PerHead    ///< one tensor: query, key and value of head 0, then of head 1, ...
};

enum class HeadKind {
  Transform,  ///< dense, activation, norm, decoder
  Decoder     ///< decoder only
};

/// How fresh weights are drawn.
enum class InitKind {
  Normal,     ///< N(0, range)
  Truncated,  ///< N(0, range) cut at 2 deviations; output matrices with range / sqrt(2 layers)
  Uniform     ///< U(-range, range)
};

/// What a family fixes, and its defaults; sizes and options are in ModelShape. One constant per family, in
/// family_*.cpp. Sources: the configuration and modeling files of each family in Hugging Face transformers, and of
/// NeoBERT its own.
struct FamilyTraits {
  NormKind norm = NormKind::LayerNorm;
  NormPlacement placement = NormPlacement::Post;
  bool eitherPlacement = false;  ///< norm: pre and norm: post can be chosen
  bool embeddingNorm = true;
  bool firstNormIsIdentity = false;  ///< the attention norm of layer 0 does not exist
  PositionKind positions = PositionKind::Learned;
  std::int64_t firstPosition = 0;   ///< of the first token, in a table of learned positions
  std::int64_t maxPositions = 512;  ///< of a longer sequence, its length
  std::int64_t segmentTypes = 2;    ///< rows of the table of segment types that is added; 0: none
  std::int64_t globalAttentionEvery = 1;
  std::int64_t localAttention = 0;  ///< 0: no layer has a window
  double ropeTheta = 0.0;
  double localRopeTheta = 0.0;
  FeedForward feedForward = FeedForward::Plain;
  bool biases = true;  ///< of the matrices of the layers
  QueryKeyValueLayout queryKeyValue = QueryKeyValueLayout::Separate;
  bool groupsKeys = false;  ///< heads of queries can share a head of keys and values
  HeadKind head = HeadKind::Transform;
  bool transformBias = true;  ///< of the dense matrix of the head, whose activation is Gelu except in Bert
  bool decoderBias = true;
  InitKind init = InitKind::Normal;
  Activation activation = Activation::Gelu;
  double normEps = 1e-12;
  double hiddenDropout = 0.1;
  bool dropsAttentionOutputOnly = false;  ///< hidden dropout applies nowhere else
  bool tied = true;
};

/// What the families after 2023 share: norms before each half, rotary positions, gates, no biases, no dropout.
constexpr FamilyTraits rotaryFamily(NormKind norm, double theta) {
  FamilyTraits traits;
  traits.norm = norm;
  traits.placement = NormPlacement::Pre;
  traits.positions = PositionKind::RotaryHalves;
  traits.maxPositions = 8192;
  traits.segmentTypes = 0;
  traits.ropeTheta = theta;
  traits.feedForward = FeedForward::Gated;
  traits.biases = false;
  traits.normEps = 1e-5;
  traits.hiddenDropout = 0.0;
  return traits;
}

const FamilyTraits& traitsOf(ModelFamily family);

}  // namespace batchwise
