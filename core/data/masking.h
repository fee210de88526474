// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/vocabulary.h"

namespace batchwise {

/// What the masks of a run depend on, with the sample id. Evaluation always uses epoch 0.
struct MaskingKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

/// How tokens are hidden (Devlin et al. 2019, section 3.1).
struct MaskSpec {
  double probability = 0.15;  ///< share of the tokens to predict; above 0, at most 1
  double maskShare = 0.8;     ///< of these, shown as [MASK]
  double randomShare = 0.1;   ///< of these, shown as a random token; the rest is shown as it is
  std::int32_t maskId = 0;
  std::int32_t vocabularySize = 0;
  std::vector<std::int32_t> specialIds;  ///< ascending; never drawn as random token

  static MaskSpec of(const Vocabulary& vocabulary, double probability);
};

/// Tokens to predict in a sequence of `length` tokens, [CLS] and [SEP] included: max(1, round(probability * L)) with
/// L = length - 2, halves rounded up, never more than L. length >= 3. Depends on the length only, so that a step can be
/// normalised before its first pass.
std::int64_t predictedTokens(std::int64_t length, double probability);

/// Hides tokens of one framed sequence in place and appends to `positions` (ascending, from the start of `sequence`)
/// and `labels` (the ids that were there) what is to be predicted: exactly predictedTokens() places, drawn evenly from
/// all but the first and the last ([CLS] and [SEP]). A pure function of its arguments: the same on every machine, for
/// any batch or device the sample lands on.
void maskSequence(std::span<std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key, const MaskSpec& spec,
                  std::vector<std::int32_t>& positions, std::vector<std::int32_t>& labels);

}  // namespace batchwise
