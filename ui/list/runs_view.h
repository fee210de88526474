// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtWidgets/QTreeView>
#include <functional>
#include <vector>

#include "ui/list/runs_table.h"
#include "ui/parts/table_views.h"
#include "ui/theme/theme.h"

class QWidget;

namespace batchwise {

/// Draws the line of a ticked run beside its name, framed for the baseline, and a bar for what is done.
class RunDelegate final : public IconDelegate {
  Q_OBJECT

 public:
  RunDelegate(const Theme& theme, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// Width up to which the column of the state has its icon alone.
  static int iconWidth(const QFontMetrics& metrics);
  /// Returns the place of the tick box in the cell of a name.
  QRect tickBox(QStyleOptionViewItem option, const QModelIndex& index) const;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// The tree of the runs table. A press on a tick box changes neither selection nor current row; on that of a selected
/// row it is for all selected ones.
class RunsView final : public QTreeView {
  Q_OBJECT

 public:
  RunsView(RunsTable& table, const Theme& theme, QWidget* parent);

 protected:
  bool viewportEvent(QEvent* event) override;
  void rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) override;
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  /// Returns the row whose tick box is at `place`.
  QModelIndex tickAt(const QPoint& place) const;
  /// Returns whether there was something to tick.
  bool tick(const QModelIndex& row);

  RunsTable& table_;
  RunDelegate* delegate_;
  bool pressedTick_ = false;  // the mouse button is down on a tick box
};

/// A column that can be shown.
struct OfferedColumn {
  QString key;
  QString title;
  QString about;  ///< also found by the search; the tooltip
  bool shown = false;
};

/// Opens a dialog with a searchable list of columns to tick, which tells what is ticked at once. `reset`: columns,
/// order and widths are to be as the program has them.
void chooseColumns(QWidget* parent, const std::vector<OfferedColumn>& columns,
                   const std::function<void(const QString& key, bool shown)>& toggled,
                   const std::function<void()>& reset);

}  // namespace batchwise
