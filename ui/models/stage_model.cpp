// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

QString countOr(const std::optional<std::int64_t>& count, const QString& otherwise) {
  return count ? integerText(*count) : otherwise;
}

std::int64_t microBatchUnits(const PlannedStage& stage) {
  return std::min(stage.microbatchUnits, stage.stepUnits);
}

}  // namespace

QString StageModel::cellText(const PlannedStage& stage, int column) const {
  switch (column) {
    case FromColumn: return integerText(stage.fromBatch);
    case BatchesColumn: return stage.reached ? countOr(stage.globalBatches, tr("to the end")) : tr("not reached");
    case PartsColumn: return integerText(stage.parts);
    case StepSizeColumn: return integerText(stage.stepUnits);
    case TokensColumn: return toQt(formatCount(static_cast<double>(stage.stepUnits) * units_.tokens));
    case MicroBatchesColumn:
      return tr("%1 × %2").arg(integerText(stage.microBatchesPerStep), integerText(microBatchUnits(stage)));
    case StepsColumn: return stage.reached ? countOr(stage.optimizerSteps, QStringLiteral("–")) : QStringLiteral("–");
    default: return {};
  }
}

QString StageModel::effectiveBatch(const PlannedStage& stage) const {
  const auto units = static_cast<double>(stage.stepUnits);
  const QString made = tr("Up to %1 in a micro-batch × %2 micro-batches × %3 devices")
                           .arg(integerText(microBatchUnits(stage)), integerText(stage.microBatchesPerStep),
                                integerText(units_.devices));
  const QString tokens = integerText(std::llround(units * units_.tokens));
  if (!units_.packs)
    return tr("%1\nA step takes %2 samples, up to %3 tokens").arg(made, integerText(stage.stepUnits), tokens);
  return tr("%1\nA step takes %2 packs, about %3 samples and %4 tokens")
      .arg(made, integerText(stage.stepUnits), integerText(std::llround(units * units_.samples)), tokens);
}

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
  if (role == Qt::ToolTipRole)
    return stage.reached ? effectiveBatch(stage)
                         : tr("The run ends before this stage") + QLatin1Char('\n') + effectiveBatch(stage);
  if (role == Qt::DisplayRole) return cellText(stage, index.column());
  return {};
}

Qt::ItemFlags StageModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  const bool reached = !index.isValid() || stages_[static_cast<std::size_t>(index.row())].reached;
  return reached ? flags : flags & ~Qt::ItemIsEnabled;
}

QVariant StageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case FromColumn: return tr("Global batches done when the stage begins");
      case BatchesColumn: return tr("Global batches in the stage");
      case PartsColumn: return tr("Optimizer steps in one global batch");
      case StepSizeColumn:
        return units_.packs ? tr("Packs that one optimizer step takes, over all devices")
                            : tr("Samples that one optimizer step takes, over all devices");
      case TokensColumn: return tr("Tokens that one optimizer step takes, over all devices");
      case MicroBatchesColumn:
        return units_.packs ? tr("Micro-batches of a step on each device, times the packs in one")
                            : tr("Micro-batches of a step on each device, times the samples in one");
      case StepsColumn: return tr("Optimizer steps in the stage");
      default: return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case FromColumn: return tr("From");
    case BatchesColumn: return tr("Batches");
    case PartsColumn: return tr("Parts");
    case StepSizeColumn: return units_.packs ? tr("Packs") : tr("Samples");
    case TokensColumn: return tr("Tokens");
    case MicroBatchesColumn: return tr("Micro-batches");
    case StepsColumn: return tr("Steps");
    default: return {};
  }
}

void StageModel::setStages(std::vector<PlannedStage> stages, const StageUnits& units) {
  beginResetModel();
  stages_ = std::move(stages);
  units_ = units;
  endResetModel();
}

}  // namespace batchwise
