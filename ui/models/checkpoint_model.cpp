// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/checkpoint_model.h"

#include <algorithm>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

bool isNumber(int column) {
  return column == CheckpointModel::BatchColumn || column == CheckpointModel::SizeColumn ||
         column == CheckpointModel::MetricColumn;
}

int alignment(int column) {
  return int((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

bool sameRow(const CheckpointRecord& a, const CheckpointRecord& b) {
  return a.pinned == b.pinned && a.verified == b.verified && a.metric == b.metric && a.finite == b.finite;
}

}  // namespace

int CheckpointModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(records_.size());
}

int CheckpointModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const CheckpointRecord& record = records_[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<Column>(index.column());
  switch (role) {
    case Qt::DisplayRole: return text(record, column);
    case Qt::ToolTipRole: return toolTip(record, column);
    case Qt::TextAlignmentRole: return alignment(column);
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
    case ReasonColumn: return sentenceCase(reasonText(record.reason));
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

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignment(section);
  if (role == Qt::ToolTipRole && section == MetricColumn) return tr("The figure by which the best ones are kept");
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case BatchColumn: return tr("Global batch");
    case CreatedColumn: return tr("Written");
    case SizeColumn: return tr("Size");
    case MetricColumn: return tr("Evaluation");
    case ReasonColumn: return tr("Why");
    case StateColumn: return tr("State");
    case PinnedColumn: return tr("Kept");
    default: return {};
  }
}

QHash<int, QByteArray> CheckpointModel::roleNames() const {
  auto names = QAbstractTableModel::roleNames();
  names.insert({{IdRole, "id"}, {IconRole, "icon"}, {SortRole, "sort"}});
  return names;
}

void CheckpointModel::update(std::vector<CheckpointRecord> records) {
  std::sort(records.begin(), records.end(), [](const CheckpointRecord& a, const CheckpointRecord& b) {
    return std::pair(a.segment, a.at.step) > std::pair(b.segment, b.at.step);
  });
  for (int row = rowCount() - 1; row >= 0; --row) {
    const auto& id = records_[static_cast<std::size_t>(row)].id;
    if (std::any_of(records.begin(), records.end(), [&](const auto& record) { return record.id == id; })) continue;
    beginRemoveRows({}, row, row);
    records_.erase(records_.begin() + row);
    endRemoveRows();
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const int row = rowOf(toQt(records[i].id));
    if (row < 0) {
      const auto place = static_cast<int>(std::min(i, records_.size()));
      beginInsertRows({}, place, place);
      records_.insert(records_.begin() + place, std::move(records[i]));
      endInsertRows();
    } else if (!sameRow(records_[static_cast<std::size_t>(row)], records[i])) {
      records_[static_cast<std::size_t>(row)] = std::move(records[i]);
      Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
  }
}

void CheckpointModel::setCheck(const QString& id, Check check, const QString& problem) {
  checked_[id] = {check, problem};
  if (const int row = rowOf(id); row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

const CheckpointRecord* CheckpointModel::find(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &records_[static_cast<std::size_t>(row)];
}

int CheckpointModel::rowOf(const QString& id) const {
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&](const auto& record) { return toQt(record.id) == id; });
  return found == records_.end() ? -1 : static_cast<int>(found - records_.begin());
}

}  // namespace batchwise
