// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <QtCore/QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/trackers/run_importer.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// Folders and files of other programs, whose runs are read into the open workspace while they grow, and what the
/// Python package logs there. The workspace remembers the folders. Files are read on a queue of its own. GUI thread.
class FollowedRuns final : public QObject {
  Q_OBJECT

 public:
  explicit FollowedRuns(WorkspacePresenter& workspace, QObject* parent = nullptr);
  ~FollowedRuns() override;

  /// Emits read() after the first reading of each, or failed(); one that holds no runs is not followed.
  void follow(const QStringList& paths);
  void stop(const QString& path);
  const QStringList& paths() const { return paths_; }
  /// Names the column of steps of tables with these columns, and reads `path` again.
  void setSteps(const QString& path, const std::vector<std::string>& columns, const QString& step);

  /// Returns the lines as a person has changed them, nothing to leave all as it is; `problem`: of those given before.
  using EditLines = std::function<std::optional<QString>(const QString& lines, const QString& problem)>;
  /// Has the table of the names of series edited, as a line "in the files = here" for each, in the order in which they
  /// count, and stores it.
  void editNames(EditLines edit);

 Q_SIGNALS:
  void read(const QString& path, const batchwise::ImportReport& report);
  void failed(const QString& path, const QString& why);
  /// Of a table whose steps are in an unknown column.
  void stepsRequested(const QString& path, const std::vector<std::string>& columns);

 private:
  struct Reading;
  void load();
  void save();
  void storeNames(const std::vector<SeriesAlias>& table);
  void readAll();
  void receive(const std::vector<Reading>& readings);

  WorkspacePresenter& workspace_;
  QStringList paths_;
  QStringList unread_;                                // those whose first reading is to be reported
  std::map<QString, std::vector<std::string>> told_;  // problems of the last readings
  /// Accessed by the task queue, one task at a time.
  struct Importers;
  std::shared_ptr<Importers> importers_;
  QTimer timer_;
  bool reading_ = false;
  TaskQueue tasks_;
};

}  // namespace batchwise
