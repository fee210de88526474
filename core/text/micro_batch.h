// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text/masking.h"
#include "core/text/token_cache.h"

namespace batchwise {

/// Input of one forward and backward pass on one device, unpadded: sequences are concatenated.
struct MicroBatch {
  std::vector<std::int32_t> tokenIds;        ///< [tokens], after masking
  std::vector<std::int32_t> sequenceStarts;  ///< [sequences + 1], offsets into tokenIds; the last is tokens()
  /// [segments + 1], offsets into tokenIds: attention stays inside a segment and positions restart in it. Includes all
  /// sequenceStarts; empty: the segments are the sequences.
  std::vector<std::int32_t> attentionStarts;
  std::vector<std::int32_t> predictedPositions;  ///< [predicted], ascending, indices into tokenIds
  std::vector<std::int32_t> labels;              ///< [predicted], ids before masking
  std::vector<std::int64_t> sampleIds;           ///< [sequences]
  std::vector<std::int32_t> indicesInStep;       ///< [sequences], index in the step over all devices; seeds dropout
  std::int64_t firstIndexInStep = 0;             ///< of the first sequence
  std::int32_t longest = 0;                      ///< tokens of the longest sequence

  std::int64_t tokens() const { return static_cast<std::int64_t>(tokenIds.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(sampleIds.size()); }
  std::int64_t predicted() const { return static_cast<std::int64_t>(labels.size()); }
  /// Returns the tokens that a padded batch would have: sequences times the longest.
  std::int64_t paddedTokens() const { return sequences() * longest; }
};

/// Reads and masks `sampleIds` (0 <= id < dataset.size()), which have the indices firstIndexInStep, firstIndexInStep +
/// 1, ... in their step. Deterministic in its arguments. At most 2^31 - 1 tokens in total.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::int64_t firstIndexInStep, const MaskingKey& key, const MaskSpec& spec);
/// Overload for samples with arbitrary indices in the step. Requires as many indices as samples.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::span<const std::int32_t> indicesInStep, const MaskingKey& key, const MaskSpec& spec);

}  // namespace batchwise
