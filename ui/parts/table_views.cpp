// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/table_views.h"

#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTableView>
#include <QtWidgets/QTreeView>
#include <algorithm>

#include "ui/parts/layouts.h"
#include "ui/parts/table_model.h"

namespace batchwise {
namespace {

QColor iconColor(const QString& name, const ThemeColors& colors) {
  if (name == QLatin1String("state-running") || name == QLatin1String("state-paused")) return colors.accent;
  if (name == QLatin1String("state-finished")) return colors.good;
  if (name == QLatin1String("state-failed") || name == QLatin1String("note-error")) return colors.bad;
  if (name == QLatin1String("state-interrupted") || name == QLatin1String("note-warning")) return colors.warning;
  return colors.muted;
}

}  // namespace

int rowHeight(const QFontMetrics& metrics) {
  return std::max(28, metrics.height() + 10);
}

void setUpTable(QTreeView& view, const char* name, const QString& accessible) {
  view.setObjectName(QString::fromLatin1(name));
  view.setAccessibleName(accessible);
  view.setRootIsDecorated(false);
  view.setUniformRowHeights(true);
  view.setMinimumHeight(1);
  view.setFrameShape(QFrame::NoFrame);
  view.header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view.header()->setStretchLastSection(false);
}

QTreeView* tableView(QWidget* parent, QAbstractItemModel& model, const Theme& theme, const char* name,
                     const QString& accessible) {
  auto* view = new QTreeView(parent);
  view->setModel(&model);
  setUpTable(*view, name, accessible);
  view->setItemDelegate(new IconDelegate(theme, view));
  return view;
}

QTableView* textTableView(QWidget* parent, QAbstractItemModel& model, const char* name, const QString& accessible) {
  auto* view = named(new QTableView(parent), name, accessible);
  view->setModel(&model);
  view->setFrameShape(QFrame::NoFrame);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setWordWrap(false);
  view->setTabKeyNavigation(false);
  view->verticalHeader()->hide();
  view->verticalHeader()->setDefaultSectionSize(rowHeight(view->fontMetrics()));
  view->horizontalHeader()->setHighlightSections(false);
  return view;
}

IconDelegate::IconDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

QSize IconDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  size.setHeight(std::max(size.height(), rowHeight(option.fontMetrics)));
  size.rwidth() += option.fontMetrics.averageCharWidth();  // between columns
  return size;
}

void IconDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  option->state.setFlag(QStyle::State_HasFocus, false);  // the row is highlighted; a focus frame would cover text
  const QString name = index.data(kIconRole).toString();
  if (name.isEmpty()) return;
  const bool selected = option->state.testFlag(QStyle::State_Selected);
  const QColor color = selected ? theme_.colors().onAccent : iconColor(name, theme_.colors());
  const int side = std::max(16, option->fontMetrics.height() - 2);
  option->icon = theme_.icon(name, color);
  option->decorationSize = QSize(side, side);
  option->features |= QStyleOptionViewItem::HasDecoration;
}

}  // namespace batchwise
