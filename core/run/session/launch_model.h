// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/exchange/hugging_face.h"
#include "core/run/session/resume_source.h"
#include "core/train/devices.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// The model of a run before it is on a device: its shape, and the weights it starts from if it starts from a folder.
struct LaunchModel {
  ModelShape shape;
  std::optional<HuggingFaceModel> folder;
};

/// From a configuration and the size of the vocabulary. Fails with Config, NotFound, Corrupt (of `model.init_from`).
Result<LaunchModel> launchModel(const LoadedConfig& config, std::int64_t vocabularySize);

/// The folder that `model.init_from` names, empty if none.
std::filesystem::path initFolder(const LoadedConfig& config);

/// What precision: auto becomes: bf16 where every device has it and the heads fit, else fp32.
std::string choosePrecision(const ModelShape& shape, const DeviceChoice& devices);

/// One model with its optimiser per device, all equal. Fails with OutOfMemory or Device.
Result<std::vector<Replica>> makeReplicas(const LaunchModel& model, const TrainConfig& config,
                                          const DeviceChoice& devices);

/// Puts weights and moments of a checkpoint into a replica. Fails with Corrupt if one is missing or of another shape.
Result<void> restoreReplica(Replica& replica, const CheckpointState& state);
/// Puts the weights that fit into a replica and leaves the others as they are. Returns the names of those.
std::vector<std::string> adoptWeights(Replica& replica, const CheckpointState& state);

/// The model of a checkpoint alone, for export and trying it out.
Result<BertModel> modelOf(const RunCheckpoint& checkpoint);

}  // namespace batchwise
