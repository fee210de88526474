// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_commands.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QMainWindow>
#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/run/slurm/slurm_submission.h"
#include "core/trackers/run_source.h"
#include "ui/edit/edit_page.h"
#include "ui/edit/slurm_window.h"
#include "ui/list/run_list_pane.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/parts/shortcuts.h"
#include "ui/runs/runs_page.h"
#include "ui/window/torch_setup.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {

SlurmCommands::SlurmCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), window_(views.window) {
  const WindowActions& actions = views.actions;
  const bool here = SlurmClient::isAvailable();
  actions.onSlurm->setVisible(here);
  actions.slurmJob->setVisible(here);
  if (!here) return;
  connect(actions.slurmJob, &QAction::triggered, this, &SlurmCommands::openWindow);
  // Shows the job options before the first launch uses them.
  connect(actions.onSlurm, &QAction::triggered, this, &SlurmCommands::openWindow);
  connect(&parts_.workspace, &WorkspacePresenter::opened, this, &SlurmCommands::followJobs);
  followJobs();
}

void SlurmCommands::openWindow() {
  auto* dialog = new SlurmWindow(parts_.settings.slurm(), &window_);
  connect(dialog, &SlurmWindow::chosen, this,
          [this](const SlurmOptions& options) { parts_.settings.setSlurm(options); });
  dialog->open();
}

void SlurmCommands::followJobs() {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace) return;
  tasks_.post(
      this,
      [folder = workspace->folder()](std::stop_token stop) { return jobsOfRuns(folder, SlurmClient(std::move(stop))); },
      [this, workspace](const Result<std::map<std::string, std::string>>& jobs) {
        if (!jobs.ok() || workspace != parts_.workspace.workspace())
          return;  // a launch reports what is wrong with Slurm
        for (const auto& [run, job] : *jobs)
          if (job.find('_') == std::string::npos)  // the tasks of an array are followed by the command that waits
            parts_.run.follow(workspace->folder(), toQt(run));
      });
}

namespace {

const QString kQueueSubject = QStringLiteral("queue");

/// Enables `action` with `what` as tooltip, or disables it with the reason `why`.
void enable(QAction& action, const QString& why, const QString& what) {
  action.setEnabled(why.isEmpty());
  action.setToolTip(plainToolTip(why.isEmpty() ? withShortcut(what, action) : why));
}

/// Another program trains a run of its own.
bool takesCommands(const RunSummary& run) {
  return run.status == RunStatus::Running && !isExternal(run);
}

QString whyNotPaused(const std::optional<TrainingState>& state) {
  if (!state) return RunCommands::tr("Select a run that is training, or launch one");
  if (state->phase == RunPhase::Stopping) return RunCommands::tr("The run is stopping");
  if (onCluster(state->place)) return RunCommands::tr("A run on a cluster can be stopped and resumed, but not paused");
  if (state->phase == RunPhase::Starting) return RunCommands::tr("The run has not reached its first global batch");
  return {};
}

QString whyNotStopped(const std::optional<TrainingState>& state) {
  if (!state) return RunCommands::tr("No run is training");
  return state->phase == RunPhase::Stopping ? RunCommands::tr("The run is already stopping") : QString();
}

}  // namespace

RunCommands::RunCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), actions_(views.actions), views_(views) {
  const WindowActions& actions = views.actions;
  const auto enqueue = [this] {
    views_.edit.commitEdit();
    if (!actions_.enqueue->isEnabled()) return;
    parts_.queue.add(parts_.edit.draft().loadedRuns());
  };
  parts.queue.setStartCheck([this] { return !offersTorch([this] { parts_.queue.start(); }); });
  connect(&parts.queue, &QueuePresenter::added, this, &RunCommands::reportQueued);
  connect(actions.launch, &QAction::triggered, this, &RunCommands::launchFromEdit);
  connect(&views.pages, &WorkspacePages::opened, this, &RunCommands::updateLaunch);
  connect(&views.edit, &EditPage::launchRequested, this, &RunCommands::launch);
  connect(&parts.edit.draft(), &ConfigDraft::changed, this, [this] { launchesWhenPlanned_ = false; });
  connect(&parts.edit, &EditPresenter::previewChanged, this, [this] {
    if (parts_.edit.isPreviewCurrent() && std::exchange(launchesWhenPlanned_, false)) launchDraft();
  });
  connect(actions.tryDemo, &QAction::triggered, this, [this] {
    parts_.edit.loadPreset(QStringLiteral("demo"));
    launchDraft();
  });
  connect(&parts.queue, &QueuePresenter::changed, this, [this] {
    if (parts_.queue.waiting() == 0) views_.message.withdraw(kQueueSubject);
  });
  connect(actions.enqueue, &QAction::triggered, this, enqueue);
  connect(&views.edit, &EditPage::enqueueRequested, this, enqueue);
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
  connect(&views.docks.runs(), &RunListPane::selectionChanged, this, &RunCommands::update);
  for (QAction* action : {actions.newSelected, actions.newVariant, actions.exportRun, actions.study})
    selectedTips_[action] = action->toolTip();
  connect(&parts_.edit.draft(), &ConfigDraft::changed, this, &RunCommands::update);
  connect(&parts_.edit, &EditPresenter::findingsChanged, this, &RunCommands::update);
}

RunCommands::~RunCommands() {
  parts_.queue.setStartCheck([] { return true; });
}

/// While the plan of the draft is being computed, the one in sight is that of another draft: the launch waits for it.
void RunCommands::launch() {
  views_.edit.commitEdit();
  launchesWhenPlanned_ = !parts_.edit.isPreviewCurrent();
  if (!launchesWhenPlanned_) launchDraft();
}

void RunCommands::launchDraft() {
  if (!actions_.launch->isEnabled()) return;
  std::vector<LoadedConfig> runs = parts_.edit.draft().loadedRuns();
  if (runs.size() > 1 && place() != RunLocation::Slurm) {
    if (!mayStartQueue(runs.size())) return;
    parts_.queue.add(runs);
    return parts_.queue.start();
  }
  for (LoadedConfig& run : runs) {  // several runs: one job each
    LaunchRequest request;
    request.workspace = parts_.workspace.workspace()->folder();
    request.config = std::move(run);
    start(request);
  }
}

void RunCommands::launchFromEdit() {
  if (views_.pages.openPage() == &views_.edit) return launch();
  views_.pages.open(&views_.edit);
}

bool RunCommands::mayStartQueue(std::size_t runs) {
  const auto others = static_cast<int>(parts_.queue.waiting());
  if (others == 0 || parts_.queue.isStarted()) return true;
  return confirm(views_.window, {tr("Start the queue?"),
                                 plural(others, tr("The queue is stopped, and %n other run waits in it."),
                                        tr("The queue is stopped, and %n other runs wait in it.")),
                                 plural(runs, tr("%n new run is trained by the queue, after those that wait."),
                                        tr("%n new runs are trained by the queue, after those that wait.")),
                                 tr("Start the queue")});
}

RunLocation RunCommands::place() const {
  if (actions_.onSlurm->isChecked()) return RunLocation::Slurm;
  return actions_.inOwnProcess->isChecked() ? RunLocation::OwnProcess : RunLocation::ThisProcess;
}

void RunCommands::rememberPlace() {
  parts_.settings.setLaunchTarget(actions_.onSlurm->isChecked()        ? QStringLiteral("slurm")
                                  : actions_.inOwnProcess->isChecked() ? QStringLiteral("process")
                                                                       : QStringLiteral("program"));
  update();
}

void RunCommands::reportQueued(const QStringList& entries) {
  UserMessage message;
  message.title = plural(entries.size(), tr("%n run added to the queue"), tr("%n runs added to the queue"));
  message.details = parts_.queue.isStarted() ? tr("They train one after the other.")
                                             : tr("Training begins when the queue is started.");
  message.subject = kQueueSubject;
  const bool starts = !parts_.queue.isStarted();
  message.actions = {starts ? tr("Start the queue") : tr("Show the queue"), tr("Undo")};
  message.chosen = [this, entries, starts](int action) {
    action != 0 ? parts_.queue.removeWaiting(entries) : starts ? parts_.queue.start() : views_.docks.showQueue();
    views_.message.withdraw(kQueueSubject);
  };
  views_.message.add(std::move(message));
}

bool RunCommands::offersTorch(std::function<void()> next) {
  if (!lacksTorch()) return false;
  TorchSetup::offer(views_.window, [next = std::move(next), of = parts_.workspace.folder(), this] {
    if (of == parts_.workspace.folder()) next();
  });
  return true;
}

void RunCommands::start(const LaunchRequest& request) {
  if (place() != RunLocation::Slurm && offersTorch([this, request] { start(request); })) return;
  const bool sameRun = !request.resumeRun.empty() && !request.fork;
  if (sameRun && place() == RunLocation::Slurm && parts_.queue.waits(toQt(request.resumeRun)))
    return views_.message.showError(
        tr("The run waits in the queue of this machine: take it out of the queue to submit it to Slurm"));
  if (!sameRun || place() == RunLocation::Slurm || !actions_.onSlurm->isVisible()) return startNow(request);
  clusterTasks_.post(
      this,
      [workspace = parts_.workspace.workspace(), run = request.resumeRun](const std::stop_token& stop) -> Result<void> {
        ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
        return checkNotOnSlurm(workspace->folder(), detail.summary, SlurmClient(stop));
      },
      [this, request, of = parts_.workspace.workspace()](const Result<void>& isHere) {
        if (of != parts_.workspace.workspace()) return;
        isHere.ok() ? startNow(request) : views_.message.showError(toQt(isHere.error().text()));
      });
}

void RunCommands::startNow(const LaunchRequest& request) {
  const bool sameRun = !request.resumeRun.empty() && !request.fork;
  parts_.selection.select(sameRun ? toQt(request.resumeRun) : QString());
  views_.message.withdraw(kLaunchSubject);
  views_.message.withdraw(toQt(request.resumeRun));
  views_.pages.open(&views_.runs);
  parts_.run.launch(request, place());
}

bool RunCommands::trains(const QString& run) const {
  const RunSummary* stored = parts_.workspace.runs().find(run);
  return parts_.run.trains(run) || (stored != nullptr && takesCommands(*stored));
}

QString RunCommands::trainedRun() const {
  QStringList training = views_.docks.runs().selectedRuns();
  const bool several = training.size() > 1;
  training.removeIf([this](const QString& run) { return !trains(run); });
  if (several && training.size() == 1) return training.front();
  const QStringList shown = parts_.selection.shown();
  const QString& selected = parts_.selection.run();  // empty while a run is being launched
  return !selected.isEmpty() && shown.size() == 1 && trains(shown.front()) ? shown.front() : selected;
}

std::optional<TrainingState> RunCommands::target() const {
  const QString run = trainedRun();
  const RunSummary* stored = parts_.workspace.runs().find(run);
  if (parts_.run.trains(run) || (run.isEmpty() && parts_.run.busy())) return parts_.run.progress(run);
  if (stored == nullptr || !takesCommands(*stored)) {
    // The only one of this window, which the status bar shows, or a new one: it has no row yet that could be selected.
    return parts_.run.trainsOne() || parts_.run.preparesNew() ? std::optional(parts_.run.progress()) : std::nullopt;
  }
  TrainingState state = stateOfStoredRun(*stored);
  if (run == stoppingElsewhere_) state.phase = RunPhase::Stopping;
  return state;
}

void RunCommands::send(RunCommand command) {
  const auto state = target();
  if (!state) return;
  if (state->run.isEmpty() || parts_.run.trains(state->run)) {
    parts_.run.command(parts_.run.trains(trainedRun()) ? trainedRun() : QString(), command);
  } else {
    if (endsRun(command)) stoppingElsewhere_ = state->run;
    parts_.workspace.command(state->run, command);
  }
  update();
}

void RunCommands::update() {
  const RunSummary* stopping = parts_.workspace.runs().find(stoppingElsewhere_);
  if (stopping == nullptr || stopping->status != RunStatus::Running) stoppingElsewhere_.clear();  // it may be resumed
  updateLaunch();
  updateTraining(target());
  const QString whyNot = parts_.runs.hasRun() ? views_.docks.runs().whyNotOne() : tr("Select a run");
  const RunSummary* selected = parts_.workspace.runs().find(parts_.selection.run());
  const QString source = selected != nullptr ? toQt(sourceTitle(selected->source)) : QString();
  for (const auto& [action, what] : selectedTips_)
    enable(*action,
           whyNot.isEmpty() && !source.isEmpty() && action != actions_.exportRun
               ? tr("The selected run is of %1: its settings are no configuration of Batchwise").arg(source)
               : whyNot,
           what);
  for (QAction* action :
       {actions_.trainOnText, actions_.continueModel, actions_.tryDemo, actions_.importRun, actions_.followRuns})
    action->setEnabled(parts_.workspace.workspace() != nullptr);
  const QString name = selected != nullptr ? toQt(selected->name) : QString();
  enable(*actions_.resume, whyNotResumed(), tr("Review what resuming %1 changes, then resume it").arg(name));
}

void RunCommands::updateLaunch() {
  const QString blocked = parts_.workspace.workspace() == nullptr ? tr("No workspace is open") : QString();
  views_.welcome.setLaunchEnabled(blocked.isEmpty());
  const QString why = !blocked.isEmpty()             ? blocked
                      : !parts_.edit.draft().ready() ? tr("The configuration under Edit has errors")
                                                     : parts_.edit.blockingProblem();
  // What this machine lacks, such as a GPU, the machines of the cluster may have.
  const bool onSlurm = place() == RunLocation::Slurm;
  const QString whyNotLaunched = onSlurm && blocked.isEmpty() && parts_.edit.draft().ready() ? QString() : why;
  const QString otherQueue =
      onSlurm ? tr("This queue trains on this machine. Slurm has its own queue: Launch submits the run to it")
              : QString();
  views_.edit.setLaunch(place(), blocked, otherQueue);
  const QString whyNotQueued = onSlurm ? otherQueue : why;
  enable(*actions_.enqueue, whyNotQueued,
         tr("Train with the configuration under Edit on this machine when its turn comes"));
  enable(*actions_.launch, whyNotLaunched, launchToolTip());
}

/// Of several selected runs, commands act on the only one that trains.
QString RunCommands::whyNotOneOfSelected(const std::optional<TrainingState>& state) const {
  const QStringList selected = views_.docks.runs().selectedRuns();
  const auto training = std::ranges::count_if(selected, [this](const QString& run) { return trains(run); });
  const bool isMeant = !state || state->run.isEmpty() || (training == 1 && selected.contains(state->run));
  return isMeant ? QString() : views_.docks.runs().whyNotOne();
}

QString RunCommands::launchToolTip() const {
  const ConfigDraft& draft = parts_.edit.draft();
  if (views_.pages.openPage() != &views_.edit)
    return plural(draft.runs(), tr("Open Edit, where %n run can be reviewed and launched"),
                  tr("Open Edit, where %n runs can be reviewed and launched"));
  if (place() == RunLocation::Slurm) return tr("Submit the configuration under Edit to the Slurm cluster");
  if (draft.runs() > 1)
    return plural(draft.runs(), tr("Train %n run one after the other, by the queue"),
                  tr("Train %n runs one after the other, by the queue"));
  if (parts_.run.busyInThisProcess())
    return tr(
        "Train with the configuration under Edit, in its own process because this program is already training a "
        "run");
  return actions_.inOwnProcess->isChecked() ? tr("Train with the configuration under Edit, in its own process")
                                            : tr("Train with the configuration under Edit");
}

void RunCommands::updateTraining(const std::optional<TrainingState>& state) {
  const bool paused = state && state->phase == RunPhase::Paused;
  actions_.showPaused(paused);
  const auto of = [&](const QString& what) {
    return state && !state->name.isEmpty() ? QStringLiteral("%1: %2").arg(state->name, what) : what;
  };
  const QString several = whyNotOneOfSelected(state);
  enable(*actions_.pause, several.isEmpty() ? whyNotPaused(state) : several,
         of(paused ? tr("Continue training") : tr("Pause after the current step")));
  const QString why = whyNotStopped(state);
  enable(*actions_.stopAfterBatch, several.isEmpty() ? why : several,
         of(tr("End the training after the current global batch, with a checkpoint to resume from")));
  enable(*actions_.stop, several.isEmpty() ? why : several,
         of(tr("End the training after the current step, with a checkpoint to resume from")));
  // A run that is stopping with a checkpoint can still be stopped without one.
  enable(*actions_.abort,
         !several.isEmpty() ? several
         : state            ? QString()
                            : why,
         of(tr("End the training after the current step. Steps since the newest checkpoint are lost")));
}

QString RunCommands::whyNotResumed() const {
  if (const QString several = views_.docks.runs().whyNotOne(); !several.isEmpty()) return several;
  const RunSummary* run = parts_.workspace.runs().find(parts_.selection.run());
  if (run == nullptr) return tr("Select a run to resume");
  if (isExternal(*run))
    return tr("The selected run is of %1 and has no checkpoint to resume from").arg(toQt(sourceTitle(run->source)));
  if (trains(parts_.selection.run())) return tr("The selected run is training");
  return run->checkpoints == 0 ? tr("The selected run has no checkpoint to resume from") : QString();
}

}  // namespace batchwise
