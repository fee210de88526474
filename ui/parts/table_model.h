// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/text_table.h"

namespace batchwise {

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

 protected:
  using TableModel::TableModel;

  const auto& row(int at) const { return rows_[static_cast<typename Rows::size_type>(at)]; }
  void resetRows(Rows rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }

  Rows rows_;
};

/// A table of records with an `id`, which keep their order.
template <typename Record>
class RecordTable : public RowTable<std::vector<Record>> {
 public:
  const Record* find(const QString& id) const { return this->at(rowOf(id)); }
  int rowOf(const QString& id) const {  ///< -1 if not found
    const auto found = index_.find(id.toStdString());
    return found == index_.end() ? -1 : found->second;
  }

 protected:
  using RowTable<std::vector<Record>>::RowTable;

  /// Replaces the rows by row-level changes, so that selections of remaining rows persist. Resets the model if many
  /// rows come or go. `same(a, b)`: whether two records of one id are displayed alike.
  template <typename Same>
  void updateRows(std::vector<Record> records, Same same) {
    const auto known = std::ranges::count_if(records, [this](const Record& each) { return index_.contains(each.id); });
    const auto others = static_cast<std::ptrdiff_t>(records.size() + this->rows_.size()) - 2 * known;
    if (this->rows_.empty() != records.empty() || others > kManyRows) {  // 10,000 one by one would take minutes
      this->beginResetModel();
      this->rows_ = std::move(records);
      numberRows();
      this->endResetModel();
      return;
    }
    removeMissing(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto place = index_.find(records[i].id);
      if (place == index_.end()) {
        insert(static_cast<int>(std::min(i, this->rows_.size())), std::move(records[i]));
      } else if (Record& own = this->rows_[static_cast<std::size_t>(place->second)]; !same(own, records[i])) {
        own = std::move(records[i]);
        this->emitRowChanged(place->second);
      }
    }
  }

 private:
  void insert(int row, Record record) {
    this->beginInsertRows({}, row, row);
    this->rows_.insert(this->rows_.begin() + row, std::move(record));
    numberRows();
    this->endInsertRows();
  }

  void removeMissing(const std::vector<Record>& records) {
    std::unordered_set<std::string_view> staying;
    for (const Record& record : records) staying.insert(record.id);
    for (int row = this->rowCount() - 1; row >= 0; --row) {
      if (staying.contains(this->row(row).id)) continue;
      this->beginRemoveRows({}, row, row);
      this->rows_.erase(this->rows_.begin() + row);
      numberRows();
      this->endRemoveRows();
    }
  }

  void numberRows() {
    index_.clear();
    for (std::size_t i = 0; i < this->rows_.size(); ++i) index_[this->rows_[i].id] = static_cast<int>(i);
  }

  static constexpr std::ptrdiff_t kManyRows = 50;

  std::unordered_map<std::string, int> index_;  // row by id
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
