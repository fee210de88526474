// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_list_model.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

QString progressText(const RunSummary& run) {
  if (run.plannedBatches <= 0) return integerText(run.at.batch);
  return RunListModel::tr("%1 %").arg(100 * run.at.batch / run.plannedBatches);
}

QString exactProgress(const RunSummary& run) {
  if (run.plannedBatches <= 0) return RunListModel::tr("%1 global batches").arg(integerText(run.at.batch));
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

bool sameRow(const RunSummary& a, const RunSummary& b) {
  return a.name == b.name && a.status == b.status && a.paused == b.paused && a.reason == b.reason && a.at == b.at &&
         a.loss == b.loss && a.evalLoss == b.evalLoss && a.plannedBatches == b.plannedBatches &&
         a.checkpoints == b.checkpoints && a.archived == b.archived && a.tags == b.tags && a.note == b.note &&
         a.endedMs == b.endedMs;
}

}  // namespace

int RunListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const RunSummary& run = runs_[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<Column>(index.column());
  switch (role) {
    case Qt::DisplayRole: return text(run, column);
    case Qt::ToolTipRole: return toolTip(run, column);
    case Qt::TextAlignmentRole:
      return int(column == LossColumn || column == ProgressColumn ? Qt::AlignRight | Qt::AlignVCenter
                                                                  : Qt::AlignLeft | Qt::AlignVCenter);
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
    case StateColumn: return run.reason.empty() ? stateText(run) : plainToolTip(sentenceCase(reasonText(run.reason)));
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

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return int(section == LossColumn || section == ProgressColumn ? Qt::AlignRight | Qt::AlignVCenter
                                                                  : Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Run");
    case StateColumn: return tr("State");
    case LossColumn: return tr("Loss");
    case ProgressColumn: return tr("Done");
    case TagsColumn: return tr("Tags");
    case CreatedColumn: return tr("Created");
    default: return {};
  }
}

QHash<int, QByteArray> RunListModel::roleNames() const {
  auto names = QAbstractTableModel::roleNames();
  names.insert(
      {{IdRole, "id"}, {StatusRole, "status"}, {IconRole, "icon"}, {SortRole, "sort"}, {SearchRole, "search"}});
  return names;
}

void RunListModel::removeMissing(const std::vector<RunSummary>& runs) {
  std::unordered_set<std::string_view> staying;
  for (const RunSummary& run : runs) staying.insert(run.id);
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (staying.contains(runs_[static_cast<std::size_t>(row)].id)) continue;
    beginRemoveRows({}, row, row);
    runs_.erase(runs_.begin() + row);
    numberRows();
    endRemoveRows();
  }
}

void RunListModel::numberRows() {
  rows_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i) rows_[runs_[i].id] = static_cast<int>(i);
}

void RunListModel::update(std::vector<RunSummary> runs) {
  const auto newer = [](const RunSummary& a, const RunSummary& b) { return a.createdMs > b.createdMs; };
  if (!std::is_sorted(runs.begin(), runs.end(), newer)) std::stable_sort(runs.begin(), runs.end(), newer);
  if (runs_.empty() != runs.empty()) {  // inserting 10,000 rows one by one would block the views for minutes
    beginResetModel();
    runs_ = std::move(runs);
    numberRows();
    endResetModel();
    return;
  }
  removeMissing(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto known = rows_.find(runs[i].id);
    if (known == rows_.end()) {
      const auto place = std::min(i, runs_.size());
      beginInsertRows({}, static_cast<int>(place), static_cast<int>(place));
      runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(place), std::move(runs[i]));
      numberRows();
      endInsertRows();
    } else if (const int row = known->second; !sameRow(runs_[static_cast<std::size_t>(row)], runs[i])) {
      runs_[static_cast<std::size_t>(row)] = std::move(runs[i]);
      Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
  }
}

void RunListModel::apply(const QString& id, const RunEvent& event) {
  const int row = rowOf(id);
  if (row < 0) return;
  RunSummary& run = runs_[static_cast<std::size_t>(row)];
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
  Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

const RunSummary* RunListModel::find(const QString& id) const {
  return at(rowOf(id));
}

const RunSummary* RunListModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &runs_[static_cast<std::size_t>(row)] : nullptr;
}

const RunSummary* RunListModel::newestFinished() const {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [](const RunSummary& run) { return run.status == RunStatus::Finished; });
  return found == runs_.end() ? nullptr : &*found;
}

int RunListModel::rowOf(const QString& id) const {
  const auto found = rows_.find(id.toStdString());
  return found == rows_.end() ? -1 : found->second;
}

}  // namespace batchwise
