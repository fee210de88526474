// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>

#include "core/run/run_queue.h"

namespace batchwise {

/// The queue of the workspace, one entry per row: what trains, what waits in the order of turns, and what has had its
/// turn, the last first. GUI thread.
class QueueModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString, of the entry
    IconRole,                   ///< QString, name in resources/icons; StateColumn only
    RunRole,                    ///< QString, id of its run; empty before it exists
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Replaces all rows by these, which are in the order of their turns; what stays in its place keeps its selection.
  void update(std::vector<QueueEntry> entries);
  const QueueEntry* at(int row) const;
  int rowOf(const QString& entry) const;

 private:
  std::vector<QueueEntry> entries_;
};

}  // namespace batchwise
