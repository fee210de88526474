// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/launch_model.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/model/device_error.h"
#include "core/model/hugging_face/start_weights.h"
#include "core/model/padded_attention.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/ranks/rank_group.h"
#include "core/store/workspace.h"
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

/// Returns the bound of batch growth; 0 if everything probed fits, so that the bound is unknown.
std::int64_t growthBound(const TrainConfig& config, const Lengths& lengths, std::int64_t devices, std::int64_t units) {
  const std::int64_t most = maxUsefulUnits(config, lengths, devices);
  const bool isOfTheDevice = units < most || most >= lengths.size() / devices || !growsToDevices(config);
  return isOfTheDevice ? units : 0;
}

Result<MicrobatchResult> probeFor(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                  const DeviceChoice& devices, Replica& replica, std::int64_t limitBytes,
                                  EventSink& events) {
  ASSIGN_OR_RETURN(const auto unit, worstCaseUnit(config, lengths));
  MicrobatchSearch search = microbatchSearch(config, *lengths, devices.count(), limitBytes);
  search.tokensPerUnit = std::accumulate(unit.begin(), unit.end(), std::int64_t{0});
  if (devices.onGpu())
    search.most = std::min(search.most, std::max<std::int64_t>(1, kMostSequencesInPass / std::ssize(unit)));
  StepProbe probe(replica, largestMlmProbability(config.data));
  double done = 0;
  return searchMicrobatch(search, [&](std::int64_t units) {
    events.publish(PhaseProgress{"searching for the largest micro-batch", done++, kMaxProbes, "probes"});
    return probe.measure(units, unit);
  });
}

// Says what kept the search from larger micro-batches than `most`.
std::string boundOf(const TrainConfig& config, const Lengths& lengths, std::int64_t devices, std::int64_t most) {
  if (most < maxUsefulUnits(config, lengths, devices))
    return formatText("{} is the most that the kernels take in one pass", formatInteger(most));
  if (config.batch.useMaximumBatchSize || most >= lengths.size() / devices)
    return formatText("{} is a device's share of the data, {} on {}", formatInteger(most),
                      countText(lengths.size(), "sample"), countText(devices, "device"));
  if (growsToDevices(config))
    return formatText("{} is 16 times a device's share of the global batch of {}, the most that is tried for growth",
                      formatInteger(most), formatInteger(config.batch.globalTrainBatchSize));
  return formatText("{} is a device's share of the global batch, {} on {}", formatInteger(most),
                    formatInteger(config.batch.globalTrainBatchSize), countText(devices, "device"));
}

std::string describe(std::int64_t units, const MicrobatchResult& answer, std::int64_t limitBytes) {
  std::string text =
      formatText("batch.device_train_microbatch_size: auto is {}, within {} of memory; peak memory measured:", units,
                 formatBytes(limitBytes));
  for (const ProbeRecord& probe : answer.probes) {
    const std::string peak = formatBytes(probe.outcome.peakBytes);
    text += probe.outcome.fits ? formatText(" {} takes {};", probe.units, peak)
                               : formatText(" {}: {} (too much)", probe.units, peak);
  }
  return text;
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

Result<DeviceChoice> useNotedDevices(const DevicesConfig& config, EventSink& events) {
  ASSIGN_OR_RETURN(auto devices, useDevices(config));
  for (const std::string& note : devices.notes) events.publish(RunNote{NoteLevel::Warning, note, {}});
  return devices;
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
  // A fork may have another precision, and so begin or end to scale the loss; a resume, to have a half-life of beta2.
  const auto mayDiffer = [](const std::string& name) { return name.starts_with("loss_scale") || name == "beta2_log"; };
  for (const NamedTensor& named : replica.optimizer.stateTensors()) {
    if (named.name == "beta2_log") named.tensor.zero_();  // AdamW::setState() takes it from the steps if it is missing
    if (!mayDiffer(named.name) || hasTensor(state, checkpoint_names::kOptimizer + named.name))
      missing.insert(named.name);
  }
  for (const NamedTensor& named : tensorsUnder(state, checkpoint_names::kOptimizer)) {
    if (mayDiffer(named.name) && !missing.contains(named.name)) continue;
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

Result<EncoderModel> modelOf(const RunCheckpoint& checkpoint, c10::Device device) {
  ASSIGN_OR_RETURN(const auto shape, parseStoredConfig(checkpoint.facts.modelConfig));
  ASSIGN_OR_RETURN(auto model, EncoderModel::create(shape, Precision::Fp32, device, 0));
  RETURN_IF_ERROR(setAllWeights(model, checkpoint.state));
  return model;
}

Result<LoadedModel> loadModel(const ModelSource& source, c10::Device device, const Clock& clock) {
  if (!source.run.empty()) {
    ASSIGN_OR_RETURN(const auto workspace, Workspace::open(source.workspace, Workspace::Mode::ReadOnly, clock));
    ASSIGN_OR_RETURN(const auto checkpoint, openCheckpoint(*workspace, source.run, source.checkpoint));
    ASSIGN_OR_RETURN(auto model, modelOf(checkpoint, device));
    ASSIGN_OR_RETURN(auto tokenizer,
                     Tokenizer::fromTexts(checkpoint.facts.tokenizer, "the tokenizer of the checkpoint"));
    return LoadedModel{std::move(model),       std::move(tokenizer),    {checkpoint.record.id, checkpoint.notes},
                       checkpoint.record.file, checkpoint.facts.config, {}};
  }
  const std::filesystem::path& folder = source.folder;
  ASSIGN_OR_RETURN(const auto known, checkModelFolder(folder));
  ASSIGN_OR_RETURN(const auto weights, readHuggingFaceModel(folder));
  ASSIGN_OR_RETURN(auto tokenizer, Tokenizer::load(folder, /*lowercase=*/true));
  if (tokenizer.vocabulary().size() > weights.shape.vocabSize)
    return Error::config(formatText("the tokenizer of '{}' has {} tokens, its model only {}: they are not of one model",
                                    folder.native(), formatInteger(tokenizer.vocabulary().size()),
                                    formatInteger(weights.shape.vocabSize)));
  ASSIGN_OR_RETURN(auto model, EncoderModel::create(weights.shape, Precision::Fp32, device, 0));
  RETURN_IF_ERROR(model.load(weights));
  model.parametersChanged();
  return LoadedModel{std::move(model), std::move(tokenizer), {{}, known.notes}, folder.native(), {}, known.missing};
}

Result<EncoderModel> withHead(const EncoderModel& source, const ModelShape& shape, Precision precision,
                              c10::Device device, std::int64_t seed) {
  ASSIGN_OR_RETURN(auto model, EncoderModel::create(shape, precision, device, static_cast<std::uint64_t>(seed)));
  std::set<std::string> own;
  for (const NamedTensor& named : model.parameters()) own.insert(named.name);
  for (const NamedTensor& named : source.stateTensors())
    if (own.contains(named.name)) RETURN_IF_ERROR(model.setTensor(named.name, named.tensor));
  model.parametersChanged();
  return model;
}

Result<void> writeModelFolder(const std::filesystem::path& folder, const EncoderModel& model,
                              const Tokenizer& tokenizer, std::int64_t maxSeqLen, Replaces replaces,
                              const std::vector<std::string>& classes) {
  const std::vector<NamedTensor> state = copyToHost(model.stateTensors());
  std::vector<TensorBytes> tensors;
  for (const NamedTensor& named : state)
    tensors.push_back({named.name, TensorType::F32, named.tensor.sizes().vec(),
                       std::as_bytes(std::span(named.tensor.const_data_ptr<float>(),
                                               static_cast<std::size_t>(named.tensor.numel())))});
  return writeHuggingFaceModel(folder, model.shape(), tensors, tokenizer, maxSeqLen, replaces, classes);
}

Result<ResolvedMicrobatch> resolveMicrobatch(const TrainConfig& config, const std::shared_ptr<const Lengths>& lengths,
                                             const DeviceChoice& devices, Replica& replica, EventSink& events,
                                             RankGroup* rankGroup) {
  if (config.batch.deviceTrainMicrobatchSize && !config.batch.useMaximumBatchSize)
    return ResolvedMicrobatch{*config.batch.deviceTrainMicrobatchSize, 0, {}};
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0 && config.batch.useMaximumBatchSize)
    return Error::config(
        "batch.use_maximum_batch_size needs a memory limit to fill; on the processor set devices.memory_limit");
  ResolvedMicrobatch resolved;
  MicrobatchResult answer;
  if (limit == 0) {
    resolved.units = cpuMicrobatch(config, *lengths, devices.count());
  } else {
    ASSIGN_OR_RETURN(answer, probeFor(config, lengths, devices, replica, limit, events));
    resolved.units = usableUnits(config, answer.units, devices.count());
    resolved.largest = growthBound(config, *lengths, devices.count(), answer.units);
  }
  if (rankGroup != nullptr)
    for (std::int64_t* own : {&resolved.units, &resolved.largest}) {
      ASSIGN_OR_RETURN(*own, rankGroup->smallest(*own));
    }
  resolved.note = limit == 0 ? formatText(
                                   "batch.device_train_microbatch_size: auto is {}, about {} tokens per pass; "
                                   "devices.memory_limit would bound it",
                                   resolved.units, kCpuPassTokens)
                             : describe(resolved.units, answer, limit);
  return resolved;
}

Result<BatchSearchResult> findMicrobatch(const LoadedConfig& loaded, const std::filesystem::path& workspacePath,
                                         EventSink& events, const Clock& clock) {
  TrainConfig config = loaded.config;
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(workspacePath, Workspace::Mode::ReadWrite, clock));
  ASSIGN_OR_RETURN(const auto devices, useNotedDevices(config.devices, events));
  CommandMailbox noCommands;
  ASSIGN_OR_RETURN(const auto data, prepareLaunchData(loaded, workspace->cacheFolder(), events, noCommands));
  const auto lengths = std::make_shared<const DatasetLengths>(data.train);
  ASSIGN_OR_RETURN(const auto model, launchModel(loaded, data.tokenizer.vocabulary()));
  if (!config.precision) config.precision = choosePrecision(model.shape, devices);
  events.publish(PhaseProgress{"building the model", 0, 0, {}});
  ASSIGN_OR_RETURN(auto replicas, makeReplicas(model, config, devices));
  Replica& replica = replicas.front();
  const std::int64_t limit = deviceLimitBytes(replica.model.device(), config.devices.memoryLimitBytes);
  if (limit == 0)
    return Error::config(
        "there is no memory limit to search against on the processor; set devices.memory_limit, for example to 2GiB");
  ASSIGN_OR_RETURN(const auto answer, probeFor(config, lengths, devices, replica, limit, events));
  BatchSearchResult found;
  found.microbatchUnits = answer.units;
  found.runUnits = usableUnits(config, answer.units, devices.count());
  found.limitBytes = limit;
  if (!answer.memoryDecides) found.bound = boundOf(config, *lengths, devices.count(), answer.most);
  for (const ProbeRecord& probe : answer.probes)
    found.probes.push_back({probe.units, probe.outcome.peakBytes, probe.outcome.fits});
  return found;
}

}  // namespace batchwise
