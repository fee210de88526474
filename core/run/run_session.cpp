// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "core/config/schema.h"
#include "core/data/moved_files.h"
#include "core/run/checkpoint_retention.h"
#include "core/run/launch_check.h"
#include "core/run/launch_data.h"
#include "core/run/launch_model.h"
#include "core/run/launch_plan.h"
#include "core/run/microbatch.h"
#include "core/run/resume_source.h"
#include "core/run/run_home.h"
#include "core/run/run_intervals.h"
#include "core/run/roll_back.h"
#include "core/run/run_ranks.h"
#include "core/run/run_sink.h"
#include "core/time/arithmetic.h"
#include "core/train/checkpoint_every.h"
#include "core/train/evaluate_every.h"
#include "core/train/metrics_log.h"
#include "core/train/first_loss_check.h"
#include "core/train/guards.h"
#include "core/train/nan_guard.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{500};

// Where a run stands in relation to an earlier one.
enum class Origin {
  Fresh,
  Resume,       // the same run goes on
  ForkGoingOn,  // a new run from the weights, moments and clocks of a checkpoint
  ForkAnew,     // a new run from the weights of a checkpoint, everything else from the start
};

// Asked for, or needed by the function that grows the batch.
bool measuresNoise(const TrainConfig& config) {
  const auto mentions = [](const std::string& function) { return function.find("noise_scale") != std::string::npos; };
  return config.log.noiseScale || mentions(config.batch.growth.increaseFunction) ||
         mentions(config.batch.growth.batchIncreaseFunction);
}


class RunSession {
 public:
  RunSession(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock)
      : request_(request),
        commands_(commands),
        clock_(clock),
        startedSec_(clock.monotonicSec()),
        sink_(events),
        config_(request.config) {}

  Result<RunFinished> run();

 private:
  Result<void> prepare();
  Result<void> openSource();
  Result<void> checkConfig();
  DevicesConfig devicesWithThreads() const;
  Result<void> chooseDevices();
  Result<void> findData();
  Result<void> readData();
  Result<void> judgeData();
  Result<void> makeModel();
  bool keepsMicrobatch() const;
  Result<void> makePlan();
  Result<void> restoreState();
  Result<void> checkSomethingLeft() const;
  Result<void> enter();
  void watch();
  enum class Hung { Ends, IsTold };
  void tellOverdue(const HangWatch::Overdue& overdue, Hung hung);
  Result<RunFinished> trainSegments();
  Result<LoopEnd> trainSegment(RunRecorder& recorder);
  Result<void> goBack(const LoopEnd& end);
  RunFinished finish(const Result<LoopEnd>& end);
  Result<void> storeTheEnd(RunRecorder& recorder, const Timestamp& at);
  Result<LoopEnd> runLoop(RunRecorder& recorder);
  std::optional<EarlierLoss> earlierLoss() const;
  Result<std::vector<std::unique_ptr<Callback>>> callbacks(std::int64_t rank, CheckpointSaver& saver);
  TrainingData trainingData(const TokenDataset& samples) const;
  void tellPhase(const std::string& phase) { sink_.publish(PhaseProgress{phase, 0, 0, {}}); }
  bool fromCheckpoint() const { return origin_ != Origin::Fresh; }
  bool goesOn() const { return origin_ == Origin::Resume || origin_ == Origin::ForkGoingOn; }
  const TrainConfig& config() const { return config_.config; }

  const LaunchRequest& request_;
  CommandMailbox& commands_;
  const Clock& clock_;
  const double startedSec_;
  RunSink sink_;
  LoadedConfig config_;
  Origin origin_ = Origin::Fresh;
  std::vector<std::string> notes_;
  std::unique_ptr<RunHome> home_;
  std::optional<RunCheckpoint> source_;
  DeviceChoice devices_;
  std::optional<PreparedData> data_;
  std::shared_ptr<const Lengths> lengths_;
  std::optional<LaunchModel> model_;
  std::vector<Replica> replicas_;
  std::optional<Plan> plan_;
  ResolvedValues resolved_;
  RunIntervals intervals_;
  LoopState state_;
  std::string environment_;
  std::string runId_;
  std::string runName_;
  std::int64_t segment_ = 0;
  RunRecorder::SegmentStart start_;       // of the segment that begins next
  std::unique_ptr<Callback> firstLoss_;  // of rank 0, in the first segment of a resume
  std::optional<TimeReserve> timeReserve_;
  std::optional<HangMonitor> monitor_;  // last: its thread ends before what it reports to
};

Result<RunFinished> RunSession::run() {
  if (Result<void> ready = prepare(); !ready.ok()) return ready.error();
  if (Result<void> entered = enter(); !entered.ok()) return entered.error();
  start_.from = state_.now;
  start_.checkpoint = source_ ? source_->record.id : "";
  start_.environment = environment_;
  if (origin_ == Origin::Resume) start_.resolvedYaml = configToYaml(config(), YamlScope::Everything);
  if (origin_ == Origin::Resume) sink_.setLastCheckpoint(source_->record.id);
  if (goesOn()) firstLoss_ = std::make_unique<FirstLossCheck>(earlierLoss());
  if (const auto& limit = config().launch.timeLimit) timeReserve_.emplace(limit->number(), startedSec_);
  return trainSegments();
}

Result<void> RunSession::prepare() {
  using Step = Result<void> (RunSession::*)();
  for (const Step step :
       {&RunSession::openSource, &RunSession::chooseDevices, &RunSession::findData, &RunSession::readData, &RunSession::judgeData,
        &RunSession::makeModel, &RunSession::makePlan, &RunSession::restoreState})
    if (Result<void> done = (this->*step)(); !done.ok()) return done;
  return {};
}

Result<void> RunSession::openSource() {
  if (!request_.config.ok()) return Error::config(request_.config.errorText());
  if (request_.resumeRun.empty())
    if (Result<void> fine = checkConfig(); !fine.ok()) return fine;
  Result<std::unique_ptr<RunHome>> home = RunHome::open(request_.workspace, config().launch.journal, clock_);
  if (!home.ok()) return home.error();
  home_ = std::move(*home);
  notes_ = home_->notices();
  if (request_.resumeRun.empty()) {
    watch();
    return {};
  }
  const Result<RunHistory> history = home_->history(request_.resumeRun);
  if (!history.ok()) return history.error();
  Result<RunCheckpoint> source = openCheckpoint(home_->folder(), *history, request_.resumeCheckpoint);
  if (!source.ok()) return source.error();
  source_ = std::move(*source);
  notes_.insert(notes_.end(), source_->notes.begin(), source_->notes.end());
  if (request_.stretch && source_->loop.now.partInBatch > 0)
    return Error::config("checkpoint " + source_->record.id +
                         " was taken inside a global batch, which --stretch would cut into other parts; name one that "
                         "was taken between two with --checkpoint");
  origin_ = request_.fork ? Origin::ForkGoingOn : Origin::Resume;
  config_.config = changedConfig(source_->facts.config, source_->run.configYaml, request_.config);
  watch();
  if (const auto folder = source_->facts.resolved.find(resolved_names::kBaseFolder);
      config_.baseFolder.empty() && folder != source_->facts.resolved.end())
    config_.baseFolder = folder->second;
  const ResumePlan keep = request_.stretch ? ResumePlan::Stretch : ResumePlan::Keep;
  const ResumeChanges changes = judgeChanges(source_->facts.config, config(), keep);
  notes_.insert(notes_.end(), changes.notes.begin(), changes.notes.end());
  if (!changes.refused.empty() && request_.fork) origin_ = Origin::ForkAnew;
  // A run that goes on as it was launched resolves nothing anew.
  if (changes.refused.empty() || request_.fork) return goesOn() && !request_.stretch ? Result<void>() : checkConfig();
  std::string all;
  for (const std::string& refused : changes.refused) all += (all.empty() ? "" : "; ") + refused;
  return Error::config(all);
}

Result<void> RunSession::checkConfig() {
  config_ = withPlanChecked(std::move(config_));
  return config_.ok() ? Result<void>() : Error::config(config_.errorText());
}

// A run that goes on keeps the threads that were resolved at launch, unless other devices or threads are asked for.
DevicesConfig RunSession::devicesWithThreads() const {
  DevicesConfig devices = config().devices;
  if (!goesOn() || devices.threads || devices.use != source_->facts.config.devices.use) return devices;
  const auto stored = source_->facts.resolved.find(resolved_names::kThreads);
  if (stored == source_->facts.resolved.end()) return devices;
  const std::int64_t threads = std::strtoll(stored->second.c_str(), nullptr, 10);
  if (threads > 0) devices.threads = threads;
  return devices;
}

Result<void> RunSession::chooseDevices() {
  Result<DeviceChoice> devices = useDevices(devicesWithThreads());
  if (!devices.ok()) return devices.error();
  devices_ = std::move(*devices);
  notes_.insert(notes_.end(), devices_.notes.begin(), devices_.notes.end());
  environment_ = environmentText(config(), devices_);
  return {};
}

// Files that have moved since the checkpoint was taken are known by their content.
Result<void> RunSession::findData() {
  if (!fromCheckpoint() || config().data.format == "demo") return {};
  const Result<DataRequest> request = dataRequest(config_, home_->cacheFolder());
  if (!request.ok()) return request.error();
  DataConfig& data = config_.config.data;
  for (std::vector<std::string>* patterns : {&data.train, &data.eval}) {
    Result<FoundPatterns> found = findMovedFiles(*patterns, *request);
    if (!found.ok()) return found.error().within(patterns == &data.train ? "data.train" : "data.eval");
    *patterns = std::move(found->patterns);
    notes_.insert(notes_.end(), found->notes.begin(), found->notes.end());
  }
  return {};
}

Result<void> RunSession::readData() {
  Result<PreparedData> data = prepareLaunchData(config_, home_->cacheFolder(), sink_, commands_);
  if (!data.ok()) return data.error();
  data_ = std::move(*data);
  notes_.insert(notes_.end(), data_->notes.begin(), data_->notes.end());
  if (!data_->eval && config().guard.earlyStop.action != "off")
    return Error::config(
        "guard.early_stop.action: there is nothing to evaluate on, as neither data.eval nor data.holdout gave a "
        "document; give data.eval, or take off");
  lengths_ = std::make_shared<DatasetLengths>(data_->train);
  // A run that goes on knows its data by its identity, and its configuration may come from somebody else.
  if (!fromCheckpoint())
    if (const auto kept = lengthsOf(config_, *data_); !kept.ok()) return kept.error();
  return checkEnoughSamples(config(), *lengths_);
}

Result<void> RunSession::judgeData() {
  if (!fromCheckpoint()) return {};
  std::string differs;
  if (data_->tokenizer.vocabulary().text() != source_->facts.vocabulary ||
      data_->tokenizer.lowercase() != source_->facts.lowercase)
    differs = "the vocabulary";
  else if (data_->train.identity().hex() != source_->facts.trainIdentity)
    differs = "the training data";
  const std::string evaluation = data_->eval ? data_->eval->identity().hex() : "";
  if (evaluation != source_->facts.evalIdentity)
    notes_.push_back("the evaluation data differs from that of run " + source_->run.summary.name +
                     ": its results cannot be compared with the earlier ones");
  if (differs.empty()) return {};
  if (!request_.fork)
    return Error::config(differs + " is not the one that run " + source_->run.summary.name +
                         " was trained with (data.train, tokenizer); give the same files, or use --fork for a new run");
  origin_ = Origin::ForkAnew;
  notes_.push_back(differs + " differs from that of run " + source_->run.summary.name);
  return {};
}

Result<void> RunSession::makeModel() {
  tellPhase("building the model");
  if (goesOn()) {
    const Result<ModelShape> shape = parseHuggingFaceConfig(source_->facts.modelConfig);
    if (!shape.ok()) return shape.error();
    model_ = LaunchModel{*shape, std::nullopt};
  } else {
    Result<LaunchModel> model = launchModel(config_, data_->tokenizer.vocabulary().size());
    if (!model.ok()) return model.error();
    model_ = std::move(*model);
  }
  Result<std::vector<Replica>> replicas = makeReplicas(*model_, config(), devices_);
  if (!replicas.ok()) return replicas.error();
  replicas_ = std::move(*replicas);
  return {};
}

// A run that goes on keeps the micro-batch it has come to, which an out-of-memory may have made smaller, unless another
// one is asked for.
bool RunSession::keepsMicrobatch() const {
  return goesOn() && config().batch.deviceTrainMicrobatchSize ==
                         source_->facts.config.batch.deviceTrainMicrobatchSize;
}

Result<void> RunSession::makePlan() {
  DeviceShape shape;
  shape.devices = static_cast<std::int64_t>(devices_.devices.size());
  if (keepsMicrobatch()) {
    shape.microbatchUnits = source_->loop.microbatchUnits;
  } else {
    const Result<ResolvedMicrobatch> micro = resolveMicrobatch(config(), *lengths_, devices_, replicas_.front());
    if (!micro.ok()) return micro.error();
    shape.microbatchUnits = micro->units;
    if (micro->search) shape.largestUnits = micro->units;
    if (config().batch.useMaximumBatchSize && !goesOn())
      config_.config.batch.globalTrainBatchSize = micro->units * shape.devices;
    if (!micro->note.empty()) notes_.push_back(micro->note);
  }
  const bool restore = goesOn() && !request_.stretch;
  Result<Plan> plan = restore ? Plan::restore(config(), source_->facts.resolved, lengths_, shape)
                              : Plan::resolve(config(), lengths_, shape);
  if (!plan.ok()) return plan.error();
  plan_ = std::move(*plan);
  notes_.insert(notes_.end(), plan_->notes().begin(), plan_->notes().end());
  if (restore) resolved_ = source_->facts.resolved;
  resolved_.insert(plan_->resolved().begin(), plan_->resolved().end());
  const Result<RunIntervals> intervals =
      restore ? keepIntervals(config(), plan_->runLength(), source_->facts.config, source_->facts.resolved)
              : resolveIntervals(config(), plan_->runLength());
  if (!intervals.ok()) return intervals.error();
  intervals_ = *intervals;
  storeIntervals(intervals_, resolved_);
  resolved_[resolved_names::kDevices] = std::to_string(shape.devices);
  resolved_[resolved_names::kThreads] = std::to_string(devices_.threadsPerDevice);
  resolved_[resolved_names::kBaseFolder] = config_.baseFolder.string();
  if (restore)
    for (const auto& [name, value] : resolved_)
      if (!source_->facts.resolved.contains(name))
        return Error::corrupt("checkpoint " + source_->record.id + " does not say what " + name +
                              " was resolved to; use another checkpoint, or --fork with a changed configuration");
  state_.growth = plan_->initialGrowth();
  state_.microbatchUnits = shape.microbatchUnits;
  return {};
}

Result<void> RunSession::restoreState() {
  if (!fromCheckpoint()) return {};
  if (origin_ == Origin::ForkAnew) {
    for (Replica& replica : replicas_) {
      const std::vector<std::string> fresh = adoptWeights(replica, source_->state);
      if (&replica == &replicas_.front() && !fresh.empty())
        notes_.push_back(std::to_string(fresh.size()) + " tensors start fresh, " + fresh.front() + " among them");
    }
    notes_.push_back("starts from the weights of checkpoint " + source_->record.id + "; clocks and moments start anew");
    source_->state.tensors.clear();
    return {};
  }
  for (Replica& replica : replicas_)
    if (Result<void> restored = restoreReplica(replica, source_->state); !restored.ok())
      return restored.error().within("checkpoint " + source_->record.id);
  source_->state.tensors.clear();
  const std::int64_t microbatch = state_.microbatchUnits;
  state_ = source_->loop;
  if (Result<void> left = checkSomethingLeft(); !left.ok()) return left;
  std::string differs = environmentDifference(source_->facts.environment, environment_);
  if (microbatch != state_.microbatchUnits)
    differs += (differs.empty() ? "" : ", ") + std::string("another micro-batch");
  state_.microbatchUnits = microbatch;
  notes_.push_back("goes on from checkpoint " + source_->record.id + " at step " + std::to_string(state_.now.step) +
                   (differs.empty() ? ", bit for bit" : ": same samples and masks, close numbers (" + differs + ")"));
  return {};
}

// Of a run that has reached the end it was given, a resume finds nothing to do; one that is given an earlier end is a
// slip.
Result<void> RunSession::checkSomethingLeft() const {
  const Time& wanted = config().maxDuration;
  if (wanted == source_->facts.config.maxDuration || !plan_->finished(state_.now)) return {};
  const Time done = Time::of(clockOf(state_.now, wanted.unit()), wanted.unit());
  return Error::config("max_duration: " + wanted.text() + " is over already, run " + source_->run.summary.name +
                       " has done " + done.text() + " (" + std::to_string(state_.now.batch) + "ba) at checkpoint " +
                       source_->record.id + "; give more, or fork from an earlier checkpoint");
}

Result<void> RunSession::enter() {
  if (origin_ == Origin::Resume) {
    runId_ = source_->run.summary.id;
    runName_ = source_->run.summary.name;
    return {};
  }
  NewRun run;
  run.name = config().name;
  run.configYaml = config_.yaml;
  run.resolvedYaml = configToYaml(config(), YamlScope::Everything);
  run.resolvedValues = resolved_;
  run.references = {{"unigram_entropy", data_->unigramNats}};
  run.plannedBatches = plan_->totals().batches.value_or(0);
  run.parent = source_ ? source_->run.summary.id : "";
  run.tags = config().launch.tags;
  run.why = config().launch.why;
  const Result<RunHome::Entered> entered = home_->enter(run);
  if (!entered.ok()) return entered.error();
  runId_ = entered->id;
  runName_ = entered->name;
  return {};
}

// A guard may take the run back: then a further segment follows, from an older checkpoint.
Result<RunFinished> RunSession::trainSegments() {
  for (;;) {
    Result<std::unique_ptr<RunRecorder>> recorder = home_->begin(runId_, start_);
    if (!recorder.ok()) return recorder.error();
    sink_.writeTo(recorder->get());
    Result<LoopEnd> end = trainSegment(**recorder);
    const bool back = end.ok() && end->rollBackBefore && !sink_.ended();
    if (back)
      if (Result<void> gone = goBack(*end); !gone.ok())
        end = LoopEnd{RunStatus::Failed, end->reason + "; it cannot be rolled back: " + gone.error().text()};
    if (end.ok() && end->rollBackBefore && back) {
      sink_.writeTo(nullptr);
      continue;
    }
    const RunFinished finished = finish(end);
    Result<void> stored = storeTheEnd(**recorder, finished.at);
    sink_.writeTo(nullptr);
    if (!stored.ok()) return stored.error();
    return finished;
  }
}

Result<LoopEnd> RunSession::trainSegment(RunRecorder& recorder) {
  segment_ = recorder.segment();
  sink_.publish(RunStarted{runId_, runName_, segment_, start_.from, plan_->totals().batches.value_or(0)});
  for (const std::string& note : notes_) sink_.publish(RunNote{NoteLevel::Info, note, state_.now});
  notes_.clear();
  Result<LoopEnd> end = runLoop(recorder);
  if (monitor_) monitor_->rest();
  return end;
}

Result<void> RunSession::goBack(const LoopEnd& end) {
  const Result<RunHistory> history = home_->history(runId_);
  if (!history.ok()) return history.error();
  Result<RunCheckpoint> good = openCheckpointBefore(home_->folder(), *history, *end.rollBackBefore);
  if (!good.ok()) return good.error();
  for (Replica& replica : replicas_)
    if (Result<void> restored = restoreReplica(replica, good->state); !restored.ok())
      return restored.error().within("checkpoint " + good->record.id);
  state_ = stateAfterRollBack(state_, good->loop, good->record);
  if (state_.microbatchUnits != plan_->microbatchUnits()) plan_ = plan_->withMicrobatch(state_.microbatchUnits);
  const PassedOver& passed = state_.guards.passedOver.back();
  start_ = {good->record.at, good->record.id, environmentWith(environment_, passed), {}};
  sink_.setLastCheckpoint(good->record.id);
  notes_ = std::move(good->notes);
  notes_.push_back(rollBackText(passed, end.reason));
  return {};
}

RunFinished RunSession::finish(const Result<LoopEnd>& end) {
  RunFinished finished;
  finished.status = end.ok() ? end->status : RunStatus::Failed;
  finished.reason = end.ok() ? end->reason : end.error().text();
  finished.at = state_.now;
  finished.lastCheckpoint = sink_.lastCheckpoint();
  sink_.publish(finished);
  return *sink_.ended();
}

// What the run logged before for the global batch that it does next.
std::optional<EarlierLoss> RunSession::earlierLoss() const {
  const auto point = home_->lossAfter(source_->run.summary.id, state_.now.batch);
  if (!point) return std::nullopt;
  return EarlierLoss{point->batch, point->value};
}

void RunSession::watch() {
  const HangGuardConfig& hang = config().guard.hang;
  if (hang.action == "off") return;
  monitor_.emplace(HangWatch(hang.minimumSec, hang.factor), clock_,
                   [this, action = hang.action](const HangWatch::Overdue& overdue) {
                     tellOverdue(overdue, action == "stop" ? Hung::Ends : Hung::IsTold);
                   });
  sink_.onEvent([this] { monitor_->alive(); });
  monitor_->enter(RunSection::Setup);
  monitor_->start();
}

// On the monitor's thread.
void RunSession::tellOverdue(const HangWatch::Overdue& overdue, Hung hung) {
  const std::string what = overdueText(overdue);
  if (overdue.stage == HangWatch::Stage::Late) return sink_.remark(NoteLevel::Warning, what);
  if (hung == Hung::IsTold) return sink_.remark(NoteLevel::Error, what);
  commands_.post(RunCommand::Abort);  // if it ever comes back
  sink_.end(RunStatus::Failed, what);
  if (request_.onHung) request_.onHung();
}

// Waits for space on a full disk, unless a person wants to be gone.
Result<void> RunSession::storeTheEnd(RunRecorder& recorder, const Timestamp& at) {
  Result<void> stored = recorder.flush();
  if (!stored.ok())
    sink_.tellListener(RunNote{NoteLevel::Error, "waiting to store the end of the run: " + stored.error().text(), at});
  while (!stored.ok() && stored.error().code == ErrorCode::DiskFull && !commands_.endWanted()) {
    std::this_thread::sleep_for(kBetweenTries);
    stored = recorder.flush();
  }
  return stored.ok() ? stored : stored.error().within("the last rows of the run are not in the store");
}

TrainingData RunSession::trainingData(const TokenDataset& samples) const {
  return {samples, MaskSpec::of(data_->tokenizer.vocabulary(), config().data.mlmProbability),
          static_cast<std::uint64_t>(config().seed), config().batch.tokens.maxTokens.value_or(0)};
}

Result<LoopEnd> RunSession::runLoop(RunRecorder& recorder) {
  CheckpointSaver saver({[&](const CheckpointRecord& record) { return recorder.addCheckpoint(record); },
                         [&] { return removeOldCheckpoints(recorder, config().checkpoint, intervals_); }, [&] { return commands_.endWanted(); }},
                        clock_);
  std::vector<std::vector<std::unique_ptr<Callback>>> ofRanks;
  for (std::size_t rank = 0; rank < replicas_.size(); ++rank) {
    auto made = callbacks(static_cast<std::int64_t>(rank), saver);
    if (!made.ok()) return made.error();
    ofRanks.push_back(std::move(*made));
  }
  const RanksSetup setup{replicas_,
                         *plan_,
                         trainingData(data_->train),
                         state_,
                         [&](std::int64_t rank) { return std::move(ofRanks[static_cast<std::size_t>(rank)]); },
                         sink_,
                         commands_,
                         clock_,
                         measuresNoise(config()),
                         [&] { return recorder.trouble().empty() ? saver.waitsFor() : recorder.trouble(); },
                         measuresLogits(config().guard),
                         measuresUpdates(config().guard),
                         monitor_ ? &*monitor_ : nullptr,
                         timeReserve_ ? &*timeReserve_ : nullptr};
  RanksEnd end = runRanks(setup);
  state_ = end.state;
  return end.end;
}

Result<std::vector<std::unique_ptr<Callback>>> RunSession::callbacks(std::int64_t rank, CheckpointSaver& saver) {
  const auto every = [this](const char* field) {
    return IntervalSet::resolve(intervals_.at(field), plan_->runLength(), AtEnd::Fire, field);
  };
  const auto log = every("log.interval");
  const auto eval = every("eval.interval");
  const auto checkpoint = every("checkpoint.interval");
  for (const auto* interval : {&log, &eval, &checkpoint})
    if (!interval->ok()) return interval->error();
  std::vector<std::unique_ptr<Callback>> all;
  all.push_back(std::make_unique<MetricsLog>(
      *log, config().log.everyStep ? MetricsLog::Steps::EachOnItsOwn : MetricsLog::Steps::InBatches, state_.batchStart,
      [devices = devices_, rank] { return rank == 0 ? deviceMemory(devices) : std::vector<DeviceMemory>(); }));
  if (rank == 0 && firstLoss_) all.push_back(std::move(firstLoss_));
  all.push_back(std::make_unique<NanGuard>(config().guard));
  all.push_back(std::make_unique<Guards>(config().guard));
  if (data_->eval) all.push_back(std::make_unique<EvaluateEvery>(*eval, trainingData(*data_->eval), config()));
  const RunFacts facts = runFacts(config(), resolved_, *data_, model_->shape, environment_);
  all.push_back(
      std::make_unique<CheckpointEvery>(*checkpoint, rank == 0 ? &saver : nullptr,
                                        CheckpointOrigin{runId_, segment_, home_->folder(), factsToText(facts)}));
  return all;
}

}  // namespace

Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock) try {
  return RunSession(request, events, commands, clock).run();
} catch (const std::exception& e) {
  return Error::internal(e.what()).within("training");
}

}  // namespace batchwise
