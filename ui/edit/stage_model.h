// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "ui/parts/table_model.h"

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
class StageModel final : public RowTable<std::vector<PlannedRange>> {
  Q_OBJECT

 public:
  enum Column {
    FromColumn,
    BatchesColumn,
    PartsColumn,
    StepSizeColumn,
    SamplesColumn,  ///< of a step, on average; of interest where StepSizeColumn has packs
    TokensColumn,
    MicroBatchesColumn,
    StepsColumn,
    ColumnCount
  };

  explicit StageModel(QObject* parent = nullptr);

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  void setStages(std::vector<PlannedRange> stages, const StageUnits& units);

 private:
  QVariant cell(int row, int column, int role) const override;
  QString cellText(const PlannedRange& stage, int column) const;
  QString effectiveBatch(const PlannedRange& stage) const;

  StageUnits units_;
};

}  // namespace batchwise
