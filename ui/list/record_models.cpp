// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/record_models.h"

#include <algorithm>
#include <array>

#include "core/base/format.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/records.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

using Column = TableModel::Column;

constexpr std::array kQueueColumns = {Column{"Run"}, Column{"State"}, Column{"Experiment"}};

/// Tooltip: why the run ended, and what the queue does next.
QString explanationOf(const QueueEntry& entry, const QString& word) {
  QString text = entry.reason.empty() ? word : sentenceCase(toQt(entry.reason));
  if (entry.status == RunStatus::Interrupted)
    text += QLatin1Char('\n') + QueueModel::tr("The queue resumes it once it is started again.");
  return text;
}

/// "ramp · 8 to 64", with the variant of the run.
QString experimentText(const QueueEntry& entry) {
  const QString experiment = toQt(entry.experiment), variant = toQt(entry.variant);
  return experiment.isEmpty() || variant.isEmpty() ? experiment + variant
                                                   : experiment + QStringLiteral(" · ") + variant;
}

bool sameEntry(const QueueEntry& a, const QueueEntry& b) {
  return a.id == b.id && a.name == b.name && a.status == b.status && a.reason == b.reason && a.hasBegun == b.hasBegun;
}

/// Columns of the checkpoints; `metric`: title of the figure by which the best ones are kept.
constexpr std::array<Column, CheckpointModel::ColumnCount> checkpointColumns(const char* metric) {
  return {Column{"Global batch", true},
          Column{"Mark"},
          Column{"Reason"},
          Column{metric, true, "Metric that selects the best checkpoints"},
          Column{"State"},
          Column{"Size", true},
          Column{"Written"}};
}

/// The columns for each EvalMetric, in their order.
constexpr std::array kCheckpointColumns = {checkpointColumns("Evaluation loss"),
                                           checkpointColumns("Evaluation perplexity"),
                                           checkpointColumns("Evaluation accuracy")};

bool sameCheckpoint(const CheckpointRecord& a, const CheckpointRecord& b) {
  return a.id == b.id && a.pinned == b.pinned && a.verified == b.verified && a.metric == b.metric &&
         a.finite == b.finite;
}

}  // namespace

QueueModel::QueueModel(QObject* parent) : RowTable(kQueueColumns, parent) {}

QVariant QueueModel::cell(int row, int column, int role) const {
  const QueueEntry* entry = at(row);
  const bool state = column == StateColumn;
  const QString word = statusText(entry->status);
  if (column == ExperimentColumn && role == Qt::DisplayRole) return experimentText(*entry);
  switch (role) {
    case Qt::DisplayRole: return state ? word : toQt(entry->name);
    case Qt::ToolTipRole: return plainToolTip(explanationOf(*entry, word));
    case IdRole: return toQt(entry->id);
    case kIconRole: return state ? statusIcon(entry->status) : QString();
    default: return {};
  }
}

void QueueModel::update(std::vector<QueueEntry> entries) {
  const auto ended =
      std::stable_partition(entries.begin(), entries.end(), [](const QueueEntry& entry) { return !entry.ended(); });
  std::reverse(ended, entries.end());
  std::stable_partition(entries.begin(), ended, [](const QueueEntry& entry) { return !entry.waits(); });
  if (!std::ranges::equal(rows_, entries, sameEntry)) updateRows(std::move(entries));
}

CheckpointModel::CheckpointModel(QObject* parent) : RowTable(kCheckpointColumns.front(), parent) {}

QVariant CheckpointModel::cell(int row, int columnIndex, int role) const {
  const CheckpointRecord& record = this->row(row);
  const auto column = static_cast<Column>(columnIndex);
  switch (role) {
    case Qt::DisplayRole: return text(record, column);
    case Qt::ToolTipRole: return toolTip(record, column);
    case IdRole: return toQt(record.id);
    case kIconRole: return column == StateColumn ? stateOf(record).second : QVariant();
    case SortRole: return sortKey(record, column);
    default: return {};
  }
}

QString reasonText(const CheckpointRecord& record) {
  switch (record.reason) {
    case CheckpointReason::Start: return CheckpointModel::tr("start of the run");
    case CheckpointReason::Interval: return CheckpointModel::tr("interval");
    case CheckpointReason::Stage: return CheckpointModel::tr("end of a stage");
    case CheckpointReason::End: return CheckpointModel::tr("end of the run");
    case CheckpointReason::Stop: return CheckpointModel::tr("run stopped");
    case CheckpointReason::Guard: return CheckpointModel::tr("guard");
    case CheckpointReason::Requested: return CheckpointModel::tr("on request");
    case CheckpointReason::Average: return CheckpointModel::tr("average of several");
    case CheckpointReason::Restored: return CheckpointModel::tr("restored");
  }
  return {};
}

QVariant CheckpointModel::text(const CheckpointRecord& record, Column column) const {
  switch (column) {
    case BatchColumn: return integerText(record.at.batch);
    case CreatedColumn: return localTimeText(record.createdMs);
    case SizeColumn: return toQt(formatBytes(record.bytes));
    case MetricColumn: return record.metric ? valueText(*record.metric, ValueFormat::Plain) : QString();
    case ReasonColumn: return sentenceCase(reasonText(record));
    case StateColumn: return stateOf(record).first;
    case MarkColumn: return markText(record);
    case ColumnCount: break;
  }
  return {};
}

QVariant CheckpointModel::toolTip(const CheckpointRecord& record, Column column) const {
  switch (column) {
    case BatchColumn:
      return tr("Global batch %1, step %2, %3 samples, %4 tokens")
          .arg(integerText(record.at.batch), integerText(record.at.step), integerText(record.at.sample),
               integerText(record.at.token));
    case CreatedColumn: return exactTimeText(record.createdMs);
    case SizeColumn: return tr("%1 bytes, %2").arg(integerText(record.bytes), toQt(record.file));
    case MetricColumn: return record.metric ? tr("%1").arg(*record.metric, 0, 'g', 17) : QVariant();
    case StateColumn: {
      const QString problem = checked_.value(toQt(record.id)).problem;
      return problem.isEmpty() ? stateOf(record).first : sentenceCase(problem);
    }
    case MarkColumn: return record.pinned ? tr("Pinned checkpoints are never deleted to make room") : QString();
    case ReasonColumn:
    case ColumnCount: break;
  }
  return text(record, column);
}

QString CheckpointModel::markText(const CheckpointRecord& record) const {
  QStringList marks;
  if (record.id == newest_) marks << tr("newest");
  if (record.id == best_) marks << tr("best");
  if (record.pinned) marks << tr("pinned");
  return sentenceCase(marks.join(QStringLiteral(", ")));
}

QVariant CheckpointModel::sortKey(const CheckpointRecord& record, Column column) const {
  switch (column) {
    case BatchColumn: return static_cast<qlonglong>(record.at.step);
    case CreatedColumn: return static_cast<qlonglong>(record.createdMs);
    case SizeColumn: return static_cast<qlonglong>(record.bytes);
    case MetricColumn: return record.metric ? *record.metric : 1e300;
    default: return text(record, column);
  }
}

std::pair<QString, QString> CheckpointModel::stateOf(const CheckpointRecord& record) const {
  switch (checked_.value(toQt(record.id)).check) {
    case Check::Running: return {tr("Verifying…"), QStringLiteral("state-running")};
    case Check::Good: return {tr("Verified just now"), QStringLiteral("state-finished")};
    case Check::Damaged: return {tr("Damaged"), QStringLiteral("note-error")};
    case Check::None: break;
  }
  if (!record.finite) return {tr("Holds values that are not finite"), QStringLiteral("note-warning")};
  if (record.verified) return {tr("Verified when written"), QStringLiteral("state-finished")};
  return {tr("Not verified"), QStringLiteral("state-created")};
}

void CheckpointModel::setMetric(EvalMetric metric) {
  metric_ = metric;
  setColumns(kCheckpointColumns[static_cast<std::size_t>(metric)]);
  Q_EMIT headerDataChanged(Qt::Horizontal, MetricColumn, MetricColumn);
}

void CheckpointModel::update(std::vector<CheckpointRecord> records) {
  std::sort(records.begin(), records.end(), [](const CheckpointRecord& a, const CheckpointRecord& b) {
    return std::pair(a.segment, a.at.step) > std::pair(b.segment, b.at.step);
  });
  const std::string newest = records.empty() ? std::string() : records.front().id;
  const CheckpointRecord* found = bestCheckpoint(records, metric_ != EvalMetric::Accuracy);
  std::string best = found == nullptr ? std::string() : found->id;
  const bool remarked = newest != newest_ || best != best_;
  newest_ = newest;
  best_ = std::move(best);
  if (remarked || !std::ranges::equal(rows_, records, sameCheckpoint)) updateRows(std::move(records));
}

void CheckpointModel::setCheck(const QString& id, Check check, const QString& problem) {
  checked_[id] = {check, problem};
  if (const int row = rowOf(id); row >= 0) emitRowChanged(row);
}

}  // namespace batchwise
