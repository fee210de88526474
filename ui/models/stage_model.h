// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <vector>

#include "core/batch/plan.h"

namespace batchwise {

/// The stages of a plan, in order: one stretch of equal step size per row. GUI thread.
class StageModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { FromColumn, BatchesColumn, StepSizeColumn, PartsColumn, MicroBatchesColumn, StepsColumn, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  void setStages(std::vector<PlannedStage> stages);

 private:
  std::vector<PlannedStage> stages_;
};

}  // namespace batchwise
