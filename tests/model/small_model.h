// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/model/encoder_model.h"
#include "core/text/masking.h"

namespace batchwise::test {

constexpr std::int32_t kSmallVocabulary = 61;

/// Three layers, small enough for a test of a moment.
inline ModelShape smallShape() {
  ModelShape shape;
  shape.vocabSize = kSmallVocabulary;
  shape.hiddenSize = 24;
  shape.layers = 3;
  shape.heads = shape.keyValueHeads = 3;
  shape.intermediateSize = 40;
  shape.maxPositions = 40;
  shape.hiddenDropout = 0;
  return shape;
}

constexpr ModelFamily kFamilies[] = {ModelFamily::Bert, ModelFamily::Roberta, ModelFamily::ModernBert,
                                     ModelFamily::EuroBert, ModelFamily::NeoBert};

/// Its like in another family: with windows of 5 keys and one head of keys and values where the family has these.
inline ModelShape smallShape(ModelFamily family) {
  ModelShape shape = inFamily(smallShape(), family);
  shape.hiddenDropout = 0;
  if (shape.ropeTheta > 0) shape.ropeTheta = 1000;
  if (shape.traits().groupsKeys) shape.keyValueHeads = 1;
  if (shape.localAttention == 0) return shape;
  shape.globalAttentionEvery = 2;
  shape.localAttention = 5;
  shape.localRopeTheta = 100;
  return shape;
}

/// The sequences `places` of a step, all of `length` tokens, of which one in `predictEvery` is predicted. What a
/// sequence holds follows from its place.
inline DeviceBatch drawnBatch(const std::vector<std::int32_t>& places, std::int32_t length, std::int32_t predictEvery) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (const std::int32_t place : places) {
    for (std::int32_t i = 0; i < length; ++i) {
      const auto drawn = static_cast<std::uint64_t>(place * length + i);
      if (i % predictEvery == 1) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(2, drawn), kSmallVocabulary)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(1, drawn), kSmallVocabulary)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(place);
    batch.indicesInStep.push_back(place);
  }
  batch.longest = length;
  return toDevice(batch, at::kCPU);
}

}  // namespace batchwise::test
