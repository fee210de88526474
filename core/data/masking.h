// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/vocabulary.h"

namespace batchwise {

/// With the sample id, everything that masks depend on. Training uses the seed of the run; evaluation always uses
/// eval.seed and epoch 0.
struct MaskingKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

/// Masking probabilities (Devlin et al. 2019, section 3.1).
struct MaskSpec {
  double probability = 0.15;  ///< share of tokens to predict, in (0, 1]
  double maskShare = 0.8;     ///< of the predicted tokens, share replaced by [MASK]
  double randomShare = 0.1;   ///< of the predicted tokens, share replaced by a random token; the rest stays unchanged
  std::int32_t maskId = 0;
  std::int32_t vocabularySize = 0;
  std::vector<std::int32_t> specialIds;  ///< ascending; never drawn as random tokens

  static MaskSpec of(const Vocabulary& vocabulary, double probability);
};

/// Returns the number of tokens to predict in a sequence of `length` >= 3 tokens, [CLS] and [SEP] included:
/// round(probability * L), halves up, clamped to [1, L], with L = length - 2. Depends on the length only, so the loss
/// denominator of a step is known before its first pass.
std::int64_t predictedTokens(std::int64_t length, double probability);

/// Masks one sequence (with [CLS] and [SEP]) in place and appends the predicted positions, ascending and relative to
/// the start of `sequence`, and their original ids. Selects exactly predictedTokens() positions uniformly among all but
/// the first and the last. Deterministic in its arguments, independent of machine, batch and device.
void maskSequence(std::span<std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key, const MaskSpec& spec,
                  std::vector<std::int32_t>& positions, std::vector<std::int32_t>& labels);

}  // namespace batchwise
