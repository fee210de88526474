// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTreeView>

#include "ui/presenters/runs_table.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {

/// Draws the line of a ticked run beside its name, framed for the baseline, and a bar for what is done.
class RunDelegate final : public IconDelegate {
  Q_OBJECT

 public:
  RunDelegate(const Theme& theme, QObject* parent);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// Returns the width of the column of the state where that has no room for its word, which the tool tip then has.
  static int iconWidth(const QWidget& view);
  /// Returns the place of the tick box in the cell of a name.
  QRect tickBox(QStyleOptionViewItem option, const QModelIndex& index) const;
  /// Returns the room in pixels of a name beside tick box and line.
  double textWidth(QStyleOptionViewItem option, const QModelIndex& index) const;
  /// Shows these texts in place of names that are too wide.
  void setShortNames(QHash<QString, QString> names) { shortNames_ = std::move(names); }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  QHash<QString, QString> shortNames_;
};

/// Header of the runs table: the first column has a tick box for all shown runs.
class RunsHeader final : public QHeaderView {
  Q_OBJECT

 public:
  explicit RunsHeader(QWidget* parent);

  void setTickState(Qt::CheckState state);

 Q_SIGNALS:
  void tickPressed();

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  QRect tickBox() const;

  Qt::CheckState state_ = Qt::Unchecked;
  bool pressed_ = false;
};

/// The tree of the runs table. A press on a tick box changes neither selection nor current row.
class RunsView final : public QTreeView {
  Q_OBJECT

 public:
  RunsView(RunsTable& table, const Theme& theme, QWidget* parent);

 Q_SIGNALS:
  void tickPressed(const QModelIndex& row);
  void resized();

 protected:
  bool viewportEvent(QEvent* event) override;
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void shortenNames();
  /// Returns the row whose tick box is at `place`.
  QModelIndex tickAt(const QPoint& place) const;

  RunsTable& table_;
  RunDelegate* delegate_;
  bool pressed_ = false;  // the mouse button is down on a tick box
};

}  // namespace batchwise
