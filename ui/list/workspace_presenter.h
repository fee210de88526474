// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QMap>
#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <QtCore/QTimer>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include "core/config/events/run_command.h"
#include "core/store/workspace.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/list/run_list.h"

namespace batchwise {

/// The open workspace and its list of runs, polled once a second to show runs of other processes, crashed runs, and
/// runs on other machines, whose journals are imported. Polls a slow list less often and skips it while nothing is
/// committed. File access is on the task queue, imports, which may take minutes, on a queue of their own. GUI thread.
class WorkspacePresenter final : public QObject {
  Q_OBJECT

 public:
  explicit WorkspacePresenter(TaskQueue& tasks, QObject* parent = nullptr);

  enum class OpenMode {
    CreateIfMissing,
    MustExist,  ///< used before: if its disk is not mounted, an empty one would look like data loss
  };
  /// Emits opened(), or damaged() if it can be restored, or failed(), or switchFailed() while another workspace is
  /// open, which stays open. Then backs up the database in the background, if that is due.
  void open(const QString& folder, OpenMode how = OpenMode::CreateIfMissing);
  /// Restores a workspace that damaged() named, and opens it; emits restored() then, or failed().
  void restore(const QString& folder);
  /// Null until opened() is emitted.
  std::shared_ptr<Workspace> workspace() const { return workspace_; }
  QString folder() const { return folder_; }
  /// The queue for all access to the workspace.
  TaskQueue& tasks() { return tasks_; }
  /// Without archived runs unless showsArchived().
  RunList& runs() { return runs_; }
  bool showsArchived() const { return showsArchived_; }
  void setShowsArchived(bool on);
  /// Number of archived runs, whether shown or not.
  int archived() const { return archived_; }
  /// Reads the list again, or once more after a reading under way; emits refreshed() each time. Also imports what
  /// journals have got and marks dead runs, and reads the list once more if that has changed anything.
  void refresh();
  /// Whether that has been tried since the workspace was opened: the list has the runs of other machines.
  bool synced() const { return synced_; }
  /// Reads the list again as soon as the store has what `event` of a run launched here changes in it. The rows of a
  /// training run are left to the polling.
  void wake(const RunEvent& event);
  /// Sends a command to the process that trains `run`; emits commandFailed() if it cannot be reached.
  void command(const QString& run, RunCommand command);
  // Each emits editFailed() on an error, and refreshes the list of runs. What was asked for is done even if the window
  // closes at once.
  void setName(const QString& run, const QString& name);
  void setTags(const QMap<QString, QStringList>& tags);       ///< by run; of several runs in one step
  void setNote(const QString& run, const QString& markdown);  ///< emits noteStored()
  void setArchived(const QStringList& runs, bool archived);
  /// Deletes as many as possible, and reports the first that could not be. `done`: called once all are deleted.
  void deleteRuns(const QStringList& runs, std::function<void()> done = {});
  void deleteCheckpoints(const QStringList& checkpoints, std::function<void()> done = {});
  /// True if any process of this machine trains a run of the workspace.
  bool anyLocalRunTraining() const;
  /// Free space on the workspace's disk for this user; negative if unknown.
  std::int64_t freeDiskBytes() const { return freeDiskBytes_; }
  /// Why journals could not be imported, or dead runs not be marked, at the last poll; empty if they could.
  const QString& syncProblem() const { return syncProblem_; }

 Q_SIGNALS:
  /// Another workspace is about to take the place of this one: the last moment to store something in it.
  void closing();
  void opened(const QString& folder);
  /// The database of `folder` is damaged, and there is something to restore it from.
  void damaged(const QString& folder, const QString& message);
  /// After opened(). `report`: what was restored, from when, what was added and what is missing, line by line.
  void restored(const QString& report);
  void backupFailed(const QString& message);
  void failed(const QString& message);
  /// open() failed while another workspace is open, which stays open.
  void switchFailed(const QString& message);
  void refreshed();
  /// There is a syncProblem(). The list of runs is read in spite of it.
  void syncFailed(const QString& message);
  void commandFailed(const QString& message);
  void editFailed(const QString& message);
  void noteStored(const QString& run, const QString& markdown);

 private:
  struct Snapshot;
  struct Sync;
  using JournalBytes = std::map<std::filesystem::path, std::uintmax_t>;
  void sync();
  void readList();
  void receive(Sync done);
  static Result<void> readRuns(const Workspace& workspace, std::optional<std::int64_t> mark, Snapshot& snapshot);
  void edit(std::function<Result<void>(Workspace&)> work, std::function<void()> done = {});
  void receive(Snapshot snapshot);
  void reportOpenFailure(const QString& why);
  void startBackup();

  TaskQueue& tasks_;
  std::shared_ptr<Workspace> workspace_;
  QString folder_;
  RunList runs_;
  QTimer timer_, wakeTimer_;
  QString problem_, syncProblem_;  // of the last poll
  bool reading_ = false, syncing_ = false, synced_ = false;
  bool again_ = false;  // what was asked for during a reading may not be in it
  bool showsArchived_ = false;
  bool listsAnew_ = false;  // though nothing has been committed
  int archived_ = 0;
  JournalBytes journals_;                   // sizes at the last import
  std::optional<std::int64_t> changeMark_;  // change mark of the store when the list was read
  std::set<std::string> remoteRuns_;        // ids of runs on other machines
  std::int64_t freeDiskBytes_ = -1;
  QString restoreReport_;       // until the restored workspace is open
  QString restoredFolder_;      // that it is about
  std::stop_source importing_;  // stops the imports of the open workspace
  TaskQueue syncs_;
  std::jthread backup_;  // last: its thread posts to this object
};

}  // namespace batchwise
