// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_presenter.h"

#include <algorithm>

#include "core/config/events/run_event.h"
#include "core/config/sweep.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

double share(const DeviceMemory& device) {
  return device.total > 0 ? static_cast<double>(device.peak) / static_cast<double>(device.total) : 0.0;
}

}  // namespace

TrainingState stateOfStoredRun(const RunSummary& run) {
  TrainingState state;
  state.phase = run.paused ? RunPhase::Paused : RunPhase::Training;
  state.place = RunLocation::OwnProcess;
  state.run = toQt(run.id);
  state.name = toQt(run.name);
  state.activity =
      run.paused ? RunPresenter::tr("Paused in another process") : RunPresenter::tr("Training in another process");
  state.batches = run.at.batch;
  state.plannedBatches = run.plannedBatches;
  if (!run.paused) state.tokensPerSec = run.tokensPerSec;
  return state;
}

/// A run launched by this window: its controller, and its state according to its events. GUI thread.
class RunPresenter::LaunchedRun final : public QObject {
 public:
  LaunchedRun(RunLocation place, const QString& ticket, RunPresenter& owner)
      : QObject(&owner), owner_(owner), controller_(owner.factory_(place, bridge_)) {
    state_.place = place;
    state_.ticket = ticket;
    connect(&bridge_, &RunBridge::arrived, this, &LaunchedRun::receive);
    controller_->onEnd([this] { QMetaObject::invokeMethod(this, &LaunchedRun::finish, Qt::QueuedConnection); });
  }

  Result<void> start(const LaunchRequest& request);
  void command(RunCommand command);
  const TrainingState& state() const { return state_; }
  /// Id of the run that is resumed or monitored, or the id assigned to a new run on a cluster; else empty.
  const QString& expectedRun() const { return expectedRun_; }
  const std::filesystem::path& workspace() const { return workspace_; }

 private:
  void receive(const std::vector<RunEvent>& events);
  void apply(const RunStarted& event);
  void apply(const PhaseProgress& event);
  void apply(const MetricsRow& event);
  void apply(const EvalResult&) { setBlockedReason({}); }
  void apply(const CheckpointSaved&) { setBlockedReason({}); }
  void apply(const RunNote& event);
  void apply(const RunFinished& event);
  void setBlockedReason(const QString& why);
  void finish();

  RunPresenter& owner_;
  RunBridge bridge_;
  std::unique_ptr<RunController> controller_;  // declared after bridge_, which its thread uses until joined
  TrainingState state_;
  QString expectedRun_;
  std::filesystem::path workspace_;
  RunProgress progress_;
  std::optional<RunFinished> outcome_;
};

Result<void> RunPresenter::LaunchedRun::start(const LaunchRequest& request) {
  state_.phase = RunPhase::Starting;
  workspace_ = request.workspace;
  LaunchRequest own = request;
  // Assign the run id before the job is submitted, so that the job is never mistaken for another run.
  if (state_.place == RunLocation::Slurm && request.resumeRun.empty()) own.runId = newRecordId();
  const bool hasNewId = state_.place == RunLocation::Slurm && !own.runId.empty();
  expectedRun_ = toQt(hasNewId ? own.runId : request.fork ? std::string() : request.resumeRun);
  state_.activity = state_.place == RunLocation::OwnProcess ? RunPresenter::tr("Starting its process")
                    : state_.place == RunLocation::Slurm    ? RunPresenter::tr("Submitting to Slurm")
                    : state_.place == RunLocation::SlurmJob ? RunPresenter::tr("In the queue of Slurm")
                                                            : RunPresenter::tr("Loading the trainer");
  state_.name = toQt(runName(request.config.config));
  return controller_->start(own);
}

void RunPresenter::LaunchedRun::command(RunCommand command) {
  if (state_.phase == RunPhase::Idle) return;
  // A branch that its study does not need any more can still be stopped with a checkpoint.
  if (endsRun(command) && command != RunCommand::StopUnneeded && state_.phase != RunPhase::Stopping) {
    state_.phase = RunPhase::Stopping;
    state_.activity = RunPresenter::tr("Stopping");
    state_.activityDone = state_.activityTotal = 0;
    state_.secondsLeft.reset();
  }
  controller_->command(command);
  Q_EMIT owner_.phaseChanged();
}

void RunPresenter::LaunchedRun::receive(const std::vector<RunEvent>& events) {
  const double now = owner_.clock_.monotonicSec();
  const auto before = std::pair(state_.phase, state_.run);
  for (const RunEvent& event : events) {
    progress_.update(event, now);
    std::visit([this](const auto& e) { apply(e); }, event);
  }
  const bool trains = state_.phase == RunPhase::Training && state_.blockedReason.isEmpty();
  state_.secondsLeft = trains ? progress_.etaSec() : std::nullopt;
  Q_EMIT owner_.eventsArrived(state_.run, events);
  before == std::pair(state_.phase, state_.run) ? Q_EMIT owner_.progressChanged() : Q_EMIT owner_.phaseChanged();
}

void RunPresenter::LaunchedRun::apply(const RunStarted& event) {
  state_.run = toQt(event.run);
  state_.name = toQt(event.name);
  state_.batches = event.from.batch;
  state_.plannedBatches = event.plannedBatches;
  Q_EMIT owner_.started(state_.run);
}

void RunPresenter::LaunchedRun::apply(const PhaseProgress& event) {
  if (state_.phase != RunPhase::Stopping) state_.activity = sentenceCase(toQt(event.phase));
  state_.activityDone = event.done;
  state_.activityTotal = event.total;
}

void RunPresenter::LaunchedRun::apply(const MetricsRow& event) {
  if (state_.phase == RunPhase::Starting) state_.phase = RunPhase::Training;
  if (state_.phase == RunPhase::Training) state_.activity = RunPresenter::tr("Training");
  setBlockedReason({});
  state_.activityDone = state_.activityTotal = 0;
  state_.batches = event.at.batch;
  state_.tokensPerSec = event.tokensPerSec;
  const auto fullest =
      std::max_element(event.devices.begin(), event.devices.end(),
                       [](const DeviceMemory& a, const DeviceMemory& b) { return share(a) < share(b); });
  if (fullest != event.devices.end()) state_.fullestDevice = *fullest;
}

void RunPresenter::LaunchedRun::setBlockedReason(const QString& why) {
  if (state_.blockedReason == why) return;
  state_.blockedReason = why;
  if (state_.phase == RunPhase::Training)
    state_.activity = why.isEmpty() ? RunPresenter::tr("Training") : RunPresenter::tr("Waiting");
  if (state_.phase == RunPhase::Stopping)
    state_.activity = why.isEmpty() ? RunPresenter::tr("Stopping") : RunPresenter::tr("Waiting");
  if (!why.isEmpty()) state_.tokensPerSec.reset();
  Q_EMIT owner_.blockedChanged(state_.name, why);
}

void RunPresenter::LaunchedRun::apply(const RunNote& event) {
  if (!outcome_ && event.level == NoteLevel::Error) {
    const QString text = sentenceCase(toQt(event.text));
    if (event.kind == NoteKind::Waiting)
      setBlockedReason(text);
    else
      Q_EMIT owner_.errorOccurred(state_.name, text);
  }
  if (event.kind == NoteKind::Resumed) setBlockedReason({});
  if (!event.paused) return;
  if (*event.paused && state_.phase != RunPhase::Stopping) {
    state_.phase = RunPhase::Paused;
    state_.activity = RunPresenter::tr("Paused");
    state_.tokensPerSec.reset();
  } else if (!*event.paused && state_.phase == RunPhase::Paused) {
    state_.phase = RunPhase::Training;
    state_.activity = RunPresenter::tr("Training");
  }
}

void RunPresenter::LaunchedRun::apply(const RunFinished& event) {
  setBlockedReason({});
  outcome_ = event;
}

void RunPresenter::LaunchedRun::finish() {
  if (!outcome_) return;
  state_.phase = RunPhase::Idle;
  state_.secondsLeft.reset();
  state_.tokensPerSec.reset();
  owner_.finish(this, *outcome_);
}

RunPresenter::RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent)
    : QObject(parent), factory_(std::move(factory)), clock_(clock) {
  connect(this, &RunPresenter::phaseChanged, this, &RunPresenter::progressChanged);
}

RunPresenter::~RunPresenter() = default;

RunPresenter::LaunchedRun* RunPresenter::start(RunLocation place, const LaunchRequest& request, const QString& ticket) {
  auto run = std::make_unique<LaunchedRun>(place, ticket, *this);
  if (const auto launched = run->start(request); !launched.ok()) {
    Q_EMIT failed(toQt(launched.error().text()));
    return nullptr;
  }
  runs_.push_back(run.release());  // a child of this object
  return runs_.back();
}

bool RunPresenter::launch(const LaunchRequest& request, RunLocation place, const QString& ticket) {
  if (find(toQt(request.resumeRun)) != nullptr && !request.fork) {
    Q_EMIT failed(tr("This run is already training"));
    return false;
  }
  if (place == RunLocation::ThisProcess && busyInThisProcess()) place = RunLocation::OwnProcess;
  if (start(place, request, ticket) == nullptr) return false;
  Q_EMIT phaseChanged();
  return true;
}

void RunPresenter::follow(const std::filesystem::path& workspace, const QString& run) {
  if (find(run) != nullptr) return;
  LaunchRequest request;
  request.workspace = workspace;
  request.resumeRun = run.toStdString();
  if (start(RunLocation::SlurmJob, request, {}) != nullptr) Q_EMIT phaseChanged();
}

void RunPresenter::unfollowOtherWorkspaces(const std::filesystem::path& workspace) {
  std::erase_if(runs_, [&workspace](LaunchedRun* run) {
    if (!onCluster(run->state().place) || run->workspace() == workspace) return false;
    delete run;
    return true;
  });
  Q_EMIT phaseChanged();
}

void RunPresenter::finish(LaunchedRun* run, const RunFinished& outcome) {
  std::erase(runs_, run);
  idle_ = run->state();
  run->deleteLater();
  Q_EMIT phaseChanged();
  Q_EMIT finished(idle_, outcome);
}

void RunPresenter::command(const QString& run, RunCommand command) {
  if (LaunchedRun* found = run.isEmpty() ? newest() : find(run)) found->command(command);
}

void RunPresenter::stopAndSaveAll() {
  for (LaunchedRun* run : runs_)
    if (!onCluster(run->state().place)) run->command(RunCommand::StopWithCheckpoint);
}

void RunPresenter::stopAndSaveInThisProcess() {
  for (LaunchedRun* run : runs_)
    if (run->state().place == RunLocation::ThisProcess) run->command(RunCommand::StopWithCheckpoint);
}

RunPresenter::LaunchedRun* RunPresenter::find(const QString& run) const {
  if (run.isEmpty()) return nullptr;
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](LaunchedRun* each) {
    const QString& started = each->state().run;
    return (started.isEmpty() ? each->expectedRun() : started) == run;
  });
  return found == runs_.end() ? nullptr : *found;
}

bool RunPresenter::preparesNew() const {
  const LaunchedRun* run = newest();
  return run != nullptr && run->state().run.isEmpty() && run->expectedRun().isEmpty();
}

const TrainingState& RunPresenter::progress(const QString& run) const {
  const LaunchedRun* found = find(run);
  if (found == nullptr) found = newest();
  return found == nullptr ? idle_ : found->state();
}

TrainingState RunPresenter::stateOnThisMachine() const {
  TrainingState found;
  for (const LaunchedRun* run : runs_) {
    if (run->state().place == RunLocation::ThisProcess) return run->state();
    if (!onCluster(run->state().place)) found = run->state();
  }
  return found;
}

bool RunPresenter::busyOnThisMachine() const {
  return std::any_of(runs_.begin(), runs_.end(), [](LaunchedRun* run) { return !onCluster(run->state().place); });
}

bool RunPresenter::busyInThisProcess() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](LaunchedRun* run) { return run->state().place == RunLocation::ThisProcess; });
}

}  // namespace batchwise
