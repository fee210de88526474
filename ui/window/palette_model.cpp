// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/palette_model.h"

#include <algorithm>

#include "ui/parts/search_words.h"

namespace batchwise {
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
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const PaletteEntry& entry = entries_[i];
    if (containsWords(QStringList{entry.title, entry.detail, entry.words}.join(QLatin1Char(' ')), search_))
      found_.push_back(i);
  }
  const auto place = [this](std::size_t i) {
    const qsizetype at = entries_[i].title.indexOf(search_, 0, Qt::CaseInsensitive);
    return at < 0 ? 2 : std::min<qsizetype>(at, 1);
  };
  std::ranges::stable_sort(found_, {}, place);
}

const PaletteEntry* PaletteModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[found_[static_cast<std::size_t>(row)]] : nullptr;
}

}  // namespace batchwise
