// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace batchwise {

/// A column that can be shown.
struct OfferedColumn {
  QString key;
  QString title;
  QString about;  ///< also found by the search; the tooltip
  bool shown = false;
};

/// Dialog with a searchable list of columns to tick. What is ticked applies at once.
class ColumnChooser final : public QDialog {
  Q_OBJECT

 public:
  ColumnChooser(const std::vector<OfferedColumn>& columns, QWidget* parent);

 Q_SIGNALS:
  void columnToggled(const QString& key, bool shown);
  /// Columns, order and widths are to be as the program has them.
  void resetRequested();

 private:
  void search(const QString& words);

  QLineEdit* search_;
  QListWidget* list_;
  QLabel* nothing_;
};

}  // namespace batchwise
