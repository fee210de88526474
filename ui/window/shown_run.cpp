// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shown_run.h"

#include <QtWidgets/QMainWindow>
#include <utility>

#include "ui/edit/edit_page.h"
#include "ui/list/run_list_pane.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/runs_page.h"
#include "ui/window/window_docks.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

/// Of the message that another run has started.
const QString kStartedSubject = QStringLiteral("started");
/// Of the message that the selected run is not in the charts.
const QString kUntickedSubject = QStringLiteral("unticked");

}  // namespace

ShownRun::ShownRun(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  connect(&views.docks.runs(), &RunListPane::runSelected, this, &ShownRun::show);
  connect(&views.docks.runs(), &RunListPane::runSelected, this, &ShownRun::tellUnticked);
  connect(&parts.selection, &Selection::ticksChanged, this, [this] { views_.message.withdraw(kUntickedSubject); });
  connect(&views.docks, &WindowDocks::runChosen, this, &ShownRun::show);
  connect(&parts.runImports, &FileJobs::imported, this, &ShownRun::showImported);
  connect(&parts.run, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& news) {
    for (const RunEvent& event : news) parts_.workspace.wake(event);
    parts_.runs.wake(id);
  });
  connect(&parts.run, &RunPresenter::started, this, &ShownRun::showStarted);
  connect(&parts.run, &RunPresenter::finished, this, [this](const TrainingState& run) { withdrawReport(run.run); });
  connect(&parts.workspace, &WorkspacePresenter::opened, this, [this] { justOpened_ = true; });
  connect(&parts.workspace, &WorkspacePresenter::refreshed, this, &ShownRun::showRefreshed);
  connect(&views.docks.runs(), &RunListPane::compareRequested, this, [this] { views_.pages.open(&views_.runs); });
}

/// Selects a run that the user has just launched. One of the queue or the cluster is only reported: what is watched
/// does not change by itself.
void ShownRun::showStarted(const QString& run) {
  parts_.workspace.refresh();
  const QString& selected = parts_.selection.run();  // empty after a launch by the user
  const bool ofQueue = !parts_.run.progress(run).ticket.isEmpty();
  const bool nothingShown = selected.isEmpty() && (!ofQueue || parts_.selection.shown().isEmpty());
  if (selected != run && !nothingShown) return reportStarted(run, ofQueue);
  parts_.selection.select(run);
  const QStringList& ticked = parts_.selection.ticked();
  if (!ticked.isEmpty() && !ticked.contains(run)) reportStarted(run, ofQueue);
}

void ShownRun::reportStarted(const QString& run, bool ofQueue) {
  UserMessage message;
  const RunSummary* before = parts_.workspace.runs().find(run);
  const bool resumes = before != nullptr && before->at.batch > 0;
  message.title = (ofQueue   ? tr("The queue has started run %1")
                   : resumes ? tr("Run %1 has resumed")
                             : tr("Run %1 has started"))
                      .arg(parts_.run.progress(run).name);
  message.subject = kStartedSubject;
  const bool compares = !parts_.selection.ticked().isEmpty();  // the charts show the ticked runs alone
  message.actions = {compares ? tr("Add to the charts") : tr("Show")};
  message.chosen = [this, run](int) {
    if (const QStringList& ticked = parts_.selection.ticked(); !ticked.isEmpty() && !ticked.contains(run))
      parts_.selection.toggle(run);
    show(run);
  };
  views_.message.add(std::move(message));
  reported_ = run;
}

void ShownRun::show(const QString& run) {
  if (run.isEmpty()) return;
  withdrawReport(run);
  parts_.selection.select(run);
  if (views_.pages.openPage() == &views_.edit) views_.pages.open(&views_.runs);
}

/// While runs are ticked, the charts show them alone.
void ShownRun::tellUnticked(const QString& run) {
  const QStringList& ticked = parts_.selection.ticked();
  const RunSummary* selected = parts_.workspace.runs().find(run);
  const bool seesCharts = views_.pages.openPage() == &views_.runs;
  if (!seesCharts || ticked.isEmpty() || ticked.contains(run) || selected == nullptr)
    return views_.message.withdraw(kUntickedSubject);
  UserMessage message;
  message.title = tr("Run %1 is not ticked").arg(toQt(selected->name));
  message.details =
      plural(ticked.size(), tr("The charts show the %n ticked run."), tr("The charts show the %n ticked runs."));
  message.subject = kUntickedSubject;
  message.actions = {tr("Tick it too"), tr("Untick the others")};
  message.chosen = [this, run](int action) {
    if (action == 0)
      parts_.selection.toggle(run);
    else
      Q_EMIT views_.docks.runs().clearChoiceRequested();  // can be undone
  };
  views_.message.add(std::move(message));
}

void ShownRun::showRefreshed() {
  const RunList& runs = parts_.workspace.runs();
  if (justOpened_) {
    const RunSummary* newest = runs.at(0);
    if (newest != nullptr && parts_.selection.run().isEmpty() && !parts_.run.busy())
      parts_.selection.select(toQt(newest->id));
    justOpened_ = !parts_.workspace.synced();
    if (!justOpened_) parts_.resume.offerNewest();
  }
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

void ShownRun::withdrawReport(const QString& run) {
  if (run != reported_ || run.isEmpty()) return;
  views_.message.withdraw(kStartedSubject);
  reported_.clear();
}

}  // namespace batchwise
