// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/stage_model.h"

#include <array>
#include <cmath>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

/// With the unit of the batch size: samples, or packs under a token budget.
constexpr std::array<TableModel::Column, StageModel::ColumnCount> columnsIn(TableModel::Column stepSize,
                                                                            const char* microBatches) {
  return {{{QT_TRANSLATE_NOOP("batchwise::StageModel", "From"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Global batches done when the stage begins")},
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Batches"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Global batches in the stage")},
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Parts"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Optimizer steps in one global batch")},
           stepSize,
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Samples"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Samples that one optimizer step takes, over all devices")},
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Tokens"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Tokens that one optimizer step takes, over all devices")},
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Micro-batches"), true, microBatches},
           {QT_TRANSLATE_NOOP("batchwise::StageModel", "Steps"), true,
            QT_TRANSLATE_NOOP("batchwise::StageModel", "Optimizer steps in the stage")}}};
}

constexpr auto kSampleColumns = columnsIn(
    {QT_TRANSLATE_NOOP("batchwise::StageModel", "Samples"), true,
     QT_TRANSLATE_NOOP("batchwise::StageModel", "Samples that one optimizer step takes, over all devices")},
    QT_TRANSLATE_NOOP("batchwise::StageModel", "Micro-batches of a step on each device, times the samples in one"));
constexpr auto kPackColumns = columnsIn(
    {QT_TRANSLATE_NOOP("batchwise::StageModel", "Packs"), true,
     QT_TRANSLATE_NOOP("batchwise::StageModel", "Packs that one optimizer step takes, over all devices")},
    QT_TRANSLATE_NOOP("batchwise::StageModel", "Micro-batches of a step on each device, times the packs in one"));

QString countOr(const std::optional<std::int64_t>& count, const QString& otherwise) {
  return count ? integerText(*count) : otherwise;
}

/// Units in the largest micro-batch: a step is divided evenly over devices, and there over its micro-batches.
std::int64_t largestMicroBatch(const PlannedRange& stage, std::int64_t devices) {
  return ceilDiv(ceilDiv(stage.stepUnits, devices), stage.microBatchesPerStep);
}

/// "86", or "85–86" where the micro-batches differ.
QString microBatchText(const PlannedRange& stage, std::int64_t devices) {
  const std::int64_t least = stage.stepUnits / devices / stage.microBatchesPerStep;
  const std::int64_t most = largestMicroBatch(stage, devices);
  return least == most ? integerText(most) : QStringLiteral("%1–%2").arg(integerText(least), integerText(most));
}

}  // namespace

StageModel::StageModel(QObject* parent) : RowTable(kSampleColumns, parent) {}

QString StageModel::cellText(const PlannedRange& stage, int column) const {
  switch (column) {
    case FromColumn: return integerText(stage.fromBatch);
    case BatchesColumn: return stage.reached ? countOr(stage.globalBatches, tr("to the end")) : tr("not reached");
    case PartsColumn: return integerText(stage.steps);
    case StepSizeColumn: return integerText(stage.stepUnits);
    case SamplesColumn:
      return integerText(std::llround(static_cast<double>(stage.stepUnits) * (units_.packs ? units_.samples : 1)));
    case TokensColumn:
      return toQt(formatCount(static_cast<double>(stage.stepUnits) * stage.tokensPerUnit.value_or(units_.tokens)));
    case MicroBatchesColumn:
      return tr("%1 × %2").arg(integerText(stage.microBatchesPerStep), microBatchText(stage, units_.devices));
    case StepsColumn: return stage.reached ? countOr(stage.optimizerSteps, QStringLiteral("–")) : QStringLiteral("–");
    default: return {};
  }
}

QString StageModel::effectiveBatch(const PlannedRange& stage) const {
  const auto units = static_cast<double>(stage.stepUnits);
  const QString made = tr("Up to %1 in a micro-batch × %2 micro-batches × %3 devices")
                           .arg(integerText(largestMicroBatch(stage, units_.devices)),
                                integerText(stage.microBatchesPerStep), integerText(units_.devices));
  const QString tokens = integerText(std::llround(units * stage.tokensPerUnit.value_or(units_.tokens)));
  const QString batch = integerText(stage.steps * stage.stepUnits);
  if (!units_.packs)
    return tr("%1\nA step takes %2 samples, up to %3 tokens; a global batch takes %4 samples")
        .arg(made, integerText(stage.stepUnits), tokens, batch);
  return tr("%1\nA step takes %2 packs, about %3 samples and %4 tokens; a global batch takes %5 packs")
      .arg(made, integerText(stage.stepUnits), integerText(std::llround(units * units_.samples)), tokens, batch);
}

QVariant StageModel::cell(int row, int column, int role) const {
  const PlannedRange& stage = this->row(row);
  if (role == Qt::DisplayRole) return cellText(stage, column);
  if (role != Qt::ToolTipRole) return {};
  return stage.reached ? effectiveBatch(stage)
                       : tr("The run ends before this stage") + QLatin1Char('\n') + effectiveBatch(stage);
}

Qt::ItemFlags StageModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = RowTable::flags(index);
  const bool reached = !index.isValid() || row(index.row()).reached;
  return reached ? flags : flags & ~Qt::ItemIsEnabled;
}

void StageModel::setStages(std::vector<PlannedRange> stages, const StageUnits& units) {
  units_ = units;
  setColumns(units.packs ? kPackColumns : kSampleColumns);
  resetRows(std::move(stages));
}

}  // namespace batchwise
