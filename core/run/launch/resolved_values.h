// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/train_config.h"
#include "core/plan/run_plan.h"
#include "core/store/records.h"

namespace batchwise {

/// Names of values that are resolved at launch besides those of the plan; stored with the run and kept by a resume.
namespace resolved_names {
inline constexpr const char* kDevices = "devices.count";
inline constexpr const char* kThreads = "devices.threads";
inline constexpr const char* kGrowthLargest = "batch.growth.device_maximum";
inline constexpr const char* kMicrobatch = "batch.device_train_microbatch_size";
}  // namespace resolved_names

/// Intervals of a run in comparable units, by field: eval.interval, checkpoint.interval, checkpoint.keep_every (at most
/// one) and log.interval.
using RunIntervals = std::map<std::string, std::vector<Time>>;

/// Resolves the intervals of a stage, by the length of the run and the epochs of the stage. An eval.interval that is
/// not set becomes the one that comes nearest to ten evaluations per run. Fails with Config, naming the field.
Result<RunIntervals> resolveIntervals(const TrainConfig& config, const RunPlan& plan, std::size_t stage);

/// Returns the intervals of a resumed run: those resolved at launch, whatever the new length, except for fields that
/// differ between `before` and `config`. Fails as resolveIntervals().
Result<RunIntervals> keepIntervals(const TrainConfig& config, const RunPlan& plan, std::size_t stage,
                                   const TrainConfig& before, const ResolvedValues& resolved);

/// Adds the intervals as text, such as "3ba,12ba".
void storeIntervals(const RunIntervals& intervals, ResolvedValues& resolved);

/// Returns the JSON object `environment` with the values of `now` that differ from `atLaunch` or are new under
/// "resolved"; null for a scheduler value that no longer exists. Stored with the segment of a resume. Requires
/// `environment` to be an object.
std::string environmentWithValues(const std::string& environment, const ResolvedValues& atLaunch,
                                  const ResolvedValues& now);

}  // namespace batchwise
