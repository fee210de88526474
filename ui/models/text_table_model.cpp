// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/text_table_model.h"

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

QString cellAt(const std::vector<std::vector<std::string>>& rows, const QModelIndex& index) {
  const auto row = static_cast<std::size_t>(index.row()), column = static_cast<std::size_t>(index.column());
  return row < rows.size() && column < rows[row].size() ? toQt(rows[row][column]) : QString();
}

}  // namespace

int TextTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const bool numeric = table_.columns[static_cast<std::size_t>(index.column())].numeric;
  switch (role) {
    case Qt::DisplayRole: return cellAt(table_.rows, index);
    case Qt::ToolTipRole: {
      const QString own = cellAt(toolTips_, index);
      return plainToolTip(own.isEmpty() ? cellAt(table_.rows, index) : own);
    }
    case Qt::TextAlignmentRole: return int((numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole: {
      bool isNumber = false;
      const double number = cellAt(toolTips_.empty() ? table_.rows : toolTips_, index).toDouble(&isNumber);
      return isNumber ? QVariant(number) : QVariant(cellAt(table_.rows, index));
    }
    default: return {};
  }
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const TextTable::Column& column = table_.columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return toQt(column.title);
  if (role == Qt::ToolTipRole) return plainToolTip(toQt(column.about.empty() ? column.title : column.about));
  if (role == Qt::TextAlignmentRole) return int((column.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

void TextTableModel::setTable(TextTable table, std::vector<std::vector<std::string>> toolTips) {
  beginResetModel();
  table_ = std::move(table);
  toolTips_ = std::move(toolTips);
  endResetModel();
}

}  // namespace batchwise
