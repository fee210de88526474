// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/events/run_event.h"
#include "core/run/ranks/rank_team.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Trains as one of the ranks behind rank 0, which has the workspace, the commands and the listeners: everything comes
/// from there, weights included. Returns how the run ended. Fails if this rank fails, of which the others have been
/// told, or if another one did.
Result<RunFinished> followRun(RankTeam& team, const Clock& clock);

/// The memory of the devices of all ranks. All ranks call it at the same place; empty where it cannot be had.
std::vector<DeviceMemory> memoryOfAll(RankTeam& team, const DeviceChoice& devices);

/// Weights and moments, for what rank 0 hands to the others.
std::vector<at::Tensor> teamTensors(const Replica& replica);

}  // namespace batchwise
