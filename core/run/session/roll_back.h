// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/message.h"
#include "core/guard/guard_state.h"
#include "core/store/records.h"
#include "core/train/loop_state.h"

namespace batchwise {

/// Returns the state after a guard rolled the run back from `now` to the checkpoint `record` with the state `then`:
/// detector windows of the checkpoint (as are weights and moments), clocks of `now`. The data between counts as done,
/// like steps that the optimizer skipped, so that order, rates and batch sizes still follow the plan. Adds the range to
/// guards.skippedRanges. Pure.
LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record);

/// Returns "rolled back to checkpoint … (step 40): <reason>; passes over what came after it, steps 41 to 56 (global
/// batches from 10ba to 14ba, samples from 160sp to 224sp)".
Message rollBackText(const SkippedRange& passed, const Message& reason);

/// Returns the JSON object `environment` with the range under "passed_over", for the segment after a roll-back.
/// Requires an object.
std::string environmentWithRollBack(const std::string& environment, const SkippedRange& passed);

}  // namespace batchwise
