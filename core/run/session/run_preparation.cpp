// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_preparation.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/messages.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/ranks/rank_messages.h"
#include "core/run/session/microbatch.h"
#include "core/time/time.h"

namespace batchwise {
namespace {

class RunPreparation {
 public:
  RunPreparation(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock,
                 RankGroup* rankGroup)
      : request_(request), events_(events), commands_(commands), clock_(clock), rankGroup_(rankGroup) {
    run_.config = request.config;
  }

  Result<PreparedRun> prepare(const std::function<void(const TrainConfig&)>& configKnown);

 private:
  Result<void> openRunStore();
  void noteLikelyMistakes();
  bool stretches() const { return run_.resume && run_.resume->stretches; }
  Result<void> openSource();
  Result<void> checkChanges();
  Result<void> checkChangedFields() const;
  Result<void> checkConfig(CheckScope::Files files);
  DevicesConfig devicesWithThreads() const;
  std::int64_t storedNumber(const char* name) const;
  Result<void> sendToRanks(const std::string& message);
  Result<ProcessShare> shareOfMachine();
  Result<void> chooseDevices();
  Result<void> findData();
  Result<void> readData();
  Result<void> validateData();
  Result<void> makeModel();
  void fillModelDefaults();
  bool keepsMicrobatch() const;
  Result<std::int64_t> chooseMicrobatch(DeviceShape& shape);
  Result<void> makePlan();
  Result<void> resolveAll(const DeviceShape& shape, bool restore);
  Result<void> restoreState();
  void loadWeightsOnly();
  Result<void> checkNotFinished() const;
  const TrainConfig& config() const { return run_.config.config; }

  const LaunchRequest& request_;
  EventSink& events_;
  CommandMailbox& commands_;
  const Clock& clock_;
  RankGroup* const rankGroup_;  // null: single process
  PreparedRun run_;
};

Result<PreparedRun> RunPreparation::prepare(const std::function<void(const TrainConfig&)>& configKnown) {
  RETURN_IF_ERROR(openRunStore());
  RETURN_IF_ERROR(openSource());
  configKnown(config());
  using Step = Result<void> (RunPreparation::*)();
  for (const Step step : {&RunPreparation::checkChanges, &RunPreparation::chooseDevices, &RunPreparation::findData,
                          &RunPreparation::readData, &RunPreparation::validateData, &RunPreparation::makeModel,
                          &RunPreparation::makePlan, &RunPreparation::restoreState})
    RETURN_IF_ERROR((this->*step)());
  return std::move(run_);
}

Result<void> RunPreparation::openRunStore() {
  if (!request_.config.ok()) return Error::config(request_.config.errorText());
  if (request_.resumeRun.empty()) {
    RETURN_IF_ERROR(checkConfig(CheckScope::Files::Checked));
    run_.config.config = withDefaults(std::move(run_.config.config));
  }
  ASSIGN_OR_RETURN(run_.store, RunStore::open(request_.workspace, config().launch.journal, clock_));
  run_.notes = run_.store->notices();
  if (request_.resumeRun.empty()) noteLikelyMistakes();
  return {};
}

// Adds notes on likely mistakes. A configuration from the form was not parsed from text, which would have added them.
void RunPreparation::noteLikelyMistakes() {
  std::vector<ConfigIssue> notes = request_.config.notes;
  if (notes.empty())
    for (const FieldProblem& slip : findLikelyMistakes(request_.config.config))
      notes.push_back(request_.config.issueAt(slip.field, slip.message));
  for (const ConfigIssue& note : notes) run_.notes.push_back(note.text());
}

Result<void> RunPreparation::openSource() {
  if (request_.resumeRun.empty()) return {};
  ASSIGN_OR_RETURN(const auto history, run_.store->history(request_.resumeRun));
  ASSIGN_OR_RETURN(run_.source, openResumeSource(run_.store->folder(), history, request_));
  run_.warnings = run_.source->notes;
  run_.resume = decideResume(request_, run_.source->run, run_.source->record, run_.source->facts.config);
  run_.config.config = run_.resume->config;
  Message all;
  for (const ResumeRefusal& refusal : run_.resume->refusals)
    all = all.empty() ? refusal.text() : messages::followedBy(all, refusal.text());
  return all.empty() ? Result<void>() : Error::config(all);
}

// Reports the changes of a resume, and checks what they allow.
Result<void> RunPreparation::checkChanges() {
  if (!run_.resume) {
    run_.config.baseFolder = absoluteFolder(run_.config.baseFolder);
    return {};
  }
  const RunFacts& facts = run_.source->facts;
  if (const auto folder = facts.resolved.find(resolved_names::kBaseFolder);
      run_.config.baseFolder.empty() && folder != facts.resolved.end())
    run_.config.baseFolder = folder->second;
  run_.notes.insert(run_.notes.end(), run_.resume->changes.begin(), run_.resume->changes.end());
  if (run_.resume->keepsSchedule) run_.notes.push_back(messages::learningRateCourseKept());
  // A run that continues unchanged resolves nothing again.
  return run_.isContinuation() && !stretches() ? checkChangedFields() : checkConfig(CheckScope::Files::Unread);
}

Result<void> RunPreparation::checkChangedFields() const {
  const std::vector<FieldProblem> broken = checkNewRun(config(), &run_.source->facts.config);
  return broken.empty() ? Result<void>()
                        : Error::config(messages::inContext(broken.front().field, broken.front().message));
}

Result<void> RunPreparation::checkConfig(CheckScope::Files files) {
  const TrainConfig* stored = run_.source ? &run_.source->facts.config : nullptr;
  run_.config = checkedForLaunch(std::move(run_.config), {.files = files, .stored = stored});
  return run_.config.ok() ? Result<void>() : Error::config(run_.config.errorText());
}

// A continued run keeps the threads resolved at launch, unless the configuration changes devices or threads.
DevicesConfig RunPreparation::devicesWithThreads() const {
  DevicesConfig devices = config().devices;
  if (!run_.isContinuation() || devices.threads || devices.use != run_.source->facts.config.devices.use) return devices;
  if (const std::int64_t threads = storedNumber(resolved_names::kThreads); threads > 0) devices.threads = threads;
  return devices;
}

// Returns a resolved number of the source run; 0 if missing.
std::int64_t RunPreparation::storedNumber(const char* name) const {
  const auto stored = run_.source->facts.resolved.find(name);
  return stored == run_.source->facts.resolved.end() ? 0 : std::strtoll(stored->second.c_str(), nullptr, 10);
}

Result<void> RunPreparation::sendToRanks(const std::string& message) {
  if (rankGroup_ == nullptr) return {};
  RETURN_IF_ERROR(rankGroup_->broadcastFromFirst(message));
  return {};
}

Result<ProcessShare> RunPreparation::shareOfMachine() {
  if (rankGroup_ == nullptr) return ProcessShare{};
  RankSetupMessage start{run_.config, run_.store->cacheFolder()};
  start.config.config.devices = devicesWithThreads();
  RETURN_IF_ERROR(sendToRanks(messageText(start)));
  return rankGroup_->share();
}

Result<void> RunPreparation::chooseDevices() {
  ASSIGN_OR_RETURN(const auto share, shareOfMachine());
  ASSIGN_OR_RETURN(run_.devices, useDevices(devicesWithThreads(), share));
  if (rankGroup_ != nullptr) RETURN_IF_ERROR(rankGroup_->open(run_.devices.devices.front()));
  run_.notes.insert(run_.notes.end(), run_.devices.notes.begin(), run_.devices.notes.end());
  if (config().precision == Precision::Tf32 && !run_.devices.onGpu())
    run_.notes.push_back(messages::tf32IgnoredOnProcessor());
  run_.environment = environmentText(config(), run_.devices);
  return {};
}

// Finds files that moved since the checkpoint was taken by their content.
Result<void> RunPreparation::findData() {
  if (!run_.fromCheckpoint()) return {};
  ASSIGN_OR_RETURN(const auto notes, findMovedData(run_.config, run_.store->cacheFolder(), events_, commands_));
  run_.notes.insert(run_.notes.end(), notes.begin(), notes.end());
  run_.config.baseFolder = absoluteFolder(run_.config.baseFolder);  // earlier versions stored an empty one
  return {};
}

Result<void> RunPreparation::readData() {
  ASSIGN_OR_RETURN(run_.data, prepareLaunchData(run_.config, run_.store->cacheFolder(), events_, commands_));
  run_.notes.insert(run_.notes.end(), run_.data->notes.begin(), run_.data->notes.end());
  if (!run_.data->eval && config().guard.earlyStop.action != GuardAction::Off)
    return Error::config(messages::earlyStopLacksEvaluationData());
  run_.lengths = std::make_shared<DatasetLengths>(run_.data->train);
  // A continued run identifies its data by hash, and its configuration may be untrusted: no lengths file is written.
  if (!run_.fromCheckpoint()) RETURN_IF_ERROR(lengthsOf(run_.config, *run_.data));
  return checkEnoughSamples(config(), *run_.lengths);
}

Result<void> RunPreparation::validateData() {
  if (!run_.fromCheckpoint()) return {};
  Message differs;
  if (run_.data->tokenizer.vocabulary().text() != run_.source->facts.vocabulary ||
      run_.data->tokenizer.lowercase() != run_.source->facts.lowercase)
    differs = messages::resumedVocabulary();
  else if (run_.data->train.identity().hex() != run_.source->facts.trainIdentity)
    differs = messages::resumedTrainingData();
  const std::string evaluation = run_.data->eval ? run_.data->eval->identity().hex() : "";
  if (evaluation != run_.source->facts.evalIdentity)
    run_.notes.push_back(messages::evaluationDataDiffersFromRun(run_.source->run.summary.name));
  if (differs.empty()) return {};
  if (!request_.fork) return Error::config(messages::runInputMustMatch(differs, run_.source->run.summary.name));
  run_.resume->kind = ResumeDecision::Kind::ForkFromWeights;
  run_.notes.push_back(messages::runInputDiffers(differs, run_.source->run.summary.name));
  return {};
}

Result<void> RunPreparation::makeModel() {
  events_.publish(PhaseProgress{messages::buildingModelPhase(), 0, 0, {}});
  if (run_.isContinuation()) {
    ASSIGN_OR_RETURN(const auto shape, parseHuggingFaceConfig(run_.source->facts.modelConfig));
    run_.model = LaunchModel{shape, std::nullopt};
  } else {
    ASSIGN_OR_RETURN(run_.model, launchModel(run_.config, run_.data->tokenizer.vocabulary().size()));
  }
  fillModelDefaults();
  const RankDataMessage data{config(), run_.data->train.identity().hex(),
                             huggingFaceConfig(run_.model->shape, run_.data->tokenizer.vocabulary().special()),
                             keepsMicrobatch() ? run_.source->loop.microbatchUnits : 0};
  RETURN_IF_ERROR(sendToRanks(messageText(data)));
  ASSIGN_OR_RETURN(run_.replicas, makeReplicas(*run_.model, config(), run_.devices));
  return {};
}

// Fills defaults that follow from device and model. All are stored, so that a later default does not change the run.
void RunPreparation::fillModelDefaults() {
  TrainConfig& filled = run_.config.config;
  if (!filled.model.layerNormEps) filled.model.layerNormEps = run_.model->shape.layerNormEps;
  if (!filled.precision) filled.precision = choosePrecision(run_.model->shape, run_.devices);
  if (run_.resume) return;
  std::string all;
  for (const std::string& one : filledDefaults(request_.config.config, filled)) all += (all.empty() ? "" : ", ") + one;
  if (!all.empty()) run_.notes.push_back(messages::unspecifiedValuesChosen(all));
}

// A continued run keeps its current micro-batch, which an out-of-memory error may have reduced, unless the
// configuration changes it.
bool RunPreparation::keepsMicrobatch() const {
  return run_.isContinuation() &&
         config().batch.deviceTrainMicrobatchSize == run_.source->facts.config.batch.deviceTrainMicrobatchSize;
}

Result<std::int64_t> RunPreparation::chooseMicrobatch(DeviceShape& shape) {
  if (keepsMicrobatch()) {
    const std::int64_t launchedOn = std::max<std::int64_t>(1, storedNumber(resolved_names::kDevices));
    shape.largestUnits = storedNumber(resolved_names::kGrowthLargest) / launchedOn;
    return run_.source->loop.microbatchUnits;
  }
  ASSIGN_OR_RETURN(auto micro, resolveMicrobatch(config(), run_.lengths, run_.devices, run_.replicas.front(), events_));
  if (rankGroup_ != nullptr)  // every rank searched for its own; the smallest counts
    for (std::int64_t* own : {&micro.units, &micro.largest}) {
      ASSIGN_OR_RETURN(*own, rankGroup_->smallest(*own));
    }
  shape.largestUnits = micro.largest;
  if (config().batch.useMaximumBatchSize && !run_.isContinuation())
    run_.config.config.batch.globalTrainBatchSize = micro.units * shape.devices;
  if (!micro.note.empty()) run_.notes.push_back(micro.note);
  return micro.units;
}

Result<void> RunPreparation::makePlan() {
  DeviceShape shape;
  shape.devices = run_.devices.count();
  ASSIGN_OR_RETURN(shape.microbatchUnits, chooseMicrobatch(shape));
  const bool restore = run_.isContinuation() && !stretches();
  ASSIGN_OR_RETURN(run_.plan, restore ? Plan::restore(config(), run_.source->facts.resolved, run_.lengths, shape)
                                      : Plan::resolve(config(), run_.lengths, shape));
  run_.notes.insert(run_.notes.end(), run_.plan->notes().begin(), run_.plan->notes().end());
  RETURN_IF_ERROR(resolveAll(shape, restore));
  run_.state.growth = run_.plan->initialGrowth();
  run_.state.microbatchUnits = shape.microbatchUnits;
  return sendToRanks(messageText(RankPlanMessage{config(), run_.resolved, shape.microbatchUnits}));
}

// Collects all values that are resolved at launch and kept by a resume.
Result<void> RunPreparation::resolveAll(const DeviceShape& shape, bool restore) {
  if (restore) run_.resolved = run_.source->facts.resolved;
  run_.resolved.insert(run_.plan->resolved().begin(), run_.plan->resolved().end());
  ASSIGN_OR_RETURN(run_.intervals, restore ? keepIntervals(config(), run_.plan->runLength(), run_.source->facts.config,
                                                           run_.source->facts.resolved)
                                           : resolveIntervals(config(), run_.plan->runLength()));
  storeIntervals(run_.intervals, run_.resolved);
  run_.resolved[resolved_names::kDevices] = std::to_string(shape.devices);
  run_.resolved[resolved_names::kThreads] = std::to_string(run_.devices.threadsPerDevice);
  run_.resolved[resolved_names::kBaseFolder] = run_.config.baseFolder.string();
  if (restore)
    for (const auto& [name, value] : run_.resolved)
      if (!run_.source->facts.resolved.contains(name))
        return Error::corrupt(messages::checkpointResolutionMissing(run_.source->record.id, name));
  return {};
}

// Loads only the weights, for a fork with another configuration.
void RunPreparation::loadWeightsOnly() {
  for (Replica& replica : run_.replicas) {
    const std::vector<std::string> fresh = loadMatchingWeights(replica, run_.source->state);
    if (&replica == &run_.replicas.front() && !fresh.empty())
      run_.notes.push_back(fresh.size() > 1
                               ? messages::tensorsTakenSeveralFresh(replica.model.stateTensors().size() - fresh.size(),
                                                                    replica.model.stateTensors().size(), fresh.front(),
                                                                    fresh.size() - 1)
                               : messages::tensorsTakenOneFresh(replica.model.stateTensors().size() - fresh.size(),
                                                                replica.model.stateTensors().size(), fresh.front()));
  }
  run_.notes.push_back(messages::runStartsFromCheckpointWeights(run_.source->record.id));
  run_.source->state.tensors.clear();
}

Result<void> RunPreparation::restoreState() {
  if (run_.is(ResumeDecision::Kind::ForkFromWeights)) loadWeightsOnly();
  if (!run_.isContinuation()) return {};
  for (Replica& replica : run_.replicas)
    if (Result<void> restored = restoreReplica(replica, run_.source->state); !restored.ok())
      return restored.error().within(messages::archivedCheckpointName(run_.source->record.id));
  run_.source->state.tensors.clear();
  const std::int64_t microbatch = run_.state.microbatchUnits;
  run_.state = run_.source->loop;
  RETURN_IF_ERROR(checkNotFinished());
  Message differs = environmentDifference(run_.source->facts.environment, run_.environment);
  if (microbatch != run_.state.microbatchUnits)
    differs =
        differs.empty() ? messages::anotherMicrobatch() : messages::listItems(differs, messages::anotherMicrobatch());
  if (microbatch != run_.state.microbatchUnits) run_.state.passesPerPack = 1;
  run_.state.microbatchUnits = microbatch;
  run_.notes.push_back(differs.empty()
                           ? messages::resumesBitForBit(run_.source->record.id, run_.state.now.step)
                           : messages::resumesClosely(run_.source->record.id, run_.state.now.step, differs));
  return {};
}

// Fails if nothing is left to train, except for a resume with an unchanged max_duration, which simply finishes.
Result<void> RunPreparation::checkNotFinished() const {
  const Time& wanted = config().maxDuration;
  const bool asBefore = wanted == run_.source->facts.config.maxDuration && run_.is(ResumeDecision::Kind::Continue);
  if (asBefore || !run_.plan->finished(run_.state.now)) return {};
  const Time done = Time::of(clockValue(run_.state.now, wanted.unit()), wanted.unit());
  const std::string batches = std::to_string(run_.state.now.batch) + "ba";
  return Error::config(done.text() == batches
                           ? messages::maxDurationReachedAtCheckpoint(run_.source->run.summary.name, done.text(),
                                                                      run_.source->record.id, wanted.text())
                           : messages::maxDurationReachedWithBatches(run_.source->run.summary.name, done.text(),
                                                                     batches, run_.source->record.id, wanted.text()));
}

}  // namespace

Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankGroup* rankGroup) {
  return RunPreparation(request, events, commands, clock, rankGroup).prepare(configKnown);
}

}  // namespace batchwise
