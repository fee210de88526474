// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <QtCore/QHash>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// Checkpoints of one run, newest first. GUI thread.
class CheckpointModel final : public QAbstractTableModel {
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

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Replaces the rows by row-level changes, so that selections of remaining rows persist.
  void update(std::vector<CheckpointRecord> records);
  void setCheck(const QString& id, Check check, const QString& problem = {});
  /// Returns null if there is no such checkpoint. Valid until the next change.
  const CheckpointRecord* find(const QString& id) const;
  int rowOf(const QString& id) const;  ///< -1 if not found

 private:
  struct Checked {
    Check check = Check::None;
    QString problem;
  };
  QVariant text(const CheckpointRecord& record, Column column) const;
  QVariant toolTip(const CheckpointRecord& record, Column column) const;
  QVariant sortKey(const CheckpointRecord& record, Column column) const;
  QString stateText(const CheckpointRecord& record) const;
  QString stateIcon(const CheckpointRecord& record) const;

  std::vector<CheckpointRecord> records_;
  QHash<QString, Checked> checked_;
};

}  // namespace batchwise
