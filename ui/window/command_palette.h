// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

#include "ui/theme/theme.h"
#include "ui/window/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace batchwise {

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
