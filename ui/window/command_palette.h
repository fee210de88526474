// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractListModel>
#include <QtWidgets/QDialog>
#include <functional>
#include <vector>

#include "ui/theme/theme.h"

class QLabel;
class QLineEdit;
class QListView;

namespace batchwise {

/// An entry of the command palette.
struct PaletteEntry {
  QString title;   ///< "Launch", "Learning rate", a run's name
  QString detail;  ///< kind and location: "Command", "Preference, Folders", "Field optimizer.lr", "Run, Finished"
  QString keys;    ///< its shortcut; may be empty
  std::function<void()> act;
  QString words = {};  ///< more text that is searched, for example the sections of a help page
};

/// Search results of the command palette: the entries that contain each word of the search, those whose title begins
/// with it first, then those whose title contains it; equal ones in their order. Case does not matter. GUI thread.
class PaletteModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { DetailRole = Qt::UserRole + 1, KeysRole };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  void setEntries(std::vector<PaletteEntry> entries);
  void setSearch(const QString& text);
  /// Returns null if there is no such row. Valid until the next change.
  const PaletteEntry* at(int row) const;

 private:
  void filter();

  std::vector<PaletteEntry> entries_;
  std::vector<std::size_t> found_;
  QString search_;
};

/// Dialog with a search line and the entries that match: commands, preferences, configuration fields, runs, help pages.
/// Enter executes the selected one, Escape closes.
class CommandPalette final : public QDialog {
  Q_OBJECT

 public:
  CommandPalette(const Theme& theme, QWidget* parent);

  /// Opens with these entries and an empty search.
  void openWith(std::vector<PaletteEntry> entries);
  PaletteModel& model() { return model_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void choose();

  PaletteModel model_;
  QLineEdit* search_;
  QLabel* nothing_;
  QListView* list_;
};

}  // namespace batchwise
