// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/guard/guard_state.h"
#include "core/store/records.h"
#include "core/train/loop_state.h"

namespace batchwise {

/// How a run goes on that a guard took back from `now` to the checkpoint `record` with the state `then`: with the
/// checkpoint's weights, moments and detector windows, and with the clocks of `now`. The data between counts as done,
/// as steps do that the optimiser passed over, so that order, rates and batch sizes stay what the plan says. The
/// stretch is added to guards.passedOver. Pure.
LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record);

/// "rolled back to checkpoint … (step 40): <reason>; passes over what came after it, steps 41 to 56 (global batches
/// from 10ba to 14ba, samples from 160sp to 224sp)".
std::string rollBackText(const PassedOver& passed, const std::string& reason);

/// The environment of a segment that begins with a roll-back: the JSON object `environment` with the stretch under
/// "passed_over". Requires an object.
std::string environmentWith(const std::string& environment, const PassedOver& passed);

}  // namespace batchwise
