// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/masking.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/random.h"

namespace batchwise {
namespace {

constexpr std::uint64_t kMaskPurpose = 0x6D61736B;  // "mask": separates from other uses of the seed

/// Independent random numbers per position: whether it is predicted, how it is shown, and which random token is drawn.
enum Draw : std::uint64_t { Pick = 0, Show = 1, Token = 2, DrawsPerPosition = 3 };

/// Returns the `rank`-th id that is not special.
std::int32_t nonSpecialId(std::int64_t rank, const std::vector<std::int32_t>& specialIds) {
  auto id = static_cast<std::int32_t>(rank);
  for (const std::int32_t special : specialIds) id += special <= id ? 1 : 0;
  return id;
}

std::int32_t shownId(std::int32_t id, std::uint64_t key, std::uint64_t place, const MaskSpec& spec) {
  const double which = unitRandom(randomBits(key, place * DrawsPerPosition + Show));
  if (which < spec.maskShare) return spec.maskId;
  if (which >= spec.maskShare + spec.randomShare) return id;
  const auto ordinary = static_cast<std::uint64_t>(spec.vocabularySize - std::ssize(spec.specialIds));
  const std::uint64_t rank = boundedRandom(randomBits(key, place * DrawsPerPosition + Token), ordinary);
  return nonSpecialId(static_cast<std::int64_t>(rank), spec.specialIds);
}

}  // namespace

MaskSpec MaskSpec::of(const Vocabulary& vocabulary, double probability) {
  MaskSpec spec;
  spec.probability = probability;
  spec.maskId = vocabulary.special().mask;
  spec.vocabularySize = vocabulary.size();
  spec.specialIds = vocabulary.specialIds();
  return spec;
}

std::int64_t predictedTokens(std::int64_t length, double probability) {
  const std::int64_t candidates = length - 2;
  assert(candidates >= 1);
  return std::clamp<std::int64_t>(std::llround(probability * static_cast<double>(candidates)), 1, candidates);
}

void maskSequence(std::span<std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key, const MaskSpec& spec,
                  std::vector<std::int32_t>& positions, std::vector<std::int32_t>& labels) {
  const std::uint64_t epochKey = subKey(subKey(key.seed, kMaskPurpose), static_cast<std::uint64_t>(key.epoch));
  const std::uint64_t sampleKey = subKey(epochKey, static_cast<std::uint64_t>(sampleId));
  auto wanted = static_cast<std::uint64_t>(predictedTokens(std::ssize(sequence), spec.probability));
  std::uint64_t left = sequence.size() - 2;
  // Selection sampling (Knuth, The Art of Computer Programming vol. 2, 3.4.2, algorithm S): exact count, in order.
  for (std::uint64_t place = 1; wanted > 0; ++place, --left) {
    if (boundedRandom(randomBits(sampleKey, place * DrawsPerPosition + Pick), left) >= wanted) continue;
    --wanted;
    std::int32_t& id = sequence[place];
    positions.push_back(static_cast<std::int32_t>(place));
    labels.push_back(id);
    id = shownId(id, sampleKey, place, spec);
  }
}

}  // namespace batchwise
