// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <string>
#include <utility>
#include <vector>

#include "core/config/choices.h"
#include "core/store/records.h"
#include "core/store/run_queue.h"
#include "ui/parts/table_model.h"

namespace batchwise {

/// The run queue of the workspace, one entry per row: running ones, waiting ones in launch order, then ended ones,
/// latest first. GUI thread.
class QueueModel final : public RowTable<std::vector<QueueEntry>> {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, ExperimentColumn, ColumnCount };
  enum Role { IdRole = Qt::UserRole + 1 };  ///< QString, id of the run

  explicit QueueModel(QObject* parent = nullptr);

  /// Replaces all rows; `entries` are in queue order. Selections persist if the order of ids is unchanged.
  void update(std::vector<QueueEntry> entries);

 private:
  QVariant cell(int row, int column, int role) const override;
};

/// Returns why a checkpoint was written.
QString reasonText(const CheckpointRecord& record);

/// Checkpoints of one run, newest first. GUI thread.
class CheckpointModel final : public RowTable<std::vector<CheckpointRecord>> {
  Q_OBJECT

 public:
  enum Column {
    BatchColumn,
    MarkColumn,  ///< the newest, the best, the pinned ones
    ReasonColumn,
    MetricColumn,
    StateColumn,
    SizeColumn,
    CreatedColumn,
    ColumnCount
  };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString
    SortRole,                   ///< number or text
  };
  /// Result of reading back the whole file in this session.
  enum class Check { None, Running, Good, Damaged };

  explicit CheckpointModel(QObject* parent = nullptr);

  const CheckpointRecord* find(const QString& id) const { return at(rowOf(id)); }
  /// Replaces the rows. Selections persist if the ids are the same.
  void update(std::vector<CheckpointRecord> records);
  /// Sets the metric by which the best checkpoints of the run are kept; before update().
  void setMetric(EvalMetric metric);
  void setCheck(const QString& id, Check check, const QString& problem = {});
  /// Id of the best checkpoint, of the newest if no metric says which is the best; empty without checkpoints.
  QString bestOrNewest() const { return QString::fromStdString(best_.empty() ? newest_ : best_); }

 private:
  struct Checked {
    Check check = Check::None;
    QString problem;
  };
  QVariant cell(int row, int columnIndex, int role) const override;
  QVariant text(const CheckpointRecord& record, Column column) const;
  QVariant toolTip(const CheckpointRecord& record, Column column) const;
  QVariant sortKey(const CheckpointRecord& record, Column column) const;
  QString markText(const CheckpointRecord& record) const;
  /// Text and icon.
  std::pair<QString, QString> stateOf(const CheckpointRecord& record) const;

  QHash<QString, Checked> checked_;
  EvalMetric metric_ = EvalMetric::Loss;
  std::string newest_, best_;  // ids; may be empty
};

}  // namespace batchwise
