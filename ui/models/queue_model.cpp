// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/queue_model.h"

#include <algorithm>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

/// Tooltip: why the run ended, and what the queue does next.
QString explanationOf(const QueueEntry& entry, const QString& word) {
  QString text = entry.reason.empty() ? word : sentenceCase(reasonText(entry.reason));
  if (entry.resumes()) text += QLatin1Char('\n') + QueueModel::tr("The queue resumes it when its turn comes.");
  if (!entry.notResumed.empty()) text += QLatin1Char('\n') + sentenceCase(coreText(entry.notResumed));
  return text;
}

bool sameRow(const QueueEntry& a, const QueueEntry& b) {
  return a.id == b.id && a.name == b.name && a.status == b.status && a.run == b.run && a.reason == b.reason &&
         a.notResumed == b.notResumed;
}

}  // namespace

int QueueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int QueueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant QueueModel::data(const QModelIndex& index, int role) const {
  const QueueEntry* entry = index.isValid() ? at(index.row()) : nullptr;
  if (entry == nullptr) return {};
  const bool state = index.column() == StateColumn;
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

QVariant QueueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == NameColumn ? tr("Run") : section == StateColumn ? tr("State") : QVariant();
}

QHash<int, QByteArray> QueueModel::roleNames() const {
  auto names = QAbstractTableModel::roleNames();
  names[IdRole] = "id";
  names[IconRole] = "icon";
  names[RunRole] = "run";
  return names;
}

void QueueModel::update(std::vector<QueueEntry> entries) {
  const auto ended =
      std::stable_partition(entries.begin(), entries.end(), [](const QueueEntry& entry) { return !entry.ended(); });
  std::reverse(ended, entries.end());
  std::stable_partition(entries.begin(), ended, [](const QueueEntry& entry) { return !entry.waits(); });
  const bool sameIds = std::equal(entries_.begin(), entries_.end(), entries.begin(), entries.end(),
                                  [](const QueueEntry& a, const QueueEntry& b) { return a.id == b.id; });
  if (!sameIds) {
    beginResetModel();
    entries_ = std::move(entries);
    endResetModel();
    return;
  }
  for (std::size_t row = 0; row < entries.size(); ++row) {
    if (sameRow(entries_[row], entries[row])) continue;
    entries_[row] = std::move(entries[row]);
    const int at = static_cast<int>(row);
    Q_EMIT dataChanged(index(at, 0), index(at, ColumnCount - 1));
  }
}

const QueueEntry* QueueModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[static_cast<std::size_t>(row)] : nullptr;
}

int QueueModel::rowOf(const QString& entry) const {
  for (int row = 0; row < rowCount(); ++row)
    if (toQt(entries_[static_cast<std::size_t>(row)].id) == entry) return row;
  return -1;
}

}  // namespace batchwise
