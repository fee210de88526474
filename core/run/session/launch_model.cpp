// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/launch_model.h"

#include <c10/util/Exception.h>

#include <set>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/model/device_error.h"
#include "core/model/hugging_face/start_weights.h"
#include "core/run/launch/launch_check.h"
#include "core/train/checkpoint_every.h"
#include "core/train/device_memory.h"

namespace batchwise {
namespace {

Result<void> setAllWeights(EncoderModel& model, const CheckpointState& state) {
  std::set<std::string> missing;
  for (const NamedTensor& named : model.parameters()) missing.insert(named.name);
  for (const NamedTensor& named : tensorsUnder(state, checkpoint_names::kModel)) {
    if (Result<void> set = model.setTensor(named.name, named.tensor); !set.ok())
      return Error::corrupt(set.error().message);
    missing.erase(named.name);
  }
  if (!missing.empty()) return Error::corrupt(formatText("the checkpoint has no weights for {}", *missing.begin()));
  model.parametersChanged();
  return {};
}

Result<Replica> makeReplica(const LaunchModel& model, const TrainConfig& config, Precision precision,
                            c10::Device device) try {
  ASSIGN_OR_RETURN(auto made,
                   EncoderModel::create(model.shape, precision, device, static_cast<std::uint64_t>(config.seed)));
  if (model.folder) RETURN_IF_ERROR(made.load(*model.folder));
  made.recomputeLayers(config.devices.activationCheckpointing);
  AdamWOptions options = AdamWOptions::of(config.optimizer);
  options.scalesLoss = precision == Precision::Fp16;
  AdamW optimizer(made.parameters(), options);
  return Replica{std::move(made), std::move(optimizer)};
} catch (const c10::Error& e) {
  if (!isOutOfMemory(e)) throw;
  return Error{ErrorCode::OutOfMemory, e.what_without_backtrace(), "building the model"};
}

/// Fits the vocabulary first: rows of new tokens are means, not repetitions.
Result<HuggingFaceModel> tiledFrom(HuggingFaceModel folder, const ModelShape& shape, std::int64_t tokens) {
  ModelShape withRows = folder.shape;
  withRows.vocabSize = shape.vocabSize;
  withRows.tieWordEmbeddings = shape.tieWordEmbeddings;
  withRows.attentionDropout = shape.attentionDropout;
  return tiledWeights(fittedWeights(std::move(folder), withRows, tokens), shape);
}

/// The padding token of roberta has no position, as in transformers; the tokens to predict have theirs.
std::int64_t unplacedTokenOf(const SpecialIds& special) {
  return special.pad == special.mask ? -1 : special.pad;
}

// Returns whether the checkpoint holds the tensor.
bool hasTensor(const CheckpointState& state, const std::string& name) {
  return std::ranges::any_of(state.tensors, [&](const NamedTensor& named) { return named.name == name; });
}

}  // namespace

Result<LaunchModel> launchModel(const LoadedConfig& config, const Vocabulary& vocabulary) {
  const std::int64_t vocabularySize = vocabulary.size();
  const ModelConfig& model = config.config.model;
  const std::int64_t longest = longestSequence(config.config);
  const StartFolder start = startFolder(config);
  if (start.path.empty()) {
    ASSIGN_OR_RETURN(auto shape, resolveModelShape(model, vocabularySize, longest));
    if (shape.traits().firstPosition > 0) shape.unplacedToken = unplacedTokenOf(vocabulary.special());
    return LaunchModel{shape, std::nullopt};
  }
  Result<HuggingFaceModel> folder = readHuggingFaceModel(start.path);
  if (!folder.ok()) return folder.error().about(start.field);
  ASSIGN_OR_RETURN(auto shape, resolveFromFolder(config, folder->shape, vocabularySize));
  if (!start.tiles) return LaunchModel{shape, fittedWeights(std::move(*folder), shape, vocabularySize)};
  ASSIGN_OR_RETURN(auto tiled, tiledFrom(std::move(*folder), shape, vocabularySize));
  return LaunchModel{shape, std::move(tiled)};
}

Precision choosePrecision(const ModelShape& shape, const DeviceChoice& devices) {
  return hasFastBf16(devices) && checkGpuHeadSize(shape, true).ok() ? Precision::Bf16 : Precision::Fp32;
}

Result<std::vector<Replica>> makeReplicas(const LaunchModel& model, const TrainConfig& config,
                                          const DeviceChoice& devices) {
  const Precision precision = config.precision.value();
  setMatmulPrecision(precision);
  std::vector<Replica> replicas;
  for (const c10::Device& device : devices.devices) {
    const ChargeAllocationsTo charged(device.is_cpu() ? std::ssize(replicas) : 0);
    ASSIGN_OR_RETURN(auto replica, makeReplica(model, config, precision, device));
    replicas.push_back(std::move(replica));
  }
  return replicas;
}

Result<void> restoreReplica(Replica& replica, const CheckpointState& state) {
  RETURN_IF_ERROR(setAllWeights(replica.model, state));
  std::set<std::string> missing;
  // A fork may have another precision, and so begin or end to scale the loss.
  const auto ofLossScale = [](const std::string& name) { return name.starts_with("loss_scale"); };
  for (const NamedTensor& named : replica.optimizer.stateTensors())
    if (!ofLossScale(named.name) || hasTensor(state, checkpoint_names::kOptimizer + named.name))
      missing.insert(named.name);
  for (const NamedTensor& named : tensorsUnder(state, checkpoint_names::kOptimizer)) {
    if (ofLossScale(named.name) && !missing.contains(named.name)) continue;
    if (Result<void> set = replica.optimizer.setState(named.name, named.tensor); !set.ok())
      return Error::corrupt(set.error().message);
    missing.erase(named.name);
  }
  if (!missing.empty())
    return Error::corrupt(formatText("the checkpoint has no optimizer state for {}", *missing.begin()));
  return {};
}

std::vector<std::string> loadMatchingWeights(Replica& replica, const CheckpointState& state) {
  std::set<std::string> own;
  for (const NamedTensor& named : replica.model.stateTensors()) own.insert(named.name);
  for (const NamedTensor& named : tensorsUnder(state, checkpoint_names::kModel))
    if (own.contains(named.name) && replica.model.setTensor(named.name, named.tensor).ok()) own.erase(named.name);
  replica.model.parametersChanged();
  return {own.begin(), own.end()};
}

Result<EncoderModel> modelOf(const RunCheckpoint& checkpoint) {
  ASSIGN_OR_RETURN(const auto shape, parseStoredConfig(checkpoint.facts.modelConfig));
  ASSIGN_OR_RETURN(auto model, EncoderModel::create(shape, Precision::Fp32, c10::Device(c10::DeviceType::CPU), 0));
  RETURN_IF_ERROR(setAllWeights(model, checkpoint.state));
  return model;
}

}  // namespace batchwise
