// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/text_table.h"
#include "ui/parts/display_text.h"

namespace batchwise {

/// Role of the icon of a cell, in all models: QString, name in resources/icons.
inline constexpr int kIconRole = Qt::UserRole + 100;

/// Base of the window's tables: rows under columns that are known when the program is built. GUI thread.
class TableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  struct Column {
    const char* title;
    bool number = false;            ///< aligned to the right
    const char* toolTip = nullptr;  ///< of the header
  };

  int columnCount(const QModelIndex& parent = {}) const final;
  QVariant data(const QModelIndex& index, int role) const final;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

 protected:
  TableModel(std::span<const Column> columns, QObject* parent) : QAbstractTableModel(parent), columns_(columns) {}
  /// The new columns must be as many.
  void setColumns(std::span<const Column> columns) { columns_ = columns; }
  /// Value of a cell; alignment is that of its column.
  virtual QVariant cell(int row, int column, int role) const = 0;
  void emitRowChanged(int row) { Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1)); }

 private:
  QVariant alignment(int column) const;

  std::span<const Column> columns_;
};

/// A table that keeps its rows. `Rows`: a container with random access.
template <typename Rows>
class RowTable : public TableModel {
 public:
  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  /// Returns null if there is none. Valid until the next change.
  const auto* at(int row) const { return row >= 0 && row < rowCount() ? &this->row(row) : nullptr; }
  /// Row of the record with this `id`; -1 if there is none.
  int rowOf(const QString& id) const {
    const auto found = std::ranges::find_if(rows_, [&id](const auto& each) { return toQt(each.id) == id; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
  }

 protected:
  using TableModel::TableModel;

  const auto& row(int at) const { return rows_[static_cast<typename Rows::size_type>(at)]; }
  void resetRows(Rows rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }

  /// Selections persist if the ids are the same.
  void updateRows(Rows rows) {
    if (!std::ranges::equal(rows_, rows, [](const auto& a, const auto& b) { return a.id == b.id; }))
      return resetRows(std::move(rows));
    rows_ = std::move(rows);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }

  Rows rows_;
};

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

  /// `toolTips`: same shape as the table, or empty. Selection and scroll position of a view remain if the rows have the
  /// same names in the first column, and there are as many columns.
  void setTable(TextTable table, std::vector<std::vector<std::string>> toolTips = {});
  const TextTable& table() const { return table_; }

 private:
  bool hasRowsOf(const TextTable& other) const;

  TextTable table_;
  std::vector<std::vector<std::string>> toolTips_;
};

}  // namespace batchwise
