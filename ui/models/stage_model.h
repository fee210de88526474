// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <vector>

#include "core/batch/plan.h"

namespace batchwise {

/// What a unit of a plan's stages is: a sample, or under a token budget a pack.
struct StageUnits {
  bool packs = false;
  std::int64_t devices = 1;
  double samples = 1;  ///< in a unit, on average
  double tokens = 0;   ///< in a unit, on average
};

/// The stages of a plan, in order: one stretch of equal step size per row. Stages behind the end of the run are
/// disabled and say so. GUI thread.
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
