// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <functional>
#include <vector>

#include "ui/theme/theme.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace batchwise {

/// An entry of the command palette.
struct PaletteEntry {
  QString title;   ///< "Launch", "Learning rate", a run's name
  QString detail;  ///< kind and location: "Command", "Preference, Folders", "Field optimizer.lr", "Run, Finished"
  QString keys;    ///< its shortcut; may be empty
  std::function<void()> act;
  QString words = {};  ///< more text that is searched, for example the sections of a help page
};

/// Returns the entries that contain each word of the search, those whose title begins with it first, then those whose
/// title contains it; equal ones in their order. Case does not matter.
std::vector<const PaletteEntry*> paletteMatches(const std::vector<PaletteEntry>& entries, const QString& search);

/// Dialog with a search line and the entries that match: commands, preferences, configuration fields, runs, help pages.
/// Enter executes the selected one, Escape closes.
class CommandPalette final : public QDialog {
  Q_OBJECT

 public:
  CommandPalette(const Theme& theme, QWidget* parent);

  /// Opens with these entries and an empty search.
  void openWith(std::vector<PaletteEntry> entries);
  /// The entries that are listed.
  const std::vector<const PaletteEntry*>& found() const { return found_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();
  void choose();

  std::vector<PaletteEntry> entries_;
  std::vector<const PaletteEntry*> found_;
  QLineEdit* search_;
  QLabel* nothing_;
  QListWidget* list_;
};

}  // namespace batchwise
