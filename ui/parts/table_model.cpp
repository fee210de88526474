// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/table_model.h"

#include <algorithm>

namespace batchwise {
namespace {

QString cellAt(const std::vector<std::vector<std::string>>& rows, const QModelIndex& index) {
  const auto row = static_cast<std::size_t>(index.row()), column = static_cast<std::size_t>(index.column());
  return row < rows.size() && column < rows[row].size() ? toQt(rows[row][column]) : QString();
}

}  // namespace

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::alignment(int column) const {
  return int((columns_[static_cast<std::size_t>(column)].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  return role == Qt::TextAlignmentRole ? alignment(index.column()) : cell(index.row(), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole) return alignment(section);
  if (role == Qt::ToolTipRole && column.toolTip != nullptr) return QString::fromUtf8(column.toolTip);
  return role == Qt::DisplayRole ? QString::fromUtf8(column.title) : QVariant();
}

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

bool TextTableModel::hasRowsOf(const TextTable& other) const {
  const auto sameName = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return !a.empty() && !b.empty() && a.front() == b.front();
  };
  return !table_.rows.empty() && table_.columns.size() == other.columns.size() &&
         std::ranges::equal(table_.rows, other.rows, sameName);
}

void TextTableModel::setTable(TextTable table, std::vector<std::vector<std::string>> toolTips) {
  const bool sameRows = hasRowsOf(table);
  if (!sameRows) beginResetModel();
  table_ = std::move(table);
  toolTips_ = std::move(toolTips);
  if (!sameRows) return endResetModel();
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

}  // namespace batchwise
