// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/batch/plan.h"
#include "core/config/train_config.h"

namespace batchwise {

/// The intervals of a run in clocks that can be compared, by the field they come from: eval.interval,
/// checkpoint.interval, checkpoint.keep_every (at most one) and log.interval.
using RunIntervals = std::map<std::string, std::vector<Time>>;

/// Resolves them against the length of the run. Fails with Config, naming the field.
Result<RunIntervals> resolveIntervals(const TrainConfig& config, const RunLength& length);

/// Those of a run that goes on: what was resolved at launch stays, however long the run has become, except of fields
/// that differ between `before` and `config`. Fails as resolveIntervals().
Result<RunIntervals> keepIntervals(const TrainConfig& config, const RunLength& length, const TrainConfig& before,
                                   const ResolvedValues& resolved);

/// As text, to be stored with the run: "3ba,12ba".
void storeIntervals(const RunIntervals& intervals, ResolvedValues& resolved);

}  // namespace batchwise
