// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// Runs of a workspace, newest first, one per row: copies of the stored summaries, updated by events. GUI thread.
class RunListModel final : public QAbstractTableModel {
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

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Replaces the rows by row-level changes, so that selections of remaining rows persist. Resets the model if all rows
  /// come or all go.
  void update(std::vector<RunSummary> runs);
  /// Applies an event to run `id`: state, position, latest values.
  void apply(const QString& id, const RunEvent& event);

  /// Returns null if there is no such run. Valid until the next change.
  const RunSummary* find(const QString& id) const;
  const RunSummary* at(int row) const;
  /// Newest run with status Finished; null if there is none. Valid until the next change.
  const RunSummary* newestFinished() const;
  int rowOf(const QString& id) const;  ///< -1 if not found

 private:
  QVariant text(const RunSummary& run, Column column) const;
  QVariant toolTip(const RunSummary& run, Column column) const;
  QVariant sortKey(const RunSummary& run, Column column) const;
  void removeMissing(const std::vector<RunSummary>& runs);
  void numberRows();

  std::vector<RunSummary> runs_;
  std::unordered_map<std::string, int> rows_;  // by id
};

}  // namespace batchwise
