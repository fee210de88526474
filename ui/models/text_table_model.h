// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <vector>

#include "core/analysis/text_table.h"

namespace batchwise {

/// Shows a table of texts. GUI thread.
class TextTableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { SortRole = Qt::UserRole + 1 };  ///< a number where the cell is one, else the text

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// `toolTips` has the shape of the table, or is empty.
  void setTable(TextTable table, std::vector<std::vector<std::string>> toolTips = {});
  const TextTable& table() const { return table_; }

 private:
  TextTable table_;
  std::vector<std::vector<std::string>> toolTips_;
};

}  // namespace batchwise
