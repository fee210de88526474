// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_model.h"

#include "ui/models/words.h"

namespace batchwise {
namespace {

QString countOr(const std::optional<std::int64_t>& count, const QString& otherwise) {
  return count ? integerText(*count) : otherwise;
}

QString cellText(const PlannedStage& stage, int column) {
  switch (column) {
    case StageModel::FromColumn: return integerText(stage.fromBatch);
    case StageModel::BatchesColumn: return countOr(stage.globalBatches, StageModel::tr("to the end"));
    case StageModel::StepSizeColumn: return integerText(stage.stepUnits);
    case StageModel::PartsColumn: return integerText(stage.parts);
    case StageModel::MicroBatchesColumn:
      return StageModel::tr("%1 × %2").arg(integerText(stage.microBatchesPerStep), integerText(stage.microbatchUnits));
    case StageModel::StepsColumn: return countOr(stage.optimizerSteps, QStringLiteral("–"));
    default: return {};
  }
}

}  // namespace

int StageModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(stages_.size());
}

int StageModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant StageModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const PlannedStage& stage = stages_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && !stage.reached) return tr("The run ends before this stage");
  if (role == Qt::DisplayRole) return cellText(stage, index.column());
  return {};
}

QVariant StageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case FromColumn: return tr("Global batches done when the stage begins");
      case BatchesColumn: return tr("Global batches in the stage");
      case StepSizeColumn: return tr("Samples that one optimiser step takes, over all devices");
      case PartsColumn: return tr("Optimiser steps in one global batch");
      case MicroBatchesColumn: return tr("Micro-batches of a step on each device, times their samples");
      case StepsColumn: return tr("Optimiser steps in the stage");
      default: return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case FromColumn: return tr("From");
    case BatchesColumn: return tr("Batches");
    case StepSizeColumn: return tr("Step size");
    case PartsColumn: return tr("Parts");
    case MicroBatchesColumn: return tr("Micro-batches");
    case StepsColumn: return tr("Steps");
    default: return {};
  }
}

void StageModel::setStages(std::vector<PlannedStage> stages) {
  beginResetModel();
  stages_ = std::move(stages);
  endResetModel();
}

}  // namespace batchwise
