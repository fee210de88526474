// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_presenter.h"

#include <algorithm>

#include "ui/models/display_text.h"

namespace batchwise {

RunPresenter::RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent)
    : QObject(parent), factory_(std::move(factory)), clock_(clock) {}

RunPresenter::~RunPresenter() = default;

bool RunPresenter::launch(const LaunchRequest& request, LaunchTarget place, const QString& ticket) {
  if (find(toQt(request.resumeRun)) != nullptr && !request.fork) {
    Q_EMIT failed(tr("This run is training already"));
    return false;
  }
  if (place == LaunchTarget::ThisProcess && busyInThisProcess()) place = LaunchTarget::OwnProcess;
  auto* run = new LaunchedRun(factory_, place, clock_, this);
  run->setTicket(ticket);
  if (const auto launched = run->start(request); !launched.ok()) {
    delete run;
    Q_EMIT failed(coreText(launched.error().full()));
    return false;
  }
  connectSignals(run);
  focus_ = toQt(request.fork ? std::string() : request.resumeRun);
  Q_EMIT progressChanged();
  return true;
}

void RunPresenter::follow(const std::filesystem::path& workspace, const QString& run) {
  const bool known =
      std::any_of(runs_.begin(), runs_.end(), [&](LaunchedRun* each) { return each->expectedRun() == run; });
  if (known || find(run) != nullptr) return;
  LaunchRequest request;
  request.workspace = workspace;
  request.resumeRun = run.toStdString();
  auto* job = new LaunchedRun(factory_, LaunchTarget::SlurmJob, clock_, this);
  if (const auto launched = job->start(request); !launched.ok()) {
    delete job;
    Q_EMIT failed(coreText(launched.error().full()));
    return;
  }
  connectSignals(job);
  Q_EMIT progressChanged();
}

void RunPresenter::unfollowOtherWorkspaces(const std::filesystem::path& workspace) {
  std::erase_if(runs_, [&workspace](LaunchedRun* run) {
    if (!onCluster(run->state().place) || run->workspace() == workspace) return false;
    delete run;
    return true;
  });
  Q_EMIT progressChanged();
}

QString RunPresenter::ticketOf(const QString& run) const {
  const LaunchedRun* found = find(run);
  return found == nullptr ? QString() : found->state().ticket;
}

void RunPresenter::connectSignals(LaunchedRun* run) {
  runs_.push_back(run);
  connect(run, &LaunchedRun::changed, this, &RunPresenter::progressChanged);
  connect(run, &LaunchedRun::started, this, [this, run] { Q_EMIT started(run->state().run); });
  connect(run, &LaunchedRun::errorOccurred, this,
          [this, run](const QString& what) { Q_EMIT errorOccurred(run->state().name, what); });
  connect(run, &LaunchedRun::blockedChanged, this,
          [this, run](const QString& why) { Q_EMIT blockedChanged(run->state().name, why); });
  connect(run, &LaunchedRun::eventsArrived, this,
          [this, run](const std::vector<RunEvent>& events) { Q_EMIT eventsArrived(run->state().run, events); });
  connect(run, &LaunchedRun::finished, this, [this, run](const RunFinished& outcome) {
    std::erase(runs_, run);
    idle_ = run->state();
    run->deleteLater();
    Q_EMIT progressChanged();
    Q_EMIT finished(idle_, outcome);
  });
}

void RunPresenter::command(RunCommand command) {
  if (LaunchedRun* run = focused()) run->command(command);
}

void RunPresenter::command(const QString& run, RunCommand command) {
  if (LaunchedRun* found = find(run)) found->command(command);
}

void RunPresenter::stopAndSaveAll() {
  for (LaunchedRun* run : runs_)
    if (!onCluster(run->state().place)) run->command(RunCommand::StopWithCheckpoint);
}

void RunPresenter::stopAndSaveInThisProcess() {
  for (LaunchedRun* run : runs_)
    if (run->state().place == LaunchTarget::ThisProcess) run->command(RunCommand::StopWithCheckpoint);
}

LaunchedRun* RunPresenter::find(const QString& run) const {
  if (run.isEmpty()) return nullptr;
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](LaunchedRun* each) { return each->state().run == run; });
  return found == runs_.end() ? nullptr : *found;
}

LaunchedRun* RunPresenter::focused() const {
  LaunchedRun* run = find(focus_);
  return run == nullptr && !runs_.empty() ? runs_.back() : run;
}

const TrainingState& RunPresenter::progress() const {
  const LaunchedRun* run = focused();
  return run == nullptr ? idle_ : run->state();
}

bool RunPresenter::busyOnThisMachine() const {
  return std::any_of(runs_.begin(), runs_.end(), [](LaunchedRun* run) { return !onCluster(run->state().place); });
}

bool RunPresenter::busyInThisProcess() const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [](LaunchedRun* run) { return run->state().place == LaunchTarget::ThisProcess; });
}

}  // namespace batchwise
