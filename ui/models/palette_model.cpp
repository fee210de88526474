// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette_model.h"

#include <QtCore/QRegularExpression>
#include <algorithm>
#include <numeric>

namespace batchwise {
namespace {

QString folded(const QString& text) {
  static const QRegularExpression marks(QStringLiteral("\\p{Mn}"));
  return text.normalized(QString::NormalizationForm_KD)
      .remove(marks)
      .toCaseFolded()
      .replace(QChar(0xDF), QStringLiteral("ss"));
}

QStringList searchWords(const QString& search) {
  return folded(search).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Words between spaces, and the parts of those that have other separators: "batch.tokens", "batch", "tokens".
QStringList splitWords(const QString& text) {
  static const QRegularExpression separators(QStringLiteral("[._/,:()-]"));
  QStringList words = searchWords(text);
  for (const QString& word : QStringList(words))
    if (word.contains(separators)) words << word.split(separators, Qt::SkipEmptyParts);
  return words;
}

/// Returns whether the letters of `search` are in `word` in order, from its first letter.
bool skipsLetters(const QString& word, const QString& search) {
  qsizetype at = 0;
  for (const QChar letter : word)
    if (at < search.size() && letter == search[at])
      ++at;
    else if (at == 0)
      return false;
  return search.size() > 1 && at == search.size();
}

/// Values of a match: at the beginning of a word, inside one, with letters left out; 0: none.
struct Weights {
  int begins, inside, skips;
};

int bestMatch(const QStringList& words, const QString& search, const Weights& weights) {
  int best = 0;
  for (const QString& word : words) {
    if (word.startsWith(search)) return weights.begins;
    if (word.contains(search))
      best = std::max(best, weights.inside);
    else if (weights.skips > best && skipsLetters(word, search))
      best = weights.skips;
  }
  return best;
}

}  // namespace

PaletteModel::Words PaletteModel::wordsOf(const PaletteEntry& entry) {
  Words words{splitWords(entry.title), splitWords(entry.detail), splitWords(entry.words), {}};
  for (const QString& word : searchWords(entry.title)) words.initials += word.front();
  return words;
}

int PaletteModel::score(const Words& words, const QStringList& search) {
  int total = 0;
  for (const QString& word : search) {
    int best = bestMatch(words.title, word, {20, 12, 3});
    best = std::max(best, bestMatch(words.detail, word, {8, 6, 0}));
    best = std::max(best, bestMatch(words.more, word, {4, 2, 0}));
    if (word.size() > 1 && words.initials.startsWith(word)) best = std::max(best, 10);
    if (best == 0) return 0;
    total += best;
  }
  const bool fromStart = !search.isEmpty() && !words.title.isEmpty() && words.title.front().startsWith(search.front());
  return total + (fromStart ? 10 : 0) + 1;
}

int paletteScore(const PaletteEntry& entry, const QString& search) {
  return PaletteModel::score(PaletteModel::wordsOf(entry), searchWords(search));
}

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
  words_.clear();
  for (const PaletteEntry& entry : entries_) words_.push_back(wordsOf(entry));
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
  const QStringList search = searchWords(search_);
  std::vector<int> scores;
  for (const Words& words : words_) scores.push_back(score(words, search));
  found_.resize(entries_.size());
  std::iota(found_.begin(), found_.end(), std::size_t{0});
  if (search.isEmpty()) return;
  std::erase_if(found_, [&](std::size_t entry) { return scores[entry] == 0; });
  std::stable_sort(found_.begin(), found_.end(),
                   [&](std::size_t first, std::size_t second) { return scores[first] > scores[second]; });
}

const PaletteEntry* PaletteModel::at(int row) const {
  return row >= 0 && row < rowCount() ? &entries_[found_[static_cast<std::size_t>(row)]] : nullptr;
}

}  // namespace batchwise
