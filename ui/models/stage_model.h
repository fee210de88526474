// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <vector>

#include "core/batch/plan.h"

namespace batchwise {

/// Unit of the batch sizes in a plan: a sample, or a pack under a token budget.
struct StageUnits {
  bool packs = false;
  std::int64_t devices = 1;
  double samples = 1;  ///< in a unit, on average
  double tokens = 0;   ///< in a unit, on average
};

/// Ramp-up stages of a plan, one per row: ranges of constant step size. Stages after the end of the run are disabled.
/// GUI thread.
class StageModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    FromColumn,
    BatchesColumn,
    PartsColumn,
    StepSizeColumn,
    TokensColumn,
    MicroBatchesColumn,
    StepsColumn,
    ColumnCount
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  void setStages(std::vector<PlannedStage> stages, const StageUnits& units);

 private:
  QString cellText(const PlannedStage& stage, int column) const;
  QString effectiveBatch(const PlannedStage& stage) const;

  std::vector<PlannedStage> stages_;
  StageUnits units_;
};

}  // namespace batchwise
