// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractListModel>
#include <functional>
#include <vector>

namespace batchwise {

/// Something that the palette can do or go to.
struct PaletteEntry {
  QString title;   ///< "Launch", "Learning rate", a run's name
  QString detail;  ///< where it is or what it is: "Run", "Setting optimizer.lr", "Finished"
  QString keys;    ///< its shortcut in words; may be empty
  std::function<void()> act;
};

/// The entries whose title or detail hold every word of what is looked for, in any order; those that begin with it
/// first. GUI thread.
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
  /// Null if there is no such row. Valid until the next change.
  const PaletteEntry* at(int row) const;

 private:
  void match();

  std::vector<PaletteEntry> entries_;
  std::vector<std::size_t> found_;
  QString search_;
};

}  // namespace batchwise
