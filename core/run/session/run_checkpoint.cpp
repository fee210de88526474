// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_checkpoint.h"

#include <ATen/Version.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/config/default_values.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/run/launch/resume_decision.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace_folder.h"
#include "core/train/checkpoint_every.h"
#include "core/train/device_memory.h"

namespace batchwise {

namespace fs = std::filesystem;
namespace {

Result<RunCheckpoint> readRunCheckpoint(const fs::path& workspace, const RunDetail& run,
                                        const CheckpointRecord& record) {
  const ChargeAllocationsTo ofNoDevice(kHostCopyDevice);
  ASSIGN_OR_RETURN(const auto file, findCheckpointFile(workspace, record.file));
  ASSIGN_OR_RETURN(auto state, readCheckpoint(file));
  ASSIGN_OR_RETURN(auto facts, factsFromText(state.facts));
  const auto text = state.facts.find(checkpoint_names::kState);
  if (text == state.facts.end()) return Error::corrupt("the checkpoint does not hold the state of the run");
  ASSIGN_OR_RETURN(auto loop, loopStateFromText(text->second));
  return RunCheckpoint{run, record, std::move(state), std::move(loop), std::move(facts), {}};
}

Result<RunCheckpoint> openNamed(const fs::path& workspace, const RunHistory& history, const std::string& checkpoint) {
  for (const CheckpointRecord& record : history.checkpoints) {
    if (record.id != checkpoint) continue;
    if (!record.finite)
      return Error{ErrorCode::DamagedCheckpoint,
                   formatText("checkpoint {} holds numbers that are not finite; choose the newest good one", record.id),
                   {}};
    auto read = readRunCheckpoint(workspace, history.run, record);
    if (read.ok() || read.error().code != ErrorCode::Corrupt) return read;
    Error damaged = read.error();
    damaged.code = ErrorCode::DamagedCheckpoint;
    return damaged;
  }
  return Error::notFound(formatText("run {} has no checkpoint '{}'; `batchwise checkpoints list` lists all checkpoints",
                                    history.run.summary.name, checkpoint));
}

// Opens the first of `records` that can be read; its notes say why earlier ones cannot.
Result<RunCheckpoint> openFirstGood(const fs::path& workspace, const RunDetail& run,
                                    const std::vector<CheckpointRecord>& records) {
  std::vector<std::string> notes;
  for (const CheckpointRecord& record : records) {
    Result<RunCheckpoint> opened = readRunCheckpoint(workspace, run, record);
    if (opened.ok()) {
      opened->notes = notes;
      return opened;
    }
    notes.push_back(formatText("checkpoint {} cannot be used: {}", record.id, opened.error().text()));
  }
  if (notes.empty()) return Error::notFound(formatText("run {} has no checkpoint to resume from", run.summary.name));
  std::string allBad = notes.front();
  for (std::size_t i = 1; i < notes.size(); ++i) allBad = followedByText(allBad, notes[i]);
  return Error{
      ErrorCode::DamagedCheckpoint, formatText("run {} has no good checkpoint: {}", run.summary.name, allBad), {}};
}

constexpr const char* kConfig = "config";
constexpr const char* kResolved = "resolved";
constexpr const char* kVocabulary = "tokenizer.vocab";
constexpr const char* kLowercase = "tokenizer.lowercase";
constexpr const char* kTokenizerJson = "tokenizer.json";           // of tokenizers other than BERT's; the vocabulary
constexpr const char* kTokenizerConfig = "tokenizer_config.json";  // is empty then
constexpr const char* kTrainData = "data.train";
constexpr const char* kEvalData = "data.eval";
constexpr const char* kModelConfig = "model.config";
constexpr const char* kEnvironment = "environment";

}  // namespace

Result<RunCheckpoint> openCheckpoint(const fs::path& workspace, const RunHistory& history,
                                     const std::string& checkpoint) {
  if (!checkpoint.empty()) return openNamed(workspace, history, checkpoint);
  return openFirstGood(workspace, history.run, resumeOrder(history.run.segments, history.checkpoints));
}

Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run,
                                     const std::string& checkpoint) {
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(auto all, workspace.checkpoints(detail.summary.id));
  return openCheckpoint(workspace.folder(), {std::move(detail), std::move(all), {}}, checkpoint);
}

Result<RunCheckpoint> openCheckpointBefore(const fs::path& workspace, const RunHistory& history, std::int64_t step) {
  Result<RunCheckpoint> opened =
      openFirstGood(workspace, history.run, rollBackOrder(history.run.segments, history.checkpoints, step));
  if (opened.ok() && !isScheduled(opened->record))
    opened->notes.push_back(
        formatText("no checkpoint of checkpoint.interval is left to roll back to; {}, taken for another reason ({}), "
                   "is used instead",
                   opened->record.id, choiceName(opened->record.reason)));
  return opened;
}

Result<RunCheckpoint> openResumeSource(const fs::path& workspace, const RunHistory& history,
                                       const LaunchRequest& request) {
  if (!request.resumeCheckpoint.empty()) return openNamed(workspace, history, request.resumeCheckpoint);
  const std::vector<CheckpointRecord> all = resumeOrder(history.run.segments, history.checkpoints);
  const std::vector<CheckpointRecord> fitting = resumeCandidates(request, history.run, history.checkpoints);
  if (fitting.empty() && !all.empty()) return Error::config(stretchNeedsBatchBoundaryText(all.front().id));
  Result<RunCheckpoint> opened = openFirstGood(workspace, history.run, fitting);
  if (opened.ok() && fitting.front().id != all.front().id)
    opened->notes.push_back(
        formatText("with the schedule resolved again (--stretch), the run resumes from checkpoint {}, the newest "
                   "between two global batches, not from {}",
                   opened->record.id, all.front().id));
  return opened;
}

LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record) {
  LoopState state = now;
  // Losses of another stage are no measure.
  const bool sameStage = then.stage == now.stage;
  state.guards.lossSpike = sameStage ? then.guards.lossSpike : decltype(then.guards.lossSpike)();
  state.guards.plateau = sameStage ? then.guards.plateau : decltype(then.guards.plateau)();
  state.guards.skippedRanges.push_back(
      {record.at.step, now.now.step, record.at.batch, now.now.batch, record.at.sample, now.now.sample, record.id});
  state.skippedInARow = 0;
  state.noise = then.noise;
  state.noiseMode = then.noiseMode;
  state.metric = then.metric;
  return state;
}

std::string rollBackText(const SkippedRange& passed, const std::string& reason) {
  return formatText(
      "rolled back to checkpoint {} (step {}): {}; skips what came after it, steps {} to {} (global batches from {}ba "
      "to {}ba, samples from {}sp to {}sp)",
      passed.checkpoint, passed.fromStep, reason, passed.fromStep + 1, passed.toStep, passed.fromBatch, passed.toBatch,
      passed.fromSample, passed.toSample);
}

std::string environmentWithRollBack(const std::string& environment, const SkippedRange& passed) {
  nlohmann::json object = parseJsonOrDiscarded(environment);
  object["skipped_range"] = {{"from_step", passed.fromStep}, {"to_step", passed.toStep},
                             {"from_ba", passed.fromBatch},  {"to_ba", passed.toBatch},
                             {"from_sp", passed.fromSample}, {"to_sp", passed.toSample}};
  return object.dump();
}

Result<void> removeOldCheckpoints(RunRecorder& recorder, const std::vector<RunSegment>& segments,
                                  const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget) {
  RetentionPolicy policy;
  policy.keepLast = wanted.keepLast;
  policy.keepBest = wanted.keepBest;
  policy.lowerIsBetter = wanted.bestMetric != EvalMetric::Accuracy;
  if (const auto& every = intervals.at("checkpoint.keep_every"); !every.empty()) policy.keepEvery = every.front();
  ASSIGN_OR_RETURN(const auto all, recorder.checkpoints());
  if (rollBackTarget)
    for (const CheckpointRecord& record : all)
      if (record.segment == recorder.segment() && record.finite && isScheduled(record)) rollBackTarget = record.id;
  for (const CheckpointRecord& record : selectForRemoval(segments, all, policy)) {
    if (record.id == rollBackTarget) continue;
    RETURN_IF_ERROR(recorder.removeCheckpoint(record));
  }
  return {};
}

RunFacts runFacts(const TrainConfig& config, const ResolvedValues& resolved, const PreparedData& data,
                  const ModelShape& shape, const std::string& environment) {
  RunFacts facts;
  facts.config = config;
  facts.resolved = resolved;
  facts.tokenizer = data.tokenizer.texts();
  facts.trainIdentity = data.train.identity().hex();
  facts.evalIdentity = data.evaluationIdentity();
  facts.modelConfig = storedConfig(shape, data.tokenizer.vocabulary().special());
  facts.environment = environment;
  return facts;
}

std::map<std::string, std::string> factsToText(const RunFacts& facts) {
  std::map<std::string, std::string> text = {{kConfig, configToYaml(facts.config, YamlScope::Everything)},
                                             {kResolved, nlohmann::json(facts.resolved).dump()},
                                             {kVocabulary, facts.tokenizer.vocabulary},
                                             {kLowercase, facts.tokenizer.lowercase ? "true" : "false"},
                                             {kTrainData, facts.trainIdentity},
                                             {kEvalData, facts.evalIdentity},
                                             {kModelConfig, facts.modelConfig},
                                             {kEnvironment, facts.environment}};
  if (facts.tokenizer.json.empty()) return text;
  text[kTokenizerJson] = facts.tokenizer.json;
  text[kTokenizerConfig] = facts.tokenizer.config;
  return text;
}

Result<RunFacts> factsFromText(const std::map<std::string, std::string>& text) {
  for (const char* name :
       {kConfig, kResolved, kVocabulary, kLowercase, kTrainData, kEvalData, kModelConfig, kEnvironment})
    if (!text.contains(name)) return Error::corrupt(formatText("the checkpoint does not record its {}", name));
  RunFacts facts;
  const LoadedConfig config = parseConfig(text.at(kConfig), std::string("the checkpoint"), {});
  if (!config.ok()) return Error::corrupt(formatText("the configuration in the checkpoint: {}", config.errorText()));
  facts.config = config.config;
  const nlohmann::json resolved = parseJsonOrDiscarded(text.at(kResolved));
  if (!resolved.is_object()) return Error::corrupt("the resolved values in the checkpoint are not a JSON object");
  for (const auto& [name, value] : resolved.items()) {
    if (!value.is_string())
      return Error::corrupt(formatText("the resolved value {} in the checkpoint is not a string", name));
    facts.resolved[name] = value.get<std::string>();
  }
  facts.tokenizer.vocabulary = text.at(kVocabulary);
  facts.tokenizer.lowercase = text.at(kLowercase) == "true";
  if (const auto json = text.find(kTokenizerJson); json != text.end()) facts.tokenizer.json = json->second;
  if (const auto names = text.find(kTokenizerConfig); names != text.end()) facts.tokenizer.config = names->second;
  facts.trainIdentity = text.at(kTrainData);
  facts.evalIdentity = text.at(kEvalData);
  facts.modelConfig = text.at(kModelConfig);
  facts.environment = text.at(kEnvironment);
  return facts;
}

std::string libraryVersions() {
  std::string text = "batchwise " BATCHWISE_VERSION "\ntorch " TORCH_VERSION "\ncuda ";
  const int cuda = CUDART_VERSION;
  text += std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10) + "\n";
  if (at::hasMKL()) text += at::get_mkl_version() + "\n";
  text += at::get_mkldnn_version() + "\n" + at::get_openmp_version() + "\n" + at::get_cpu_capability();
  return text;
}

std::string environmentText(const TrainConfig& config, const DeviceChoice& devices) {
  nlohmann::json names = nlohmann::json::array();
  for (std::int64_t process = 0; process < devices.share.processes; ++process)
    for (const c10::Device& device : devices.devices) names.push_back(deviceDescription(device));
  const nlohmann::json environment = {{"versions", libraryVersions()},
                                      {"device_kind", devices.onGpu() ? "cuda" : "cpu"},
                                      {"devices", names},
                                      {"threads_per_device", devices.threadsPerDevice},
                                      {"deterministic", config.devices.deterministic}};
  return environment.dump();
}

std::string environmentDifference(const std::string& before, const std::string& now) {
  const nlohmann::json old = parseJsonOrDiscarded(before);
  const nlohmann::json current = parseJsonOrDiscarded(now);
  std::string differences;
  const auto compare = [&](const char* key, const std::string& difference) {
    if (old.is_object() && current.is_object() &&
        old.value(key, nlohmann::json()) == current.value(key, nlohmann::json()))
      return;
    differences = differences.empty() ? difference : listItemsText(differences, difference);
  };
  compare("versions", "other library versions");
  compare("device_kind", "another kind of device");
  compare("devices", "other devices");
  compare("threads_per_device", "other threads per device");
  compare("deterministic", "another setting of devices.deterministic");
  return differences;
}

}  // namespace batchwise
