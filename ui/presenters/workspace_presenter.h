// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/events/run_command.h"
#include "core/store/workspace.h"
#include "ui/bridge/task_queue.h"
#include "ui/models/run_list_model.h"

namespace batchwise {

/// The open workspace and its list of runs, read once a second so that runs of other processes show too, those whose
/// process has died, and those on other machines, which keep a journal: what is new of it is taken in. A list that
/// takes long to read is read less often, and none as long as nothing is committed. Everything that touches a file
/// happens on the task queue. GUI thread.
class WorkspacePresenter final : public QObject {
  Q_OBJECT

 public:
  explicit WorkspacePresenter(TaskQueue& tasks, QObject* parent = nullptr);

  enum class Opening {
    MayMake,
    MustBeThere,  ///< one that was used before: its disk may not be mounted, and an empty one would look like a loss
  };
  /// opened() or failed() follows. The workspace that was open stays until then.
  void open(const QString& folder, Opening how = Opening::MayMake);
  /// Null until opened().
  std::shared_ptr<Workspace> workspace() const { return workspace_; }
  QString folder() const { return folder_; }
  /// Where everything that touches the workspace happens.
  TaskQueue& tasks() { return tasks_; }
  RunListModel& runs() { return runs_; }
  /// Reads the list again; refreshed() follows.
  void refresh();
  /// Tells the process that trains `run`, whichever it is; commandFailed() if it cannot be reached.
  void command(const QString& run, RunCommand command);
  /// A run trains by a process of this machine, whichever it is.
  bool anyTrainsHere() const;
  /// Left for this user on the workspace's disk; 0 if it is not known.
  std::int64_t freeDiskBytes() const { return freeDiskBytes_; }

 Q_SIGNALS:
  void opened(const QString& folder);
  /// `message` names what happened and what would do.
  void failed(const QString& message);
  /// open() failed while a workspace is open, which goes on; `message` as in failed().
  void otherNotOpened(const QString& message);
  void refreshed();
  void commandFailed(const QString& message);

 private:
  struct Snapshot;
  using JournalBytes = std::map<std::filesystem::path, std::uintmax_t>;
  static Snapshot readSnapshot(const std::shared_ptr<Workspace>& workspace, const JournalBytes& journals,
                               std::optional<std::int64_t> mark, const std::stop_token& stop);
  static Result<void> readRuns(const Workspace& workspace, std::optional<std::int64_t> mark, Snapshot& snapshot);
  void take(Snapshot snapshot);
  void tellNotOpened(const QString& why);

  TaskQueue& tasks_;
  std::shared_ptr<Workspace> workspace_;
  QString folder_;
  RunListModel runs_;
  QTimer timer_;
  QString problem_;  // of the last reading
  bool reading_ = false;
  JournalBytes journals_;             // when they were taken in
  std::optional<std::int64_t> mark_;  // of the store when the list was read
  std::set<std::string> elsewhere_;   // ids of runs that train on other machines
  std::int64_t freeDiskBytes_ = -1;
};

}  // namespace batchwise
