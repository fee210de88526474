// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/batch/lengths.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Tokens of the shortest sequence that trains: [CLS], one of the text, [SEP].
inline constexpr std::int64_t kShortestSequence = 3;

/// A made-up unit of a micro-batch that takes as much memory as any of the run: the lengths of its sequences. Without a
/// token budget one sequence of the longest length. With one, a pack that fills the budget with as many sequences as
/// the packs of epoch 0 hold at most (see PackSource::mostSamples), one as long as that allows, the others about alike:
/// memory grows with the tokens, but also with the sequences, each of which predicts at least one token and has rows of
/// its own in the kernels of attention (in the backward pass of flash attention 128 of fp32). Fails as packRules() and
/// PackSource::make().
Result<std::vector<std::int64_t>> largestUnit(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths);

}  // namespace batchwise
