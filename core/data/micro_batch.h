// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/masking.h"
#include "core/data/token_cache.h"

namespace batchwise {

/// What one device computes in one forward and backward pass, unpadded: the sequences lie one behind the other.
struct MicroBatch {
  std::vector<std::int32_t> tokenIds;            ///< [tokens], after masking
  std::vector<std::int32_t> sequenceStarts;      ///< [sequences + 1], into tokenIds; the last is the number of tokens
  std::vector<std::int32_t> predictedPositions;  ///< [predicted], ascending, into tokenIds
  std::vector<std::int32_t> labels;              ///< [predicted], the ids before masking
  std::vector<std::int64_t> sampleIds;           ///< [sequences]
  std::vector<std::int32_t> placesInStep;        ///< [sequences], index in the step over all devices, for dropout
  std::int64_t firstPlaceInStep = 0;             ///< that of the first sequence
  std::int32_t longest = 0;                      ///< tokens of the longest sequence

  std::int64_t tokens() const { return static_cast<std::int64_t>(tokenIds.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(sampleIds.size()); }
  std::int64_t predicted() const { return static_cast<std::int64_t>(labels.size()); }
  /// What a padding trainer would compute: sequences times the longest.
  std::int64_t paddedTokens() const { return sequences() * longest; }
};

/// Reads and masks the samples `sampleIds` (0 <= id < dataset.size()), which take the places firstPlaceInStep,
/// firstPlaceInStep + 1, ... of their step. A pure function of its arguments. Together at most 2^31 - 1 tokens.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::int64_t firstPlaceInStep, const MaskingKey& key, const MaskSpec& spec);
/// The same for samples whose places in the step do not follow one another; as many as samples.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::span<const std::int32_t> placesInStep, const MaskingKey& key, const MaskSpec& spec);

}  // namespace batchwise
