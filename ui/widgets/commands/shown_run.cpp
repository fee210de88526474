// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/commands/shown_run.h"

#include <QtWidgets/QMainWindow>
#include <utility>

#include "ui/models/display_text.h"
#include "ui/widgets/commands/resume_commands.h"
#include "ui/widgets/commands/run_list_commands.h"
#include "ui/widgets/compare/compare_page.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/edit/edit_page.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/watch/watch_page.h"
#include "ui/widgets/window/closing_guard.h"
#include "ui/widgets/window/window_docks.h"
#include "ui/widgets/window/workspace_pages.h"

namespace batchwise {
namespace {

constexpr int kNewestRuns = 5;

RemainingCheckpoints checkpointsLeft(const RunListModel& runs, const QString& run, const RunFinished& outcome) {
  if (!outcome.lastCheckpoint.empty()) return RemainingCheckpoints::Some;  // of this segment; else of earlier ones
  if (run.isEmpty()) return RemainingCheckpoints::Unknown;  // it did not start; if it was a resume, it may have some
  const RunSummary* summary = runs.find(run);
  return summary != nullptr && summary->checkpoints > 0 ? RemainingCheckpoints::Some : RemainingCheckpoints::None;
}

void chooseNewest(const RunListModel& runs, ComparePresenter& comparing) {
  CompareView view = comparing.view();
  view.runs.clear();
  for (int row = 0; row < kNewestRuns; ++row)
    if (const RunSummary* run = runs.at(row)) view.runs << toQt(run->id);
  comparing.setView(view);
}

}  // namespace

RunMessages::RunMessages(StudioParts& parts, const WindowViews& views, const ClosingGuard& closing,
                         ResumeCommands& resume, FailureCommands& failure, RunListCommands& runList)
    : QObject(&views.window),
      parts_(parts),
      views_(views),
      closing_(closing),
      resume_(resume),
      failure_(failure),
      runList_(runList) {
  connect(&parts.run, &RunPresenter::finished, this, &RunMessages::showFinished);
  connect(&parts.run, &RunPresenter::blockedChanged, this, &RunMessages::showBlocked);
  connect(&parts.run, &RunPresenter::errorOccurred, this, [this](const QString& name, const QString& what) {
    views_.message.showMessage(NoteLevel::Error, tr("Run %1").arg(name), what);
  });
  connect(&views.message, &MessageBar::replaced, this, [this] { waiting_.clear(); });
  connectErrors();
}

void RunMessages::connectErrors() {
  MessageBar* message = &views_.message;
  connect(&parts_.run, &RunPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.edit, &EditPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.watch, &WatchPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.workspace, &WorkspacePresenter::commandFailed, message, &MessageBar::showError);
  connect(&parts_.resume, &ResumePresenter::failed, message, &MessageBar::showError);
  connect(&parts_.checkpoints, &CheckpointsPresenter::failed, message, &MessageBar::showError);
  connect(&parts_.comparing, &ComparePresenter::failed, message, &MessageBar::showError);
  connect(&parts_.queue, &QueuePresenter::failed, message, &MessageBar::showError);
  connect(&parts_.saving, &CsvExportJobs::finished, message, [message](const QString& file, const QString& problem) {
    problem.isEmpty() ? message->showWritten(file) : message->showError(problem);
  });
}

void RunMessages::showBlocked(const QString& name, const QString& why) {
  if (!why.isEmpty()) {
    views_.message.showMessage(NoteLevel::Error, tr("Run %1 is waiting").arg(name), why);
    waiting_ = name;
  } else if (waiting_ == name) {
    views_.message.clear();
  }
}

void RunMessages::clearFor(const QString& run) {
  if (!resume_.offers() && !runList_.offersUndo() && waiting_.isEmpty() && !failure_.shows(run)) views_.message.clear();
}

void RunMessages::showFinished(const TrainingState& run, const RunFinished& outcome) {
  parts_.workspace.refresh();
  if (closing_.closing()) return;
  const bool inView = views_.pages.openPage() == &views_.watch && parts_.watch.selected() == run.run;
  if (outcome.status == RunStatus::Failed)
    failure_.show(
        {run.run, run.name, outcome.reason, outcome.cause, checkpointsLeft(parts_.workspace.runs(), run.run, outcome)});
  else if (outcome.status == RunStatus::Interrupted && !run.run.isEmpty())
    parts_.resume.offer(run.run);
  else if (run.run.isEmpty() || !inView)
    views_.message.showInfo(tr("Run %1: %2").arg(run.name, eventSentence(outcome)));
  if (parts_.watch.selected().isEmpty() && views_.pages.openPage() == &views_.watch) views_.pages.open(&views_.edit);
}

ShownRun::ShownRun(StudioParts& parts, const WindowViews& views, RunMessages& messages)
    : QObject(&views.window), parts_(parts), views_(views), messages_(messages) {
  connect(&views.docks.runs(), &RunListPane::runSelected, this, &ShownRun::show);
  connect(&views.docks, &WindowDocks::runChosen, this, &ShownRun::show);
  connect(&parts.archiveJobs, &ArchiveJobs::imported, this, &ShownRun::showImported);
  connect(&parts.run, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& news) {
    for (const RunEvent& event : news) parts_.workspace.runs().apply(id, event);
    parts_.watch.wake(id);
  });
  connect(&parts.run, &RunPresenter::started, this, [this](const QString& id) {
    parts_.workspace.refresh();
    if (parts_.watch.selected().isEmpty()) parts_.watch.select(id);
    views_.docks.runs().select(parts_.watch.selected());
  });
  connect(&parts.run, &RunPresenter::finished, this, [this](const TrainingState& run) {
    if (!run.run.isEmpty()) endedLast_ = run.run;
  });
  connect(&parts.queue, &QueuePresenter::launching, this, [this] {
    // Follows the queue to its next run, unless the user has selected another run than the one that has just ended.
    if (parts_.watch.selected() == endedLast_) parts_.watch.select({});
  });
  connectWorkspace();
  connectComparison();
}

void ShownRun::connectWorkspace() {
  connect(&parts_.workspace, &WorkspacePresenter::opened, this, [this] {
    justOpened_ = true;
    parts_.watch.select(std::exchange(showWhenOpened_, {}));
  });
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, &ShownRun::showRefreshed);
}

void ShownRun::connectComparison() {
  connect(&parts_.comparing, &ComparePresenter::changed, this, &ShownRun::updateStyle);
  connect(&parts_.alerts.model(), &QAbstractItemModel::rowsInserted, this, &ShownRun::updateStyle);
  connect(&parts_.alerts.model(), &QAbstractItemModel::modelReset, this, &ShownRun::updateStyle);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, [this] {
    updateStyle();
    parts_.checkpoints.select(parts_.watch.selected());
  });
  connect(&views_.docks.runs(), &RunListPane::compareRequested, this, [this] { views_.pages.open(&views_.compare); });
  connect(&views_.compare, &ComparePage::chooseNewestRequested, this,
          [this] { chooseNewest(parts_.workspace.runs(), parts_.comparing); });
}

void ShownRun::show(const QString& run) {
  if (run.isEmpty()) return;
  messages_.clearFor(run);
  parts_.watch.select(run);
  views_.docks.runs().select(run);
  if (views_.pages.openPage() == &views_.edit) views_.pages.open(&views_.watch);
}

void ShownRun::showRefreshed() {
  const RunListModel& runs = parts_.workspace.runs();
  if (std::exchange(justOpened_, false)) {
    const RunSummary* newest = runs.at(0);
    if (newest != nullptr && parts_.watch.selected().isEmpty() && !parts_.run.busy())
      parts_.watch.select(toQt(newest->id));
    parts_.resume.offerNewest();
  }
  views_.docks.runs().select(parts_.watch.selected());
  const RunSummary* finished = runs.newestFinished();
  parts_.edit.setRuns(parts_.workspace.workspace(), finished == nullptr ? QString() : toQt(finished->id));
}

void ShownRun::showImported(const QString& run, const QString& name, const QString& folder) {
  const auto open = parts_.workspace.workspace();  // may have changed since the import started
  const bool here = open != nullptr && folder == QString::fromStdString(open->folder().string());
  if (here) {
    parts_.workspace.refresh();
    show(run);
  }
  views_.message.showInfo(here ? tr("Run %1 was imported").arg(name)
                               : tr("Run %1 was imported into %2").arg(name, folder));
}

void ShownRun::updateStyle() {
  const QString& run = parts_.watch.selected();
  parts_.watch.setDecoration({parts_.comparing.styleOf(run), parts_.alerts.markersOf(run)});
}

}  // namespace batchwise
