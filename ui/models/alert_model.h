// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <deque>

#include "core/guard/alert_detector.h"

namespace batchwise {

QString alertKindText(AlertKind kind);      ///< "Loss spikes", translated
QString alertSentence(const Alert& alert);  ///< with its values, translated

/// Alerts of all runs, newest first; keeps the newest 1,000. GUI thread.
class AlertModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { TimeColumn, RunColumn, TextColumn, ColumnCount };
  enum Role {
    IconRole = Qt::UserRole + 1,  ///< QString, name in resources/icons; TextColumn only
    RunRole,                      ///< QString, run id; empty for a disk alert
    BatchRole,                    ///< qint64, global batch; 0 if the alert has none
  };
  struct Row {
    std::int64_t wallMs = 0;
    QString run, runName;
    Alert alert;
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  void add(Row row);
  void clear();

 private:
  std::deque<Row> rows_;
};

}  // namespace batchwise
