// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace batchwise {

class ShortcutRegistry;

/// Dialog that lists every command with its shortcut, which can be changed.
class ShortcutWindow final : public QDialog {
  Q_OBJECT

 public:
  ShortcutWindow(ShortcutRegistry& registry, QWidget* parent);

 private:
  void fill();
  void showSelected();
  void applyKeys();
  QAction* selected() const;

  ShortcutRegistry& registry_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QLabel* problem_;
  QPushButton *none_, *reset_;
};

}  // namespace batchwise
