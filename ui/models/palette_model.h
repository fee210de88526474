// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractListModel>
#include <functional>
#include <vector>

namespace batchwise {

/// An entry of the command palette.
struct PaletteEntry {
  QString title;   ///< "Launch", "Learning rate", a run's name
  QString detail;  ///< kind and location: "Command", "Preference, Folders", "Field optimizer.lr", "Run, Finished"
  QString keys;    ///< its shortcut; may be empty
  std::function<void()> act;
  QString words = {};  ///< more text that is searched, for example the sections of a help page
};

/// Returns how well an entry matches a search: each of its words, separated by spaces, must be the beginning of a word
/// of the entry, be contained in one ("rate" in "warmup_rate"), or be its letters in order with some left out, the
/// first excepted ("lnch" in "Launch"), or the initials of the title ("lr" for "Learning rate"). 0: no match; matches
/// in the title count most. Case and accents do not matter.
int paletteScore(const PaletteEntry& entry, const QString& search);

/// Search results of the command palette, the best match first, equal ones in the order of the entries. GUI thread.
class PaletteModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { DetailRole = Qt::UserRole + 1, KeysRole };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  void setEntries(std::vector<PaletteEntry> entries);
  void setSearch(const QString& text);
  /// Returns null if there is no such row. Valid until the next change.
  const PaletteEntry* at(int row) const;

 private:
  /// The words of an entry, in lower case without accents.
  struct Words {
    QStringList title, detail, more;
    QString initials;
  };
  friend int paletteScore(const PaletteEntry& entry, const QString& search);
  static Words wordsOf(const PaletteEntry& entry);
  static int score(const Words& words, const QStringList& search);
  void filter();

  std::vector<PaletteEntry> entries_;
  std::vector<Words> words_;  // one per entry
  std::vector<std::size_t> found_;
  QString search_;
};

}  // namespace batchwise
