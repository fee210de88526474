// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <vector>

#include "core/run/run_queue.h"
#include "core/store/records.h"
#include "ui/models/table_model.h"

namespace batchwise {

/// Runs of a workspace, newest first, one per row: copies of the stored summaries, updated by events. GUI thread.
class RunListModel final : public RecordTable<RunSummary> {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, LossColumn, ProgressColumn, TagsColumn, CreatedColumn, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString
    StatusRole,                 ///< 2 * RunStatus, plus 1 if paused
    IconRole,                   ///< QString, name in resources/icons
    SortRole,                   ///< number or text
    SearchRole,                 ///< QString, text that filters match
  };

  explicit RunListModel(QObject* parent = nullptr);

  /// Replaces the rows; selections of remaining rows persist.
  void update(std::vector<RunSummary> runs);
  /// Applies an event to run `id`: state, position, latest values.
  void apply(const QString& id, const RunEvent& event);

  /// Newest run with status Finished; null if there is none. Valid until the next change.
  const RunSummary* newestFinished() const;

 private:
  QVariant cell(int row, int columnIndex, int role) const override;
  QVariant text(const RunSummary& run, Column column) const;
  QVariant toolTip(const RunSummary& run, Column column) const;
  QVariant sortKey(const RunSummary& run, Column column) const;
};

/// The run queue of the workspace, one entry per row: running ones, waiting ones in launch order, then ended ones,
/// latest first. GUI thread.
class QueueModel final : public RowTable<std::vector<QueueEntry>> {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString, id of the entry
    IconRole,                   ///< QString, name in resources/icons; StateColumn only
    RunRole,                    ///< QString, run id; empty until the run exists
  };

  explicit QueueModel(QObject* parent = nullptr);

  /// Replaces all rows; `entries` are in queue order. Selections persist if the order of ids is unchanged.
  void update(std::vector<QueueEntry> entries);
  const QueueEntry* at(int row) const;
  int rowOf(const QString& entry) const;

 private:
  QVariant cell(int row, int column, int role) const override;
};

/// Checkpoints of one run, newest first. GUI thread.
class CheckpointModel final : public RecordTable<CheckpointRecord> {
  Q_OBJECT

 public:
  enum Column {
    BatchColumn,
    CreatedColumn,
    SizeColumn,
    MetricColumn,
    ReasonColumn,
    StateColumn,
    PinnedColumn,
    ColumnCount
  };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString
    IconRole,                   ///< QString, name in resources/icons; StateColumn only
    SortRole,                   ///< number or text
  };
  /// Result of reading back the whole file in this session.
  enum class Check { None, Running, Good, Damaged };

  explicit CheckpointModel(QObject* parent = nullptr);

  /// Replaces the rows; selections of remaining rows persist.
  void update(std::vector<CheckpointRecord> records);
  void setCheck(const QString& id, Check check, const QString& problem = {});

 private:
  struct Checked {
    Check check = Check::None;
    QString problem;
  };
  QVariant cell(int row, int columnIndex, int role) const override;
  QVariant text(const CheckpointRecord& record, Column column) const;
  QVariant toolTip(const CheckpointRecord& record, Column column) const;
  QVariant sortKey(const CheckpointRecord& record, Column column) const;
  QString stateText(const CheckpointRecord& record) const;
  QString stateIcon(const CheckpointRecord& record) const;

  QHash<QString, Checked> checked_;
};

}  // namespace batchwise
