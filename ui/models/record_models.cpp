// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/record_models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/format.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/record_text.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

using Column = TableModel::Column;

constexpr std::array kRunColumns = {
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Run")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "State")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Last evaluation loss (nats)"), true,
           QT_TRANSLATE_NOOP("batchwise::RunListModel", "Newest evaluation loss, nats per masked token")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Last loss (nats)"), true,
           QT_TRANSLATE_NOOP("batchwise::RunListModel", "Newest training loss, nats per masked token")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Done"), true,
           QT_TRANSLATE_NOOP("batchwise::RunListModel", "Share of the planned global batches")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Speed (tok/s)"), true},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Tokens"), true},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Duration"), true,
           QT_TRANSLATE_NOOP("batchwise::RunListModel", "Training time, without evaluation, checkpoints and pauses")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Created")},
    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Tags")}};
constexpr std::array kQueueColumns = {Column{QT_TRANSLATE_NOOP("batchwise::QueueModel", "Run")},
                                      Column{QT_TRANSLATE_NOOP("batchwise::QueueModel", "State")},
                                      Column{QT_TRANSLATE_NOOP("batchwise::QueueModel", "Experiment")}};

QString progressText(const RunSummary& run) {
  if (run.plannedBatches <= 0) return integerText(run.at.batch);
  return RunListModel::tr("%1 %").arg(100 * run.at.batch / run.plannedBatches);
}

QString exactProgress(const RunSummary& run) {
  if (run.plannedBatches <= 0)
    return RunListModel::tr("%1 global batch(es)", nullptr, static_cast<int>(run.at.batch))
        .arg(integerText(run.at.batch));
  return RunListModel::tr("%1 of %2 global batches").arg(integerText(run.at.batch), integerText(run.plannedBatches));
}

/// Share of the planned global batches; none if their number is unknown.
std::optional<double> shareDone(const RunSummary& run) {
  if (run.plannedBatches <= 0) return std::nullopt;
  return static_cast<double>(run.at.batch) / static_cast<double>(run.plannedBatches);
}

std::optional<double> numberOf(const RunSummary& run, int column) {
  switch (column) {
    case RunListModel::EvalLossColumn: return run.evalLoss;
    case RunListModel::LossColumn: return run.loss;
    case RunListModel::ProgressColumn: return shareDone(run);
    case RunListModel::SpeedColumn: return run.tokensPerSec;
    case RunListModel::TokensColumn: return static_cast<double>(run.at.token);
    case RunListModel::DurationColumn: return run.at.seconds;
    case RunListModel::CreatedColumn: return static_cast<double>(run.createdMs);
    default: return std::nullopt;
  }
}

QVariant exactText(std::optional<double> value) {
  return value ? QVariant(RunListModel::tr("Exactly %1").arg(*value, 0, 'g', 17)) : QVariant();
}

QString tagText(const RunSummary& run) {
  QStringList tags;
  for (const std::string& tag : run.tags) tags << toQt(tag);
  return tags.join(QStringLiteral(", "));
}

/// Name, tags and note.
QString nameToolTip(const RunSummary& run) {
  QStringList lines{toQt(run.name)};
  if (!run.tags.empty()) lines << RunListModel::tr("Tags: %1").arg(tagText(run));
  if (!run.note.empty()) lines << toQt(run.note);
  return plainToolTip(lines.join(QLatin1Char('\n')));
}

bool sameRun(const RunSummary& a, const RunSummary& b) {
  return a.name == b.name && a.status == b.status && a.paused == b.paused && a.reason == b.reason && a.at == b.at &&
         a.loss == b.loss && a.evalLoss == b.evalLoss && a.tokensPerSec == b.tokensPerSec &&
         a.plannedBatches == b.plannedBatches && a.checkpoints == b.checkpoints && a.archived == b.archived &&
         a.tags == b.tags && a.note == b.note && a.endedMs == b.endedMs;
}

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
  return {
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Global batch"), true},
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Mark")},
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Reason")},
      Column{metric, true, QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Metric that selects the best checkpoints")},
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "State")},
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Size"), true},
      Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Written")}};
}

/// By EvalMetric.
constexpr std::array kCheckpointColumns = {
    checkpointColumns(QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Evaluation loss")),
    checkpointColumns(QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Evaluation perplexity")),
    checkpointColumns(QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Evaluation accuracy"))};

bool sameCheckpoint(const CheckpointRecord& a, const CheckpointRecord& b) {
  return a.pinned == b.pinned && a.verified == b.verified && a.metric == b.metric && a.finite == b.finite;
}

}  // namespace

RunListModel::RunListModel(QObject* parent)
    : RecordTable(kRunColumns, {{IdRole, "id"}, {StatusRole, "status"}, {IconRole, "icon"}, {NumberRole, "number"}},
                  parent) {}

QVariant RunListModel::cell(int row, int columnIndex, int role) const {
  const RunSummary& run = this->row(row);
  const auto column = static_cast<Column>(columnIndex);
  switch (role) {
    case Qt::DisplayRole: return text(run, column);
    case Qt::ToolTipRole: return toolTip(run, column);
    case IdRole: return toQt(run.id);
    case StatusRole: return 2 * static_cast<int>(run.status) + (run.paused ? 1 : 0);
    case IconRole:
      if (column == TagsColumn && !run.note.empty()) return QStringLiteral("file");
      return column == StateColumn ? stateIcon(run) : QVariant();
    case NumberRole: {
      const auto number = numberOf(run, column);
      return number ? QVariant(*number) : QVariant();
    }
    default: return {};
  }
}

QVariant RunListModel::text(const RunSummary& run, Column column) const {
  const auto value = [](std::optional<double> number) {
    return number ? valueText(*number, ValueFormat::Plain) : QString();
  };
  switch (column) {
    case NameColumn: return toQt(run.name);
    case StateColumn: return run.archived ? tr("%1, archived").arg(stateText(run)) : stateText(run);
    case EvalLossColumn: return value(run.evalLoss);
    case LossColumn: return value(run.loss);
    case ProgressColumn: return progressText(run);
    case SpeedColumn: return value(run.tokensPerSec);
    case TokensColumn: return integerText(run.at.token);
    case DurationColumn: return toQt(formatDuration(run.at.seconds));
    case CreatedColumn: return localTimeText(run.createdMs);
    case TagsColumn: return tagText(run);
    case ColumnCount: break;
  }
  return {};
}

QVariant RunListModel::toolTip(const RunSummary& run, Column column) const {
  switch (column) {
    case NameColumn:
    case TagsColumn: return nameToolTip(run);
    case StateColumn:
      return plainToolTip(run.reason.empty() ? stateText(run)
                                             : stateText(run) + QLatin1Char('\n') + sentenceCase(toQt(run.reason)));
    case EvalLossColumn:
    case LossColumn:
    case SpeedColumn: return exactText(numberOf(run, column));
    case ProgressColumn: return exactProgress(run);
    case TokensColumn: return integerText(run.at.token);
    case DurationColumn: return tr("%1 s").arg(run.at.seconds, 0, 'f', 1);
    case CreatedColumn: return exactTimeText(run.createdMs);
    case ColumnCount: break;
  }
  return {};
}

void RunListModel::update(std::vector<RunSummary> runs) {
  const auto newer = [](const RunSummary& a, const RunSummary& b) { return a.createdMs > b.createdMs; };
  if (!std::is_sorted(runs.begin(), runs.end(), newer)) std::stable_sort(runs.begin(), runs.end(), newer);
  updateRows(std::move(runs), sameRun);
  Q_EMIT updated();
}

std::string RunListModel::freeName(const std::string& wanted) const {
  constexpr std::size_t kLongestNumber = 16;
  const std::string stem = wanted.substr(0, kMaxRunNameBytes - kLongestNumber);
  std::set<std::string_view> taken;
  for (const RunSummary& run : rows_)
    if (run.name.starts_with(stem)) taken.insert(run.name);
  return freeRunName(wanted, [&taken](const std::string& name) { return taken.contains(name); });
}

const RunSummary* RunListModel::newestFinished() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const RunSummary& run) {
    return run.status == RunStatus::Finished && !run.archived;
  });
  return found == rows_.end() ? nullptr : &*found;
}

QueueModel::QueueModel(QObject* parent) : RowTable(kQueueColumns, {{IdRole, "id"}, {IconRole, "icon"}}, parent) {}

QVariant QueueModel::cell(int row, int column, int role) const {
  const QueueEntry* entry = at(row);
  const bool state = column == StateColumn;
  const QString word = statusText(entry->status);
  if (column == ExperimentColumn && role == Qt::DisplayRole) return experimentText(*entry);
  switch (role) {
    case Qt::DisplayRole: return state ? word : toQt(entry->name);
    case Qt::ToolTipRole: return plainToolTip(explanationOf(*entry, word));
    case IdRole: return toQt(entry->id);
    case IconRole: return state ? statusIcon(entry->status) : QString();
    default: return {};
  }
}

void QueueModel::update(std::vector<QueueEntry> entries) {
  const auto ended =
      std::stable_partition(entries.begin(), entries.end(), [](const QueueEntry& entry) { return !entry.ended(); });
  std::reverse(ended, entries.end());
  std::stable_partition(entries.begin(), ended, [](const QueueEntry& entry) { return !entry.waits(); });
  const bool sameIds = std::equal(rows_.begin(), rows_.end(), entries.begin(), entries.end(),
                                  [](const QueueEntry& a, const QueueEntry& b) { return a.id == b.id; });
  if (!sameIds) return resetRows(std::move(entries));
  for (std::size_t row = 0; row < entries.size(); ++row) {
    if (sameEntry(rows_[row], entries[row])) continue;
    rows_[row] = std::move(entries[row]);
    emitRowChanged(static_cast<int>(row));
  }
}

const QueueEntry* QueueModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &this->row(row) : nullptr;
}

int QueueModel::rowOf(const QString& entry) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& own) { return toQt(own.id) == entry; });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

CheckpointModel::CheckpointModel(QObject* parent)
    : RecordTable(kCheckpointColumns.front(), {{IdRole, "id"}, {IconRole, "icon"}, {SortRole, "sort"}}, parent) {}

QVariant CheckpointModel::cell(int row, int columnIndex, int role) const {
  const CheckpointRecord& record = this->row(row);
  const auto column = static_cast<Column>(columnIndex);
  switch (role) {
    case Qt::DisplayRole: return text(record, column);
    case Qt::ToolTipRole: return toolTip(record, column);
    case IdRole: return toQt(record.id);
    case IconRole: return column == StateColumn ? stateIcon(record) : QVariant();
    case SortRole: return sortKey(record, column);
    default: return {};
  }
}

QString reasonText(const CheckpointRecord& record) {
  const std::pair<const char*, QString> scheduled[] = {{kStartCheckpoint, CheckpointModel::tr("start of the run")},
                                                       {kIntervalCheckpoint, CheckpointModel::tr("interval")},
                                                       {kStageCheckpoint, CheckpointModel::tr("end of a stage")},
                                                       {kEndCheckpoint, CheckpointModel::tr("end of the run")},
                                                       {kStopCheckpoint, CheckpointModel::tr("run stopped")},
                                                       {kGuardCheckpoint, CheckpointModel::tr("guard")},
                                                       {kRequestedCheckpoint, CheckpointModel::tr("on request")},
                                                       {kAverageCheckpoint, CheckpointModel::tr("average of several")}};
  for (const auto& [code, text] : scheduled)
    if (record.reason == code) return text;
  return toQt(record.reason);
}

QVariant CheckpointModel::text(const CheckpointRecord& record, Column column) const {
  switch (column) {
    case BatchColumn: return integerText(record.at.batch);
    case CreatedColumn: return localTimeText(record.createdMs);
    case SizeColumn: return toQt(formatBytes(record.bytes));
    case MetricColumn: return record.metric ? valueText(*record.metric, ValueFormat::Plain) : QString();
    case ReasonColumn: return sentenceCase(reasonText(record));
    case StateColumn: return stateText(record);
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
      return problem.isEmpty() ? stateText(record) : sentenceCase(problem);
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

QString CheckpointModel::stateText(const CheckpointRecord& record) const {
  switch (checked_.value(toQt(record.id)).check) {
    case Check::Running: return tr("Verifying…");
    case Check::Good: return tr("Verified just now");
    case Check::Damaged: return tr("Damaged");
    case Check::None: break;
  }
  if (!record.finite) return tr("Holds values that are not finite");
  return record.verified ? tr("Verified when written") : tr("Not verified");
}

QString CheckpointModel::stateIcon(const CheckpointRecord& record) const {
  switch (checked_.value(toQt(record.id)).check) {
    case Check::Running: return QStringLiteral("state-running");
    case Check::Good: return QStringLiteral("state-finished");
    case Check::Damaged: return QStringLiteral("note-error");
    case Check::None: break;
  }
  if (!record.finite) return QStringLiteral("note-warning");
  return record.verified ? QStringLiteral("state-finished") : QStringLiteral("state-created");
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
  updateRows(std::move(records), sameCheckpoint);
  for (int row = 0; remarked && row < rowCount(); ++row) emitRowChanged(row);
}

void CheckpointModel::setCheck(const QString& id, Check check, const QString& problem) {
  checked_[id] = {check, problem};
  if (const int row = rowOf(id); row >= 0) emitRowChanged(row);
}

}  // namespace batchwise
