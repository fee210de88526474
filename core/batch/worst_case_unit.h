// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/batch/lengths.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Tokens of the shortest trainable sequence: [CLS], one of the text, [SEP].
inline constexpr std::int64_t kShortestSequence = 3;

/// Returns the sequence lengths of a synthetic unit of a micro-batch that needs as much memory as any unit of the run.
/// Without a token budget it is one sequence of the longest length. With one, it is a pack that fills the budget with
/// the maximum number of sequences per pack of epoch 0 (see PackSource::maxSamplesPerPack), one of them as long as that
/// allows, the others about equal: memory grows with the tokens, but also with the sequences, each of which predicts at
/// least one token and has its own rows in the attention kernels (in the backward pass of flash attention 128 of fp32).
/// Fails like packRules() and PackSource::make().
Result<std::vector<std::int64_t>> worstCaseUnit(const TrainConfig& config,
                                                const std::shared_ptr<const Lengths>& lengths);

}  // namespace batchwise
