// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include "ui/models/display_text.h"

namespace batchwise {
namespace {
constexpr std::size_t kMaxRows = 10'000;
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == LevelRole) return static_cast<int>(eventLevel(row.event));
  if (role == IconRole) return index.column() == TextColumn ? levelIcon(eventLevel(row.event)) : QVariant();
  if (role == Qt::TextAlignmentRole && index.column() == BatchColumn) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole)
    return index.column() == TimeColumn ? exactTimeText(row.wallMs) : plainToolTip(sentenceOf(row));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case TimeColumn: return localTimeText(row.wallMs);
    case BatchColumn: return integerText(eventBatch(row.event));
    default: return sentenceOf(row);
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return int((section == BatchColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case TimeColumn: return tr("Time");
    case BatchColumn: return tr("Batch");
    default: return tr("What happened");
  }
}

QHash<int, QByteArray> LogModel::roleNames() const {
  auto names = QAbstractTableModel::roleNames();
  names.insert({{LevelRole, "level"}, {IconRole, "icon"}});
  return names;
}

void LogModel::clear() {
  if (rows_.empty()) return;
  beginRemoveRows({}, 0, rowCount() - 1);
  rows_.clear();
  endRemoveRows();
}

void LogModel::append(const RunEvent& event, std::int64_t wallMs) {
  QString sentence = eventSentence(event);
  if (sentence.isEmpty()) return;
  if (rows_.size() >= kMaxRows) {
    beginRemoveRows({}, 0, 0);
    rows_.pop_front();
    endRemoveRows();
  }
  beginInsertRows({}, rowCount(), rowCount());
  rows_.push_back({wallMs, event, std::move(sentence)});
  endInsertRows();
}

void LogModel::retranslate() {
  beginResetModel();
  for (const Row& row : rows_) row.sentence.clear();
  endResetModel();
}

const QString& LogModel::sentenceOf(const Row& row) {
  if (row.sentence.isEmpty()) row.sentence = eventSentence(row.event);
  return row.sentence;
}

QString LogModel::plainText() const {
  QString out;
  for (const Row& row : rows_)
    out += QStringLiteral("%1\t%2\t%3\n")
               .arg(exactTimeText(row.wallMs), integerText(eventBatch(row.event)), sentenceOf(row));
  return out;
}

}  // namespace batchwise
