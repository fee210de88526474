// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <vector>

#include "core/analysis/text_table.h"

namespace batchwise {

/// Item model of a TextTable. GUI thread.
class TextTableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { SortRole = Qt::UserRole + 1 };  ///< number if the cell is one, else text

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// `toolTips`: same shape as the table, or empty.
  void setTable(TextTable table, std::vector<std::vector<std::string>> toolTips = {});
  const TextTable& table() const { return table_; }

 private:
  TextTable table_;
  std::vector<std::vector<std::string>> toolTips_;
};

}  // namespace batchwise
