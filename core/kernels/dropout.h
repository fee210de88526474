// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace batchwise {

/// Where in the model a dropout stands; part of what its mask depends on.
enum class DropoutSite : std::uint32_t { Embeddings = 0, AttentionOutput = 1, LayerOutput = 2, AttentionWeights = 3 };

/// One dropout of one step. Its mask is a pure function of (key, row, feature): nothing is stored, and the backward
/// pass asks again. The same bits on CPU and GPU.
///
/// A feature is dropped if 16 random bits are below `threshold`, so the probability is a multiple of 2^-16 (the nearest
/// to what was asked), and `scale` is exactly the inverse of the share that is kept. Threshold 0: nothing is dropped.
struct Dropout {
  std::uint64_t key = 0;
  std::uint32_t threshold = 0;
  float scale = 1.0F;

  bool active() const { return threshold != 0; }
};

/// The dropout of `site` in `layer` (-1: embeddings) at optimiser step `step`. 0 <= probability < 1.
Dropout makeDropout(std::uint64_t seed, std::int64_t step, std::int64_t layer, DropoutSite site, double probability);

/// Row key of a token: `placeInStep`, the index of its sample in the step over all devices, and its position there.
constexpr std::int64_t dropoutRowKey(std::int64_t placeInStep, std::int64_t position) {
  return (placeInStep << 32) | position;
}

/// 64 random bits for features 4 * quad .. 4 * quad + 3 of a row: 16 bits each, the lowest first. Consecutive quads are
/// consecutive outputs of SplitMix64 started at the row's own state (Steele, Lea and Flood 2014).
BATCHWISE_HOST_DEVICE constexpr std::uint64_t dropoutRowState(std::uint64_t key, std::int64_t rowKey) {
  return subKey(key, static_cast<std::uint64_t>(rowKey));
}
BATCHWISE_HOST_DEVICE constexpr std::uint64_t dropoutBits(std::uint64_t rowState, std::uint64_t quad) {
  return mix64(rowState + quad * 0x9E3779B97F4A7C15ULL);
}

/// What feature `feature` of a row is multiplied by: 0 or `scale`.
BATCHWISE_HOST_DEVICE constexpr float dropoutFactor(std::uint64_t rowState, std::int64_t feature,
                                                    std::uint32_t threshold, float scale) {
  const std::uint64_t bits = dropoutBits(rowState, static_cast<std::uint64_t>(feature) / 4);
  const std::uint32_t lane = static_cast<std::uint32_t>(bits >> (16 * (feature % 4))) & 0xFFFFU;
  return lane < threshold ? 0.0F : scale;
}

}  // namespace batchwise
