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

/// What a family fixes; sizes and options are in ModelShape. Sources: the configuration and modeling files of each
/// family in Hugging Face transformers, and of NeoBERT its own.
struct FamilyTraits {
  NormKind norm = NormKind::LayerNorm;
  NormPlacement placement = NormPlacement::Post;
  bool embeddingNorm = true;
  bool firstNormIsIdentity = false;  ///< the attention norm of layer 0 does not exist
  PositionKind positions = PositionKind::Learned;
  std::int64_t firstPosition = 0;  ///< of the first token, in a table of learned positions
  bool segmentTypes = true;        ///< a table of segment types is added
  FeedForward feedForward = FeedForward::Plain;
  bool biases = true;  ///< of the matrices of the layers
  QueryKeyValueLayout queryKeyValue = QueryKeyValueLayout::Separate;
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

constexpr FamilyTraits traitsOf(ModelFamily family) {
  FamilyTraits bert;
  FamilyTraits roberta;
  roberta.firstPosition = 2;  // after the padding token's, 1
  roberta.normEps = 1e-5;
  FamilyTraits modern;
  modern.norm = NormKind::LayerNormNoBias;
  modern.placement = NormPlacement::Pre;
  modern.firstNormIsIdentity = true;
  modern.positions = PositionKind::RotaryHalves;
  modern.segmentTypes = false;
  modern.feedForward = FeedForward::Gated;
  modern.biases = false;
  modern.queryKeyValue = QueryKeyValueLayout::Stacked;
  modern.transformBias = false;
  modern.init = InitKind::Truncated;
  modern.normEps = 1e-5;
  modern.hiddenDropout = 0.0;
  modern.dropsAttentionOutputOnly = true;  // as its training code: attn_out_dropout_prob
  FamilyTraits euro;
  euro.norm = NormKind::RmsNorm;
  euro.placement = NormPlacement::Pre;
  euro.embeddingNorm = false;
  euro.positions = PositionKind::RotaryHalves;
  euro.segmentTypes = false;
  euro.feedForward = FeedForward::Gated;
  euro.biases = false;
  euro.head = HeadKind::Decoder;
  euro.decoderBias = false;
  euro.activation = Activation::Silu;
  euro.normEps = 1e-5;
  euro.hiddenDropout = 0.0;
  euro.tied = false;
  FamilyTraits neo = euro;
  neo.positions = PositionKind::RotaryInterleaved;
  neo.queryKeyValue = QueryKeyValueLayout::PerHead;
  neo.decoderBias = true;
  neo.init = InitKind::Uniform;
  switch (family) {
    case ModelFamily::Bert: return bert;
    case ModelFamily::Roberta:
    case ModelFamily::XlmRoberta: return roberta;
    case ModelFamily::ModernBert: return modern;
    case ModelFamily::EuroBert: return euro;
    case ModelFamily::NeoBert: return neo;
  }
  return bert;
}

}  // namespace batchwise
