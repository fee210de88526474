// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/record_models.h"

#include <algorithm>
#include <array>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

using Column = TableModel::Column;

constexpr std::array kRunColumns = {Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Run")},
                                    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "State")},
                                    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Loss"), true},
                                    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Done"), true},
                                    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Tags")},
                                    Column{QT_TRANSLATE_NOOP("batchwise::RunListModel", "Created")}};
constexpr std::array kQueueColumns = {Column{QT_TRANSLATE_NOOP("batchwise::QueueModel", "Run")},
                                      Column{QT_TRANSLATE_NOOP("batchwise::QueueModel", "State")}};

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

QString searchText(const RunSummary& run) {
  QStringList words{toQt(run.name), toQt(run.id), stateText(run), statusText(run.status), toQt(run.note)};
  for (const auto& tag : run.tags) words << toQt(tag);
  return words.join(QLatin1Char(' '));
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
         a.loss == b.loss && a.evalLoss == b.evalLoss && a.plannedBatches == b.plannedBatches &&
         a.checkpoints == b.checkpoints && a.archived == b.archived && a.tags == b.tags && a.note == b.note &&
         a.endedMs == b.endedMs;
}

/// Tooltip: why the run ended, and what the queue does next.
QString explanationOf(const QueueEntry& entry, const QString& word) {
  QString text = entry.reason.empty() ? word : sentenceCase(coreText(entry.reason));
  if (entry.resumes()) text += QLatin1Char('\n') + QueueModel::tr("The queue resumes it when its turn comes.");
  if (!entry.notResumed.empty()) text += QLatin1Char('\n') + sentenceCase(coreText(entry.notResumed));
  return text;
}

bool sameEntry(const QueueEntry& a, const QueueEntry& b) {
  return a.id == b.id && a.name == b.name && a.status == b.status && a.run == b.run && a.reason == b.reason &&
         a.notResumed == b.notResumed;
}

constexpr std::array kCheckpointColumns = {
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Global batch"), true},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Written")},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Size"), true},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Evaluation"), true,
           QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "The figure by which the best ones are kept")},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Why")},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "State")},
    Column{QT_TRANSLATE_NOOP("batchwise::CheckpointModel", "Kept")}};

bool sameCheckpoint(const CheckpointRecord& a, const CheckpointRecord& b) {
  return a.pinned == b.pinned && a.verified == b.verified && a.metric == b.metric && a.finite == b.finite;
}

}  // namespace

RunListModel::RunListModel(QObject* parent)
    : RecordTable(
          kRunColumns,
          {{IdRole, "id"}, {StatusRole, "status"}, {IconRole, "icon"}, {SortRole, "sort"}, {SearchRole, "search"}},
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
    case SortRole: return sortKey(run, column);
    case SearchRole: return searchText(run);
    default: return {};
  }
}

QVariant RunListModel::text(const RunSummary& run, Column column) const {
  switch (column) {
    case NameColumn: return toQt(run.name);
    case StateColumn: return stateText(run);
    case LossColumn: return run.loss ? valueText(*run.loss, ValueFormat::Plain) : QString();
    case ProgressColumn: return progressText(run);
    case TagsColumn: return tagText(run);
    case CreatedColumn: return localTimeText(run.createdMs);
    case ColumnCount: break;
  }
  return {};
}

QVariant RunListModel::toolTip(const RunSummary& run, Column column) const {
  switch (column) {
    case NameColumn: return nameToolTip(run);
    case StateColumn: return run.reason.empty() ? stateText(run) : plainToolTip(sentenceCase(coreText(run.reason)));
    case LossColumn:
      return run.loss ? tr("Training loss, nats per masked token: %1").arg(*run.loss, 0, 'g', 17) : QVariant();
    case ProgressColumn: return exactProgress(run);
    case TagsColumn: return nameToolTip(run);
    case CreatedColumn: return exactTimeText(run.createdMs);
    case ColumnCount: break;
  }
  return {};
}

QVariant RunListModel::sortKey(const RunSummary& run, Column column) const {
  switch (column) {
    case NameColumn: return toQt(run.name).toLower();
    case StateColumn: return static_cast<int>(run.status);
    case LossColumn: return run.loss ? *run.loss : 1e300;
    case ProgressColumn: return static_cast<qlonglong>(run.at.batch);
    case TagsColumn: return tagText(run).toLower();
    case CreatedColumn: return static_cast<qlonglong>(run.createdMs);
    case ColumnCount: break;
  }
  return {};
}

void RunListModel::update(std::vector<RunSummary> runs) {
  const auto newer = [](const RunSummary& a, const RunSummary& b) { return a.createdMs > b.createdMs; };
  if (!std::is_sorted(runs.begin(), runs.end(), newer)) std::stable_sort(runs.begin(), runs.end(), newer);
  updateRows(std::move(runs), sameRun);
}

void RunListModel::apply(const QString& id, const RunEvent& event) {
  const int row = rowOf(id);
  if (row < 0) return;
  RunSummary& run = rows_[static_cast<std::size_t>(row)];
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    run.status = RunStatus::Running;
    run.paused = false;
    run.plannedBatches = started->plannedBatches;
  } else if (const auto* metrics = std::get_if<MetricsRow>(&event)) {
    run.at = metrics->at;
    run.loss = metrics->loss;
    run.tokensPerSec = metrics->tokensPerSec;
  } else if (const auto* evaluated = std::get_if<EvalResult>(&event)) {
    run.evalLoss = evaluated->loss;
  } else if (const auto* note = std::get_if<RunNote>(&event); note != nullptr && note->paused) {
    run.paused = *note->paused;
  } else if (const auto* finished = std::get_if<RunFinished>(&event)) {
    run.status = finished->status;
    run.paused = false;
    run.reason = finished->reason;
  } else {
    return;
  }
  emitRowChanged(row);
}

const RunSummary* RunListModel::newestFinished() const {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [](const RunSummary& run) { return run.status == RunStatus::Finished; });
  return found == rows_.end() ? nullptr : &*found;
}

QueueModel::QueueModel(QObject* parent)
    : RowTable(kQueueColumns, {{IdRole, "id"}, {IconRole, "icon"}, {RunRole, "run"}}, parent) {}

QVariant QueueModel::cell(int row, int column, int role) const {
  const QueueEntry* entry = at(row);
  const bool state = column == StateColumn;
  const QString word = entry->status == RunStatus::Created ? tr("Waiting") : statusText(entry->status);
  switch (role) {
    case Qt::DisplayRole: return state ? word : entry->name.empty() ? tr("Run without a name") : toQt(entry->name);
    case Qt::ToolTipRole: return plainToolTip(explanationOf(*entry, word));
    case IdRole: return toQt(entry->id);
    case IconRole: return state ? statusIcon(entry->status) : QString();
    case RunRole: return toQt(entry->run);
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
    : RecordTable(kCheckpointColumns, {{IdRole, "id"}, {IconRole, "icon"}, {SortRole, "sort"}}, parent) {}

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

QVariant CheckpointModel::text(const CheckpointRecord& record, Column column) const {
  switch (column) {
    case BatchColumn: return integerText(record.at.batch);
    case CreatedColumn: return localTimeText(record.createdMs);
    case SizeColumn: return toQt(formatBytes(record.bytes));
    case MetricColumn: return record.metric ? valueText(*record.metric, ValueFormat::Plain) : QString();
    case ReasonColumn: return sentenceCase(coreText(record.reason));
    case StateColumn: return stateText(record);
    case PinnedColumn: return record.pinned ? tr("Pinned") : QString();
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
    case PinnedColumn: return tr("Pinned checkpoints are never deleted to make room");
    case ReasonColumn:
    case ColumnCount: break;
  }
  return text(record, column);
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
    case Check::Running: return tr("Being read back…");
    case Check::Good: return tr("Good, read back now");
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

void CheckpointModel::update(std::vector<CheckpointRecord> records) {
  std::sort(records.begin(), records.end(), [](const CheckpointRecord& a, const CheckpointRecord& b) {
    return std::pair(a.segment, a.at.step) > std::pair(b.segment, b.at.step);
  });
  updateRows(std::move(records), sameCheckpoint);
}

void CheckpointModel::setCheck(const QString& id, Check check, const QString& problem) {
  checked_[id] = {check, problem};
  if (const int row = rowOf(id); row >= 0) emitRowChanged(row);
}

}  // namespace batchwise
