// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// The runs of a workspace, newest first, one per row. Holds copies of what the store said, and what events have told
/// since. GUI thread.
class RunListModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { NameColumn, StateColumn, LossColumn, ProgressColumn, TagsColumn, CreatedColumn, ColumnCount };
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< QString
    StatusRole,                 ///< int of RunStatus
    IconRole,                   ///< QString, name in resources/icons, of the state
    SortRole,                   ///< a number or text to sort by
    SearchRole,                 ///< QString, all words a filter looks at
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// Replaces the rows by `runs`, keeping the places of those that stay: selections survive, unless all come or all go.
  void update(std::vector<RunSummary> runs);
  /// What an event says about the run `id`: state, position, last values.
  void apply(const QString& id, const RunEvent& event);

  /// Null if there is no such run. Valid until the next change.
  const RunSummary* find(const QString& id) const;
  const RunSummary* at(int row) const;
  /// Of the runs that came to their end; null if there is none. Valid until the next change.
  const RunSummary* newestFinished() const;
  int rowOf(const QString& id) const;  ///< -1 if there is none

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
