// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace batchwise {

class ShortcutBook;

/// Every command with its keys, which can be changed.
class ShortcutWindow final : public QDialog {
  Q_OBJECT

 public:
  ShortcutWindow(ShortcutBook& book, QWidget* parent);

 private:
  void fill();
  void showSelected();
  void take();
  QAction* selected() const;

  ShortcutBook& book_;
  QLineEdit* search_;
  QTreeWidget* list_;
  QKeySequenceEdit* keys_;
  QLabel* problem_;
  QPushButton *none_, *reset_;
};

}  // namespace batchwise
