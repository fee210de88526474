// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/shell/main_window.h"

#include <QtCore/QDir>
#include <QtGui/QAction>
#include <QtGui/QCloseEvent>
#include <QtWidgets/QMenu>

#include "ui/models/words.h"
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
#include "ui/widgets/parts/shortcut_book.h"
#include "ui/widgets/watch/chart_grid.h"
#include "ui/widgets/watch/watch_page.h"
#include "ui/widgets/window/page_area.h"
#include "ui/widgets/window/run_status_bar.h"
#include "ui/widgets/window/saving_progress.h"
#include "ui/widgets/window/welcome_page.h"
#include "ui/widgets/window/window_actions.h"
#include "ui/widgets/window/window_docks.h"
#include "ui/widgets/window/window_help.h"
#include "ui/widgets/window/window_memory.h"
#include "ui/widgets/window/workspace_pages.h"

namespace batchwise {
namespace {

constexpr int kFrameMs = 40;
constexpr int kKeepLayoutMs = 10'000;
constexpr int kPassingMs = 15'000;
constexpr int kLayoutVersion = 1;
constexpr int kNewestRuns = 5;

}  // namespace

MainWindow::MainWindow(const StudioParts& parts, WindowMemory& memory) : parts_(parts), memory_(memory) {
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
  frame_.setInterval(kFrameMs);
  connect(&frame_, &QTimer::timeout, this, &MainWindow::tick);
  frame_.start();
  // What is put in its place is there again after the program was killed.
  connect(&layoutTimer_, &QTimer::timeout, this, [this] {
    if (laidOut_) keepLayout();
  });
  layoutTimer_.start(kKeepLayoutMs);
  refresh();
}

MainWindow::~MainWindow() = default;

void MainWindow::makePages() {
  message_ = new MessageBar(parts_.theme, this);
  pages_ = new WorkspacePages(parts_.theme, this);
  welcome_ = new WelcomePage(parts_.theme, pages_);
  edit_ = new EditPage(parts_.edit, parts_.theme, pages_);
  watch_ = new WatchPage(parts_.watch, parts_.workspace.runs(), parts_.theme, parts_.settings, memory_.saving, pages_);
  checkpoints_ = new CheckpointsPage(parts_.checkpoints, parts_.settings, parts_.theme, pages_);
  pages_->addPage(edit_, {"page_edit", tr("&Edit"), tr("The configuration of the next run"), QStringLiteral("file")});
  pages_->addPage(watch_, {"page_watch", tr("&Watch"), tr("The charts of the selected run"), QStringLiteral("demo")});
  compare_ = new ComparePage(memory_.comparing, memory_.saving, parts_.theme, pages_);
  pages_->addPage(compare_,
                  {"page_compare", tr("&Compare"), tr("The chosen runs side by side"), QStringLiteral("compare")});
  pages_->addPage(checkpoints_, {"page_checkpoints", tr("Chec&kpoints"), tr("The checkpoints of the selected run"),
                                 QStringLiteral("checkpoint")});
  pages_->setStandIn(watch_, welcome_);
  pages_->open(watch_);
  setCentralWidget(new PageArea(*pages_, *message_, this));
  connect(pages_, &WorkspacePages::opened, this, &MainWindow::refresh);
}

void MainWindow::makeDocks() {
  docks_ = new WindowDocks(parts_, memory_, *this);
  runs_ = &docks_->runs();
  connect(runs_, &RunListPane::runSelected, this, &MainWindow::showRun);
  connect(docks_, &WindowDocks::runChosen, this, &MainWindow::showRun);
}

void MainWindow::makeCommands() {
  newRun_ = new NewRunCommands(parts_, *actions_, *this);
  connect(newRun_, &NewRunCommands::draftLoaded, this, [this] { pages_->open(edit_); });
  connect(newRun_, &NewRunCommands::refused, this,
          [this](const QString& why) { message_->showMessage(NoteLevel::Warning, why); });
  new SlurmCommands(parts_, *actions_, *this);  // first: it tells whether there is a cluster
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
      resume_->openCard(parts_.watch.selected());
    else
      message_->showMessage(NoteLevel::Info, why);
  });
  connect(resume_, &ResumeCommands::wanted, commands_, &RunCommands::start);
  connect(checkpoints_, &CheckpointsPage::resumeWanted, resume_, &ResumeCommands::openCard);
  failure_ = new FailureCommands(parts_, *message_, *this);
  connect(failure_, &FailureCommands::resumeWanted, this, [this](const QString& run) { resume_->openCard(run); });
  connect(failure_, &FailureCommands::duplicateWanted, newRun_, &NewRunCommands::duplicate);
  connect(failure_, &FailureCommands::logWanted, this, [this](const QString& run) {
    parts_.watch.select(run);
    runs_->select(run);
    docks_->showLog();
  });
  closing_ = new ClosingGuard(parts_.run, {&memory_.saving, &memory_.moving}, *this);
  for (auto* progress : {new SavingProgress(memory_.saving, QStringLiteral("savingValues"), *this),
                         new SavingProgress(memory_.moving, QStringLiteral("movingRuns"), *this)})
    connect(closing_, &ClosingGuard::waitsForFile, progress, &SavingProgress::tellClosing);
  connect(welcome_, &WelcomePage::demoWanted, this, [this] {
    parts_.edit.loadDemo();
    commands_->launch();
  });
  connect(welcome_, &WelcomePage::fileWanted, newRun_, &NewRunCommands::fromFile);
  connect(welcome_, &WelcomePage::workspaceWanted, newRun_, &NewRunCommands::openWorkspace);
  connect(watch_, &WatchPage::newRunWanted, newRun_, &NewRunCommands::fromDemo);
  connect(edit_, &EditPage::launchWanted, commands_, &RunCommands::launch);
  connect(edit_, &EditPage::queueWanted, commands_, &RunCommands::enqueue);
  connect(commands_, &RunCommands::queueWanted, this, &MainWindow::addToQueue);
  archive_ = new ArchiveCommands(parts_, memory_, *message_, *this);
  connect(runs_, &RunListPane::archiveWanted, archive_, &ArchiveCommands::archive);
  runList_ = new RunListCommands(parts_, memory_, *runs_, *actions_, *this);
  QUndoStack& draftSteps = memory_.draftSteps.stack();
  for (QUndoStack* stack : {&draftSteps, &memory_.archiveSteps}) actions_->steps.addStack(stack);
  const auto chooseSteps = [this, &draftSteps] {
    actions_->steps.setActiveStack(pages_->openPage() == edit_ ? &draftSteps : &memory_.archiveSteps);
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
                   [this](const QString& name) { Q_EMIT languageWanted(name); }},
                  parts_.theme, parts_.settings);
}

void MainWindow::connectWorkspace() {
  WorkspacePresenter& workspace = parts_.workspace;
  connect(&workspace, &WorkspacePresenter::opened, this, [this](const QString& folder) {
    parts_.settings.setWorkspace(folder);
    adoptWorkspace();
    message_->clear();
    justOpened_ = true;
    parts_.edit.keepDraftIn(parts_.workspace.workspace());
    refresh();
  });
  connect(&workspace, &WorkspacePresenter::failed, this, [this](const QString& what) {
    message_->showMessage(NoteLevel::Error,
                          tr("The workspace cannot be used. Choose another one under File > Open workspace."), what);
  });
  connect(&workspace, &WorkspacePresenter::otherNotOpened, this, [this](const QString& what) {
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
    progressDirty_ = true;  // of runs in other processes
    refresh();
  });
}

void MainWindow::connectRun() {
  RunPresenter& run = parts_.run;
  connect(&run, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events) parts_.workspace.runs().apply(id, event);
    parts_.watch.takeEvents(id, events);
  });
  connect(&run, &RunPresenter::started, this, [this](const QString& id) {
    parts_.workspace.refresh();
    if (parts_.watch.selected().isEmpty()) parts_.watch.select(id);
    runs_->select(parts_.watch.selected());
  });
  connect(&run, &RunPresenter::progressChanged, this, [this] { progressDirty_ = true; });
  connect(&run, &RunPresenter::finished, this, &MainWindow::showFinished);
  const auto tell = [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); };
  connect(&run, &RunPresenter::failed, this, tell);
  connect(&run, &RunPresenter::waits, this, [this](const QString& name, const QString& why) {
    if (!why.isEmpty()) {
      message_->showMessage(NoteLevel::Error, tr("Run %1 is waiting").arg(name), why);
      waiting_ = name;
    } else if (waiting_ == name) {
      message_->clear();
    }
  });
  connect(message_, &MessageBar::replaced, this, [this] { waiting_.clear(); });
  connect(message_, &MessageBar::passedOn, status_,
          [this](const QString& text) { status_->showMessage(text, kPassingMs); });
  connect(&run, &RunPresenter::troubled, this, [this](const QString& name, const QString& what) {
    message_->showMessage(NoteLevel::Error, tr("Run %1").arg(name), what);
  });
  connect(&parts_.edit, &EditPresenter::failed, this, tell);
  connect(&parts_.watch, &WatchPresenter::failed, this, tell);
  connect(&parts_.workspace, &WorkspacePresenter::commandFailed, this, tell);
  connect(&parts_.resume, &ResumePresenter::failed, this, tell);
  connect(&parts_.checkpoints, &CheckpointsPresenter::failed, this, tell);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, [this] {
    parts_.checkpoints.select(parts_.watch.selected());
    progressDirty_ = true;
    refresh();
  });
}

void MainWindow::connectExports() {
  const auto told = [this](const QString& file) {
    message_->showMessage(NoteLevel::Info, tr("Written to %1").arg(file));
  };
  const auto failed = [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); };
  connect(compare_, &ComparePage::exported, this, told);
  connect(compare_, &ComparePage::failed, this, failed);
  connect(newRun_, &NewRunCommands::saved, this, told);
  connect(&memory_.moving, &RunMoving::exported, this, told);
  connect(&memory_.moving, &RunMoving::exportFailed, this, failed);
  connect(&memory_.moving, &RunMoving::imported, this,
          [this](const QString& run, const QString& name, const QString& folder) {
            const auto open = parts_.workspace.workspace();  // perhaps another one than at the beginning
            const bool here = open != nullptr && folder == QString::fromStdString(open->folder().string());
            if (here) parts_.workspace.refresh();
            if (here) showRun(run);
            message_->showMessage(NoteLevel::Info, here ? tr("Run %1 was imported").arg(name)
                                                        : tr("Run %1 was imported into %2").arg(name, folder));
          });
  connect(compare_, &ComparePage::told, this,
          [this](const QString& sentence) { message_->showMessage(NoteLevel::Info, sentence); });
  connect(watch_, &WatchPage::exported, this, told);
  connect(watch_, &WatchPage::failed, this, failed);
  connect(&memory_.saving, &ValueSaving::finished, this, [told, failed](const QString& file, const QString& problem) {
    problem.isEmpty() ? told(file) : failed(problem);
  });
}

void MainWindow::connectComparison() {
  connect(&memory_.comparing, &ComparePresenter::changed, this, &MainWindow::tellLook);
  connect(&memory_.alerts.model(), &QAbstractItemModel::rowsInserted, this, &MainWindow::tellLook);
  connect(&memory_.alerts.model(), &QAbstractItemModel::modelReset, this, &MainWindow::tellLook);
  connect(&parts_.watch, &WatchPresenter::selectionChanged, this, &MainWindow::tellLook);
  connect(runs_, &RunListPane::compareWanted, this, [this] { pages_->open(compare_); });
  connect(compare_, &ComparePage::chooseWanted, this, &MainWindow::chooseNewest);
}

void MainWindow::tellLook() {
  const QString& run = parts_.watch.selected();
  parts_.watch.setLook({memory_.comparing.styleOf(run), memory_.alerts.marksOf(run)});
}

void MainWindow::connectQueue() {
  connect(&memory_.queue, &QueuePresenter::failed, this,
          [this](const QString& what) { message_->showMessage(NoteLevel::Error, what); });
  connect(&memory_.queue, &QueuePresenter::launching, this, [this] {
    // Goes along with the queue, unless another run is looked at than the one that has just ended.
    if (parts_.watch.selected() == endedLast_) parts_.watch.select({});
  });
}

void MainWindow::addToQueue(const std::vector<LoadedConfig>& runs, bool begin) {
  memory_.queue.add(runs);
  if (begin) memory_.queue.go();
  message_->showMessage(NoteLevel::Info, tr("%n run(s) added to the queue", nullptr, static_cast<int>(runs.size())),
                        memory_.queue.going() ? QString() : tr("Training begins when the queue is started."));
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
  connect(help_, &WindowHelp::runWanted, this, &MainWindow::showRun);
  connect(help_, &WindowHelp::settingWanted, this, [this](const QString& path) {
    pages_->open(edit_);
    edit_->showSetting(path.toStdString());
  });
  const auto tellKeys = [this] {
    pages_->tellKeys();
    commands_->update();
  };
  connect(&help_->shortcuts(), &ShortcutBook::changed, this, tellKeys);
  tellKeys();
  auto* drops = new DropCommands(parts_, memory_.moving, *this);
  connect(runList_, &RunListCommands::importWanted, drops, &DropCommands::import);
  connect(drops, &DropCommands::configWanted, this, &MainWindow::editFile);
  connect(drops, &DropCommands::otherConfigWanted, newRun_, &NewRunCommands::editOther, Qt::QueuedConnection);
  connect(drops, &DropCommands::workspaceWanted, newRun_,
          [this](const QString& folder) { newRun_->switchWorkspace(folder); });
  const auto refuse = [this](const QString& what, const QString& why) {
    message_->showMessage(NoteLevel::Error, tr("%1 cannot be used").arg(what), why);
  };
  connect(drops, &DropCommands::refused, this, refuse);
  connect(&memory_.moving, &RunMoving::importFailed, this, refuse);
}

void MainWindow::chooseNewest() {
  CompareView view = memory_.comparing.view();
  view.runs.clear();
  for (int row = 0; row < kNewestRuns; ++row)
    if (const RunSummary* run = parts_.workspace.runs().at(row)) view.runs << toQt(run->id);
  memory_.comparing.setView(view);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(laidOut_, true)) restoreLayout();
}

/// Once the window has its size: docks that are restored before would be stretched with it.
void MainWindow::restoreLayout() {
  layouts_->keepFirst([this] { docks_->setFirstSizes(); });
  const auto layout = parts_.settings.layout();
  if (layout && restoreState(layout->state, kLayoutVersion)) return;
  docks_->setFirstSizes();
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
    failure_->show({run.run, run.name, outcome.reason, checkpointsLeft(run.run, outcome)});
  else if (outcome.status == RunStatus::Interrupted && !run.run.isEmpty())
    parts_.resume.offer(run.run);
  else if (run.run.isEmpty() || pages_->openPage() != watch_ || parts_.watch.selected() != run.run)
    message_->showMessage(NoteLevel::Info, tr("Run %1: %2").arg(run.name, eventSentence(outcome)));
  if (parts_.watch.selected().isEmpty() && pages_->openPage() == watch_) pages_->open(edit_);
  refresh();
}

CheckpointsLeft MainWindow::checkpointsLeft(const QString& run, const RunFinished& outcome) const {
  if (!outcome.lastCheckpoint.empty()) return CheckpointsLeft::Some;  // of this segment; there may be an earlier one
  if (run.isEmpty()) return CheckpointsLeft::NotKnown;                // it did not start; a resume might have
  const RunSummary* summary = parts_.workspace.runs().find(run);
  return summary != nullptr && summary->checkpoints > 0 ? CheckpointsLeft::Some : CheckpointsLeft::None;
}

MainWindow::Handover MainWindow::handover() const {
  return {pages_->indexOf(pages_->openPage()),
          watch_->grid().view(),
          message_->message(),
          resume_->offered(),
          waiting_,
          archive_->offered(),
          failure_->shown(),
          endedLast_};
}

void MainWindow::takeUp(const Handover& from) {
  if (parts_.workspace.workspace()) adoptWorkspace();
  endedLast_ = from.endedLast;
  tellLook();  // alerts are told in the words of this window
  pages_->open(pages_->widget(from.page));
  watch_->grid().setView(from.charts, parts_.watch.options().clock);
  runs_->select(parts_.watch.selected());
  docks_->readPresenters();
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

void MainWindow::keepLayout() {
  const QByteArray geometry = saveGeometry(), state = saveState(kLayoutVersion);
  if (std::exchange(keptLayout_, geometry + state) != geometry + state) parts_.settings.setLayout({geometry, state});
}

void MainWindow::adoptWorkspace() {
  setWindowTitle(tr("%1 – Batchwise").arg(QDir(parts_.workspace.folder()).dirName()));
  parts_.workspace.refresh();
}

void MainWindow::refresh() {
  commands_->update();
  pages_->setNothingToShow(parts_.workspace.runs().rowCount() == 0 && !parts_.run.busy() &&
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
  parts_.edit.saveNow();
  docks_->saveNotes();
  keepLayout();
  event->accept();
}

}  // namespace batchwise
