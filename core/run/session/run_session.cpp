// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "core/analysis/config_difference.h"
#include "core/analysis/measured_alike.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/process_setup.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/events/run_event.h"
#include "core/config/sweep.h"
#include "core/model/device_error.h"
#include "core/model/shape/training_cost.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/session/run_checkpoint.h"
#include "core/run/session/run_preparation.h"
#include "core/run/session/run_sink.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/records.h"
#include "core/store/workspace_folder.h"
#include "core/trackers/tensorboard_writer.h"
#include "core/train/blocked_notice.h"
#include "core/train/guard_actions.h"
#include "core/train/metrics_log.h"

namespace batchwise {
namespace {

/// Returns what a run fails of that cannot be rolled back: what made it roll back, unless `why` says more of it.
FailureCause causeOfLostRollBack(const LoopEnd& end, const Error& why) {
  const FailureCause own = failureCause(why.code);
  const bool says = own == FailureCause::DiskFull || own == FailureCause::DamagedCheckpoint;
  return says || end.cause == FailureCause::Unknown ? own : end.cause;
}

constexpr std::chrono::milliseconds kStorePollInterval{500};
constexpr double kStoreTimeoutSec = 20.0;  // for a store that is gone or damaged, or that takes no last checkpoint

/// "stage 2 of 3 starts: data.max_seq_len: 512, data.mlm_probability: 0.15".
std::string stageText(const RunStage& stage, std::int64_t index, std::int64_t count) {
  const std::string changes = joined(stage.changes);
  return changes.empty() ? formatText("stage {} of {} starts", index + 1, count)
                         : formatText("stage {} of {} starts: {}", index + 1, count, changes);
}

/// Waiting for space, a lock or a disk that refuses writes may help at any time; this does not come back by itself.
bool isLost(const Error& error) {
  return isPermanent(error) || error.code == ErrorCode::NotFound;
}

/// Weights and moments, as rank 0 sends them to the others.
std::vector<at::Tensor> replicaTensors(const Replica& replica) {
  std::vector<at::Tensor> all;
  for (const NamedTensor& named : replica.model.parameters()) all.push_back(named.tensor.detach());
  for (const NamedTensor& named : replica.optimizer.stateTensors()) all.push_back(named.tensor);
  return all;
}

using MemoryFields = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

/// Device memory of all ranks. Collective; empty on failure.
std::vector<DeviceMemory> exchangeMemory(RankGroup& rankGroup, const DeviceChoice& devices) {
  nlohmann::json own = nlohmann::json::array();
  for (const DeviceMemory& one : deviceMemory(devices))
    own.push_back({one.name, one.allocated, one.reserved, one.peak, one.total, one.driverUsed});
  const Result<std::vector<std::string>> all = rankGroup.line().exchange(own.dump());
  if (!all.ok()) return {};  // the next step fails with the same error
  std::vector<DeviceMemory> memories;
  for (const std::string& text : *all)
    for (const nlohmann::json& one : nlohmann::json::parse(text)) {
      const auto [name, allocated, reserved, peak, total, driverUsed] = one.get<MemoryFields>();
      memories.push_back({name, allocated, reserved, peak, total, driverUsed});
    }
  return memories;
}

/// Device memory of all ranks, for one segment of training: at most kMemorySec old if ranks exchange it.
MetricsLog::MemorySource memorySource(RankGroup* rankGroup, const DeviceChoice& devices) {
  constexpr double kMemorySec = 10;
  if (rankGroup == nullptr) return [devices](const Timestamp&) { return deviceMemory(devices); };
  return [rankGroup, devices, known = std::vector<DeviceMemory>(), knownSec = 0.0](const Timestamp& at) mutable {
    if (known.empty() || at.seconds >= knownSec + kMemorySec) {
      known = exchangeMemory(*rankGroup, devices);
      knownSec = at.seconds;
    }
    return known;
  };
}

/// What every rank has for the stage that `run` is in. Null `rankGroup`: a single process.
RanksSetup setupOf(PreparedRun& run, EventSink& events, CommandMailbox& commands, const Clock& clock,
                   RankGroup* rankGroup) {
  return {.config = run.config.config,
          .replicas = run.replicas,
          .plan = *run.plan,
          .data = trainingData(run.stage().config, run.preparedStage().data),
          .runData = *run.data,
          .tasks = run.tasks,
          .intervals = run.preparedStage().intervals,
          .state = run.state,
          .events = events,
          .commands = commands,
          .clock = clock,
          .memory = memorySource(rankGroup, run.devices),
          .lastStage = run.isInLastStage(),
          .ranks = rankGroup != nullptr ? &rankGroup->ranks() : nullptr};
}

// After twice the limit the guard of rank 0 would have ended the run; a machine may be suspended for a moment.
void limitSilence(RankGroup& rankGroup, const HangGuardConfig& hang) {
  constexpr double kLeastSec = 60;
  if (hang.action == GuardAction::Stop) rankGroup.line().setSilenceLimit(std::max(kLeastSec, 2 * hang.minimumSec));
}

class RunSession {
 public:
  RunSession(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock,
             RankGroup* rankGroup)
      : request_(request),
        commands_(commands),
        clock_(clock),
        rankGroup_(rankGroup),
        startedSec_(clock.monotonicSec()),
        sink_(events) {}
  ~RunSession() {
    if (rankGroup_ != nullptr) rankGroup_->line().onBroken(this, {});
  }

  Result<RunFinished> run();

 private:
  enum class OnHang { Stop, Report };
  void watch(const HangGuardConfig& hang);
  void reportOverdue(const HangWatch::Overdue& overdue, OnHang onHang);
  bool nothingLeft() const;
  void startBackup();
  std::optional<double> timeLimitSec() const;
  RunFinished reportNothingLeft();
  Result<void> enter();
  void storeMeasurement(ResolvedValues& values) const;
  Result<RunFinished> trainSegments();
  Result<LoopEnd> trainSegment(RunRecorder& recorder);
  Result<LoopEnd> trainStages(RunRecorder& recorder);
  Result<void> enterNextStage();
  void watchRanks();
  Result<void> broadcastState();
  void broadcastEnd(const RunFinished& finished);
  Result<void> rollBack(const LoopEnd& end);
  void noteDivergence(RunFinished& finished) const;
  RunFinished outcomeOf(const Result<LoopEnd>& end) const;
  Result<void> storeRows(RunRecorder& recorder, const Timestamp& at);
  Result<void> readHistory();
  std::string lastWeightsText(const Timestamp& at) const;
  Result<void> storeEnd(RunRecorder& recorder, const RunFinished& finished);
  template <typename Work>
  auto retryWithNotice(const Work& work, const Timestamp& at) -> decltype(work());
  void notifyWaiting(BlockedNotice& notice, const Error& obstacle, const Timestamp& at);
  std::string blockedReason(const RunRecorder& recorder, const CheckpointSaver& saver);
  std::string failWithoutStore(const Error& why);
  Result<void> checkStoreFile() const;
  void awaitSaver(CheckpointSaver& saver, const Error& why);
  Result<LoopEnd> runLoop(RunRecorder& recorder);
  std::optional<EarlierLoss> earlierLoss() const;
  CheckpointOrigin checkpointOrigin();
  const TrainConfig& config() const { return run_.config.config; }

  const LaunchRequest& request_;
  CommandMailbox& commands_;
  const Clock& clock_;
  RankGroup* const rankGroup_;  // null: single process
  const double startedSec_;
  RunSink sink_;
  PreparedRun run_;
  std::string runId_;
  std::string runName_;
  std::int64_t segment_ = 0;
  RunRecorder::SegmentStart start_;   // of the next segment
  std::vector<RunSegment> segments_;  // up to the current one
  /// The checkpoint a guard would roll back to before the segment has one of its own: empty if there is none yet,
  /// nothing if no guard rolls back.
  std::optional<std::string> rollBackTarget_;
  AlertDetector alerts_;
  std::unique_ptr<Callback> firstLoss_;  // on rank 0, in the first segment of a resume
  std::optional<double> lostSinceSec_;   // since when the store isLost()
  std::string storeFailure_;             // why the run fails, once storeFailed_
  std::atomic<bool> storeFailed_ = false;
  std::optional<TimeReserve> timeReserve_;
  std::jthread backup_;                 // its thread uses sink_
  std::optional<HangMonitor> monitor_;  // last: its thread uses the members above
};

Result<RunFinished> RunSession::run() {
  ASSIGN_OR_RETURN(run_, prepareRun(
                             request_, sink_, commands_, clock_,
                             [this](const TrainConfig& config) { watch(config.guard.hang); }, rankGroup_));
  if (nothingLeft()) return reportNothingLeft();
  startBackup();
  RETURN_IF_ERROR(enter());
  if (const std::string& folder = config().log.tensorboard; !folder.empty())
    sink_.alsoWrite([log = std::make_shared<TensorBoardLog>(clock_, run_.config.baseFolder / expandedHome(folder),
                                                            configValues(config()))](const RunEvent& event) {
      return log->take(event);
    });
  start_.from = run_.state.now;
  start_.checkpoint = run_.source ? run_.source->record.id : "";
  start_.environment = run_.environment;
  if (run_.is(ResumeDecision::Kind::Continue)) {
    start_.resolvedYaml = configToYaml(config(), YamlScope::Everything);
    ResolvedValues values = run_.resolved;
    if (run_.data->hasEvaluation()) values[resolved_names::kEvaluationText] = run_.data->evaluationText;
    start_.environment = environmentWithValues(run_.environment, run_.source->run.resolvedValues, values);
    sink_.setLastCheckpoint(run_.source->record.id);
  }
  // Other samples, masks or rates may give another loss.
  const bool repeats = run_.isContinuation() && !run_.resume->addsStage;
  if (repeats && run_.resume->effect <= ChangeEffect::Rounding)
    firstLoss_ = std::make_unique<FirstLossCheck>(earlierLoss());
  alerts_ = AlertDetector(
      {.slowShare = config().guard.slowBelow,
       .spikes = config().guard.lossSpike.action == GuardAction::Off,
       .plateaus = config().guard.plateau.action == GuardAction::Off,
       .growsFrom = config().batch.rampup.fromSchedule.enabled() ? config().batch.globalTrainBatchSize : 0});
  if (const auto limit = timeLimitSec()) timeReserve_.emplace(*limit, startedSec_);
  return trainSegments();
}

// A run that is recorded in a journal leaves it to the host that has the database.
void RunSession::startBackup() {
  if (run_.store->workspace() == nullptr) return;
  const ScopedSignalBlock inherited;
  backup_ = std::jthread([this, folder = run_.store->folder(), now = clock_.wallMs()](const std::stop_token& stop) {
    const auto made = backUpIfDue(folder, now, stop);
    if (made.ok() || made.error().code == ErrorCode::Stopped) return;
    sink_.publishNote(NoteLevel::Warning, formatText("the workspace could not be backed up: {}", made.error().text()));
  });
}

std::optional<double> RunSession::timeLimitSec() const {
  std::optional<double> limit = request_.timeLimitSec;
  if (const auto& wanted = config().launch.timeLimit)
    limit = std::min(limit.value_or(wanted->number()), wanted->number());
  return limit;
}

bool RunSession::nothingLeft() const {
  return run_.is(ResumeDecision::Kind::Continue) && run_.source->run.summary.status == RunStatus::Finished &&
         run_.finished();
}

// Opens no segment, so that the run stays unchanged.
RunFinished RunSession::reportNothingLeft() {
  if (monitor_) monitor_->suspend();
  sink_.setLastCheckpoint(run_.source->record.id);
  RunFinished finished{
      RunStatus::Finished,
      formatText("{} had already reached its max_duration of {}; set a longer one to continue training",
                 run_.source->run.summary.name, config().maxDuration.text()),
      run_.state.now, run_.source->record.id};
  if (run_.source->run.summary.cause == FailureCause::Diverged) finished.cause = FailureCause::Diverged;
  sink_.publish(finished);
  broadcastEnd(*sink_.outcome());
  return *sink_.outcome();
}

Result<void> RunSession::enter() {
  if (run_.is(ResumeDecision::Kind::Continue)) {
    runId_ = run_.source->run.summary.id;
    runName_ = run_.source->run.summary.name;
    return {};
  }
  NewRun run;
  run.name = runName(config());
  run.configYaml = run_.config.yaml;
  run.resolvedYaml = configToYaml(config(), YamlScope::Everything);
  run.resolvedValues = run_.resolved;
  storeTrainingCost(trainingCost(run_.model->shape, config().data.mlmProbability), run.resolvedValues);
  storeMeasurement(run.resolvedValues);
  run.references = {{"unigram_entropy", run_.data->unigramNats}};
  run.plannedBatches = run_.runPlan->totals().batches.value_or(0);
  run.parent = run_.source ? run_.source->run.summary.id : "";
  if (run_.source) run.resolvedValues[resolved_names::kForkCheckpoint] = run_.source->record.id;
  run.tags = config().launch.tags;
  run.why = config().launch.why;
  ASSIGN_OR_RETURN(const auto entered, run_.store->enter(run, request_.runId));
  runId_ = entered.id;
  runName_ = entered.name;
  return {};
}

// Stores what the losses of the run are measured with.
void RunSession::storeMeasurement(ResolvedValues& values) const {
  const std::string tokenizer = run_.data->tokenizer.identity().hex();
  values[resolved_names::kTokenizerIdentity] = tokenizer;
  values[resolved_names::kTrainingText] = run_.data->trainingText;
  if (!run_.data->hasEvaluation()) return;
  values[resolved_names::kEvaluationText] = run_.data->evaluationText;
  values[resolved_names::kEvaluationSet] = evaluationSet(configValues(config()), run_.data->evaluationText, tokenizer);
}

// A roll-back by a guard adds a further segment, from an older checkpoint.
Result<RunFinished> RunSession::trainSegments() {
  for (bool further = false;; further = true) {
    // At launch, a busy store means another writer of this run, so begin() is not retried.
    const auto begin = [this] { return run_.store->begin(runId_, start_); };
    ASSIGN_OR_RETURN(auto recorder, further ? retryWithNotice(begin, run_.state.now) : begin());
    RETURN_IF_ERROR(retryWithNotice([this] { return readHistory(); }, run_.state.now));
    const RunSink::Recording recording(sink_, *recorder);
    Result<LoopEnd> end = trainSegment(*recorder);
    if (end.ok() && end->rollBackBefore && !sink_.outcome()) {
      Result<void> back = retryWithNotice([&] { return rollBack(*end); }, run_.state.now);
      if (back.ok()) back = storeRows(*recorder, run_.state.now);
      if (back.ok()) continue;
      end = LoopEnd{RunStatus::Failed, formatText("{}; it cannot be rolled back: {}", end->reason, back.error().text()),
                    causeOfLostRollBack(*end, back.error())};
    }
    RunFinished finished = outcomeOf(end);
    if (storeFailed_) {  // even if it came back after the run stopped
      finished.status = RunStatus::Failed;
      finished.reason = followedByText(storeFailure_, lastWeightsText(finished.at));
    }
    if (end.ok()) broadcastEnd(finished);
    return sink_.finishFromTraining(finished, [&] { return storeEnd(*recorder, finished); });
  }
}

Result<void> RunSession::readHistory() {
  ASSIGN_OR_RETURN(auto history, run_.store->history(runId_));
  rollBackTarget_.reset();
  if (mayRollBack(config().guard)) {
    const auto order = rollBackOrder(history.run.segments, history.checkpoints, run_.state.now.step + 1);
    rollBackTarget_ = order.empty() ? std::string() : order.front().id;
  }
  segments_ = std::move(history.run.segments);
  return {};
}

// Says where the weights at the end of a run are whose store has failed.
std::string RunSession::lastWeightsText(const Timestamp& at) const {
  const std::string id = runId_ + "-" + std::to_string(segment_) + "-" + std::to_string(at.step);
  const std::filesystem::path file = run_.store->folder() / "checkpoints" / (id + ".sqlite");
  return fileIdOf(file)
             ? formatText("its last weights are in '{}', which `batchwise store restore` enters", file.native())
             : "its weights since the last checkpoint are lost";
}

// Waits for a store that is gone, as it may be moved back, or a disk be connected again, and for whatever else may
// help. Says what is lost if nothing does.
Result<void> RunSession::storeEnd(RunRecorder& recorder, const RunFinished& finished) {
  Result<void> stored = storeRows(recorder, finished.at);
  const double since = clock_.monotonicSec();
  BlockedNotice blockedNotice;
  while (!stored.ok() && !storeFailed_ && !commands_.abortRequested() &&
         (!isLost(stored.error()) || clock_.monotonicSec() - since < kStoreTimeoutSec)) {
    notifyWaiting(blockedNotice, stored.error(), finished.at);
    std::this_thread::sleep_for(kStorePollInterval);
    stored = storeRows(recorder, finished.at);
  }
  if (stored.ok()) return stored;
  const std::int64_t first = recorder.storedBatch() + 1, last = finished.at.batch;
  Error why = stored.error();
  if (first > last) return why;
  const std::string lost = formatText(
      "the metrics and events of global batches {} to {} are lost; resume the run to train them again", first, last);
  why.message = storeFailed_ ? lost : followedByText(why.message, lost);
  return why;
}

Result<LoopEnd> RunSession::trainSegment(RunRecorder& recorder) {
  segment_ = recorder.segment();
  sink_.publish(RunStarted{runId_, runName_, segment_, start_.from, run_.runPlan->totals().batches.value_or(0)});
  for (const std::string& note : recorder.notices()) sink_.publish(RunNote{NoteLevel::Warning, note, run_.state.now});
  for (const std::string& note : run_.warnings) sink_.publish(RunNote{NoteLevel::Warning, note, run_.state.now});
  for (const std::string& note : run_.notes) sink_.publish(RunNote{NoteLevel::Info, note, run_.state.now});
  run_.warnings.clear();
  run_.notes.clear();
  watchRanks();
  return trainStages(recorder);
}

// Trains the stages that are left, one after the other, up to the end of the run or a stop.
Result<LoopEnd> RunSession::trainStages(RunRecorder& recorder) {
  for (;;) {
    if (run_.stageFinished() && !run_.isInLastStage()) RETURN_IF_ERROR(enterNextStage());
    enterStage(run_.stage(), run_.resolved, run_.model->shape, run_.replicas);
    RETURN_IF_ERROR(broadcastState());
    ASSIGN_OR_RETURN(const auto end, runLoop(recorder));
    if (!end.planEnded || run_.isInLastStage()) return end;
  }
}

Result<void> RunSession::enterNextStage() {
  run_.state = stateOfNextStage(*run_.runPlan, run_.state);
  ASSIGN_OR_RETURN(run_.plan, planOf(*run_.runPlan, run_.state));
  alerts_.startStage();
  sink_.publish(
      RunNote{NoteLevel::Info, stageText(run_.stage(), run_.state.stage, std::ssize(run_.stages)), run_.state.now});
  return {};
}

// A lost rank ends the run at once, because the launcher may kill this process soon.
void RunSession::watchRanks() {
  if (rankGroup_ == nullptr) return;
  rankGroup_->line().onBroken(this, [this](const Error& why, bool lost) {
    if (lost) sink_.endFromMonitor(RunStatus::Interrupted, why.text(), failureCause(why.code));
  });
}

// Sends the other ranks the state that a segment or a stage starts from, then weights and moments.
Result<void> RunSession::broadcastState() {
  if (rankGroup_ == nullptr) return {};
  RETURN_IF_ERROR(rankGroup_->broadcastFromFirst(jsonText({{"state", loopStateText(run_.state)}})));
  return rankGroup_->ranks().broadcastTensors(replicaTensors(run_.replicas.front()));
}

void RunSession::broadcastEnd(const RunFinished& finished) {
  if (rankGroup_ == nullptr) return;
  const Result<std::string> sent = rankGroup_->broadcastFromFirst(jsonText({{"end", eventToJson(finished)}}));
  if (!sent.ok()) sink_.notifyListener(RunNote{NoteLevel::Warning, sent.error().text(), finished.at});
}

Result<void> RunSession::rollBack(const LoopEnd& end) {
  ASSIGN_OR_RETURN(const auto history, run_.store->history(runId_));
  ASSIGN_OR_RETURN(auto good, openCheckpointBefore(run_.store->folder(), history, *end.rollBackBefore));
  for (Replica& replica : run_.replicas)
    if (Result<void> restored = restoreReplica(replica, good.state); !restored.ok())
      return restored.error().within(checkpointContextText(good.record.id));
  run_.state = stateAfterRollBack(run_.state, good.loop, good.record);
  if (run_.state.microbatchUnits != run_.plan->microbatchUnits())
    run_.plan = run_.plan->withMicrobatch(run_.state.microbatchUnits);
  const SkippedRange& passed = run_.state.guards.skippedRanges.back();
  start_ = {good.record.at, good.record.id, environmentWithRollBack(run_.environment, passed), {}};
  sink_.setLastCheckpoint(good.record.id);
  run_.warnings = std::move(good.notes);
  run_.notes.push_back(rollBackText(passed, end.reason));
  return {};
}

// Adds that the run has diverged, if it has, to a regular end.
void RunSession::noteDivergence(RunFinished& finished) const {
  const auto found = findDivergence(run_.state.guards.lossCourse, run_.preparedStage().data.unigramNats);
  if (!found) return;
  finished.cause = FailureCause::Diverged;
  std::string how = "diverged: the loss ends as NaN or infinity";
  if (found->kind == Divergence::Kind::AboveStart)
    how = formatText("diverged: the loss ends at {} and began at {}", formatValue(found->loss),
                     formatValue(found->reference));
  if (found->kind == Divergence::Kind::AboveUnigram)
    how = formatText(
        "diverged: the loss had risen and ends at {}, above the {} of a model that knows only how frequent each token "
        "is",
        formatValue(found->loss), formatValue(found->reference));
  finished.reason = followedByText(finished.reason, how);
}

RunFinished RunSession::outcomeOf(const Result<LoopEnd>& end) const {
  if (const auto reported = sink_.outcome()) return *reported;
  RunFinished finished;
  finished.status = end.ok() ? end->status : RunStatus::Failed;
  if (!end.ok() && rankGroup_ != nullptr && rankGroup_->line().lostRank()) finished.status = RunStatus::Interrupted;
  finished.reason = end.ok() ? end->reason : end.error().text();
  finished.cause = end.ok() ? end->cause : failureCause(end.error().code);
  if (finished.status == RunStatus::Finished) noteDivergence(finished);
  finished.at = run_.state.now;
  finished.lastCheckpoint = sink_.lastCheckpoint();
  return finished;
}

// Returns the earlier loss of the global batch that is trained next.
std::optional<EarlierLoss> RunSession::earlierLoss() const {
  const auto point = run_.store->lossAfter(run_.source->run.summary.id, run_.state.now.batch);
  if (!point) return std::nullopt;
  return EarlierLoss{point->batch, point->value};
}

void RunSession::watch(const HangGuardConfig& hang) {
  if (hang.action == GuardAction::Off) return;
  if (rankGroup_ != nullptr) limitSilence(*rankGroup_, hang);
  monitor_.emplace(HangWatch(hang.minimumSec, hang.factor), clock_,
                   [this, action = hang.action](const HangWatch::Overdue& overdue) {
                     reportOverdue(overdue, action == GuardAction::Stop ? OnHang::Stop : OnHang::Report);
                   });
  sink_.onEvent([this] { monitor_->heartbeat(); });
  monitor_->enter(RunSection::Setup);
  monitor_->start();
}

// Runs on the monitor's thread.
void RunSession::reportOverdue(const HangWatch::Overdue& overdue, OnHang onHang) {
  const std::string missing = rankGroup_ != nullptr ? rankGroup_->line().missing() : std::string();
  const std::string what = missing.empty() ? overdueText(overdue) : followedByText(overdueText(overdue), missing);
  if (overdue.stage == HangWatch::Stage::Late) return sink_.publishNote(NoteLevel::Warning, what);
  if (onHang == OnHang::Report) return sink_.publishNote(NoteLevel::Error, what);
  commands_.post(RunCommand::Abort);  // in case the loop resumes
  sink_.endFromMonitor(
      RunStatus::Failed, what,
      rankGroup_ != nullptr && rankGroup_->line().hasSilentRank() ? FailureCause::LostRank : FailureCause::Unknown);
  if (request_.onHung) request_.onHung(what);
}

Result<void> RunSession::storeRows(RunRecorder& recorder, const Timestamp& at) {
  const Result<void> stored = retryWithNotice([&] { return recorder.flush(); }, at);
  return stored.ok() ? stored : stored.error().within("the last rows of the run are not in the store");
}

// Retries `work` while the disk is full or another program blocks it, and reports the wait, until the user aborts.
template <typename Work>
auto RunSession::retryWithNotice(const Work& work, const Timestamp& at) -> decltype(work()) {
  if (monitor_) monitor_->suspend();
  BlockedNotice blockedNotice;
  return retryWhileTransient(work, [&](const Error& obstacle) {
    notifyWaiting(blockedNotice, obstacle, at);
    return !commands_.abortRequested();
  });
}

void RunSession::notifyWaiting(BlockedNotice& notice, const Error& obstacle, const Timestamp& at) {
  const std::string advice =
      formatText("{} ends the run without what is not stored yet", stopWithoutSavingRemedyText(runId_));
  const std::string text = notice.next(obstacle.text(), isGracefulStop(commands_), advice);
  if (!text.empty())
    sink_.notifyListener(
        RunNote{NoteLevel::Error, formatText("waiting for the store: {}", text), at, {}, NoteKind::Waiting});
}

// Returns why the next step has to wait, so that nothing is trained that could not be stored or reported; else empty.
std::string RunSession::blockedReason(const RunRecorder& recorder, const CheckpointSaver& saver) {
  const auto gone = checkStoreFile();
  const auto obstacle = gone.ok() ? recorder.writeError() : std::optional(gone.error());
  if (obstacle && isLost(*obstacle)) return failWithoutStore(*obstacle);
  lostSinceSec_.reset();
  if (obstacle) return obstacle->text();
  if (std::string waits = saver.blockedReason(); !waits.empty()) return waits;
  return request_.eventsBlockedReason ? request_.eventsBlockedReason() : std::string();
}

Result<LoopEnd> RunSession::runLoop(RunRecorder& recorder) {
  CheckpointSaver saver({[&](const CheckpointRecord& record) { return recorder.addCheckpoint(record); },
                         [&] {
                           return removeOldCheckpoints(recorder, segments_, config().checkpoint,
                                                       run_.preparedStage().intervals, rollBackTarget_);
                         },
                         [&] { return commands_.abortRequested(); }, [&] { return checkStoreFile(); },
                         [&](double waitedSec) { return waitedSec < kStoreTimeoutSec && !storeFailed_; }},
                        clock_);
  RanksSetup setup = setupOf(run_, sink_, commands_, clock_, rankGroup_);
  setup.alerts = &alerts_;
  setup.firstLoss = std::move(firstLoss_);
  setup.saver = &saver;
  setup.origin = checkpointOrigin();
  setup.blockedReason = [&] { return blockedReason(recorder, saver); };
  setup.monitor = monitor_ ? &*monitor_ : nullptr;
  setup.timeReserve = timeReserve_ ? &*timeReserve_ : nullptr;
  RanksResult end = runRanks(std::move(setup));
  if (monitor_) monitor_->suspend();
  if (!end.end.ok()) awaitSaver(saver, end.end.error());
  run_.state = end.state;
  return end.end;
}

// After a failure, waits for a checkpoint in progress; reports the failure first.
void RunSession::awaitSaver(CheckpointSaver& saver, const Error& why) {
  if (saver.finish(std::chrono::milliseconds{0})) return;
  sink_.publishNote(
      NoteLevel::Error,
      formatText("the run has failed and waits for a checkpoint that is still being written: {}", why.text()));
  BlockedNotice blockedNotice;
  const std::string advice = formatText("{} ends the run without it", stopWithoutSavingRemedyText(runId_));
  while (!saver.finish(kStorePollInterval)) {
    const std::string notice = blockedNotice.next(saver.blockedReason(), isGracefulStop(commands_), advice);
    if (!notice.empty())
      sink_.publishNote(NoteLevel::Error, formatText("waiting to save the checkpoint: {}", notice), NoteKind::Waiting);
  }
}

// Returns the notice of a store that is gone or damaged; stops the run, which fails, if that lasts. The last checkpoint
// is written all the same: `batchwise store restore` finds its file.
std::string RunSession::failWithoutStore(const Error& why) {
  if (!lostSinceSec_) lostSinceSec_ = clock_.monotonicSec();
  if (!storeFailed_ && clock_.monotonicSec() - *lostSinceSec_ >= kStoreTimeoutSec) {
    storeFailure_ = formatText("the run could not be stored any longer: {}", why.text());
    storeFailed_ = true;
    commands_.post(RunCommand::StopWithCheckpoint);
  }
  return storeFailed_ ? why.text()
                      : formatText("{}; the run ends as failed unless that is fixed within {} seconds", why.text(),
                                   formatValue(kStoreTimeoutSec));
}

// Fails with NotFound if the file that the run is written to was moved or deleted: no folder is to be made in its
// place. Thread-safe.
Result<void> RunSession::checkStoreFile() const {
  const std::filesystem::path file = run_.store->storeFile(runId_);
  return fileIdOf(file) ? Result<void>() : Error::notFound(storeFileLostText(file.native()));
}

CheckpointOrigin RunSession::checkpointOrigin() {
  const RunFacts facts = runFacts(config(), run_.resolved, *run_.data, run_.model->shape, run_.environment);
  // A guard may roll back to it, or a requeued job resume from it.
  const bool beforeFirstStep =
      run_.state.now.step == start_.from.step && (segment_ == 0 || start_.checkpoint.empty()) &&
      (mayRollBack(config().guard) || (!request_.runId.empty() && run_.store->workspace() == nullptr));
  return {.run = runId_,
          .segment = segment_,
          .workspace = run_.store->folder(),
          .facts = factsToText(facts),
          .beforeFirstStep = beforeFirstStep,
          .resumedFrom = sink_.lastCheckpoint(),
          .atPlannedEnd = config().checkpoint.keepLast > 0};
}

Result<void> followSegment(PreparedRun& run, RankGroup& rankGroup, const Clock& clock) {
  RETURN_IF_ERROR(rankGroup.ranks().broadcastTensors(replicaTensors(run.replicas.front())));
  run.replicas.front().model.parametersChanged();
  ASSIGN_OR_RETURN(run.plan, planOf(*run.runPlan, run.state));
  enterStage(run.stage(), run.resolved, run.model->shape, run.replicas);
  NullSink discardedEvents;
  CommandMailbox noCommands;
  const RanksResult end = runRanks(setupOf(run, discardedEvents, noCommands, clock, &rankGroup));
  return end.end.ok() ? Result<void>() : end.end.error();
}

// Trains as a rank other than 0, until it sends the end.
Result<RunFinished> follow(RankGroup& rankGroup, const Clock& clock) {
  NullSink discardedEvents;
  CommandMailbox noCommands;
  const auto watch = [&rankGroup](const TrainConfig& config) { limitSilence(rankGroup, config.guard.hang); };
  ASSIGN_OR_RETURN(auto run, prepareRun({}, discardedEvents, noCommands, clock, watch, &rankGroup));
  for (;;) {
    ASSIGN_OR_RETURN(const auto text, rankGroup.broadcastFromFirst({}));
    const auto segment = nlohmann::json::parse(text);
    if (segment.contains("end")) {
      ASSIGN_OR_RETURN(const auto end, eventFromJson(segment.at("end")));
      return std::get<RunFinished>(end);
    }
    ASSIGN_OR_RETURN(run.state, loopStateFromText(segment.at("state").get<std::string>()));
    RETURN_IF_ERROR(followSegment(run, rankGroup, clock));
  }
}

}  // namespace

Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankGroup* rankGroup) {
  Result<RunFinished> end = Error::internal("the run did not start");
  try {
    const bool follows = rankGroup != nullptr && rankGroup->rank() > 0;
    end = follows ? follow(*rankGroup, clock) : RunSession(request, events, commands, clock, rankGroup).run();
  } catch (const std::exception&) {
    end = caughtError("training");
  }
  if (!end.ok() && rankGroup != nullptr) rankGroup->line().abandon(end.error());
  return end;
}

}  // namespace batchwise
