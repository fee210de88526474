// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/run/trainer.h"

namespace batchwise {

class RankGroup;
struct DeviceChoice;
struct Replica;

/// Trains a request from start to outcome: workspace, data, plan, model, then the run in the store and the ranks. Adds
/// nothing to the store before every check has passed. One training at a time. With `rankGroup`, this process is rank 0
/// of several; the others call followRun(). See Trainer::train.
Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankGroup* rankGroup = nullptr);

/// Trains as a rank other than 0. Rank 0 has the workspace, the commands and the listeners, and sends everything,
/// including weights. Returns how the run ended. Fails if this rank fails, after reporting to the others, or if another
/// one did.
Result<RunFinished> followRun(RankGroup& rankGroup, const Clock& clock);

/// Returns device memory of all ranks. Collective; empty on failure.
std::vector<DeviceMemory> memoryOfAll(RankGroup& rankGroup, const DeviceChoice& devices);

/// Returns weights and moments, as rank 0 sends them to the others.
std::vector<at::Tensor> replicaTensors(const Replica& replica);

/// See Trainer::fillMask.
Result<FilledMasks> fillMasks(const std::filesystem::path& workspace, const std::string& run,
                              const std::string& checkpoint, const std::string& text, int candidates,
                              const Clock& clock);

/// See Trainer::exportHuggingFace.
Result<UsedCheckpoint> exportModel(const std::filesystem::path& workspace, const std::string& run,
                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                   Replaces replaces, const Clock& clock);

}  // namespace batchwise
