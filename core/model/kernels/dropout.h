// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace batchwise {

/// Position of a dropout in the model; part of its key.
enum class DropoutSite : std::uint32_t { Embeddings = 0, AttentionOutput = 1, LayerOutput = 2, AttentionWeights = 3 };

/// A dropout operation of one step. The mask is a pure function of (key, row, feature), identical on CPU and GPU, and
/// recomputed in the backward pass instead of stored.
///
/// A feature is dropped if its 16 random bits are below `threshold`, so the probability is rounded to a multiple of
/// 2^-16; `scale` is exactly 1 / (1 - rounded probability). Threshold 0: no dropout.
struct Dropout {
  std::uint64_t key = 0;
  std::uint32_t threshold = 0;
  float scale = 1.0F;

  bool active() const { return threshold != 0; }
};

/// Returns the dropout of `site` in `layer` (-1: embeddings) at optimizer step `step`. Requires 0 <= probability < 1.
Dropout makeDropout(std::uint64_t seed, std::int64_t step, std::int64_t layer, DropoutSite site, double probability);

/// Returns the row key of a token from `indexInStep`, the index of its sample in the step over all devices, and its
/// position in the sample.
constexpr std::int64_t dropoutRowKey(std::int64_t indexInStep, std::int64_t position) {
  return (indexInStep << 32) | position;
}

/// dropoutBits() returns 64 random bits for features 4 * quad to 4 * quad + 3 of a row, 16 bits each, lowest first.
/// Quads are consecutive outputs of SplitMix64, starting at the row's state (Steele, Lea and Flood 2014).
BATCHWISE_HOST_DEVICE constexpr std::uint64_t dropoutRowState(std::uint64_t key, std::int64_t rowKey) {
  return subKey(key, static_cast<std::uint64_t>(rowKey));
}
constexpr std::uint64_t kDropoutQuadStep = 0x9E3779B97F4A7C15ULL;  // of the state, from one quad to the next
BATCHWISE_HOST_DEVICE constexpr std::uint64_t dropoutBits(std::uint64_t rowState, std::uint64_t quad) {
  return mix64(rowState + quad * kDropoutQuadStep);
}

}  // namespace batchwise
