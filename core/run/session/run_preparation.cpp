// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_preparation.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/working_folder.h"
#include "core/config/default_values.h"
#include "core/config/new_run.h"
#include "core/config/schema.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_names.h"
#include "core/run/ranks/rank_team.h"
#include "core/run/ranks/team_words.h"
#include "core/run/session/microbatch.h"
#include "core/time/arithmetic.h"

namespace batchwise {
namespace {

class RunPreparation {
 public:
  RunPreparation(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock,
                 RankTeam* team)
      : request_(request), events_(events), commands_(commands), clock_(clock), team_(team) {
    run_.config = request.config;
  }

  Result<PreparedRun> prepare(const std::function<void(const TrainConfig&)>& configKnown);

 private:
  Result<void> openHome();
  void noteSlips();
  Result<RunCheckpoint> findCheckpoint(const RunHistory& history) const;
  bool stretchesFrom(const CheckpointRecord& record) const;
  bool stretches() const { return stretchesFrom(run_.source->record); }
  Result<void> openSource();
  Result<void> judgeConfig();
  Result<void> checkChangedFields() const;
  Result<void> checkConfig(CheckScope::Files files);
  DevicesConfig devicesWithThreads() const;
  std::int64_t storedNumber(const char* name) const;
  Result<void> tellTeam(const std::string& words);
  Result<ProcessShare> shareOfMachine();
  Result<void> chooseDevices();
  Result<void> findData();
  Result<void> readData();
  Result<void> judgeData();
  Result<void> makeModel();
  void fillModelDefaults();
  bool keepsMicrobatch() const;
  Result<std::int64_t> chooseMicrobatch(DeviceShape& shape);
  Result<void> makePlan();
  Result<void> resolveAll(const DeviceShape& shape, bool restore);
  Result<void> restoreState();
  void adoptCheckpoint();
  Result<void> checkSomethingLeft() const;
  const TrainConfig& config() const { return run_.config.config; }

  const LaunchRequest& request_;
  EventSink& events_;
  CommandMailbox& commands_;
  const Clock& clock_;
  RankTeam* const team_;  // null: no other processes
  PreparedRun run_;
};

Result<PreparedRun> RunPreparation::prepare(const std::function<void(const TrainConfig&)>& configKnown) {
  if (Result<void> opened = openHome(); !opened.ok()) return opened.error();
  if (Result<void> opened = openSource(); !opened.ok()) return opened.error();
  configKnown(config());
  using Step = Result<void> (RunPreparation::*)();
  for (const Step step : {&RunPreparation::judgeConfig, &RunPreparation::chooseDevices, &RunPreparation::findData,
                          &RunPreparation::readData, &RunPreparation::judgeData, &RunPreparation::makeModel,
                          &RunPreparation::makePlan, &RunPreparation::restoreState})
    if (Result<void> done = (this->*step)(); !done.ok()) return done.error();
  return std::move(run_);
}

Result<void> RunPreparation::openHome() {
  if (!request_.config.ok()) return Error::config(request_.config.errorText());
  if (request_.resumeRun.empty()) {
    if (Result<void> fine = checkConfig(CheckScope::Files::Checked); !fine.ok()) return fine;
    run_.config.config = withDefaults(std::move(run_.config.config));
  }
  Result<std::unique_ptr<RunHome>> home = RunHome::open(request_.workspace, config().launch.journal, clock_);
  if (!home.ok()) return home.error();
  run_.home = std::move(*home);
  run_.notes = run_.home->notices();
  if (request_.resumeRun.empty()) noteSlips();
  return {};
}

// A configuration of the form was not read from a text, whose reader notes them.
void RunPreparation::noteSlips() {
  std::vector<ConfigIssue> notes = request_.config.notes;
  if (notes.empty())
    for (const FieldProblem& slip : checkSlips(request_.config.config))
      notes.push_back(request_.config.issueAt(slip.field, slip.message));
  for (const ConfigIssue& note : notes) run_.notes.push_back(note.text());
}

Result<void> RunPreparation::openSource() {
  if (request_.resumeRun.empty()) return {};
  const Result<RunHistory> history = run_.home->history(request_.resumeRun);
  if (!history.ok()) return history.error();
  Result<RunCheckpoint> source = findCheckpoint(*history);
  if (!source.ok()) return source.error();
  run_.source = std::move(*source);
  run_.warnings = run_.source->notes;
  if (const std::string refusal = stretchRefusal(run_.source->record); stretches() && !refusal.empty())
    return Error::config(refusal);
  run_.origin = request_.fork ? Origin::ForkGoingOn : Origin::Resume;
  run_.config.config =
      withDefaults(changedConfig(run_.source->facts.config, run_.source->run.configYaml, request_.config));
  return {};
}

// The one that is named, or the newest good one: of a run that is to be stretched, between two global batches.
Result<RunCheckpoint> RunPreparation::findCheckpoint(const RunHistory& history) const {
  Result<RunCheckpoint> newest = openCheckpoint(run_.home->folder(), history, request_.resumeCheckpoint);
  const bool fits = !newest.ok() || !stretchesFrom(newest->record) || stretchRefusal(newest->record).empty();
  if (fits || !request_.resumeCheckpoint.empty()) return newest;
  newest->state = {};  // its tensors are as large as those that follow
  return openCheckpointBetweenBatches(run_.home->folder(), history);
}

// A checkpoint that a segment of this request took holds what was resolved anew.
bool RunPreparation::stretchesFrom(const CheckpointRecord& record) const {
  return request_.stretch && (!request_.firstSegment || record.segment < *request_.firstSegment);
}

// What a resume changes, against what it may.
Result<void> RunPreparation::judgeConfig() {
  if (!run_.source) {
    run_.config.baseFolder = absoluteFolder(run_.config.baseFolder);
    return {};
  }
  const RunFacts& facts = run_.source->facts;
  if (const auto folder = facts.resolved.find(resolved_names::kBaseFolder);
      run_.config.baseFolder.empty() && folder != facts.resolved.end())
    run_.config.baseFolder = folder->second;
  const ResumePlan keep = stretches() ? ResumePlan::Stretch : ResumePlan::Keep;
  const ResumeChanges changes = judgeChanges(facts.config, config(), keep);
  run_.notes.insert(run_.notes.end(), changes.notes.begin(), changes.notes.end());
  const bool anew = changes.makesAnotherRun() && request_.fork;
  if (changes.keepsCourse && !anew) run_.notes.push_back(keptCourseNote());
  if (anew) run_.origin = Origin::ForkAnew;
  // A run that goes on as it was launched resolves nothing anew.
  if (changes.refused.empty() || request_.fork)
    return run_.goesOn() && !stretches() ? checkChangedFields() : checkConfig(CheckScope::Files::Unread);
  std::string all;
  for (const ResumeRefusal& refused : changes.refused) all += (all.empty() ? "" : "; ") + refused.text();
  return Error::config(all);
}

Result<void> RunPreparation::checkChangedFields() const {
  const std::vector<FieldProblem> broken = checkNewRun(config(), &run_.source->facts.config);
  return broken.empty() ? Result<void>() : Error::config(broken.front().field + ": " + broken.front().message);
}

Result<void> RunPreparation::checkConfig(CheckScope::Files files) {
  const TrainConfig* stored = run_.source ? &run_.source->facts.config : nullptr;
  run_.config = checkedForLaunch(std::move(run_.config), {.files = files, .stored = stored});
  return run_.config.ok() ? Result<void>() : Error::config(run_.config.errorText());
}

// A run that goes on keeps the threads that were resolved at launch, unless other devices or threads are asked for.
DevicesConfig RunPreparation::devicesWithThreads() const {
  DevicesConfig devices = config().devices;
  if (!run_.goesOn() || devices.threads || devices.use != run_.source->facts.config.devices.use) return devices;
  if (const std::int64_t threads = storedNumber(resolved_names::kThreads); threads > 0) devices.threads = threads;
  return devices;
}

// What the source was resolved to; 0 if it does not say.
std::int64_t RunPreparation::storedNumber(const char* name) const {
  const auto stored = run_.source->facts.resolved.find(name);
  return stored == run_.source->facts.resolved.end() ? 0 : std::strtoll(stored->second.c_str(), nullptr, 10);
}

Result<void> RunPreparation::tellTeam(const std::string& words) {
  if (team_ == nullptr) return {};
  const Result<std::string> told = team_->fromFirst(words);
  return told.ok() ? Result<void>() : told.error();
}

Result<ProcessShare> RunPreparation::shareOfMachine() {
  if (team_ == nullptr) return ProcessShare{};
  TeamStart start{run_.config, run_.home->cacheFolder()};
  start.config.config.devices = devicesWithThreads();
  if (Result<void> told = tellTeam(teamText(start)); !told.ok()) return told.error();
  return team_->share();
}

Result<void> RunPreparation::chooseDevices() {
  const Result<ProcessShare> share = shareOfMachine();
  if (!share.ok()) return share.error();
  Result<DeviceChoice> devices = useDevices(devicesWithThreads(), *share);
  if (!devices.ok()) return devices.error();
  run_.devices = std::move(*devices);
  if (team_ != nullptr)
    if (Result<void> opened = team_->open(run_.devices.devices.front()); !opened.ok()) return opened;
  run_.notes.insert(run_.notes.end(), run_.devices.notes.begin(), run_.devices.notes.end());
  if (config().precision == "tf32" && !run_.devices.onGpu())
    run_.notes.push_back("precision: tf32 is for GPUs; the processor computes in fp32");
  run_.environment = environmentText(config(), run_.devices);
  return {};
}

// Files that have moved since the checkpoint was taken are known by their content.
Result<void> RunPreparation::findData() {
  if (!run_.fromCheckpoint()) return {};
  const auto notes = findMovedData(run_.config, run_.home->cacheFolder(), events_, commands_);
  if (!notes.ok()) return notes.error();
  run_.notes.insert(run_.notes.end(), notes->begin(), notes->end());
  run_.config.baseFolder = absoluteFolder(run_.config.baseFolder);  // earlier versions stored an empty one
  return {};
}

Result<void> RunPreparation::readData() {
  Result<PreparedData> data = prepareLaunchData(run_.config, run_.home->cacheFolder(), events_, commands_);
  if (!data.ok()) return data.error();
  run_.data = std::move(*data);
  run_.notes.insert(run_.notes.end(), run_.data->notes.begin(), run_.data->notes.end());
  if (!run_.data->eval && config().guard.earlyStop.action != "off")
    return Error::config(
        "guard.early_stop.action: there is nothing to evaluate on, as neither data.eval nor data.holdout gave a "
        "document; give data.eval, or take off");
  run_.lengths = std::make_shared<DatasetLengths>(run_.data->train);
  // A run that goes on knows its data by its identity, and its configuration may come from somebody else.
  if (!run_.fromCheckpoint())
    if (const auto kept = lengthsOf(run_.config, *run_.data); !kept.ok()) return kept.error();
  return checkEnoughSamples(config(), *run_.lengths);
}

Result<void> RunPreparation::judgeData() {
  if (!run_.fromCheckpoint()) return {};
  std::string differs;
  if (run_.data->tokenizer.vocabulary().text() != run_.source->facts.vocabulary ||
      run_.data->tokenizer.lowercase() != run_.source->facts.lowercase)
    differs = "the vocabulary";
  else if (run_.data->train.identity().hex() != run_.source->facts.trainIdentity)
    differs = "the training data";
  const std::string evaluation = run_.data->eval ? run_.data->eval->identity().hex() : "";
  if (evaluation != run_.source->facts.evalIdentity)
    run_.notes.push_back("the evaluation data differs from that of run " + run_.source->run.summary.name +
                         ": its results cannot be compared with the earlier ones");
  if (differs.empty()) return {};
  if (!request_.fork)
    return Error::config(differs + " is not the one that run " + run_.source->run.summary.name +
                         " was trained with (data.train, tokenizer); give the same files, or use --fork for a new run");
  run_.origin = Origin::ForkAnew;
  run_.notes.push_back(differs + " differs from that of run " + run_.source->run.summary.name);
  return {};
}

Result<void> RunPreparation::makeModel() {
  events_.publish(PhaseProgress{"building the model", 0, 0, {}});
  if (run_.goesOn()) {
    const Result<ModelShape> shape = parseHuggingFaceConfig(run_.source->facts.modelConfig);
    if (!shape.ok()) return shape.error();
    run_.model = LaunchModel{*shape, std::nullopt};
  } else {
    Result<LaunchModel> model = launchModel(run_.config, run_.data->tokenizer.vocabulary().size());
    if (!model.ok()) return model.error();
    run_.model = std::move(*model);
  }
  fillModelDefaults();
  const TeamData data{config(), run_.data->train.identity().hex(),
                      huggingFaceConfig(run_.model->shape, run_.data->tokenizer.vocabulary().special()),
                      keepsMicrobatch() ? run_.source->loop.microbatchUnits : 0};
  if (Result<void> told = tellTeam(teamText(data)); !told.ok()) return told;
  Result<std::vector<Replica>> replicas = makeReplicas(*run_.model, config(), run_.devices);
  if (!replicas.ok()) return replicas.error();
  run_.replicas = std::move(*replicas);
  return {};
}

// What was left out and follows from the device and the model. All is stored, so that a later default changes no run.
void RunPreparation::fillModelDefaults() {
  TrainConfig& filled = run_.config.config;
  if (!filled.model.layerNormEps) filled.model.layerNormEps = run_.model->shape.layerNormEps;
  if (filled.precision == "auto") filled.precision = choosePrecision(run_.model->shape, run_.devices);
  if (run_.origin != Origin::Fresh) return;
  std::string all;
  for (const std::string& one : filledDefaults(request_.config.config, filled)) all += (all.empty() ? "" : ", ") + one;
  if (!all.empty()) run_.notes.push_back("chosen where nothing was said: " + all);
}

// A run that goes on keeps the micro-batch it has come to, which an out-of-memory may have made smaller, unless another
// one is asked for.
bool RunPreparation::keepsMicrobatch() const {
  return run_.goesOn() &&
         config().batch.deviceTrainMicrobatchSize == run_.source->facts.config.batch.deviceTrainMicrobatchSize;
}

Result<std::int64_t> RunPreparation::chooseMicrobatch(DeviceShape& shape) {
  if (keepsMicrobatch()) {
    const std::int64_t launchedOn = std::max<std::int64_t>(1, storedNumber(resolved_names::kDevices));
    shape.largestUnits = storedNumber(resolved_names::kGrowthLargest) / launchedOn;
    return run_.source->loop.microbatchUnits;
  }
  const Result<ResolvedMicrobatch> micro =
      resolveMicrobatch(config(), run_.lengths, run_.devices, run_.replicas.front(), events_);
  if (!micro.ok()) return micro.error();
  // Every rank has looked for its own; the smallest counts.
  const Result<std::int64_t> units =
      team_ != nullptr ? team_->smallest(micro->units) : Result<std::int64_t>(micro->units);
  if (!units.ok()) return units;
  const Result<std::int64_t> largest =
      team_ != nullptr ? team_->smallest(micro->largest) : Result<std::int64_t>(micro->largest);
  if (!largest.ok()) return largest;
  shape.largestUnits = *largest;
  if (config().batch.useMaximumBatchSize && !run_.goesOn())
    run_.config.config.batch.globalTrainBatchSize = *units * shape.devices;
  if (!micro->note.empty()) run_.notes.push_back(micro->note);
  return units;
}

Result<void> RunPreparation::makePlan() {
  DeviceShape shape;
  shape.devices = run_.devices.count();
  const Result<std::int64_t> micro = chooseMicrobatch(shape);
  if (!micro.ok()) return micro.error();
  shape.microbatchUnits = *micro;
  const bool restore = run_.goesOn() && !stretches();
  Result<Plan> plan = restore ? Plan::restore(config(), run_.source->facts.resolved, run_.lengths, shape)
                              : Plan::resolve(config(), run_.lengths, shape);
  if (!plan.ok()) return plan.error();
  run_.plan = std::move(*plan);
  run_.notes.insert(run_.notes.end(), run_.plan->notes().begin(), run_.plan->notes().end());
  if (Result<void> known = resolveAll(shape, restore); !known.ok()) return known;
  run_.state.growth = run_.plan->initialGrowth();
  run_.state.microbatchUnits = shape.microbatchUnits;
  return tellTeam(teamText(TeamPlan{config(), run_.resolved, shape.microbatchUnits}));
}

// All values that were found out at launch and that a resume keeps.
Result<void> RunPreparation::resolveAll(const DeviceShape& shape, bool restore) {
  if (restore) run_.resolved = run_.source->facts.resolved;
  run_.resolved.insert(run_.plan->resolved().begin(), run_.plan->resolved().end());
  const Result<RunIntervals> intervals =
      restore ? keepIntervals(config(), run_.plan->runLength(), run_.source->facts.config, run_.source->facts.resolved)
              : resolveIntervals(config(), run_.plan->runLength());
  if (!intervals.ok()) return intervals.error();
  run_.intervals = *intervals;
  storeIntervals(run_.intervals, run_.resolved);
  run_.resolved[resolved_names::kDevices] = std::to_string(shape.devices);
  run_.resolved[resolved_names::kThreads] = std::to_string(run_.devices.threadsPerDevice);
  run_.resolved[resolved_names::kBaseFolder] = run_.config.baseFolder.string();
  if (restore)
    for (const auto& [name, value] : run_.resolved)
      if (!run_.source->facts.resolved.contains(name))
        return Error::corrupt("checkpoint " + run_.source->record.id + " does not say what " + name +
                              " was resolved to; use another checkpoint, or --fork with a changed configuration");
  return {};
}

// A fork with another configuration takes the weights alone.
void RunPreparation::adoptCheckpoint() {
  for (Replica& replica : run_.replicas) {
    const std::vector<std::string> fresh = adoptWeights(replica, run_.source->state);
    if (&replica == &run_.replicas.front() && !fresh.empty())
      run_.notes.push_back(
          std::to_string(replica.model.stateTensors().size() - fresh.size()) + " of " +
          std::to_string(replica.model.stateTensors().size()) + " tensors are taken; " + fresh.front() +
          (fresh.size() > 1 ? " and " + std::to_string(fresh.size() - 1) + " more start" : " starts") + " fresh");
  }
  run_.notes.push_back("starts from the weights of checkpoint " + run_.source->record.id +
                       "; clocks and moments start anew");
  run_.source->state.tensors.clear();
}

Result<void> RunPreparation::restoreState() {
  if (run_.origin == Origin::ForkAnew) adoptCheckpoint();
  if (!run_.goesOn()) return {};
  for (Replica& replica : run_.replicas)
    if (Result<void> restored = restoreReplica(replica, run_.source->state); !restored.ok())
      return restored.error().within("checkpoint " + run_.source->record.id);
  run_.source->state.tensors.clear();
  const std::int64_t microbatch = run_.state.microbatchUnits;
  run_.state = run_.source->loop;
  if (Result<void> left = checkSomethingLeft(); !left.ok()) return left;
  std::string differs = environmentDifference(run_.source->facts.environment, run_.environment);
  if (microbatch != run_.state.microbatchUnits)
    differs += (differs.empty() ? "" : ", ") + std::string("another micro-batch");
  if (microbatch != run_.state.microbatchUnits) run_.state.passesPerPack = 1;
  run_.state.microbatchUnits = microbatch;
  run_.notes.push_back(
      "goes on from checkpoint " + run_.source->record.id + " at step " + std::to_string(run_.state.now.step) +
      (differs.empty() ? ", bit for bit" : ": same samples and masks, close numbers (" + differs + ")"));
  return {};
}

// A resume of a run that has reached the end it was given finds nothing to do; another end that is over, or a fork with
// nothing to do, is a slip.
Result<void> RunPreparation::checkSomethingLeft() const {
  const Time& wanted = config().maxDuration;
  const bool asBefore = wanted == run_.source->facts.config.maxDuration && run_.origin == Origin::Resume;
  if (asBefore || !run_.plan->finished(run_.state.now)) return {};
  const Time done = Time::of(clockOf(run_.state.now, wanted.unit()), wanted.unit());
  const std::string batches = std::to_string(run_.state.now.batch) + "ba";
  return Error::config("max_duration: run " + run_.source->run.summary.name + " has trained " + done.text() +
                       (done.text() == batches ? "" : " (" + batches + ")") + " at checkpoint " +
                       run_.source->record.id + ", so nothing is left to train up to " + wanted.text() +
                       "; give a longer max_duration, or fork from an earlier checkpoint");
}

}  // namespace

Result<PreparedRun> prepareRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                               const Clock& clock, const std::function<void(const TrainConfig&)>& configKnown,
                               RankTeam* team) {
  return RunPreparation(request, events, commands, clock, team).prepare(configKnown);
}

}  // namespace batchwise
