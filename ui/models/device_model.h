// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <string>
#include <vector>

#include "ui/models/run_series.h"

namespace batchwise {

/// Memory of each device of a run at its newest row: in use, peak, limit, peak as share of the limit. GUI thread.
class DeviceModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { NameColumn, UsedColumn, PeakColumn, LimitColumn, ShareColumn, ColumnCount };
  enum Role { IconRole = Qt::UserRole + 1 };  ///< QString, a warning where memory is above 95 %; ShareColumn only

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  void update(const RunSeries& series);

 private:
  struct Row {
    std::string name;
    double used = 0, peak = 0, total = 0;  // bytes; total 0: no limit known
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows_;
};

}  // namespace batchwise
