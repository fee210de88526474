// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/config/config_file.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/plan/lengths.h"
#include "core/plan/microbatch_search.h"
#include "core/run/session/run_checkpoint.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"
#include "core/train/train_loop.h"

namespace batchwise {

/// Model of a run before it is on a device: shape, and initial weights if model.init_from or model.tile_from is set.
struct LaunchModel {
  ModelShape shape;
  std::optional<HuggingFaceModel> folder;
};

/// Resolves the model of a configuration. Fails with Config, NotFound, Corrupt (of `model.init_from` or `tile_from`).
Result<LaunchModel> launchModel(const LoadedConfig& config, const Vocabulary& vocabulary);

/// Returns the devices of a command that trains no run; publishes what is slower on them as warnings. Fails as
/// useDevices().
Result<DeviceChoice> useNotedDevices(const DevicesConfig& config, EventSink& events);

/// Resolves precision: auto: bf16 if every device supports it and the head size fits, else fp32.
Precision choosePrecision(const ModelShape& shape, const DeviceChoice& devices);

/// Creates one equal model and optimizer per device. Fails with OutOfMemory or Device.
Result<std::vector<Replica>> makeReplicas(const LaunchModel& model, const TrainConfig& config,
                                          const DeviceChoice& devices);

/// Loads weights and moments of a checkpoint. Fails with Corrupt if one is missing or has another shape.
Result<void> restoreReplica(Replica& replica, const CheckpointState& state);
/// Loads the weights that fit and leaves the others unchanged. Returns the names of the unchanged ones.
std::vector<std::string> loadMatchingWeights(Replica& replica, const CheckpointState& state);

/// Returns the model of a checkpoint in fp32, for export and prediction.
Result<EncoderModel> modelOf(const RunCheckpoint& checkpoint, c10::Device device = c10::Device(c10::DeviceType::CPU));

/// A model by itself.
struct LoadedModel {
  EncoderModel model;
  Tokenizer tokenizer;
  UsedCheckpoint used;               ///< no id: a folder
  std::string name;                  ///< CheckpointRecord::file, or the path of the folder
  TrainConfig config;                ///< of its run; of a folder the default
  std::vector<std::string> missing;  ///< tensors of the head that the folder lacks
};
/// Loads a model in fp32. Fails as openCheckpoint(), readHuggingFaceModel() and Tokenizer::load().
Result<LoadedModel> loadModel(const ModelSource& source, c10::Device device, const Clock& clock);

/// Returns a model of `shape`, which has another head, with the weights of `source` and what its head lacks fresh.
Result<EncoderModel> withHead(const EncoderModel& source, const ModelShape& shape, Precision precision,
                              c10::Device device, std::int64_t seed);
/// Writes a model and its tokenizer; see writeHuggingFaceModel().
Result<void> writeModelFolder(const std::filesystem::path& folder, const EncoderModel& model,
                              const Tokenizer& tokenizer, std::int64_t maxSeqLen, Replaces replaces,
                              const std::vector<std::string>& classes = {});

class RankGroup;

/// The resolved micro-batch of a run.
struct ResolvedMicrobatch {
  std::int64_t units = 1;
  std::int64_t largest = 0;  ///< largest that the device holds, as far as growth may use it; 0: unknown
  std::string note;          ///< how `auto` was resolved; empty if the configuration gives a number
};

/// Resolves `batch.device_train_microbatch_size`: the configured number, or for `auto` the largest that fits into
/// device memory (or devices.memory_limit), found by probing on `replica`, whose weights stay unchanged; on a CPU
/// without a limit, a fast size. Publishes each probe to `events`. With `rankGroup`, all its ranks call it, and what
/// fits on all of them counts. Fails with OutOfMemory if not even 1 fits.
Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events,
                                             RankGroup* rankGroup);

/// See Trainer::findBatch.
Result<BatchSearchResult> findMicrobatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                                         EventSink& events, const Clock& clock);

}  // namespace batchwise
