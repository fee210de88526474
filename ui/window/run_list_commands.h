// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <functional>
#include <string>
#include <vector>

#include "ui/window/studio_parts.h"

namespace batchwise {

/// Commands for runs of the table: rename, archive, tags and unticking, all undoable; notes and export.
class RunListCommands final : public QObject {
  Q_OBJECT

 public:
  /// Connects the actions and the list.
  RunListCommands(StudioParts& parts, const WindowViews& views);

  /// Undoable. Does nothing if the name is empty or unchanged.
  void rename(const QString& run, const QString& name);
  /// Undoable. Does nothing if no run is ticked.
  void chooseNone();
  /// One undoable step, which the message bar offers to undo.
  void archive(const QStringList& runs);
  /// One undoable step.
  void restore(const QStringList& runs);
  /// Asks with what it frees, then deletes the runs that do not train.
  void askDelete(const QStringList& runs);
  /// Asks with what it frees, then deletes all but the best checkpoint of each of the runs.
  void askKeepBest(const QStringList& runs);
  void showDiskUse();
  /// One undoable step. Does nothing if no run changes.
  void changeTags(const QStringList& runs, const QStringList& add, const QStringList& remove);
  /// Writes the run with its newest checkpoint to `file`; FileJobs reports the outcome.
  void exportTo(const QString& run, const QString& file);

 private:
  /// Makes undoable that others took the place of these charts.
  void keepCharts(const ChartLayout& before);
  void addSeeds(QStringList runs);
  void askName(const QString& run);
  void askNote(const QString& run);
  void askTags(const QStringList& runs);
  void askFile(const QString& run);
  void askFolder(const QStringList& runs);
  QStringList knownRuns(const QStringList& runs) const;
  QStringList runsWith(const QStringList& runs, bool archived) const;
  QString namesOf(const QStringList& runs) const;
  using CheckpointsOfRun =
      std::function<Result<std::vector<CheckpointRecord>>(const Workspace&, const std::string& run)>;
  using CheckpointsRead = std::function<void(const std::vector<CheckpointRecord>&)>;
  /// Reads what `of` finds for each of the runs, on the task queue, and passes it to `done`. A failure is shown; in
  /// another workspace nothing happens.
  void readCheckpoints(const QStringList& runs, CheckpointsOfRun of, CheckpointsRead done);
  void deleteFor(const QStringList& runs, std::int64_t bytes, std::int64_t checkpoints);
  void keepBestFor(int runs, const std::vector<CheckpointRecord>& others);
  QStringList tagsOf(const QString& run) const;

  StudioParts& parts_;
  WindowViews views_;
  bool swapsCharts_ = false;  // undoes or redoes
};

}  // namespace batchwise
