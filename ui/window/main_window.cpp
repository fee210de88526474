// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>
#include <QtCore/QUrl>
#include <QtGui/QAction>
#include <QtGui/QCloseEvent>
#include <QtGui/QDropEvent>
#include <QtWidgets/QMenu>

#include "core/store/workspace_folder.h"
#include "core/text/tokenizer.h"
#include "ui/checkpoints/checkpoints_page.h"
#include "ui/edit/edit_page.h"
#include "ui/list/notes_pane.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/parts/shortcuts.h"
#include "ui/runs/runs_page.h"
#include "ui/window/commands.h"
#include "ui/window/first_run_commands.h"
#include "ui/window/new_run_commands.h"
#include "ui/window/resume_commands.h"
#include "ui/window/run_commands.h"
#include "ui/window/run_list_commands.h"
#include "ui/window/run_status_bar.h"
#include "ui/window/shown_run.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_docks.h"
#include "ui/window/window_help.h"
#include "ui/window/workspace_commands.h"
#include "ui/window/workspace_pages.h"

namespace batchwise {
namespace {

constexpr int kRepaintMs = 40;
constexpr int kStoreLayoutMs = 10'000;  // also if the program is killed

}  // namespace

MainWindow::MainWindow(StudioParts& parts) : parts_(parts), views_(makeViews()) {
  setWindowTitle(tr("Batchwise"));
  setWindowIcon(QIcon(QStringLiteral(":/icons/batchwise.svg")));
  resizeWithinScreen(*this, {1280, 720});
  status_ = new RunStatusBar(parts, views_.docks, views_.message, this);
  setStatusBar(status_);
  makeCommands();
  placeActions();
  makeHelp();
  connect(&views_.pages, &WorkspacePages::opened, this, &MainWindow::refresh);
  connect(&parts_.workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    setWindowTitle(tr("%1 – Batchwise").arg(QDir(folder).dirName()));
    refresh();
    for (const WaitingFile& file : std::exchange(waitingFiles_, {})) file.open();
  });
  connect(&parts_.workspace, &WorkspacePresenter::failed, this, &MainWindow::reportWaitingFiles);
  connect(&parts_.workspace, &WorkspacePresenter::damaged, this, &MainWindow::reportWaitingFiles);
  const auto progressChanged = [this] { progressDirty_ = true; };
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, progressChanged);  // for runs in other processes
  connect(&parts_.run, &RunPresenter::progressChanged, this, progressChanged);
  connect(&parts_.runs, &RunsPresenter::selectionChanged, this, progressChanged);
  connect(&parts_.runs, &RunsPresenter::shownChanged, this, progressChanged);
  connect(&parts_.workspace, &WorkspacePresenter::refreshed, this, &MainWindow::refresh);
  connect(&parts_.run, &RunPresenter::phaseChanged, this, &MainWindow::refresh);
  connect(&parts_.runs, &RunsPresenter::selectionChanged, this, &MainWindow::refresh);
  connect(&parts_.runs, &RunsPresenter::shownChanged, this, &MainWindow::refresh);
  connect(&parts_.edit, &EditPresenter::draftWritten, this,
          [this] { leavesDraft_ = leavesDraft_ && parts_.edit.saveFailed(); });
  connect(&parts_.workspace, &WorkspacePresenter::noteStored, this,
          [this] { leavesNote_ = leavesNote_ && views_.docks.notes().unsaved(); });
  if (const auto layout = parts_.settings.layout(); layout && restoreGeometry(layout->geometry))
    keepWithinScreen(*this);  // it may be from a larger screen
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
  auto* welcome = new WelcomePage(*actions, parts_.theme, pages);
  auto* edit = new EditPage(parts_.edit, parts_.theme, pages);
  auto* runs = new RunsPage(parts_.runs, parts_.comparing, parts_.workspace.runs(), parts_.theme, parts_.settings,
                            parts_.saving, *message, pages);
  auto* checkpoints = new CheckpointsPage(parts_.checkpoints, parts_.settings, *message, parts_.theme, pages);
  pages->addPage(edit, {"edit", tr("&Edit"), tr("The configuration of the next run"), QStringLiteral("file")});
  pages->addPage(runs, {"runs", tr("R&uns"), tr("The charts and values of the shown runs"), QStringLiteral("demo")});
  pages->addPage(checkpoints, {"checkpoints", tr("Chec&kpoints"), tr("The checkpoints of the selected run"),
                               QStringLiteral("checkpoint")});
  pages->setPlaceholder(runs, welcome);
  pages->open(runs);
  setCentralWidget(pages);
  auto* docks = new WindowDocks(parts_, *this);
  return {*this, *actions, *message, *pages, *welcome, *edit, *runs, *checkpoints, *docks};
}

void MainWindow::makeCommands() {
  newRun_ = new NewRunCommands(parts_, views_);
  workspaces_ = new WorkspaceCommands(parts_, views_);
  new SlurmCommands(parts_, views_);
  runCommands_ = new RunCommands(parts_, views_);
  firstRun_ = new FirstRunCommands(parts_, views_, *runCommands_);
  auto* resume = new ResumeCommands(parts_, views_, *runCommands_, *newRun_);
  new RunListCommands(parts_, views_);
  addScoreCommands(parts_, views_);
  addStudyCommands(parts_, views_);
  drop_ = new DropCommands(views_, *newRun_, *firstRun_, *workspaces_);
  closing_ = new ClosingGuard(parts_.run, {&parts_.saving, &parts_.runExports, &parts_.runImports}, *this);
  addRunMessages(parts_, views_, *closing_, *newRun_, *resume);
  shownRun_ = new ShownRun(parts_, views_);
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
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { workspaces_->fillRecent(*recent); });
  auto* followed = new QMenu(tr("Follow&ed folders"), this);
  connect(followed, &QMenu::aboutToShow, this, [this, followed] { firstRun_->fillFollowed(*followed); });
  connect(actions.quit, &QAction::triggered, this, &QWidget::close);
  connect(actions.resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
  connect(&layoutTimer_, &QTimer::timeout, this, &MainWindow::storeLayout);
  actions.place({views_.pages.pageActions(), views_.docks.toggles(), recent, followed}, parts_.theme, parts_.settings);
}

void MainWindow::makeHelp() {
  auto* help = new WindowHelp(parts_, views_);
  connect(help, &WindowHelp::runRequested, shownRun_, &ShownRun::show);
  connect(&views_.docks, &WindowDocks::notificationsRequested, help,
          [help] { help->openPreferences(QStringLiteral("notifyEnd")); });
  const auto updateToolTips = [this] {
    views_.pages.updateToolTips();
    runCommands_->update();
  };
  connect(&help->shortcuts(), &ShortcutRegistry::changed, this, updateToolTips);
  updateToolTips();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(laidOut_, true)) restoreLayout();
}

/// Once the window has its size: docks restored before would be stretched with it.
void MainWindow::restoreLayout() {
  firstLayout_ = saveState();
  const auto last = parts_.settings.layout();
  if (!last || !restoreState(last->state)) views_.docks.setDefaultSizes();
  layoutTimer_.start(kStoreLayoutMs);
}

void MainWindow::storeLayout() {
  const QByteArray geometry = saveGeometry(), state = saveState();
  if (std::exchange(kept_, geometry + state) != geometry + state) parts_.settings.setLayout({geometry, state});
}

void MainWindow::resetLayout() {
  if (!firstLayout_.isEmpty()) restoreState(firstLayout_);
  views_.docks.setDefaultSizes();
}

void MainWindow::openFile(const QString& path) {
  openInWorkspace({path, [this, path] { drop_->openAll({path}); }});
}

void MainWindow::openConfig(const QString& path) {
  openInWorkspace({path, [this, path] { newRun_->editFile(path); }});
}

void MainWindow::openInWorkspace(WaitingFile file) {
  if (parts_.workspace.workspace()) return file.open();
  waitingFiles_.push_back(std::move(file));
}

void MainWindow::reportWaitingFiles() {
  for (const WaitingFile& file : waitingFiles_)
    views_.message.showWarning(
        tr("%1 will be opened once a workspace is open").arg(QDir::toNativeSeparators(file.path)));
}

void MainWindow::refresh() {
  runCommands_->update();
  views_.pages.setWorkspaceEmpty(parts_.workspace.runs().size() == 0 && !parts_.run.busy() &&
                                 parts_.selection.run().isEmpty());
}

void MainWindow::tick() {
  views_.runs.repaintCharts();
  if (!std::exchange(progressDirty_, false)) return;
  const auto selected = runCommands_->target();
  status_->showFreeDisk(parts_.workspace.freeDiskBytes());
  status_->showProgress(selected ? *selected : parts_.run.progress());
  views_.runs.showProgress(parts_.run.progress(runCommands_->trainedRun()));
  views_.docks.refreshDevices();
}

void MainWindow::closeWhenSaved() {
  // Who sends a signal reads no message, and nobody may be there to close the window again.
  leavesDraft_ = leavesNote_ = true;
  closing_->closeWhenSaved();
}

void MainWindow::closeIfWritten() {
  if (!std::exchange(closesOnceWritten_, false)) return;
  QStringList lost;
  if (parts_.edit.saveFailed()) lost << tr("the draft");
  if (views_.docks.notes().hasUnstored()) lost << tr("the note");
  leavesDraft_ = lost.isEmpty() || parts_.edit.saveFailed();
  leavesNote_ = lost.isEmpty() || views_.docks.notes().hasUnstored();
  if (lost.isEmpty()) {
    close();
    leavesDraft_ = leavesNote_ = false;
  } else {
    const QString what = lost.join(tr(" and "));
    views_.message.showMessage(NoteLevel::Error, tr("The window stays open, as %1 cannot be saved").arg(what),
                               tr("Close it again to leave without what was not saved."));
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  const bool unsaved = (parts_.edit.saveFailed() && !leavesDraft_) || (views_.docks.notes().unsaved() && !leavesNote_);
  // What is not written yet is written first; who closes once more meanwhile, or after it failed, leaves without it.
  const bool waits = unsaved && !closesOnceWritten_;
  closesOnceWritten_ = waits;  // before the user is asked: meanwhile the window would be closed once more
  if (!waits && !closing_->mayClose()) return event->ignore();
  leavesDraft_ = leavesNote_ = false;
  parts_.edit.saveDraftNow();
  views_.docks.notes().saveNow();
  if (waits) {
    parts_.tasks.post(
        this, [] { return 0; }, [this](int) { closeIfWritten(); });
    return event->ignore();
  }
  parts_.checkpoints.removeNow();
  storeLayout();
  event->accept();
}

DropCommands::DropCommands(const WindowViews& views, NewRunCommands& newRun, FirstRunCommands& firstRun,
                           WorkspaceCommands& workspaces)
    : QObject(&views.window), newRun_(newRun), firstRun_(firstRun), workspaces_(workspaces) {
  views.window.setAcceptDrops(true);
  views.window.installEventFilter(this);
}

bool DropCommands::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::DragEnter && event->type() != QEvent::Drop) return QObject::eventFilter(watched, event);
  auto* drop = static_cast<QDropEvent*>(event);
  QList<QUrl> files = drop->mimeData()->urls();
  files.removeIf([](const QUrl& url) { return !url.isLocalFile(); });
  if (files.isEmpty()) return false;
  drop->acceptProposedAction();
  if (event->type() == QEvent::DragEnter) return true;
  QStringList paths;
  for (const QUrl& url : files) paths << url.toLocalFile();
  openAll(paths);
  return true;
}

void DropCommands::openAll(const QStringList& paths) {
  QStringList texts, archives, logs;
  for (const QString& file : paths) {
    if (isLog(file))
      logs << file;
    else if (isText(file))
      texts << file;
    else if (!open(file))
      archives << file;
  }
  if (!texts.isEmpty()) firstRun_.trainOn(texts);
  if (!archives.isEmpty()) firstRun_.bringRuns(archives);
  if (!logs.isEmpty()) firstRun_.follow(logs);
}

/// Returns whether it is a log of another program, or a folder with some that is neither a workspace nor a model.
bool DropCommands::isLog(const QString& path) {
  const bool isOther = QFileInfo(path).isDir() && (holdsWorkspace(path.toStdString()) || isModel(path));
  return !isOther && looksLikeRuns(path.toStdString());
}

/// Returns whether it is a text file, or a folder that holds neither a workspace nor a model.
bool DropCommands::isText(const QString& path) {
  static const QRegularExpression text(
      QStringLiteral(
          "\\.(txt|text|md|raw|tokens|jsonl|ndjson|csv|tsv|parquet|pq|arrow|feather|mds)(\\.gz|\\.zst|\\.zstd)?$"),
      QRegularExpression::CaseInsensitiveOption);
  if (!QFileInfo(path).isDir()) return text.match(path).hasMatch();
  return !holdsWorkspace(path.toStdString()) && !isModel(path);
}

bool DropCommands::isModel(const QString& folder) {
  std::error_code unknown;
  return std::filesystem::exists(modelFolder(folder.toStdString()).transformer / "config.json", unknown);
}

/// Returns false for a file that can only be an archive of a run.
bool DropCommands::open(const QString& path) {
  const QFileInfo info(path);
  const QString suffix = info.suffix().toLower();
  if (info.isDir() && holdsWorkspace(path.toStdString())) {
    workspaces_.switchTo(path);
  } else if (info.fileName() == QLatin1String(kDatabaseName)) {
    workspaces_.switchTo(info.absolutePath());
  } else if (info.isDir()) {
    firstRun_.continueModel(path);
  } else if (suffix == QLatin1String("yaml") || suffix == QLatin1String("yml")) {
    newRun_.editFile(path);
  } else if (suffix == QLatin1String("json")) {
    // Later: it opens a dialog, and the drop has to end first.
    QMetaObject::invokeMethod(
        &newRun_, [this, path] { newRun_.editExternalConfig(path); }, Qt::QueuedConnection);
  } else {
    return false;
  }
  return true;
}

}  // namespace batchwise
