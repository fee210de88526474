// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/clock.h"
#include "core/events/run_event.h"
#include "core/run/ranks/rank_group.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Trains as a rank other than 0. Rank 0 has the workspace, the commands and the listeners, and sends everything,
/// including weights. Returns how the run ended. Fails if this rank fails, after reporting to the others, or if another
/// one did.
Result<RunFinished> followRun(RankGroup& rankGroup, const Clock& clock);

/// Returns device memory of all ranks. Collective; empty on failure.
std::vector<DeviceMemory> memoryOfAll(RankGroup& rankGroup, const DeviceChoice& devices);

/// Returns weights and moments, as rank 0 sends them to the others.
std::vector<at::Tensor> replicaTensors(const Replica& replica);

}  // namespace batchwise
