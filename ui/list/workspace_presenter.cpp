// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/workspace_presenter.h"

#include <QtCore/QElapsedTimer>
#include <algorithm>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/run/controllers/command_channel.h"
#include "core/store/backups.h"
#include "core/store/journal/journal.h"
#include "core/store/restore/restore.h"
#include "core/store/workspace_folder.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kRefreshMs = 1000;
constexpr int kMaxRefreshMs = 3000;  // upper bound: queue, alerts and runs of other processes depend on it
constexpr int kIdlePerListing = 30;  // a long list that keeps changing uses 1/30 of a core
constexpr int kStoredMs = 250;       // after an event until it is stored

/// Returns whether the event changes more of a run's summary than its position, or is an alert.
bool changesState(const RunEvent& event) {
  const auto* note = std::get_if<RunNote>(&event);
  return std::holds_alternative<RunStarted>(event) || std::holds_alternative<EvalResult>(event) ||
         std::holds_alternative<RunFinished>(event) ||
         (note != nullptr && (note->paused.has_value() || isAlert(note->kind)));
}

/// What became of opening a workspace.
struct Opening {
  Result<std::shared_ptr<Workspace>> workspace;
  bool restorable = false;  // it is damaged
};

/// Returns an edit that deletes as many as possible, and reports the first that could not be.
auto deletionOf(const QStringList& ids, Result<void> (Workspace::*remove)(const std::string&)) {
  return [ids = fromQt(ids), remove](Workspace& workspace) {
    Result<void> all;
    for (const std::string& id : ids)
      if (auto deleted = (workspace.*remove)(id); !deleted.ok() && all.ok()) all = std::move(deleted);
    return all;
  };
}

bool isRestorable(const std::filesystem::path& folder, const Error& why) {
  return why.code == ErrorCode::Corrupt && (!backupsOf(folder).empty() || hasRunFiles(folder));
}

}  // namespace

struct WorkspacePresenter::Snapshot {
  std::optional<std::vector<RunSummary>> runs;  // none: unchanged
  std::optional<std::int64_t> mark;             // change mark of the store when read
  qint64 readingMs = 0;
  std::int64_t freeBytes = -1;
  std::set<std::string> elsewhere;  // read together with the runs
  QString problem;                  // why the runs could not be read
  bool damaged = false;             // because of damage that can be restored
};

/// Result of bringing the store up to date.
struct WorkspacePresenter::Sync {
  JournalBytes journals;
  bool changed = false;  // the store may have changed
  QString problem;

  /// Imports the journals that are not as long as `before`. At first also ends deletions that a crash ended.
  static Sync of(Workspace& workspace, const JournalBytes& before, bool isFirst, const std::stop_token& stop) {
    Sync sync;
    std::error_code gone;
    for (const auto& file : journalFiles(workspace.folder()))
      sync.journals[file] = std::filesystem::file_size(file, gone);
    std::vector<std::filesystem::path> grown;
    for (const auto& [file, bytes] : sync.journals)
      if (const auto known = before.find(file); known == before.end() || known->second != bytes) grown.push_back(file);
    sync.changed = isFirst || !grown.empty();
    if (sync.changed)
      if (const auto done = syncJournals(workspace, grown, stop); !done.ok()) sync.problem = toQt(done.error().text());
    // A run elsewhere may have lines that were not imported: it need not be dead.
    if (!sync.problem.isEmpty() || stop.stop_requested()) return sync;
    const auto dead = workspace.markDeadRuns();
    if (!dead.ok()) sync.problem = toQt(dead.error().text());
    sync.changed = sync.changed || (dead.ok() && *dead > 0);
    return sync;
  }
};

WorkspacePresenter::WorkspacePresenter(TaskQueue& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (!reading_) refresh();
  });
  wakeTimer_.setSingleShot(true);
  wakeTimer_.setInterval(kStoredMs);
  connect(&wakeTimer_, &QTimer::timeout, this, &WorkspacePresenter::refresh);
}

void WorkspacePresenter::open(const QString& folder, OpenMode how) {
  const std::filesystem::path path = folder.toStdString();
  backup_.request_stop();
  tasks_.post(
      this,
      [path, how]() -> std::optional<Opening> {
        if (how == OpenMode::MustExist && !holdsWorkspace(path)) return std::nullopt;
        Opening opening{Workspace::open(path)};
        opening.restorable = !opening.workspace.ok() && isRestorable(path, opening.workspace.error());
        return opening;
      },
      [this, folder](std::optional<Opening> opening) {
        if (!opening)
          return reportOpenFailure(tr("%1 no longer contains a workspace. Is its disk mounted?").arg(folder));
        if (opening->restorable) return Q_EMIT damaged(folder, toQt(opening->workspace.error().text()));
        if (!opening->workspace.ok()) return reportOpenFailure(toQt(opening->workspace.error().text()));
        if (workspace_) Q_EMIT closing();
        importing_.request_stop();
        importing_ = std::stop_source();
        workspace_ = *opening->workspace;
        journals_.clear();
        problem_.clear();
        syncProblem_.clear();
        synced_ = false;
        changeMark_.reset();
        showsArchived_ = false;
        archived_ = 0;
        folder_ = folder;
        runs_.update({});
        Q_EMIT this->opened(folder);
        if (const QString report = std::exchange(restoreReport_, {}); !report.isEmpty() && restoredFolder_ == folder)
          Q_EMIT restored(report);
        refresh();
        timer_.start(kRefreshMs);
        startBackup();
      });
}

void WorkspacePresenter::restore(const QString& folder) {
  backup_.request_stop();  // it holds the backups
  restoreReport_.clear();
  tasks_.post(
      this,
      [path = std::filesystem::path(folder.toStdString())](const std::stop_token& stop) {
        return restoreWorkspace(path, {}, stop);
      },
      [this, folder](const Result<RestoreReport>& report) {
        if (!report.ok()) return reportOpenFailure(toQt(report.error().text()));
        restoreReport_ = toQt(restoreLines(*report)).join(QLatin1Char('\n'));
        restoredFolder_ = folder;
        open(folder);
      });
}

void WorkspacePresenter::startBackup() {
  backup_ = std::jthread([this, folder = workspace_->folder()](const std::stop_token& stop) {
    const auto made = backUpIfDue(folder, Workspace::systemClock().wallMs(), stop);
    if (made.ok() || made.error().code == ErrorCode::Stopped) return;
    QMetaObject::invokeMethod(this, [this, why = made.error().text()] { Q_EMIT backupFailed(toQt(why)); });
  });
}

void WorkspacePresenter::reportOpenFailure(const QString& why) {
  if (workspace_)
    Q_EMIT switchFailed(why);
  else
    Q_EMIT failed(why);
}

/// Takes the change mark first, so that anything committed during the read is read again.
Result<void> WorkspacePresenter::readRuns(const Workspace& workspace, std::optional<std::int64_t> mark,
                                          Snapshot& snapshot) {
  ASSIGN_OR_RETURN(const auto now, workspace.dataVersion());
  snapshot.mark = now;
  if (mark == now) return {};
  QElapsedTimer timer;
  timer.start();
  ASSIGN_OR_RETURN(auto runs, workspace.listRuns(/*withArchived=*/true));
  ASSIGN_OR_RETURN(auto elsewhere, journalOnlyRuns(workspace));
  snapshot.runs = std::move(runs);
  snapshot.elsewhere = std::move(elsewhere);
  snapshot.readingMs = timer.elapsed();
  return {};
}

void WorkspacePresenter::refresh() {
  sync();
  readList();
}

void WorkspacePresenter::readList() {
  again_ = reading_;
  if (!workspace_ || reading_) return;
  reading_ = true;
  tasks_.post(
      this,
      [workspace = workspace_, mark = std::exchange(listsAnew_, false) ? std::nullopt : changeMark_] {
        Snapshot snapshot;
        if (auto read = readRuns(*workspace, mark, snapshot); !read.ok()) {
          snapshot.problem = toQt(read.error().text());
          snapshot.damaged = isRestorable(workspace->folder(), read.error());
        }
        if (const auto free = freeBytes(workspace->folder()); free.ok()) snapshot.freeBytes = *free;
        return snapshot;
      },
      [this, of = workspace_](Snapshot snapshot) {
        reading_ = false;
        if (of == workspace_) receive(std::move(snapshot));
        if (again_) readList();
      });
}

void WorkspacePresenter::sync() {
  if (!workspace_ || syncing_) return;
  syncing_ = true;
  syncs_.post(
      this,
      [workspace = workspace_, journals = journals_, isFirst = !synced_,
       importing = importing_](const std::stop_token& end) mutable {
        const std::stop_callback alsoThen(end, [&importing] { importing.request_stop(); });
        return Sync::of(*workspace, journals, isFirst, importing.get_token());
      },
      [this, of = workspace_](Sync done) {
        syncing_ = false;
        of == workspace_ ? receive(std::move(done)) : sync();
      });
}

/// Each problem is reported once. The import is tried again, because it may be transient.
void WorkspacePresenter::receive(Sync done) {
  const bool isFirst = !std::exchange(synced_, true);
  const QString problemBefore = std::exchange(syncProblem_, done.problem);
  if (syncProblem_.isEmpty()) journals_ = std::move(done.journals);
  if (!syncProblem_.isEmpty() && syncProblem_ != problemBefore) Q_EMIT syncFailed(syncProblem_);
  if (isFirst || done.changed) readList();
}

void WorkspacePresenter::wake(const RunEvent& event) {
  if (changesState(event) && !wakeTimer_.isActive()) wakeTimer_.start();
}

void WorkspacePresenter::setShowsArchived(bool on) {
  if (on == std::exchange(showsArchived_, on)) return;
  listsAnew_ = true;
  refresh();
}

bool WorkspacePresenter::anyLocalRunTraining() const {
  return std::ranges::any_of(runs_.all(), [this](const RunSummary& run) {
    return run.status == RunStatus::Running && !isExternal(run) && !remoteRuns_.contains(run.id);
  });
}

void WorkspacePresenter::command(const QString& run, RunCommand command) {
  if (!workspace_) return;
  const auto send = [workspace = workspace_, id = run.toStdString(), command]() -> Result<void> {
    ASSIGN_OR_RETURN(const auto detail, workspace->findRun(id));
    if (detail.segments.empty()) return Error::notFound("run " + detail.summary.name + " has not begun yet");
    return sendRunCommand(workspace->folder(), detail.segments.back().processId, command);
  };
  tasks_.post(
      this, send,
      [this](const Result<void>& sent) {
        if (!sent.ok()) Q_EMIT commandFailed(toQt(sent.error().text()));
      },
      TaskQueue::AtEnd::Run);
}

void WorkspacePresenter::edit(std::function<Result<void>(Workspace&)> work, std::function<void()> done) {
  if (!workspace_) return;
  tasks_.post(
      this, [workspace = workspace_, work = std::move(work)] { return work(*workspace); },
      [this, done = std::move(done)](const Result<void>& result) {
        if (!result.ok())
          Q_EMIT editFailed(toQt(result.error().text()));
        else if (done)
          done();
        refresh();
      },
      TaskQueue::AtEnd::Run);
}

void WorkspacePresenter::setName(const QString& run, const QString& name) {
  edit([id = run.toStdString(), to = name.toStdString()](Workspace& workspace) { return workspace.renameRun(id, to); });
}

void WorkspacePresenter::setTags(const QMap<QString, QStringList>& tags) {
  std::map<std::string, std::vector<std::string>> lists;
  for (auto run = tags.begin(); run != tags.end(); ++run) lists[run.key().toStdString()] = fromQt(run.value());
  edit([lists](Workspace& workspace) { return workspace.setTags(lists); });
}

void WorkspacePresenter::setNote(const QString& run, const QString& markdown) {
  edit([id = run.toStdString(),
        text = markdown.toStdString()](Workspace& workspace) { return workspace.setNote(id, text); },
       [this, run, markdown] { Q_EMIT noteStored(run, markdown); });
}

void WorkspacePresenter::setArchived(const QStringList& runs, bool archived) {
  edit([ids = fromQt(runs), archived](Workspace& workspace) { return workspace.setArchived(ids, archived); });
}

void WorkspacePresenter::deleteRuns(const QStringList& runs, std::function<void()> done) {
  edit(deletionOf(runs, &Workspace::deleteRun), std::move(done));
}

void WorkspacePresenter::deleteCheckpoints(const QStringList& checkpoints, std::function<void()> done) {
  edit(deletionOf(checkpoints, &Workspace::deleteCheckpoint), std::move(done));
}

void WorkspacePresenter::receive(Snapshot snapshot) {
  // Each problem is reported once. Polling continues, because it may be transient.
  const QString problemBefore = std::exchange(problem_, snapshot.problem);
  if (!problem_.isEmpty()) {
    changeMark_.reset();  // what was asked for is read again
    if (problem_ == problemBefore) return;
    if (snapshot.damaged)
      Q_EMIT damaged(folder_, problem_);
    else
      Q_EMIT failed(problem_);
    return;
  }
  freeDiskBytes_ = snapshot.freeBytes;
  changeMark_ = snapshot.mark;
  if (snapshot.runs) {
    remoteRuns_ = std::move(snapshot.elsewhere);
    archived_ = static_cast<int>(std::ranges::count_if(*snapshot.runs, &RunSummary::archived));
    if (!showsArchived_) std::erase_if(*snapshot.runs, &RunSummary::archived);
    runs_.update(std::move(*snapshot.runs));
  }
  const auto rest = std::min<std::int64_t>(kMaxRefreshMs, snapshot.readingMs * kIdlePerListing);
  const int interval = std::max(kRefreshMs, static_cast<int>(rest));
  if (interval != timer_.interval()) timer_.setInterval(interval);  // setInterval() restarts the timer
  Q_EMIT refreshed();
}

}  // namespace batchwise
