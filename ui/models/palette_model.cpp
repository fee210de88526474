// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette_model.h"

#include <algorithm>

namespace batchwise {
namespace {

/// 0: no match; 1: all words match; 2: all are in the title; 3: the title also starts with the search.
int rankOf(const PaletteEntry& entry, const QString& search) {
  bool inTitle = true;
  for (const QString& word : search.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const bool here = entry.title.contains(word, Qt::CaseInsensitive);
    if (!here && !entry.detail.contains(word, Qt::CaseInsensitive)) return 0;
    inTitle = inTitle && here;
  }
  if (!inTitle) return 1;
  return entry.title.startsWith(search, Qt::CaseInsensitive) ? 3 : 2;
}

}  // namespace

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(found_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  const PaletteEntry* entry = index.isValid() ? at(index.row()) : nullptr;
  if (entry == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole: return entry->title;
    case Qt::AccessibleTextRole:
      return QStringList{entry->title, entry->detail, entry->keys}.join(QStringLiteral(", "));
    case DetailRole: return entry->detail;
    case KeysRole: return entry->keys;
    default: return {};
  }
}

QHash<int, QByteArray> PaletteModel::roleNames() const {
  auto names = QAbstractListModel::roleNames();
  names[DetailRole] = "detail";
  names[KeysRole] = "keys";
  return names;
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  filter();
  endResetModel();
}

void PaletteModel::setSearch(const QString& text) {
  beginResetModel();
  search_ = text.trimmed();
  filter();
  endResetModel();
}

void PaletteModel::filter() {
  found_.clear();
  for (int wanted = search_.isEmpty() ? 2 : 3; wanted >= 1; --wanted) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const int rank = search_.isEmpty() ? 2 : rankOf(entries_[i], search_);
      if (rank == wanted) found_.push_back(i);
    }
  }
}

const PaletteEntry* PaletteModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[found_[static_cast<std::size_t>(row)]] : nullptr;
}

}  // namespace batchwise
