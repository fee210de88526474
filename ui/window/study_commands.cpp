// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtGui/QAction>
#include <QtWidgets/QMainWindow>
#include <algorithm>

#include "core/run/launch/study.h"
#include "ui/edit/edit_page.h"
#include "ui/parts/display_text.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/study_window.h"
#include "ui/window/commands.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

/// Adds what the study needs that a run was a branch of to the queue, and takes out what it no longer needs. Returns
/// how many were added; 0 too for another run.
Result<std::int64_t> updateStudyQueue(const std::shared_ptr<Workspace>& workspace, const RunSummary& run) {
  if (run.parent.empty()) return 0;
  ASSIGN_OR_RETURN(const auto study, readStudy(workspace, run.parent));
  if (!study || std::ranges::find(study->branches, run.id, &StudyBranch::run) == study->branches.end()) return 0;
  RunQueue queue(workspace);
  for (const StudyBranch& branch : study->branches) {
    const bool isNeeded =
        std::ranges::any_of(study->next, [&](const Branch& next) { return isSameBranch(next, branch.result.branch); });
    if (branch.status == RunStatus::Queued && !isNeeded) RETURN_IF_ERROR(queue.remove(branch.run));
  }
  RETURN_IF_ERROR(deleteBranchCheckpoints(*workspace, *study));
  return queueBranches(workspace, *study);
}

class StudyCommands final : public QObject {
 public:
  StudyCommands(StudioParts& parts, const WindowViews& views);

 private:
  void open();
  void goOn(const QString& branch);

  StudioParts& parts_;
  WindowViews views_;
};

StudyCommands::StudyCommands(StudioParts& parts, const WindowViews& views)
    : QObject(&views.window), parts_(parts), views_(views) {
  connect(views.actions.study, &QAction::triggered, this, &StudyCommands::open);
  connect(&parts.run, &RunPresenter::finished, this, [this](const TrainingState& run, const RunFinished& outcome) {
    const bool isStoppedByUser = outcome.status == RunStatus::Stopped && outcome.cause != FailureCause::Unneeded;
    if (!isStoppedByUser) goOn(run.run);  // who stops a branch wants no further ones
  });
}

void StudyCommands::open() {
  if (!parts_.workspace.workspace() || !parts_.runs.hasRun()) return;
  const RunSummary& run = parts_.runs.selectedView().detail.summary;
  auto* window = new StudyWindow(parts_.workspace, toQt(run.id), toQt(run.name), parts_.theme, &views_.window);
  connect(window, &StudyWindow::queued, this, [this](qint64 branches) {
    views_.docks.showQueue();
    views_.message.showInfo(plural(branches, tr("%n branch was added to the queue; start it to train them"),
                                   tr("%n branches were added to the queue; start it to train them")));
  });
  connect(window, &StudyWindow::rampRequested, this, [this](const LoadedConfig& config, const QString& what) {
    parts_.edit.loadFirstRun(config);
    views_.pages.open(&views_.edit);
    views_.message.showMessage(NoteLevel::Info, tr("The configuration follows the study"), what);
  });
  window->show();
}

void StudyCommands::goOn(const QString& branch) {
  const auto workspace = parts_.workspace.workspace();
  if (!workspace || branch.isEmpty()) return;
  parts_.tasks.post(
      this,
      [workspace, branch = branch.toStdString()]() -> Result<std::int64_t> {
        ASSIGN_OR_RETURN(const auto run, workspace->findRun(branch));
        return updateStudyQueue(workspace, run.summary);
      },
      [this](const Result<std::int64_t>& added) {
        if (!added.ok()) return views_.message.showWarning(toQt(added.error().text()));
        if (*added > 0) parts_.workspace.refresh();
      },
      TaskQueue::AtEnd::Run);
}

}  // namespace

void addStudyCommands(StudioParts& parts, const WindowViews& views) {
  new StudyCommands(parts, views);
}

}  // namespace batchwise
