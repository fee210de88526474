// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shell/main_window.h"

#include <QtCore/QDir>
#include <QtGui/QAction>
#include <QtGui/QCloseEvent>
#include <QtWidgets/QMenu>

#include "ui/models/display_text.h"
#include "ui/widgets/checkpoints/checkpoints_page.h"
#include "ui/widgets/commands/archive_commands.h"
#include "ui/widgets/commands/drop_commands.h"
#include "ui/widgets/commands/failure_commands.h"
#include "ui/widgets/commands/layout_commands.h"
#include "ui/widgets/commands/new_run_commands.h"
#include "ui/widgets/commands/resume_commands.h"
#include "ui/widgets/commands/run_commands.h"
#include "ui/widgets/commands/run_list_commands.h"
#include "ui/widgets/commands/slurm_commands.h"
#include "ui/widgets/compare/compare_page.h"
#include "ui/widgets/docks/run_list_pane.h"
#include "ui/widgets/edit/edit_page.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/shortcut_registry.h"
#include "ui/widgets/watch/chart_grid.h"
#include "ui/widgets/watch/watch_page.h"
#include "ui/widgets/window/page_area.h"
#include "ui/widgets/window/retained_state.h"
#include "ui/widgets/window/run_status_bar.h"
#include "ui/widgets/window/saving_progress.h"
#include "ui/widgets/window/welcome_page.h"
#include "ui/widgets/window/window_actions.h"
#include "ui/widgets/window/window_docks.h"
#include "ui/widgets/window/window_help.h"
#include "ui/widgets/window/workspace_pages.h"

namespace batchwise {
namespace {

constexpr int kRepaintMs = 40;
constexpr int kSaveLayoutMs = 10'000;
constexpr int kStatusMessageMs = 15'000;
constexpr int kLayoutVersion = 1;
constexpr int kNewestRuns = 5;

}  // namespace

MainWindow::MainWindow(const StudioParts& parts, RetainedState& retained) : parts_(parts), retained_(retained) {
  setWindowTitle(tr("Batchwise"));
  setWindowIcon(QIcon(QStringLiteral(":/icons/batchwise.svg")));
  resize(1280, 720);
  actions_ = new WindowActions(parts_.theme, *this);
  makePages();
  makeDocks();
  makeCommands();
  placeActions();
  status_ = new RunStatusBar(parts_.theme, this);
  setStatusBar(status_);
  connectWorkspace();
  connectRun();
  connectComparison();
  connectExports();
  connectQueue();
  connectHelp();
  if (const auto layout = parts_.settings.layout()) restoreGeometry(layout->geometry);
  repaintTimer_.setInterval(kRepaintMs);
  connect(&repaintTimer_, &QTimer::timeout, this, &MainWindow::tick);
  repaintTimer_.start();
  // So that the layout survives if the process is killed.
  connect(&layoutTimer_, &QTimer::timeout, this, [this] {
    if (laidOut_) saveLayout();
  });
  layoutTimer_.start(kSaveLayoutMs);
  refresh();
}

MainWindow::~MainWindow() = default;

void MainWindow::makePages() {
  message_ = new MessageBar(parts_.theme, this);
  pages_ = new WorkspacePages(parts_.theme, this);
  welcome_ = new WelcomePage(parts_.theme, pages_);
  edit_ = new EditPage(parts_.edit, parts_.theme, pages_);
  watch_ =
      new WatchPage(parts_.watch, parts_.workspace.runs(), parts_.theme, parts_.settings, retained_.saving, pages_);
  checkpoints_ = new CheckpointsPage(parts_.checkpoints, parts_.settings, parts_.theme, pages_);
  pages_->addPage(edit_, {"page_edit", tr("&Edit"), tr("The configuration of the next run"), QStringLiteral("file")});
  pages_->addPage(watch_, {"page_watch", tr("&Watch"), tr("The charts of the selected run"), QStringLiteral("demo")});
  compare_ = new ComparePage(retained_.comparing, retained_.saving, parts_.theme, pages_);
  pages_->addPage(compare_,
                  {"page_compare", tr("&Compare"), tr("The chosen runs side by side"), QStringLiteral("compare")});
  pages_->addPage(checkpoints_, {"page_checkpoints", tr("Chec&kpoints"), tr("The checkpoints of the selected run"),
                                 QStringLiteral("checkpoint")});
  pages_->setPlaceholder(watch_, welcome_);
  pages_->open(watch_);
  setCentralWidget(new PageArea(*pages_, *message_, this));
  connect(pages_, &WorkspacePages::opened, this, &MainWindow::refresh);
}

void MainWindow::makeDocks() {
  docks_ = new WindowDocks(parts_, retained_, *this);
  runs_ = &docks_->runs();
  connect(runs_, &RunListPane::runSelected, this, &MainWindow::showRun);
  connect(docks_, &WindowDocks::runChosen, this, &MainWindow::showRun);
}

void MainWindow::makeCommands() {
  newRun_ = new NewRunCommands(parts_, *actions_, *this);
  connect(newRun_, &NewRunCommands::draftLoaded, this, [this] { pages_->open(edit_); });
  connect(newRun_, &NewRunCommands::refused, this,
          [this](const QString& why) { message_->showMessage(NoteLevel::Warning, why); });
  new SlurmCommands(parts_, *actions_, *this);  // before RunCommands: it sets whether the Slurm actions are visible
  commands_ = new RunCommands(parts_, *actions_, this);
  connect(commands_, &RunCommands::starting, this, [this] {
    message_->clear();
    runs_->select(parts_.watch.selected());
    pages_->open(watch_);
  });
  connect(commands_, &RunCommands::queueBlockedChanged, edit_, &EditPage::setQueueBlocked);
  connect(commands_, &RunCommands::blockedChanged, this, [this](const QString& why) {
    edit_->setBlocked(why);
    welcome_->setDemoEnabled(why.isEmpty());
  });
  resume_ = new ResumeCommands(parts_, *message_, *this);
  connect(actions_->resume, &QAction::triggered, this, [this] {
    const QString why = commands_->whyNotResumed();
    if (why.isEmpty())
      resume_->openDialog(parts_.watch.selected());
    else
      message_->showMessage(NoteLevel::Info, why);
  });
  connect(resume_, &ResumeCommands::launchRequested, commands_, &RunCommands::start);
  connect(checkpoints_, &CheckpointsPage::resumeRequested, resume_, &ResumeCommands::openDialog);
  failure_ = new FailureCommands(parts_, *message_, *this);
  connect(failure_, &FailureCommands::resumeRequested, this, [this](const QString& run) { resume_->openDialog(run); });
  connect(failure_, &FailureCommands::duplicateRequested, newRun_, &NewRunCommands::duplicate);
  connect(failure_, &FailureCommands::logRequested, this, [this](const QString& run) {
    parts_.watch.select(run);
    runs_->select(run);
    docks_->showLog();
  });
  closing_ = new ClosingGuard(parts_.run, {&retained_.saving, &retained_.archiveJobs}, *this);
  for (auto* progress : {new SavingProgress(retained_.saving, QStringLiteral("savingValues"), *this),
                         new SavingProgress(retained_.archiveJobs, QStringLiteral("movingRuns"), *this)})
    connect(closing_, &ClosingGuard::waitingForFilesChanged, progress, &SavingProgress::setClosing);
  connect(welcome_, &WelcomePage::demoRequested, this, [this] {
    parts_.edit.loadDemo();
    commands_->launch();
  });
  connect(welcome_, &WelcomePage::fileRequested, newRun_, &NewRunCommands::fromFile);
  connect(welcome_, &WelcomePage::workspaceRequested, newRun_, &NewRunCommands::openWorkspace);
  connect(watch_, &WatchPage::newRunRequested, newRun_, &NewRunCommands::fromDemo);
  connect(edit_, &EditPage::launchRequested, commands_, &RunCommands::launch);
  connect(edit_, &EditPage::enqueueRequested, commands_, &RunCommands::enqueue);
  connect(commands_, &RunCommands::enqueueRequested, this, &MainWindow::addToQueue);
  archive_ = new ArchiveCommands(parts_, retained_, *message_, *this);
  connect(runs_, &RunListPane::archiveRequested, archive_, &ArchiveCommands::archive);
  runList_ = new RunListCommands(parts_, retained_, *runs_, *actions_, *this);
  QUndoStack& draftHistory = retained_.draftHistory.stack();
  for (QUndoStack* stack : {&draftHistory, &retained_.runListUndo}) actions_->undoGroup.addStack(stack);
  const auto chooseSteps = [this, &draftHistory] {
    actions_->undoGroup.setActiveStack(pages_->openPage() == edit_ ? &draftHistory : &retained_.runListUndo);
  };
  connect(pages_, &WorkspacePages::opened, this, chooseSteps);
  chooseSteps();
}

void MainWindow::placeActions() {
  auto* recent = new QMenu(tr("&Recent workspaces"), this);
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { newRun_->fillRecent(*recent); });
  connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
  layouts_ = new LayoutCommands(parts_.settings, kLayoutVersion, *this);
  connect(layouts_, &LayoutCommands::failed, this,
          [this](const QString& what) { message_->showMessage(NoteLevel::Warning, what); });
  actions_->place({pages_->pageActions(), docks_->toggles(), recent, &layouts_->menu(),
                   [this](const QString& name) { Q_EMIT languageRequested(name); }},
                  parts_.theme, parts_.settings);
}

void MainWindow::connectWorkspace() {
  WorkspacePresenter& workspace = parts_.workspace;
  connect(&workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    parts_.settings.setWorkspace(folder);
    adoptWorkspace();
    message_->clear();
    justOpened_ = true;
    parts_.edit.storeDraftIn(parts_.workspace.workspace());
    refresh();
  });
  connect(&workspace, &WorkspacePresenter::failed, this, [this](const QString& what) {
    message_->showMessage(NoteLevel::Error,
                          tr("The workspace cannot be used. Choose another one under File > Open workspace."), what);
  });
  connect(&workspace, &WorkspacePresenter::switchFailed, this, [this](const QString& what) {
    message_->showMessage(NoteLevel::Error, tr("The other workspace cannot be opened. This one stays open."), what);
  });
  connect(&workspace, &WorkspacePresenter::refreshed, this, [this] {
    status_->showFreeDisk(parts_.workspace.freeDiskBytes());
    if (std::exchange(justOpened_, false)) {
      showNewest();
      parts_.resume.offerNewest();
    }
    runs_->select(parts_.watch.selected());
    const RunSummary* finished = parts_.workspace.runs().newestFinished();
    parts_.edit.setRuns(parts_.workspace.workspace(), finished == nullptr ? QString() : toQt(finished->id));
    progressDirty_ = true;  // for runs in other processes
    refresh();
  });
}

void MainWindow::connectRun() {
  RunPresenter& run = parts_.run;
  connect(&run, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events) parts_.workspace.runs().apply(id, event);
    parts_.watch.handleEvents(id, events);
  });
  connect(&run, &RunPresenter::started, this, [this](const QString& id) {
    parts_.workspace.refresh();
    if (parts_.watch.selected().isEmpty()) parts_.watch.select(id);
    runs_->select(parts_.watch.selected());
  });
  connect(&run, &RunPresenter::progressChanged, this, [this] { progressDirty_ = true; });
  connect(&run, &RunPresenter::finished, this, &MainWindow::showFinished);
  const auto showError = [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); };
  connect(&run, &RunPresenter::failed, this, showError);
  connect(&run, &RunPresenter::blockedChanged, this, [this](const QString& name, const QString& why) {
    if (!why.isEmpty()) {
      message_->showMessage(NoteLevel::Error, tr("Run %1 is waiting").arg(name), why);
      waiting_ = name;
    } else if (waiting_ == name) {
      message_->clear();
    }
  });
  connect(message_, &MessageBar::replaced, this, [this] { waiting_.clear(); });
  connect(message_, &MessageBar::infoSuppressed, status_,
          [this](const QString& text) { status_->showMessage(text, kStatusMessageMs); });
  connect(&run, &RunPresenter::errorOccurred, this, [this](const QString& name, const QString& what) {
    message_->showMessage(NoteLevel::Error, tr("Run %1").arg(name), what);
  });
  connect(&parts_.edit, &EditPresenter::failed, this, showError);
  connect(&parts_.watch, &WatchPresenter::failed, this, showError);
  connect(&parts_.workspace, &WorkspacePresenter::commandFailed, this, showError);
  connect(&parts_.resume, &ResumePresenter::failed, this, showError);
  connect(&parts_.checkpoints, &CheckpointsPresenter::failed, this, showError);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, [this] {
    parts_.checkpoints.select(parts_.watch.selected());
    progressDirty_ = true;
    refresh();
  });
}

void MainWindow::connectExports() {
  const auto notice = [this](const QString& file) {
    message_->showMessage(NoteLevel::Info, tr("Written to %1").arg(file));
  };
  const auto failed = [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); };
  connect(compare_, &ComparePage::exported, this, notice);
  connect(compare_, &ComparePage::failed, this, failed);
  connect(newRun_, &NewRunCommands::saved, this, notice);
  connect(&retained_.archiveJobs, &ArchiveJobs::exported, this, notice);
  connect(&retained_.archiveJobs, &ArchiveJobs::exportFailed, this, failed);
  connect(&retained_.archiveJobs, &ArchiveJobs::imported, this,
          [this](const QString& run, const QString& name, const QString& folder) {
            const auto open = parts_.workspace.workspace();  // may have changed since the import started
            const bool here = open != nullptr && folder == QString::fromStdString(open->folder().string());
            if (here) parts_.workspace.refresh();
            if (here) showRun(run);
            message_->showMessage(NoteLevel::Info, here ? tr("Run %1 was imported").arg(name)
                                                        : tr("Run %1 was imported into %2").arg(name, folder));
          });
  connect(compare_, &ComparePage::notice, this,
          [this](const QString& sentence) { message_->showMessage(NoteLevel::Info, sentence); });
  connect(watch_, &WatchPage::exported, this, notice);
  connect(watch_, &WatchPage::failed, this, failed);
  connect(&retained_.saving, &CsvExportJobs::finished, this,
          [notice, failed](const QString& file, const QString& problem) {
            problem.isEmpty() ? notice(file) : failed(problem);
          });
}

void MainWindow::connectComparison() {
  connect(&retained_.comparing, &ComparePresenter::changed, this, &MainWindow::updateRunStyle);
  connect(&retained_.alerts.model(), &QAbstractItemModel::rowsInserted, this, &MainWindow::updateRunStyle);
  connect(&retained_.alerts.model(), &QAbstractItemModel::modelReset, this, &MainWindow::updateRunStyle);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, &MainWindow::updateRunStyle);
  connect(runs_, &RunListPane::compareRequested, this, [this] { pages_->open(compare_); });
  connect(compare_, &ComparePage::chooseNewestRequested, this, &MainWindow::chooseNewest);
}

void MainWindow::updateRunStyle() {
  const QString& run = parts_.watch.selected();
  parts_.watch.setDecoration({retained_.comparing.styleOf(run), retained_.alerts.markersOf(run)});
}

void MainWindow::connectQueue() {
  connect(&retained_.queue, &QueuePresenter::failed, this,
          [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); });
  connect(&retained_.queue, &QueuePresenter::launching, this, [this] {
    // Follows the queue to its next run, unless the user has selected another run than the one that has just ended.
    if (parts_.watch.selected() == endedLast_) parts_.watch.select({});
  });
}

void MainWindow::addToQueue(const std::vector<LoadedConfig>& runs, bool begin) {
  retained_.queue.add(runs);
  if (begin) retained_.queue.start();
  message_->showMessage(NoteLevel::Info, tr("%n run(s) added to the queue", nullptr, static_cast<int>(runs.size())),
                        retained_.queue.isStarted() ? QString() : tr("Training begins when the queue is started."));
  docks_->showQueue();
}

void MainWindow::connectHelp() {
  help_ = new WindowHelp(parts_, *actions_, *this);
  help_->page = [this] {
    const QWidget* page = pages_->openPage();
    return page == edit_          ? QStringLiteral("edit")
           : page == compare_     ? QStringLiteral("compare")
           : page == checkpoints_ ? QStringLiteral("checkpoints")
                                  : QStringLiteral("watch");
  };
  help_->layouts = [this] { return layouts_->saved(); };
  connect(help_, &WindowHelp::runRequested, this, &MainWindow::showRun);
  connect(help_, &WindowHelp::settingRequested, this, [this](const QString& path) {
    pages_->open(edit_);
    edit_->showSetting(path.toStdString());
  });
  const auto updateToolTips = [this] {
    pages_->updateToolTips();
    commands_->update();
  };
  connect(&help_->shortcuts(), &ShortcutRegistry::changed, this, updateToolTips);
  updateToolTips();
  auto* drops = new DropCommands(parts_, retained_.archiveJobs, *this);
  connect(runList_, &RunListCommands::importRequested, drops, &DropCommands::importArchive);
  connect(drops, &DropCommands::configRequested, this, &MainWindow::editFile);
  connect(drops, &DropCommands::externalConfigRequested, newRun_, &NewRunCommands::editExternalConfig,
          Qt::QueuedConnection);
  connect(drops, &DropCommands::workspaceRequested, newRun_,
          [this](const QString& folder) { newRun_->switchWorkspace(folder); });
  const auto refuse = [this](const QString& what, const QString& why) {
    message_->showMessage(NoteLevel::Error, tr("%1 cannot be used").arg(what), why);
  };
  connect(drops, &DropCommands::refused, this, refuse);
  connect(&retained_.archiveJobs, &ArchiveJobs::importFailed, this, refuse);
}

void MainWindow::chooseNewest() {
  CompareView view = retained_.comparing.view();
  view.runs.clear();
  for (int row = 0; row < kNewestRuns; ++row)
    if (const RunSummary* run = parts_.workspace.runs().at(row)) view.runs << toQt(run->id);
  retained_.comparing.setView(view);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(laidOut_, true)) restoreLayout();
}

/// Called once the window has its size: docks restored earlier would be stretched with the window.
void MainWindow::restoreLayout() {
  layouts_->recordInitial([this] { docks_->setDefaultSizes(); });
  const auto layout = parts_.settings.layout();
  if (layout && restoreState(layout->state, kLayoutVersion)) return;
  docks_->setDefaultSizes();
}

void MainWindow::editFile(const QString& path) {
  newRun_->editFile(path);
}

void MainWindow::showRun(const QString& run) {
  if (run.isEmpty()) return;
  const bool ofThisRun = failure_->shown() && failure_->shown()->run == run;
  if (!resume_->offered() && archive_->offered().isEmpty() && waiting_.isEmpty() && !ofThisRun) message_->clear();
  parts_.watch.select(run);
  runs_->select(run);
  if (pages_->openPage() == edit_) pages_->open(watch_);
}

void MainWindow::showNewest() {
  const RunSummary* newest = parts_.workspace.runs().at(0);
  if (newest != nullptr && parts_.watch.selected().isEmpty() && !parts_.run.busy())
    parts_.watch.select(toQt(newest->id));
}

void MainWindow::showFinished(const TrainingState& run, const RunFinished& outcome) {
  if (!run.run.isEmpty()) endedLast_ = run.run;
  parts_.workspace.refresh();
  if (closing_->closing()) return;
  if (outcome.status == RunStatus::Failed)
    failure_->show({run.run, run.name, outcome.reason, outcome.cause, checkpointsLeft(run.run, outcome)});
  else if (outcome.status == RunStatus::Interrupted && !run.run.isEmpty())
    parts_.resume.offer(run.run);
  else if (run.run.isEmpty() || pages_->openPage() != watch_ || parts_.watch.selected() != run.run)
    message_->showMessage(NoteLevel::Info, tr("Run %1: %2").arg(run.name, eventSentence(outcome)));
  if (parts_.watch.selected().isEmpty() && pages_->openPage() == watch_) pages_->open(edit_);
  refresh();
}

RemainingCheckpoints MainWindow::checkpointsLeft(const QString& run, const RunFinished& outcome) const {
  if (!outcome.lastCheckpoint.empty()) return RemainingCheckpoints::Some;  // of this segment; else of earlier ones
  if (run.isEmpty()) return RemainingCheckpoints::Unknown;  // it did not start; if it was a resume, it may have some
  const RunSummary* summary = parts_.workspace.runs().find(run);
  return summary != nullptr && summary->checkpoints > 0 ? RemainingCheckpoints::Some : RemainingCheckpoints::None;
}

MainWindow::WindowState MainWindow::currentState() const {
  return {pages_->indexOf(pages_->openPage()),
          watch_->grid().view(),
          message_->message(),
          resume_->offered(),
          waiting_,
          archive_->offered(),
          failure_->shown(),
          endedLast_};
}

void MainWindow::continueFrom(const WindowState& from) {
  if (parts_.workspace.workspace()) adoptWorkspace();
  endedLast_ = from.endedLast;
  updateRunStyle();  // the texts of alerts are in the language of this window
  pages_->open(pages_->widget(from.page));
  watch_->grid().setView(from.charts, parts_.watch.options().xAxis);
  runs_->select(parts_.watch.selected());
  docks_->syncWithPresenters();
  if (from.offer)
    resume_->showOffer(*from.offer);
  else if (!from.archived.isEmpty())
    archive_->offer(from.archived);
  else if (from.failed)
    failure_->show(*from.failed);
  else if (from.message)
    message_->showMessage(from.message->level, from.message->title, from.message->details);
  waiting_ = from.waiting;
}

void MainWindow::saveLayout() {
  const QByteArray geometry = saveGeometry(), state = saveState(kLayoutVersion);
  if (std::exchange(keptLayout_, geometry + state) != geometry + state) parts_.settings.setLayout({geometry, state});
}

void MainWindow::adoptWorkspace() {
  setWindowTitle(tr("%1 – Batchwise").arg(QDir(parts_.workspace.folder()).dirName()));
  parts_.workspace.refresh();
}

void MainWindow::refresh() {
  commands_->update();
  pages_->setWorkspaceEmpty(parts_.workspace.runs().rowCount() == 0 && !parts_.run.busy() &&
                            parts_.watch.selected().isEmpty());
}

void MainWindow::tick() {
  watch_->repaintCharts();
  if (!std::exchange(progressDirty_, false)) return;
  const auto selected = commands_->target();
  status_->showProgress(selected ? *selected : parts_.run.progress());
  watch_->showProgress(parts_.run.progress());
  docks_->refreshDevices();
  refresh();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!closing_->mayClose()) {
    event->ignore();
    return;
  }
  parts_.edit.saveDraftNow();
  docks_->saveNotes();
  saveLayout();
  event->accept();
}

}  // namespace batchwise
