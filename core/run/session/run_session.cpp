// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/count_text.h"
#include "core/base/format.h"
#include "core/base/passing_trouble.h"
#include "core/events/waiting.h"
#include "core/exchange/training_cost.h"
#include "core/run/launch/values_in_force.h"
#include "core/run/ranks/rank_callbacks.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/ranks/team_words.h"
#include "core/run/session/checkpoint_retention.h"
#include "core/run/session/rank_follower.h"
#include "core/run/session/roll_back.h"
#include "core/run/session/run_preparation.h"
#include "core/run/session/run_rescue.h"
#include "core/run/session/run_sink.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/store/store_presence.h"
#include "core/train/caught_error.h"
#include "core/train/first_loss_check.h"
#include "core/train/guards.h"
#include "core/train/stop_words.h"

namespace batchwise {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr double kForStoreSec = 20.0;   // that a store which is gone, or takes no last checkpoint, is waited for
constexpr double kForDamagedSec = 5.0;  // that one is waited for which fails in a way that no waiting mends

bool isEnd(const StampedEvent& stamped) {
  return std::holds_alternative<RunFinished>(stamped.event);
}

class RunSession {
 public:
  RunSession(const LaunchRequest& request, EventSink& events, CommandMailbox& commands, const Clock& clock,
             RankTeam* team)
      : request_(request),
        commands_(commands),
        clock_(clock),
        team_(team),
        startedSec_(clock.monotonicSec()),
        sink_(events),
        rescue_(clock) {}
  ~RunSession() {
    if (team_ != nullptr) team_->line().onBroken({});
  }

  Result<RunFinished> run();

 private:
  enum class Hung { Ends, IsTold };
  void watch(const HangGuardConfig& hang);
  void tellOverdue(const HangWatch::Overdue& overdue, Hung hung);
  bool nothingLeft() const;
  std::optional<double> timeLimitSec() const;
  RunFinished tellNothingLeft();
  Result<void> enter();
  Result<RunFinished> trainSegments();
  Result<LoopEnd> trainSegment(RunRecorder& recorder);
  void watchTeam();
  Result<void> beginTogether();
  void endTogether(const RunFinished& finished);
  Result<void> goBack(const LoopEnd& end);
  RunFinished endOf(const Result<LoopEnd>& end) const;
  Result<void> storeRows(RunRecorder& recorder, const Timestamp& at);
  Result<void> watchStore();
  std::optional<Error> awaitStore();
  std::string endWithoutStore(const std::string& trouble, const std::string& reason) const;
  Result<void> storeEnd(RunRecorder& recorder, const RunFinished& finished);
  Error keepUnstored(RunRecorder& recorder, RunFinished finished, Error why);
  Result<std::string> keepCheckpoint(const CheckpointRecord& record, const CheckpointState& state);
  template <typename Work>
  auto whenPossible(const Work& work, const Timestamp& at) -> decltype(work());
  std::string obstacleTo(const RunRecorder& recorder, const CheckpointSaver& saver);
  std::string goneStore();
  std::string brokenStore(const Error& trouble);
  void giveStoreUpAfter(double limitSec, std::optional<double>& sinceSec, std::string why);
  Result<void> checkStore(const RunRecorder& recorder) const;
  void awaitSaver(CheckpointSaver& saver, const Error& why);
  Result<std::optional<std::string>> rollBackTarget();
  Result<LoopEnd> runLoop(RunRecorder& recorder);
  std::optional<EarlierLoss> earlierLoss() const;
  Result<std::vector<std::unique_ptr<Callback>>> callbacks(std::int64_t rank, CheckpointSaver& saver);
  const TrainConfig& config() const { return run_.config.config; }

  const LaunchRequest& request_;
  CommandMailbox& commands_;
  const Clock& clock_;
  RankTeam* const team_;  // null: no other processes
  const double startedSec_;
  RunSink sink_;
  PreparedRun run_;
  std::string runId_;
  std::string runName_;
  std::int64_t segment_ = 0;
  RunRecorder::SegmentStart start_;      // of the segment that begins next
  std::unique_ptr<Callback> firstLoss_;  // of rank 0, in the first segment of a resume
  RunRescue rescue_;
  std::optional<StorePresence> presence_;
  std::optional<double> goneSinceSec_;    // the thread that trains
  std::optional<double> brokenSinceSec_;  // likewise
  std::string givenUpFor_;                // why, once storeGivenUp_
  std::atomic<bool> storeGivenUp_ = false;
  std::optional<TimeReserve> timeReserve_;
  std::optional<HangMonitor> monitor_;  // last: its thread ends before what it reports to
};

Result<RunFinished> RunSession::run() {
  Result<PreparedRun> ready = prepareRun(
      request_, sink_, commands_, clock_, [this](const TrainConfig& config) { watch(config.guard.hang); }, team_);
  if (!ready.ok()) return ready.error();
  run_ = std::move(*ready);
  if (nothingLeft()) return tellNothingLeft();
  if (Result<void> entered = enter(); !entered.ok()) return entered.error();
  start_.from = run_.state.now;
  start_.checkpoint = run_.source ? run_.source->record.id : "";
  start_.environment = run_.environment;
  if (run_.origin == Origin::Resume) {
    start_.resolvedYaml = configToYaml(config(), YamlScope::Everything);
    start_.environment = environmentWithValues(run_.environment, run_.source->run.resolvedValues, run_.resolved);
    sink_.setLastCheckpoint(run_.source->record.id);
  }
  if (run_.goesOn()) firstLoss_ = std::make_unique<FirstLossCheck>(earlierLoss());
  if (const auto limit = timeLimitSec()) timeReserve_.emplace(*limit, startedSec_);
  return trainSegments();
}

std::optional<double> RunSession::timeLimitSec() const {
  std::optional<double> limit = request_.timeLimitSec;
  if (const auto& wanted = config().launch.timeLimit)
    limit = std::min(limit.value_or(wanted->number()), wanted->number());
  return limit;
}

bool RunSession::nothingLeft() const {
  return run_.origin == Origin::Resume && run_.source->run.summary.status == RunStatus::Finished &&
         run_.plan->finished(run_.state.now);
}

// No segment is opened: the run stays as it is.
RunFinished RunSession::tellNothingLeft() {
  if (monitor_) monitor_->rest();
  sink_.setLastCheckpoint(run_.source->record.id);
  sink_.publish(RunFinished{RunStatus::Finished,
                            run_.source->run.summary.name + " had reached its max_duration of " +
                                config().maxDuration.text() + " before; give a longer one to train on",
                            run_.state.now, run_.source->record.id});
  endTogether(*sink_.ended());
  return *sink_.ended();
}

Result<void> RunSession::enter() {
  if (run_.origin == Origin::Resume) {
    runId_ = run_.source->run.summary.id;
    runName_ = run_.source->run.summary.name;
    return {};
  }
  NewRun run;
  run.name = config().name;
  run.configYaml = run_.config.yaml;
  run.resolvedYaml = configToYaml(config(), YamlScope::Everything);
  run.resolvedValues = run_.resolved;
  storeTrainingCost(trainingCost(run_.model->shape, config().data.mlmProbability), run.resolvedValues);
  run.references = {{"unigram_entropy", run_.data->unigramNats}};
  run.plannedBatches = run_.plan->totals().batches.value_or(0);
  run.parent = run_.source ? run_.source->run.summary.id : "";
  run.tags = config().launch.tags;
  run.why = config().launch.why;
  const Result<RunHome::Entered> entered = run_.home->enter(run, request_.runId);
  if (!entered.ok()) return entered.error();
  runId_ = entered->id;
  runName_ = entered->name;
  return {};
}

// A guard may take the run back: then a further segment follows, from an older checkpoint.
Result<RunFinished> RunSession::trainSegments() {
  for (bool further = false;; further = true) {
    // At the launch a store in use is another writer of this run, which is not waited for.
    const auto begin = [this] { return run_.home->begin(runId_, start_); };
    Result<std::unique_ptr<RunRecorder>> recorder = further ? whenPossible(begin, run_.state.now) : begin();
    if (!recorder.ok()) return recorder.error();
    if (Result<void> watched = whenPossible([this] { return watchStore(); }, run_.state.now); !watched.ok())
      return watched.error();
    const RunSink::Recording recording(sink_, **recorder);
    Result<LoopEnd> end = trainSegment(**recorder);
    const bool back = end.ok() && end->rollBackBefore && !sink_.ended();
    if (back)
      if (Result<void> gone = whenPossible([&] { return goBack(*end); }, run_.state.now); !gone.ok())
        end = LoopEnd{RunStatus::Failed, end->reason + "; it cannot be rolled back: " + gone.error().text()};
    if (end.ok() && end->rollBackBefore && back) {
      const Result<void> stored = storeRows(**recorder, run_.state.now);
      if (stored.ok()) continue;
      end = LoopEnd{RunStatus::Failed, end->reason + "; it cannot be rolled back: " + stored.error().text()};
    }
    RunFinished finished = endOf(end);
    if (const auto gone = awaitStore()) {
      finished.status = RunStatus::Failed;
      finished.reason = endWithoutStore("the store of the run is gone: " + gone->text(), finished.reason);
    } else if (storeGivenUp_) {  // also where it came back after the run had stopped for it
      finished.status = RunStatus::Failed;
      finished.reason = (*recorder)->trouble() ? endWithoutStore(givenUpFor_, {}) : givenUpFor_;
    }
    if (end.ok()) endTogether(finished);
    return sink_.finish(finished, [&] { return storeEnd(**recorder, finished); });
  }
}

Result<void> RunSession::watchStore() {
  presence_.emplace(run_.home->storeFile(runId_));
  Result<RunHistory> history = run_.home->history(runId_);
  if (!history.ok()) return history.error();
  rescue_.setRun(std::move(history->run));
  return {};
}

// What has become of a store that is gone and does not come back. Somebody may just be moving it, or a disk be away.
std::optional<Error> RunSession::awaitStore() {
  if (!presence_->loss()) return std::nullopt;
  const double since = clock_.monotonicSec();
  while (presence_->loss() && !storeGivenUp_ && !commands_.abortWanted() &&
         clock_.monotonicSec() - since < kForStoreSec)
    std::this_thread::sleep_for(kBetweenLooks);
  return presence_->loss();
}

// It was no person who stopped a run that gave its store up.
std::string RunSession::endWithoutStore(const std::string& trouble, const std::string& reason) const {
  if (!storeGivenUp_) return trouble + "; " + reason;
  const std::string kept = rescue_.text();
  return trouble +
         (kept.empty() ? "; its last weights could not be kept elsewhere" : "; its last weights are kept in " + kept);
}

Result<void> RunSession::storeEnd(RunRecorder& recorder, const RunFinished& finished) {
  const Result<void> stored = storeRows(recorder, finished.at);
  const bool lost = presence_->loss() && !presence_->isReachable();
  if (lost) return keepUnstored(recorder, finished, Error::notFound("its rows are lost with the store"));
  return stored.ok() ? Result<void>() : keepUnstored(recorder, finished, stored.error());
}

// What the store does not have goes elsewhere; `why` with what became of it.
Error RunSession::keepUnstored(RunRecorder& recorder, RunFinished finished, Error why) {
  std::vector<StampedEvent> left = run_.home->unstored(recorder);
  std::erase_if(left, isEnd);
  finished.status = RunStatus::Failed;
  finished.reason += "; " + why.text();
  left.push_back({clock_.wallMs(), finished});
  const Result<void> kept = rescue_.keep(left);
  const std::int64_t rows = static_cast<std::int64_t>(left.size()) - 1;
  why.message += kept.ok()
                     ? "; the end of the run" +
                           (rows > 0 ? ", with " + countText(rows, "row") + " and notes that the store has not," : "") +
                           " is kept in " + rescue_.text()
                     : "; they cannot be kept elsewhere either: " + kept.error().text();
  return why;
}

Result<std::string> RunSession::keepCheckpoint(const CheckpointRecord& record, const CheckpointState& state) {
  const Result<void> kept = rescue_.keep(record, state);
  if (!kept.ok()) return kept.error();
  return rescue_.text();
}

Result<LoopEnd> RunSession::trainSegment(RunRecorder& recorder) {
  segment_ = recorder.segment();
  sink_.publish(RunStarted{runId_, runName_, segment_, start_.from, run_.plan->totals().batches.value_or(0)});
  for (const std::string& note : recorder.notices()) sink_.publish(RunNote{NoteLevel::Warning, note, run_.state.now});
  for (const std::string& note : run_.warnings) sink_.publish(RunNote{NoteLevel::Warning, note, run_.state.now});
  for (const std::string& note : run_.notes) sink_.publish(RunNote{NoteLevel::Info, note, run_.state.now});
  run_.warnings.clear();
  run_.notes.clear();
  watchTeam();
  if (Result<void> begun = beginTogether(); !begun.ok()) return begun.error();
  return runLoop(recorder);
}

// A rank that is lost ends the run at once, whatever this one is busy with: a launcher that sees it too ends us soon.
void RunSession::watchTeam() {
  if (team_ == nullptr) return;
  team_->line().onBroken([this](const Error& why, bool lost) {
    if (lost) sink_.end(RunStatus::Interrupted, why.text());
  });
}

// State, weights and moments for the ranks of other processes.
Result<void> RunSession::beginTogether() {
  if (team_ == nullptr) return {};
  const Result<std::string> told = team_->fromFirst(teamText(TeamSegment{run_.state, {}}));
  if (!told.ok()) return told.error();
  return team_->ranks().copyFromFirst(teamTensors(run_.replicas.front()));
}

void RunSession::endTogether(const RunFinished& finished) {
  if (team_ == nullptr) return;
  const Result<std::string> told = team_->fromFirst(teamText(TeamSegment{std::nullopt, finished}));
  if (!told.ok()) sink_.tellListener(RunNote{NoteLevel::Warning, told.error().text(), finished.at});
}

Result<void> RunSession::goBack(const LoopEnd& end) {
  const Result<RunHistory> history = run_.home->history(runId_);
  if (!history.ok()) return history.error();
  Result<RunCheckpoint> good = openCheckpointBefore(run_.home->folder(), *history, *end.rollBackBefore);
  if (!good.ok()) return good.error();
  for (Replica& replica : run_.replicas)
    if (Result<void> restored = restoreReplica(replica, good->state); !restored.ok())
      return restored.error().within("checkpoint " + good->record.id);
  run_.state = stateAfterRollBack(run_.state, good->loop, good->record);
  if (run_.state.microbatchUnits != run_.plan->microbatchUnits())
    run_.plan = run_.plan->withMicrobatch(run_.state.microbatchUnits);
  const PassedOver& passed = run_.state.guards.passedOver.back();
  start_ = {good->record.at, good->record.id, environmentWith(run_.environment, passed), {}};
  sink_.setLastCheckpoint(good->record.id);
  run_.warnings = std::move(good->notes);
  run_.notes.push_back(rollBackText(passed, end.reason));
  return {};
}

RunFinished RunSession::endOf(const Result<LoopEnd>& end) const {
  if (const auto told = sink_.ended()) return *told;
  RunFinished finished;
  finished.status = end.ok() ? end->status : RunStatus::Failed;
  if (!end.ok() && team_ != nullptr && team_->line().lostRank()) finished.status = RunStatus::Interrupted;
  finished.reason = end.ok() ? end->reason : end.error().text();
  finished.at = run_.state.now;
  finished.lastCheckpoint = sink_.lastCheckpoint();
  return finished;
}

// What the run logged before for the global batch that it does next.
std::optional<EarlierLoss> RunSession::earlierLoss() const {
  const auto point = run_.home->lossAfter(run_.source->run.summary.id, run_.state.now.batch);
  if (!point) return std::nullopt;
  return EarlierLoss{point->batch, point->value};
}

void RunSession::watch(const HangGuardConfig& hang) {
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
  const std::string missing = team_ != nullptr ? team_->line().missing() : std::string();
  const std::string what = overdueText(overdue) + (missing.empty() ? "" : "; " + missing);
  if (overdue.stage == HangWatch::Stage::Late) return sink_.remark(NoteLevel::Warning, what);
  if (hung == Hung::IsTold) return sink_.remark(NoteLevel::Error, what);
  commands_.post(RunCommand::Abort);  // if it ever comes back
  sink_.end(RunStatus::Failed, what);
  if (request_.onHung) request_.onHung(what);
}

Result<void> RunSession::storeRows(RunRecorder& recorder, const Timestamp& at) {
  const Result<void> stored = whenPossible([&] { return recorder.flush(); }, at);
  return stored.ok() ? stored : stored.error().within("the last rows of the run are not in the store");
}

// Tries again while a full disk or another program is in the way, and tells it, until a person does not want to wait.
template <typename Work>
auto RunSession::whenPossible(const Work& work, const Timestamp& at) -> decltype(work()) {
  if (monitor_) monitor_->rest();
  ObstacleWords obstacles;
  const std::string wayOut = "; " + stopWithoutSaving(runId_) + " ends the run without what is not stored yet";
  return untilPossible(work, [&](const Error& obstacle) {
    const std::string words = obstacles.next(obstacle.text(), wantsEndKeeping(commands_), wayOut);
    if (!words.empty()) sink_.tellListener(RunNote{NoteLevel::Error, std::string(kWaitsForStore) + words, at});
    return !commands_.abortWanted();
  });
}

// Why the next step has to wait: nothing is trained that could not be kept or told.
std::string RunSession::obstacleTo(const RunRecorder& recorder, const CheckpointSaver& saver) {
  if (std::string gone = goneStore(); !gone.empty()) return gone;
  const auto trouble = recorder.trouble();
  if (trouble && isPermanent(*trouble)) return brokenStore(*trouble);
  brokenSinceSec_.reset();
  if (trouble) return trouble->text();
  if (std::string waits = saver.waitsFor(); !waits.empty()) return waits;
  return request_.eventsHeldUp ? request_.eventsHeldUp() : std::string();
}

// Of a guard that fires before the segment has a checkpoint: empty if there is none yet, nothing if no guard rolls
// back.
Result<std::optional<std::string>> RunSession::rollBackTarget() {
  if (!mayRollBack(config().guard)) return std::optional<std::string>();
  const Result<RunHistory> history = run_.home->history(runId_);
  if (!history.ok()) return history.error();
  const auto order = rollBackOrder(history->run.segments, history->checkpoints, run_.state.now.step + 1);
  return std::optional(order.empty() ? std::string() : order.front().id);
}

Result<LoopEnd> RunSession::runLoop(RunRecorder& recorder) {
  const auto target = rollBackTarget();
  if (!target.ok()) return target.error();
  CheckpointSaver saver(
      {[&](const CheckpointRecord& record) { return recorder.addCheckpoint(record); },
       [&] { return removeOldCheckpoints(recorder, config().checkpoint, run_.intervals, *target); },
       [&] { return commands_.abortWanted(); }, [&] { return checkStore(recorder); },
       [&](double waitedSec) { return waitedSec < kForStoreSec && !storeGivenUp_; },
       [&](const CheckpointRecord& record, const CheckpointState& state) { return keepCheckpoint(record, state); }},
      clock_);
  std::vector<std::vector<std::unique_ptr<Callback>>> ofRanks;
  for (std::size_t rank = 0; rank < run_.replicas.size(); ++rank) {
    auto made = callbacks(static_cast<std::int64_t>(rank), saver);
    if (!made.ok()) return made.error();
    ofRanks.push_back(std::move(*made));
  }
  const RanksSetup setup{
      .replicas = run_.replicas,
      .plan = *run_.plan,
      .data = trainingData(config(), *run_.data, run_.data->train),
      .state = run_.state,
      .callbacks = [&](std::int64_t rank) { return std::move(ofRanks[static_cast<std::size_t>(rank)]); },
      .events = sink_,
      .commands = commands_,
      .clock = clock_,
      .measureNoise = measuresNoise(config()),
      .mustRest = [&] { return obstacleTo(recorder, saver); },
      .measureLogits = measuresLogits(config().guard),
      .measureUpdates = measuresUpdates(config().guard),
      .monitor = monitor_ ? &*monitor_ : nullptr,
      .timeReserve = timeReserve_ ? &*timeReserve_ : nullptr,
      .ranks = team_ != nullptr ? &team_->ranks() : nullptr};
  RanksEnd end = runRanks(setup);
  if (monitor_) monitor_->rest();
  if (!end.end.ok()) awaitSaver(saver, end.end.error());
  run_.state = end.state;
  return end.end;
}

// A run that failed has a checkpoint under way, perhaps, that is waited for: the failure is told before.
void RunSession::awaitSaver(CheckpointSaver& saver, const Error& why) {
  if (saver.finish(std::chrono::milliseconds{0})) return;
  sink_.remark(NoteLevel::Error, "the run has failed, and waits for a checkpoint that is under way: " + why.text());
  ObstacleWords obstacles;
  const std::string wayOut = "; " + stopWithoutSaving(runId_) + " ends the run without it";
  while (!saver.finish(kBetweenLooks)) {
    const std::string words = obstacles.next(saver.waitsFor(), wantsEndKeeping(commands_), wayOut);
    if (!words.empty()) sink_.remark(NoteLevel::Error, std::string(kWaitsToSave) + words);
  }
}

// One that does not come back ends the run, with its weights kept elsewhere.
std::string RunSession::goneStore() {
  const auto loss = presence_->loss();
  if (!loss) goneSinceSec_.reset();
  if (!loss) return {};
  brokenSinceSec_.reset();
  if (storeGivenUp_) return loss->text();
  giveStoreUpAfter(kForStoreSec, goneSinceSec_, "the store of the run was gone: " + loss->text());
  return loss->text() + "; the run ends as failed if that is not undone within " + formatValue(kForStoreSec) +
         " seconds";
}

// Stops the run for good once its store has been unusable for `limitSec`; `sinceSec` is set at the first call.
void RunSession::giveStoreUpAfter(double limitSec, std::optional<double>& sinceSec, std::string why) {
  if (!sinceSec) sinceSec = clock_.monotonicSec();
  if (clock_.monotonicSec() - *sinceSec < limitSec) return;
  givenUpFor_ = std::move(why);
  storeGivenUp_ = true;
  commands_.post(RunCommand::StopWithCheckpoint);
}

// Damage, or tables that are not there any more: the run ends with its weights kept elsewhere, unless the store soon
// takes rows again.
std::string RunSession::brokenStore(const Error& trouble) {
  if (storeGivenUp_) return trouble.text();
  giveStoreUpAfter(kForDamagedSec, brokenSinceSec_, "the store of the run takes no rows any more: " + trouble.text());
  return trouble.text() + "; no waiting mends that: the run ends as failed in " + formatValue(kForDamagedSec) +
         " seconds";
}

// Whether a checkpoint can be entered into the store. Any thread.
Result<void> RunSession::checkStore(const RunRecorder& recorder) const {
  if (const auto loss = presence_->loss()) return *loss;
  const auto trouble = recorder.trouble();
  return trouble && storeGivenUp_ ? Result<void>(*trouble) : Result<void>();
}

Result<std::vector<std::unique_ptr<Callback>>> RunSession::callbacks(std::int64_t rank, CheckpointSaver& saver) {
  MetricsLog::MemorySource memory = [] { return std::vector<DeviceMemory>(); };
  if (rank == 0) memory = [devices = run_.devices] { return deviceMemory(devices); };
  if (team_ != nullptr) memory = [this] { return memoryOfAll(*team_, run_.devices); };
  const RunFacts facts = runFacts(config(), run_.resolved, *run_.data, run_.model->shape, run_.environment);
  const bool first = rank == 0;
  // What a guard may go back to, or a job that is queued again may go on from.
  const bool beforeFirstStep =
      (segment_ == 0 || start_.checkpoint.empty()) && (mayRollBack(config().guard) || !request_.runId.empty());
  return rankCallbacks({.config = config(),
                        .plan = *run_.plan,
                        .intervals = run_.intervals,
                        .data = *run_.data,
                        .batchStart = run_.state.batchStart,
                        .memory = std::move(memory),
                        .firstLoss = first ? std::move(firstLoss_) : nullptr,
                        .saver = first ? &saver : nullptr,
                        .origin = {.run = runId_,
                                   .segment = segment_,
                                   .workspace = run_.home->folder(),
                                   .facts = factsToText(facts),
                                   .beforeFirstStep = beforeFirstStep,
                                   .resumedFrom = sink_.lastCheckpoint()}});
}

}  // namespace

Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankTeam* team) {
  Result<RunFinished> end = Error::internal("the run did not begin");
  try {
    end = RunSession(request, events, commands, clock, team).run();
  } catch (const std::exception&) {
    end = caughtError("training");
  }
  if (!end.ok() && team != nullptr) team->line().abandon(end.error());
  return end;
}

}  // namespace batchwise
