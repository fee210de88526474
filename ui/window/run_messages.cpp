// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtWidgets/QMainWindow>

#include "ui/edit/edit_page.h"
#include "ui/list/failure_help.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/window/closing_guard.h"
#include "ui/window/commands.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/resume_commands.h"
#include "ui/window/run_commands.h"
#include "ui/window/window_docks.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

using Action = FailureHelp::Action;

RemainingCheckpoints checkpointsLeft(const RunList& runs, const QString& run, const RunFinished& outcome) {
  if (!outcome.lastCheckpoint.empty()) return RemainingCheckpoints::Some;  // of this segment; else of earlier ones
  if (run.isEmpty()) return RemainingCheckpoints::Unknown;  // it did not start; if it was a resume, it may have some
  const RunSummary* summary = runs.find(run);
  return summary != nullptr && summary->checkpoints > 0 ? RemainingCheckpoints::Some : RemainingCheckpoints::None;
}

QString buttonText(Action action) {
  switch (action) {
    case Action::Resume: return QObject::tr("Resume…");
    case Action::Duplicate: return QObject::tr("Duplicate the run");
    case Action::ShowLog: break;
  }
  return QObject::tr("Show the log");
}

class RunMessages final : public QObject {
 public:
  RunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing, NewRunCommands& newRun,
              ResumeCommands& resume);

 private:
  void connectErrors();
  void showBlocked(const QString& name, const QString& why);
  void showFinished(const TrainingState& run, const RunFinished& outcome);
  void showFailed(const TrainingState& run, const RunFinished& outcome);
  void help(const QString& run, Action action);

  StudioParts& parts_;
  WindowViews views_;
  const ClosingGuard& closing_;
  ResumeCommands& resume_;
  QString duplicated_;  // id of the run that is being read to be duplicated
};

RunMessages::RunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing,
                         NewRunCommands& newRun, ResumeCommands& resume)
    : QObject(&views.window), parts_(parts), views_(views), closing_(closing), resume_(resume) {
  connect(&parts.run, &RunPresenter::finished, this, &RunMessages::showFinished);
  connect(&parts.run, &RunPresenter::blockedChanged, this, &RunMessages::showBlocked);
  connect(&parts.run, &RunPresenter::errorOccurred, this, [this](const QString& name, const QString& what) {
    views_.message.showMessage(NoteLevel::Error, tr("Run %1").arg(name), what);
  });
  connect(&parts.run, &RunPresenter::started, &views.message, &MessageBar::withdraw);  // what was offered for it
  connect(&parts.resume, &ResumePresenter::failed, this, [this] { duplicated_.clear(); });
  connect(&parts.resume, &ResumePresenter::ready, this, [this, &newRun](const ResumableRun& which) {
    if (toQt(which.run.summary.id) != duplicated_) return;
    duplicated_.clear();
    newRun.duplicate(which.run);
  });
  connectErrors();
}

void RunMessages::connectErrors() {
  MessageBar* message = &views_.message;
  connect(&parts_.run, &RunPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.edit, &EditPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.runs, &RunsPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.workspace, &WorkspacePresenter::commandFailed, message, &MessageBar::showError);
  connect(&parts_.resume, &ResumePresenter::failed, message, &MessageBar::showError);
  connect(&parts_.checkpoints, &CheckpointsPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.workspace, &WorkspacePresenter::editFailed, message, &MessageBar::showError);
  connect(&parts_.comparing, &ComparePresenter::failed, message, &MessageBar::showError);
  connect(&parts_.queue, &QueuePresenter::failed, message, &MessageBar::showError);
  for (FileJobs* jobs : {&parts_.saving, &parts_.runExports}) {
    connect(jobs, &FileJobs::written, message, &MessageBar::showWritten);
    connect(jobs, &FileJobs::failed, message, &MessageBar::showError);
  }
}

void RunMessages::showBlocked(const QString& name, const QString& why) {
  const QString subject = QStringLiteral("waiting: ") + name;
  if (!why.isEmpty()) {
    views_.message.showMessage(NoteLevel::Error, tr("Run %1 is waiting").arg(name), why, subject);
  } else {
    views_.message.withdraw(subject);
  }
}

void RunMessages::showFinished(const TrainingState& run, const RunFinished& outcome) {
  parts_.workspace.refresh();
  if (closing_.closing()) return;
  const bool inView = views_.pages.openPage() == &views_.runs && parts_.selection.run() == run.run;
  if (outcome.status == RunStatus::Failed)
    showFailed(run, outcome);
  else if (outcome.status == RunStatus::Interrupted && !run.run.isEmpty())
    parts_.resume.offer(run.run, parts_.checkpoints.removing());
  else if (outcome.cause == FailureCause::Diverged)
    views_.message.showMessage(NoteLevel::Warning, tr("Run %1 has diverged").arg(run.name), eventSentence(outcome));
  else if (run.run.isEmpty() || !inView)
    views_.message.showInfo(tr("Run %1: %2").arg(run.name, eventSentence(outcome)));
  const bool preparesAnother = parts_.run.busy() && parts_.run.progress().run.isEmpty();
  const bool showsNoRun = views_.pages.openPage() == &views_.runs && parts_.selection.run().isEmpty();
  if (run.run.isEmpty() && !preparesAnother && showsNoRun) views_.pages.open(&views_.edit);
}

void RunMessages::showFailed(const TrainingState& run, const RunFinished& outcome) {
  const FailureHelp help = failureHelp(outcome.cause, checkpointsLeft(parts_.workspace.runs(), run.run, outcome));
  const bool started = !run.run.isEmpty();
  QStringList details{sentenceCase(toQt(outcome.reason))};
  if (started || help.action != Action::ShowLog) details << help.remedy;
  views_.message.add({NoteLevel::Error, started ? tr("Run %1 has failed").arg(run.name) : tr("The run could not start"),
                      details.join(QLatin1Char('\n')), started ? run.run : QString(kLaunchSubject),
                      started ? QStringList{buttonText(help.action)} : QStringList(),
                      [this, id = run.run, action = help.action](int) { this->help(id, action); }});
}

void RunMessages::help(const QString& run, Action action) {
  if (action == Action::ShowLog) {  // the message stays open beside the log
    parts_.selection.select(run);
    return views_.docks.showLog();
  }
  views_.message.withdraw(run);
  if (action == Action::Resume) return resume_.openDialog(run);
  duplicated_ = run;
  parts_.resume.load(run);
}

}  // namespace

void addRunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing, NewRunCommands& newRun,
                    ResumeCommands& resume) {
  new RunMessages(parts, views, closing, newRun, resume);
}

}  // namespace batchwise
