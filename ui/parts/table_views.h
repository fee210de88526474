// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QStyledItemDelegate>

#include "ui/theme/theme.h"

class QTableView;
class QTreeView;

namespace batchwise {

/// Draws the icon named by the model's `iconRole` before the text of a cell, colored by its meaning; `iconRole` -1:
/// none. Rows are at least rowHeight() high. Texts are drawn as plain text.
class IconDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  explicit IconDelegate(const Theme& theme, QObject* parent = nullptr);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

  const Theme& theme() const { return theme_; }

 private:
  const Theme& theme_;
};

/// Returns a frameless table of `model` with an IconDelegate; the columns are as wide as their contents.
/// It may be as low as its dock. `name`: object name; `accessible`: what it lists; `parent` owns it.
QTreeView* tableView(QWidget* parent, QAbstractItemModel& model, const Theme& theme, const char* name,
                     const QString& accessible);
/// Makes a view such a table, without model and delegate.
void setUpTable(QTreeView& view, const char* name, const QString& accessible);
/// Returns a frameless table of texts without a grid, of which one row is selected; Tab leaves it.
QTableView* textTableView(QWidget* parent, QAbstractItemModel& model, const char* name, const QString& accessible);

/// Returns the height of a table row in pixels: at least 28, more for a large font.
int rowHeight(const QFontMetrics& metrics);

}  // namespace batchwise
