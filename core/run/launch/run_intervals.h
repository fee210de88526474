// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/batch/plan.h"
#include "core/config/train_config.h"

namespace batchwise {

/// Intervals of a run in comparable units, by field: eval.interval, checkpoint.interval, checkpoint.keep_every (at most
/// one) and log.interval.
using RunIntervals = std::map<std::string, std::vector<Time>>;

/// Resolves the intervals for a run length. Fails with Config, naming the field.
Result<RunIntervals> resolveIntervals(const TrainConfig& config, const RunLength& length);

/// Returns the intervals of a resumed run: those resolved at launch, whatever the new length, except for fields that
/// differ between `before` and `config`. Fails as resolveIntervals().
Result<RunIntervals> keepIntervals(const TrainConfig& config, const RunLength& length, const TrainConfig& before,
                                   const ResolvedValues& resolved);

/// Adds the intervals as text, such as "3ba,12ba".
void storeIntervals(const RunIntervals& intervals, ResolvedValues& resolved);

}  // namespace batchwise
