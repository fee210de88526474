// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/main_window.h"

#include <QtGui/QActionGroup>
#include <QtGui/QCloseEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/words.h"
#include "ui/widgets/appearance_menu.h"
#include "ui/widgets/edit_page.h"
#include "ui/widgets/log_pane.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/run_list_pane.h"
#include "ui/widgets/run_status_bar.h"
#include "ui/widgets/watch_page.h"
#include "ui/widgets/welcome_page.h"

namespace batchwise {
namespace {

constexpr int kFrameMs = 40;
constexpr int kLayoutVersion = 1;

bool canResume(RunStatus status) {
  return status == RunStatus::Stopped || status == RunStatus::Interrupted || status == RunStatus::Failed;
}

}  // namespace

MainWindow::MainWindow(const StudioParts& parts) : parts_(parts) {
  setWindowTitle(tr("Batchwise"));
  setWindowIcon(QIcon(QStringLiteral(":/icons/batchwise.svg")));
  resize(1280, 720);
  makePages();
  makeDocks();
  makeActions();
  makeMenus();
  status_ = new RunStatusBar(parts_.theme, this);
  setStatusBar(status_);
  connectPresenters();
  connect(&parts_.theme, &Theme::changed, this, &MainWindow::recolorIcons);
  recolorIcons();
  restoreLayout();
  frame_.setInterval(kFrameMs);
  connect(&frame_, &QTimer::timeout, this, &MainWindow::tick);
  frame_.start();
  updateActions();
}

MainWindow::~MainWindow() = default;

void MainWindow::makePages() {
  auto* centre = new QWidget(this);
  message_ = new MessageBar(parts_.theme, centre);
  pages_ = new QStackedWidget(centre);
  welcome_ = new WelcomePage(parts_.theme, pages_);
  edit_ = new EditPage(parts_.edit, parts_.theme, pages_);
  watch_ = new WatchPage(parts_.watch, parts_.workspace.runs(), parts_.theme, pages_);
  for (QWidget* page : {static_cast<QWidget*>(welcome_), static_cast<QWidget*>(edit_), static_cast<QWidget*>(watch_)})
    pages_->addWidget(page);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(message_);
  layout->addWidget(pages_, 1);
  setCentralWidget(centre);
  connect(welcome_, &WelcomePage::demoWanted, this, &MainWindow::tryDemo);
  connect(welcome_, &WelcomePage::fileWanted, this, &MainWindow::newFromFile);
  connect(welcome_, &WelcomePage::workspaceWanted, this, &MainWindow::openWorkspace);
  connect(watch_, &WatchPage::newRunWanted, this, &MainWindow::newFromDemo);
  connect(edit_, &EditPage::launchWanted, this, &MainWindow::launch);
  connect(message_, &MessageBar::actionTriggered, this, &MainWindow::resumeSelected);
}

void MainWindow::makeDocks() {
  runs_ = new RunListPane(parts_.workspace.runs(), parts_.theme, this);
  runsDock_ = new QDockWidget(tr("Runs"), this);
  runsDock_->setObjectName(QStringLiteral("runsDock"));
  runsDock_->setWidget(runs_);
  addDockWidget(Qt::LeftDockWidgetArea, runsDock_);
  log_ = new LogPane(parts_.watch.log(), parts_.theme, this);
  logDock_ = new QDockWidget(tr("Log"), this);
  logDock_->setObjectName(QStringLiteral("logDock"));
  logDock_->setWidget(log_);
  addDockWidget(Qt::BottomDockWidgetArea, logDock_);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  connect(runs_, &RunListPane::runSelected, this, &MainWindow::showRun);
}

void MainWindow::makeActions() {
  const auto action = [this](const QString& text, const QKeySequence& keys, auto slot) {
    auto* made = new QAction(text, this);
    made->setShortcut(keys);
    connect(made, &QAction::triggered, this, slot);
    return made;
  };
  newDemo_ = action(tr("&New run"), QKeySequence(Qt::CTRL | Qt::Key_N), &MainWindow::newFromDemo);
  newDemo_->setToolTip(tr("Configure a run, beginning from the demo preset (Ctrl+N)"));
  newFile_ = action(tr("New run from a &file…"), QKeySequence(Qt::CTRL | Qt::Key_O), &MainWindow::newFromFile);
  newSelected_ =
      action(tr("New run from the &selected one"), QKeySequence(Qt::CTRL | Qt::Key_D), &MainWindow::newFromSelected);
  openWorkspace_ =
      action(tr("Open &workspace…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), &MainWindow::openWorkspace);
  launch_ = action(tr("&Launch"), QKeySequence(Qt::Key_F5), &MainWindow::launch);
  stop_ = action(tr("&Stop and save"), QKeySequence(Qt::SHIFT | Qt::Key_F5), [this] { parts_.run.stopAndSave(); });
  stop_->setToolTip(tr("End the training after the step under way, with a checkpoint to resume from (Shift+F5)"));
  resume_ = action(tr("&Resume"), QKeySequence(Qt::Key_F7), &MainWindow::resumeSelected);
  quit_ = action(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { close(); });
  showEdit_ = action(tr("&Edit"), QKeySequence(Qt::CTRL | Qt::Key_1), [this] { pages_->setCurrentWidget(edit_); });
  showWatch_ = action(tr("&Watch"), QKeySequence(Qt::CTRL | Qt::Key_2), [this] { pages_->setCurrentWidget(watch_); });
  auto* group = new QActionGroup(this);
  for (QAction* page : {showEdit_, showWatch_}) {
    page->setCheckable(true);
    group->addAction(page);
  }
  group->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
  showEdit_->setToolTip(tr("The configuration of the next run (Ctrl+1)"));
  showWatch_->setToolTip(tr("The charts of the selected run (Ctrl+2)"));
  connect(pages_, &QStackedWidget::currentChanged, this, &MainWindow::updateActions);

  auto* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  tools_ = bar;
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->addActions({newDemo_, launch_, stop_, resume_});
  auto* space = new QWidget(bar);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  bar->addActions({showEdit_, showWatch_});
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
}

void MainWindow::makeMenus() {
  auto* file = menuBar()->addMenu(tr("&File"));
  file->addActions({newDemo_, newFile_, newSelected_});
  file->addSeparator();
  file->addAction(openWorkspace_);
  auto* recent = file->addMenu(tr("&Recent workspaces"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(recent); });
  file->addSeparator();
  file->addAction(quit_);
  auto* run = menuBar()->addMenu(tr("&Run"));
  run->addActions({launch_, stop_, resume_});
  auto* view = menuBar()->addMenu(tr("&View"));
  view->addActions({showEdit_, showWatch_});
  view->addSeparator();
  view->addActions({runsDock_->toggleViewAction(), logDock_->toggleViewAction()});
  view->addSeparator();
  addAppearanceChoices(*view, parts_.theme, parts_.settings);
  auto* help = menuBar()->addMenu(tr("&Help"));
  auto* about = help->addAction(tr("&About Batchwise"));
  connect(about, &QAction::triggered, this, [this] {
    message_->showMessage(NoteLevel::Info, tr("Batchwise %1").arg(QApplication::applicationVersion()),
                          tr("Trains BERT with batch size as a schedule. Free software under the GNU General Public "
                             "License, version 3 or later."));
  });
}

void MainWindow::connectPresenters() {
  WorkspacePresenter& workspace = parts_.workspace;
  connect(&workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    parts_.settings.setWorkspace(folder);
    setWindowTitle(tr("%1 – Batchwise").arg(QDir(folder).dirName()));
    message_->clear();
    justOpened_ = true;
    updateActions();
  });
  connect(&workspace, &WorkspacePresenter::failed, this, [this](const QString& what) {
    message_->showMessage(NoteLevel::Error,
                          tr("The workspace cannot be used. Choose another one under File > Open workspace."), what);
  });
  connect(&workspace, &WorkspacePresenter::refreshed, this, [this] {
    status_->showFreeDisk(parts_.workspace.freeDiskBytes());
    if (std::exchange(justOpened_, false)) showNewest();
    runs_->select(parts_.watch.selected());
    updateActions();
  });

  RunPresenter& run = parts_.run;
  connect(&run, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events) parts_.workspace.runs().apply(id, event);
    parts_.watch.takeEvents(id, events);
  });
  connect(&run, &RunPresenter::started, this, [this](const QString& id) {
    parts_.workspace.refresh();
    parts_.watch.select(id);
    runs_->select(id);
  });
  connect(&run, &RunPresenter::progressChanged, this, [this] { progressDirty_ = true; });
  connect(&run, &RunPresenter::finished, this, &MainWindow::showFinished);
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, [this] {
    const RunSummary* finished = parts_.workspace.runs().newestFinished();
    parts_.edit.setRuns(parts_.workspace.workspace(), finished == nullptr ? QString() : toQt(finished->id));
  });
  const auto tell = [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); };
  connect(&run, &RunPresenter::failed, this, tell);
  connect(&parts_.edit, &EditPresenter::failed, this, tell);
  connect(&parts_.watch, &WatchPresenter::failed, this, tell);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, [this] {
    updateActions();
    offerResume();
  });
  connect(&parts_.edit.draft(), &ConfigDraft::changed, this, &MainWindow::updateActions);
}

void MainWindow::recolorIcons() {
  const Theme& theme = parts_.theme;
  newDemo_->setIcon(theme.icon(QStringLiteral("new-run")));
  newFile_->setIcon(theme.icon(QStringLiteral("file")));
  openWorkspace_->setIcon(theme.icon(QStringLiteral("folder")));
  launch_->setIcon(theme.icon(QStringLiteral("launch")));
  stop_->setIcon(theme.icon(QStringLiteral("stop-save")));
  resume_->setIcon(theme.icon(QStringLiteral("resume")));
  const int side = std::max(16, fontMetrics().height());
  tools_->setIconSize({side, side});
  showEdit_->setIcon(theme.icon(QStringLiteral("file")));
  showWatch_->setIcon(theme.icon(QStringLiteral("demo")));
}

void MainWindow::restoreLayout() {
  const auto layout = parts_.settings.layout();
  if (layout && restoreGeometry(layout->geometry) && restoreState(layout->state, kLayoutVersion)) return;
  const int unit = fontMetrics().horizontalAdvance(QLatin1Char('x'));
  resizeDocks({runsDock_}, {std::min(44 * unit, width() / 4)}, Qt::Horizontal);
  resizeDocks({logDock_}, {std::min(9 * fontMetrics().height(), height() / 5)}, Qt::Vertical);
}

void MainWindow::newFromDemo() {
  parts_.edit.loadDemo();
  pages_->setCurrentWidget(edit_);
}

void MainWindow::newFromFile() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("New run from a file"), parts_.settings.folder(QStringLiteral("config")),
                                   tr("Configurations (*.yaml *.yml);;All files (*)"));
  if (path.isEmpty()) return;
  parts_.settings.setFolder(QStringLiteral("config"), QFileInfo(path).absolutePath());
  editFile(path);
}

void MainWindow::editFile(const QString& path) {
  parts_.edit.loadFile(path);
  pages_->setCurrentWidget(edit_);
}

void MainWindow::newFromSelected() {
  if (!parts_.watch.hasRun()) return;
  parts_.edit.loadRun(parts_.watch.view().detail);
  pages_->setCurrentWidget(edit_);
}

void MainWindow::tryDemo() {
  parts_.edit.loadDemo();
  launch();
}

void MainWindow::openWorkspace() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open workspace"), parts_.workspace.folder());
  if (!folder.isEmpty()) switchWorkspace(folder);
}

void MainWindow::fillRecent(QMenu* menu) {
  menu->clear();
  for (const QString& folder : parts_.settings.recentWorkspaces()) {
    auto* action = menu->addAction(QDir::toNativeSeparators(folder).replace(QLatin1Char('&'), QStringLiteral("&&")));
    connect(action, &QAction::triggered, this, [this, folder] { switchWorkspace(folder); });
  }
}

void MainWindow::switchWorkspace(const QString& folder) {
  if (parts_.run.busy()) {
    message_->showMessage(NoteLevel::Warning,
                          tr("A run is training in this workspace. Stop it before opening another one."));
    return;
  }
  parts_.workspace.open(folder);
}

void MainWindow::launch() {
  if (!launch_->isEnabled()) return;
  message_->clear();
  LaunchRequest request;
  request.workspace = parts_.workspace.workspace()->folder();
  request.config = parts_.edit.draft().loaded();
  runs_->select({});
  parts_.watch.select({});
  pages_->setCurrentWidget(watch_);
  parts_.run.launch(request);
  updateActions();
}

void MainWindow::resumeSelected() {
  if (!resume_->isEnabled()) return;
  message_->clear();
  const RunDetail& detail = parts_.watch.view().detail;
  LaunchRequest request;
  request.workspace = parts_.workspace.workspace()->folder();
  request.resumeRun = detail.summary.id;
  request.config = parseConfig(detail.configYaml, detail.summary.name, {});
  if (!request.config.ok()) {
    message_->showMessage(NoteLevel::Error, tr("The stored configuration cannot be read"),
                          toQt(request.config.errorText()));
    return;
  }
  pages_->setCurrentWidget(watch_);
  parts_.run.launch(request);
  updateActions();
}

void MainWindow::showRun(const QString& run) {
  if (run.isEmpty()) return;
  if (!offering_) message_->clear();
  parts_.watch.select(run);
  pages_->setCurrentWidget(watch_);
}

void MainWindow::showNewest() {
  const RunSummary* newest = parts_.workspace.runs().at(0);
  if (newest != nullptr && parts_.watch.selected().isEmpty() && !parts_.run.busy())
    parts_.watch.select(toQt(newest->id));
}

void MainWindow::showFinished(const RunFinished& outcome) {
  parts_.workspace.refresh();
  if (closing_) {
    close();
    return;
  }
  if (outcome.status == RunStatus::Failed)
    message_->showMessage(
        NoteLevel::Error,
        parts_.run.progress().run.isEmpty() ? tr("The run could not start") : tr("The run has failed"),
        toQt(outcome.reason));
  else if (pages_->currentWidget() != watch_)
    message_->showMessage(NoteLevel::Info, tr("%1: %2").arg(parts_.run.progress().name, eventSentence(outcome)));
  if (parts_.watch.selected().isEmpty() && pages_->currentWidget() == watch_) pages_->setCurrentWidget(edit_);
  updateActions();
}

void MainWindow::updateActions() {
  const bool busy = parts_.run.busy();
  const bool open = parts_.workspace.workspace() != nullptr;
  QString blocked;
  if (busy)
    blocked = tr("A run is training. Stop it before launching the next one.");
  else if (!open)
    blocked = tr("No workspace is open");
  edit_->setBlocked(blocked);
  welcome_->setDemoEnabled(blocked.isEmpty());
  launch_->setEnabled(blocked.isEmpty() && parts_.edit.draft().ready());
  launch_->setToolTip(launch_->isEnabled() ? tr("Train with the configuration under Edit (F5)")
                      : blocked.isEmpty()  ? tr("The configuration under Edit has errors")
                                           : blocked);
  stop_->setEnabled(busy && parts_.run.progress().phase != RunPhase::Stopping);

  newSelected_->setEnabled(parts_.watch.hasRun());
  const RunSummary* run = parts_.workspace.runs().find(parts_.watch.selected());
  const bool saved = parts_.watch.hasRun() && parts_.watch.view().checkpointBatch.has_value();
  const QString from = saved ? integerText(parts_.watch.view().checkpointBatch.value_or(0)) : QString();
  const bool resumable = !busy && open && run != nullptr && canResume(run->status) && saved;
  resume_->setEnabled(resumable);
  resume_->setText(resumable ? tr("&Resume from %1").arg(from) : tr("&Resume"));
  resume_->setToolTip(resumable ? tr("Go on from the checkpoint at global batch %1 (F7)").arg(from)
                                : tr("Select a run that was stopped or interrupted and has a checkpoint"));

  const bool nothing = parts_.workspace.runs().rowCount() == 0 && !busy && parts_.watch.selected().isEmpty();
  if (nothing && pages_->currentWidget() == watch_) pages_->setCurrentWidget(welcome_);
  if (!nothing && pages_->currentWidget() == welcome_) pages_->setCurrentWidget(watch_);
  showEdit_->setChecked(pages_->currentWidget() == edit_);
  showWatch_->setChecked(pages_->currentWidget() == watch_ || pages_->currentWidget() == welcome_);
}

void MainWindow::offerResume() {
  const RunSummary* run = parts_.workspace.runs().find(parts_.watch.selected());
  const bool offer = run != nullptr && run->status == RunStatus::Interrupted && resume_->isEnabled();
  if (offer)
    message_->showAction(NoteLevel::Warning,
                         tr("%1 was interrupted at global batch %2").arg(toQt(run->name), integerText(run->at.batch)),
                         tr("What was done up to its newest checkpoint is safe; it can go on from there."),
                         resume_->text().remove(QLatin1Char('&')));
  else if (offering_)
    message_->clear();
  offering_ = offer;
}

void MainWindow::tick() {
  watch_->repaintCharts();
  if (!std::exchange(progressDirty_, false)) return;
  status_->showProgress(parts_.run.progress());
  watch_->showProgress(parts_.run.progress());
  updateActions();
}

ClosingChoice MainWindow::askClosing() {
  if (askClosing_) return askClosing_();
  QMessageBox box(this);
  box.setIcon(QMessageBox::NoIcon);
  box.setWindowTitle(tr("A run is training"));
  box.setTextFormat(Qt::PlainText);
  box.setText(tr("%1 is training. What should happen to it?").arg(parts_.run.progress().name));
  box.setInformativeText(
      tr("Stop and save writes a checkpoint after the step under way, then closes the window; the run "
         "can be resumed from it."));
  auto* stop = box.addButton(tr("Stop and save"), QMessageBox::AcceptRole);
  auto* keep = box.addButton(tr("Keep training, minimise"), QMessageBox::ActionRole);
  auto* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
  box.setDefaultButton(stop);
  box.setEscapeButton(cancel);
  box.exec();
  if (box.clickedButton() == stop) return ClosingChoice::StopAndSave;
  return box.clickedButton() == keep ? ClosingChoice::KeepTraining : ClosingChoice::Cancel;
}

void MainWindow::closeWhenSaved() {
  if (!parts_.run.busy()) {
    close();
    return;
  }
  closing_ = true;
  parts_.run.stopAndSave();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (parts_.run.busy()) {
    const ClosingChoice choice = closing_ ? ClosingChoice::StopAndSave : askClosing();
    if (choice == ClosingChoice::KeepTraining) showMinimized();
    if (choice != ClosingChoice::StopAndSave || parts_.run.busy()) {  // it may have ended during the question
      event->ignore();
      if (choice == ClosingChoice::StopAndSave) closeWhenSaved();
      return;
    }
  }
  parts_.settings.setLayout({saveGeometry(), saveState(kLayoutVersion)});
  event->accept();
}

}  // namespace batchwise
