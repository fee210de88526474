// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shell/main_window.h"

#include <QtCore/QDir>
#include <QtGui/QAction>
#include <QtGui/QCloseEvent>
#include <QtWidgets/QMenu>

#include "ui/widgets/checkpoints/checkpoints_page.h"
#include "ui/widgets/commands/layout_commands.h"
#include "ui/widgets/commands/new_run_commands.h"
#include "ui/widgets/commands/resume_commands.h"
#include "ui/widgets/commands/run_commands.h"
#include "ui/widgets/commands/run_list_commands.h"
#include "ui/widgets/commands/shown_run.h"
#include "ui/widgets/compare/compare_page.h"
#include "ui/widgets/edit/edit_page.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/shortcuts.h"
#include "ui/widgets/watch/watch_page.h"
#include "ui/widgets/window/run_status_bar.h"
#include "ui/widgets/window/window_actions.h"
#include "ui/widgets/window/window_docks.h"
#include "ui/widgets/window/window_help.h"
#include "ui/widgets/window/workspace_pages.h"

namespace batchwise {
namespace {

constexpr int kRepaintMs = 40;
constexpr int kStatusMessageMs = 15'000;

}  // namespace

MainWindow::MainWindow(StudioParts& parts) : parts_(parts), views_(makeViews()) {
  setWindowTitle(tr("Batchwise"));
  setWindowIcon(QIcon(QStringLiteral(":/icons/batchwise.svg")));
  resize(1280, 720);
  status_ = new RunStatusBar(parts_.theme, this);
  setStatusBar(status_);
  connect(&views_.message, &MessageBar::infoSuppressed, status_,
          [this](const QString& text) { status_->showMessage(text, kStatusMessageMs); });
  makeCommands();
  placeActions();
  makeHelp();
  connect(&views_.pages, &WorkspacePages::opened, this, &MainWindow::refresh);
  connect(&parts_.workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    setWindowTitle(tr("%1 – Batchwise").arg(QDir(folder).dirName()));
    parts_.workspace.refresh();
    refresh();
  });
  const auto progressChanged = [this] { progressDirty_ = true; };
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, progressChanged);  // for runs in other processes
  connect(&parts_.run, &RunPresenter::progressChanged, this, progressChanged);
  connect(&parts_.run, &RunPresenter::finished, this, progressChanged);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, progressChanged);
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, &MainWindow::refresh);
  connect(&parts_.run, &RunPresenter::finished, this, &MainWindow::refresh);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, &MainWindow::refresh);
  if (const auto layout = parts_.settings.layout()) restoreGeometry(layout->geometry);
  repaintTimer_.setInterval(kRepaintMs);
  connect(&repaintTimer_, &QTimer::timeout, this, &MainWindow::tick);
  repaintTimer_.start();
  refresh();
}

MainWindow::~MainWindow() = default;

WindowViews MainWindow::makeViews() {
  auto* actions = new WindowActions(parts_.theme, *this);
  auto* message = new MessageBar(parts_.theme, this);
  auto* pages = new WorkspacePages(parts_.theme, this);
  auto* welcome = new WelcomePage(parts_.theme, pages);
  auto* edit = new EditPage(parts_.edit, parts_.theme, pages);
  auto* watch = new WatchPage(parts_.watch, parts_.workspace.runs(), parts_.theme, parts_.settings, parts_.saving,
                              *message, pages);
  auto* checkpoints = new CheckpointsPage(parts_.checkpoints, parts_.settings, parts_.theme, pages);
  pages->addPage(edit, {"edit", tr("&Edit"), tr("The configuration of the next run"), QStringLiteral("file")});
  pages->addPage(watch, {"watch", tr("&Watch"), tr("The charts of the selected run"), QStringLiteral("demo")});
  auto* compare = new ComparePage(parts_.comparing, parts_.saving, parts_.theme, *message, pages);
  pages->addPage(compare, {"compare", tr("&Compare"), tr("The chosen runs side by side"), QStringLiteral("compare")});
  pages->addPage(checkpoints, {"checkpoints", tr("Chec&kpoints"), tr("The checkpoints of the selected run"),
                               QStringLiteral("checkpoint")});
  pages->setPlaceholder(watch, welcome);
  pages->open(watch);
  setCentralWidget(new PageArea(*pages, *message, this));
  auto* docks = new WindowDocks(parts_, *this);
  return {*this, *actions, *message, *pages, *welcome, *edit, *watch, *compare, *checkpoints, *docks};
}

void MainWindow::makeCommands() {
  newRun_ = new NewRunCommands(parts_, views_);
  new SlurmCommands(parts_, views_);
  runCommands_ = new RunCommands(parts_, views_);
  auto* resume = new ResumeCommands(parts_, views_, *runCommands_);
  auto* failure = new FailureCommands(parts_, views_, *newRun_, *resume);
  auto* runList = new RunListCommands(parts_, views_);
  new DropCommands(views_, *newRun_, *runList);
  closing_ = new ClosingGuard(parts_.run, {&parts_.saving, &parts_.archiveJobs}, *this);
  auto* messages = new RunMessages(parts_, views_, *closing_, *resume, *failure, *runList);
  shownRun_ = new ShownRun(parts_, views_, *messages);
}

void MainWindow::placeActions() {
  WindowActions& actions = views_.actions;
  QUndoStack& draftHistory = parts_.draftHistory.stack();
  for (QUndoStack* stack : {&draftHistory, &parts_.runListUndo}) actions.undoGroup.addStack(stack);
  const auto chooseSteps = [this, &actions, &draftHistory] {
    actions.undoGroup.setActiveStack(views_.pages.openPage() == &views_.edit ? &draftHistory : &parts_.runListUndo);
  };
  connect(&views_.pages, &WorkspacePages::opened, this, chooseSteps);
  chooseSteps();
  auto* recent = new QMenu(tr("&Recent workspaces"), this);
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { newRun_->fillRecent(*recent); });
  connect(actions.quit, &QAction::triggered, this, &QWidget::close);
  layouts_ = new LayoutCommands(parts_, views_);
  actions.place({views_.pages.pageActions(), views_.docks.toggles(), recent, &layouts_->menu(),
                 [this] { closing_->offerRestart(); }},
                parts_.theme, parts_.settings);
}

void MainWindow::makeHelp() {
  auto* help = new WindowHelp(parts_, views_, [this] { return layouts_->saved(); });
  connect(help, &WindowHelp::runRequested, shownRun_, &ShownRun::show);
  const auto updateToolTips = [this] {
    views_.pages.updateToolTips();
    runCommands_->update();
  };
  connect(&help->shortcuts(), &ShortcutRegistry::changed, this, updateToolTips);
  updateToolTips();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(laidOut_, true)) layouts_->restoreLast();
}

void MainWindow::editFile(const QString& path) {
  newRun_->editFile(path);
}

MainWindow::View MainWindow::view() const {
  return {views_.pages.openName(), parts_.watch.selected()};
}

void MainWindow::restore(const View& view) {
  views_.pages.openNamed(view.page);
  shownRun_->showWhenOpened(view.run);
}

void MainWindow::refresh() {
  runCommands_->update();
  views_.pages.setWorkspaceEmpty(parts_.workspace.runs().rowCount() == 0 && !parts_.run.busy() &&
                                 parts_.watch.selected().isEmpty());
}

void MainWindow::tick() {
  views_.watch.repaintCharts();
  if (!std::exchange(progressDirty_, false)) return;
  const auto selected = runCommands_->target();
  status_->showFreeDisk(parts_.workspace.freeDiskBytes());
  status_->showProgress(selected ? *selected : parts_.run.progress());
  views_.watch.showProgress(parts_.run.progress());
  views_.docks.refreshDevices();
  refresh();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!closing_->mayClose()) {
    event->ignore();
    return;
  }
  restartRequested() ? parts_.edit.saveDraftForRestart() : parts_.edit.saveDraftNow();
  views_.docks.saveNotes();
  layouts_->saveLast();
  event->accept();
}

}  // namespace batchwise
