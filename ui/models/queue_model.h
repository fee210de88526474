// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>

#include "core/run/run_queue.h"

namespace batchwise {

/// The run queue of the workspace, one entry per row: running ones, waiting ones in launch order, then ended ones,
/// latest first. GUI thread.
class QueueModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString, id of the entry
    IconRole,                   ///< QString, name in resources/icons; StateColumn only
    RunRole,                    ///< QString, run id; empty until the run exists
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Replaces all rows; `entries` are in queue order. Selections persist if the order of ids is unchanged.
  void update(std::vector<QueueEntry> entries);
  const QueueEntry* at(int row) const;
  int rowOf(const QString& entry) const;

 private:
  std::vector<QueueEntry> entries_;
};

}  // namespace batchwise
