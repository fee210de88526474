// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/run_commands.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>

#include "ui/models/display_text.h"
#include "ui/widgets/parts/shortcut_registry.h"
#include "ui/widgets/window/window_actions.h"

namespace batchwise {
namespace {

/// Enables `action` with `what` as tooltip, or disables it with the reason `why`.
void enable(QAction& action, const QString& why, const QString& what) {
  action.setEnabled(why.isEmpty());
  action.setToolTip(why.isEmpty() ? withShortcut(what, action) : plainToolTip(why));
}

QString whyNotPaused(const std::optional<TrainingState>& state) {
  if (!state) return RunCommands::tr("No run is training. Select one that is, or launch one");
  if (state->phase == RunPhase::Stopping) return RunCommands::tr("The run is stopping");
  if (onCluster(state->place)) return RunCommands::tr("A run on a cluster can be stopped and resumed, but not paused");
  if (state->phase == RunPhase::Starting) return RunCommands::tr("The run has not reached its first global batch");
  return {};
}

QString whyNotStopped(const std::optional<TrainingState>& state) {
  if (!state) return RunCommands::tr("No run is training");
  return state->phase == RunPhase::Stopping ? RunCommands::tr("The run is stopping already") : QString();
}

}  // namespace

RunCommands::RunCommands(const StudioParts& parts, WindowActions& actions, QObject* parent)
    : QObject(parent), parts_(parts), actions_(actions) {
  connect(actions.launch, &QAction::triggered, this, &RunCommands::launch);
  connect(actions.enqueue, &QAction::triggered, this, &RunCommands::enqueue);
  connect(actions.pause, &QAction::triggered, this, [this] {
    const auto state = target();
    send(state && state->phase == RunPhase::Paused ? RunCommand::Continue : RunCommand::Pause);
  });
  connect(actions.stopAfterBatch, &QAction::triggered, this, [this] { send(RunCommand::StopAfterBatch); });
  connect(actions.stop, &QAction::triggered, this, [this] { send(RunCommand::StopWithCheckpoint); });
  connect(actions.abort, &QAction::triggered, this, [this] { send(RunCommand::Abort); });
  connect(&parts.workspace, &WorkspacePresenter::commandFailed, this, [this] { stoppingElsewhere_.clear(); });
  const QString place = parts_.settings.launchTarget();
  (place == QLatin1String("process")                                 ? actions.inOwnProcess
   : place == QLatin1String("slurm") && actions.onSlurm->isVisible() ? actions.onSlurm
                                                                     : actions.inThisProgram)
      ->setChecked(true);
  connect(actions.onSlurm->actionGroup(), &QActionGroup::triggered, this, &RunCommands::rememberPlace);
  connect(&parts_.edit.draft(), &ConfigDraft::changed, this, &RunCommands::update);
  connect(&parts_.edit, &EditPresenter::findingsChanged, this, &RunCommands::update);
}

void RunCommands::launch() {
  if (!actions_.launch->isEnabled()) return;
  std::vector<LoadedConfig> runs = parts_.edit.draft().loadedRuns();
  if (runs.size() > 1 && place() != LaunchTarget::Slurm) {
    Q_EMIT enqueueRequested(runs, true);
    return;
  }
  for (LoadedConfig& run : runs) {  // several runs: one job each
    LaunchRequest request;
    request.workspace = parts_.workspace.workspace()->folder();
    request.config = std::move(run);
    start(request);
  }
}

LaunchTarget RunCommands::place() const {
  if (actions_.onSlurm->isChecked()) return LaunchTarget::Slurm;
  return actions_.inOwnProcess->isChecked() ? LaunchTarget::OwnProcess : LaunchTarget::ThisProcess;
}

void RunCommands::rememberPlace() {
  parts_.settings.setLaunchTarget(actions_.onSlurm->isChecked()        ? QStringLiteral("slurm")
                                  : actions_.inOwnProcess->isChecked() ? QStringLiteral("process")
                                                                       : QStringLiteral("program"));
  update();
}

void RunCommands::enqueue() {
  if (actions_.enqueue->isEnabled()) Q_EMIT enqueueRequested(parts_.edit.draft().loadedRuns(), false);
}

void RunCommands::start(const LaunchRequest& request) {
  const bool sameRun = !request.resumeRun.empty() && !request.fork;
  parts_.watch.select(sameRun ? toQt(request.resumeRun) : QString());
  Q_EMIT starting();
  parts_.run.launch(request, place());
  update();
}

std::optional<TrainingState> RunCommands::target() const {
  const QString selected = parts_.watch.selected();
  const RunSummary* stored = parts_.workspace.runs().find(selected);
  if (parts_.run.trains(selected) || (selected.isEmpty() && parts_.run.busy())) return parts_.run.progress();
  if (stored == nullptr || stored->status != RunStatus::Running) {
    // A resumed run has an id before it has started.
    const TrainingState& launched = parts_.run.progress();
    return parts_.run.busy() && launched.run.isEmpty() ? std::optional(launched) : std::nullopt;
  }
  TrainingState state = stateOfStoredRun(*stored);
  if (selected == stoppingElsewhere_) state.phase = RunPhase::Stopping;
  return state;
}

void RunCommands::send(RunCommand command) {
  const auto state = target();
  if (!state) return;
  if (state->run.isEmpty() || parts_.run.trains(state->run)) {
    parts_.run.command(command);
  } else {
    if (endsRun(command)) stoppingElsewhere_ = state->run;
    parts_.workspace.command(state->run, command);
  }
  update();
}

void RunCommands::update() {
  parts_.run.setFocus(parts_.watch.selected());
  updateLaunch();
  updateTraining(target());
  for (QAction* action : {actions_.newSelected, actions_.exportRun}) action->setEnabled(parts_.watch.hasRun());
  actions_.importRun->setEnabled(parts_.workspace.workspace() != nullptr);
  updateResume();
}

void RunCommands::updateLaunch() {
  const QString blocked = parts_.workspace.workspace() == nullptr ? tr("No workspace is open") : QString();
  Q_EMIT blockedChanged(blocked);
  const QString why = !blocked.isEmpty()             ? blocked
                      : !parts_.edit.draft().ready() ? tr("The configuration under Edit has errors")
                                                     : parts_.edit.blockingProblem();
  // What this machine lacks, such as a GPU, the machines of the cluster may have.
  const bool onSlurm = place() == LaunchTarget::Slurm;
  const QString whyNotLaunched = onSlurm && blocked.isEmpty() && parts_.edit.draft().ready() ? QString() : why;
  const QString otherQueue =
      onSlurm ? tr("The queue here trains on this machine. Slurm has its own: Launch puts the run into that")
              : QString();
  Q_EMIT queueBlockedChanged(otherQueue);
  const QString whyNotQueued = onSlurm ? otherQueue : why;
  enable(*actions_.enqueue, whyNotQueued,
         tr("Train with the configuration under Edit on this machine when its turn comes"));
  const QString how =
      onSlurm                              ? tr("Submit the configuration under Edit to the Slurm cluster")
      : parts_.run.busyInThisProcess()     ? tr("Train with the configuration under Edit, in a process of its own "
                                                    "because a run trains in this program already")
      : actions_.inOwnProcess->isChecked() ? tr("Train with the configuration under Edit, in a process of its own")
                                           : tr("Train with the configuration under Edit");
  enable(*actions_.launch, whyNotLaunched, how);
}

void RunCommands::updateTraining(const std::optional<TrainingState>& state) {
  const bool paused = state && state->phase == RunPhase::Paused;
  actions_.showPaused(paused);
  enable(*actions_.pause, whyNotPaused(state), paused ? tr("Go on training") : tr("Wait after the step under way"));
  const QString why = whyNotStopped(state);
  enable(*actions_.stopAfterBatch, why,
         tr("End the training when the running global batch is complete, with a checkpoint to resume from"));
  enable(*actions_.stop, why, tr("End the training after the step under way, with a checkpoint to resume from"));
  // A run that is stopping with a checkpoint can still be stopped without one.
  enable(
      *actions_.abort, state ? QString() : why,
      tr("End the training after the step under way. What was done since the newest checkpoint is lost for a resume"));
}

QString RunCommands::whyNotResumed() const {
  const RunSummary* run = parts_.workspace.runs().find(parts_.watch.selected());
  if (run == nullptr) return tr("Select a run to go on with");
  const bool trains = run->status == RunStatus::Running || parts_.run.trains(parts_.watch.selected());
  return trains ? tr("The selected run is training") : QString();
}

/// Keeps the action enabled: if the run cannot be resumed, triggering it shows why.
void RunCommands::updateResume() {
  const QString why = whyNotResumed();
  actions_.resume->setToolTip(
      why.isEmpty() ? withShortcut(tr("See what going on with this run means, then go on"), *actions_.resume)
                    : plainToolTip(why));
}

}  // namespace batchwise
