// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/runs_view.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyleOptionViewItem>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/search_words.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kLeastSwatch = 12;
constexpr int kBarHeight = 4, kLeastBar = 16;
constexpr int kCellGap = 4;

/// Returns a sample of the run's line; the baseline's has a frame.
QPixmap swatch(int style, bool baseline, int side, double ratio) {
  QPixmap pixmap(QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  // Own background: not every color is visible on that of a selected row.
  painter.setPen(Qt::NoPen);
  painter.setBrush(QApplication::palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(0, 0, side, side), 2, 2);
  painter.setBrush(Qt::NoBrush);
  const QColor color = seriesColor(style, QApplication::palette().color(QPalette::Base));
  painter.setPen(QPen(color, 3, seriesPenStyle(style)));
  painter.drawLine(QPointF(2, side / 2.0), QPointF(side - 2, side / 2.0));
  painter.setPen(QPen(color, 1));
  if (baseline) painter.drawRect(QRectF(0.5, 0.5, side - 1, side - 1));
  return pixmap;
}

int swatchSide(const QStyleOptionViewItem& option) {
  return std::max(kLeastSwatch, option.fontMetrics.height() * 3 / 4);
}

/// Frames a tick box, which the style hardly shows on a dark background.
void frameTick(QPainter& painter, const QRect& box, const QPalette& palette) {
  QColor color = palette.color(QPalette::Text);
  color.setAlphaF(0.5F);
  painter.setPen(color);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(box.adjusted(0, 0, -1, -1));
}

/// Draws an empty tick box of a selected row as a frame: its ground, dark in the dark theme, would look like a tick.
void drawEmptyTick(QPainter& painter, const QRect& box, const ThemeColors& colors) {
  painter.setPen(colors.onAccent);
  painter.setBrush(colors.accent);
  painter.drawRect(box.adjusted(0, 0, -1, -1));
}

}  // namespace

RunDelegate::RunDelegate(const Theme& theme, QObject* parent) : IconDelegate(theme, parent) {}

void RunDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  IconDelegate::initStyleOption(option, index);
  if (index.column() == RunsTable::StateColumn && option->rect.width() <= iconWidth(option->fontMetrics))
    option->text.clear();  // the icon says it, and the tool tip
  if (index.data(RunsTable::ArchivedRole).toBool()) option->palette.setColor(QPalette::Text, theme().colors().muted);
  const QVariant style = index.data(RunsTable::StyleRole);
  if (!style.isValid()) return;
  const int side = swatchSide(*option);
  option->icon = swatch(style.toInt(), index.data(RunsTable::BaselineRole).toBool(), side, qApp->devicePixelRatio());
  option->decorationSize = QSize(side, side);
  option->features |= QStyleOptionViewItem::HasDecoration;
}

int RunDelegate::iconWidth(const QFontMetrics& metrics) {
  return metrics.height() * 5 / 2;
}

QRect RunDelegate::tickBox(QStyleOptionViewItem option, const QModelIndex& index) const {
  initStyleOption(&option, index);
  const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
  return style->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, option.widget);
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  IconDelegate::paint(painter, option, index);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (index.column() == RunsTable::NameColumn) {
    const bool isEmpty = index.data(Qt::CheckStateRole).toInt() == static_cast<int>(Qt::Unchecked);
    if (selected && isEmpty)
      drawEmptyTick(*painter, tickBox(option, index), theme().colors());
    else
      frameTick(*painter, tickBox(option, index), option.palette);
  }
  const QVariant done = index.data(RunsTable::DoneRole);
  if (!done.isValid()) return;
  const int text = option.fontMetrics.horizontalAdvance(QStringLiteral("100 %")) + 3 * kCellGap;
  const QRect bar(option.rect.left() + 2 * kCellGap, option.rect.center().y() - kBarHeight / 2,
                  option.rect.width() - text - 2 * kCellGap, kBarHeight);
  if (bar.width() < kLeastBar) return;
  QRect filled = bar;
  filled.setWidth(qRound(bar.width() * done.toDouble()));
  painter->fillRect(bar, selected ? theme().colors().muted : theme().colors().line);
  painter->fillRect(filled, selected ? theme().colors().onAccent : theme().colors().accent);
}

RunsView::RunsView(RunsTable& table, const Theme& theme, QWidget* parent)
    : QTreeView(parent), table_(table), delegate_(new RunDelegate(theme, this)) {
  setModel(&table);
  setUpTable(*this, "runs", tr("Runs"));
  header()->setSectionsMovable(true);
  header()->setFirstSectionMovable(false);
  setItemDelegate(delegate_);
  setTextElideMode(Qt::ElideMiddle);  // names of a sweep differ at their ends
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setExpandsOnDoubleClick(true);
}

QModelIndex RunsView::tickAt(const QPoint& place) const {
  const QModelIndex index = indexAt(place);
  if (!index.isValid() || index.column() != RunsTable::NameColumn) return {};
  QStyleOptionViewItem option;
  initViewItemOption(&option);
  option.rect = visualRect(index);
  const QRect box = delegate_->tickBox(option, index).adjusted(-kCellGap, -kCellGap, 0, kCellGap);
  return box.contains(place) ? index : QModelIndex();
}

void RunsView::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QTreeView::drawRow(painter, option, index);
  if (!index.data(RunsTable::SectionRole).toBool()) return;
  painter->setPen(palette().color(QPalette::Text));
  painter->drawLine(option.rect.topLeft(), option.rect.topRight());
}

/// No other run becomes the current one when its row goes.
void RunsView::rowsAboutToBeRemoved(const QModelIndex& parent, int first, int last) {
  QModelIndex row = currentIndex();
  while (row.isValid() && row.parent() != parent) row = row.parent();
  if (row.isValid() && row.row() >= first && row.row() <= last) selectionModel()->clearCurrentIndex();
  QTreeView::rowsAboutToBeRemoved(parent, first, last);
}

/// No row moves under the pointer.
bool RunsView::viewportEvent(QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::Enter) table_.setHeld(true);
  if (type == QEvent::Leave || type == QEvent::Hide) table_.setHeld(false);
  const bool pressed = type == QEvent::MouseButtonPress || type == QEvent::MouseButtonDblClick;
  const auto* mouse = static_cast<QMouseEvent*>(pressed ? event : nullptr);
  if (pressed) pressedTick_ = mouse->button() == Qt::LeftButton && tick(tickAt(mouse->position().toPoint()));
  const bool isOfTick = pressed || type == QEvent::MouseMove || type == QEvent::MouseButtonRelease;
  if (pressedTick_ && isOfTick) {
    pressedTick_ = type != QEvent::MouseButtonRelease;
    return true;
  }
  return QTreeView::viewportEvent(event);
}

bool RunsView::tick(const QModelIndex& row) {
  if (!row.isValid()) return false;
  const bool selected = selectionModel()->isRowSelected(row.row(), row.parent());
  table_.tick(table_.runsAt(selected ? selectionModel()->selectedRows() : QModelIndexList{row}));
  return true;
}

namespace {

constexpr int kKeyRole = Qt::UserRole;
constexpr int kSearchRole = Qt::UserRole + 1;
constexpr int kWidthChars = 64, kHeightLines = 22;

}  // namespace

void chooseColumns(QWidget* parent, const std::vector<OfferedColumn>& columns,
                   const std::function<void(const QString& key, bool shown)>& toggled,
                   const std::function<void()>& reset) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("Columns"));
  dialog->setObjectName(QStringLiteral("columnChooser"));
  auto* search = searchLine(dialog, "columnSearch", QObject::tr("Find a column"));
  auto* list = named(new QListWidget(dialog), "columnList", QObject::tr("Columns of the runs table"));
  list->setTextElideMode(Qt::ElideMiddle);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const OfferedColumn& column : columns) {
    auto* item = new QListWidgetItem(column.title, list);
    item->setData(kKeyRole, column.key);
    item->setData(kSearchRole, column.title + QLatin1Char(' ') + column.about);
    item->setToolTip(plainToolTip(column.about));
    item->setCheckState(column.shown ? Qt::Checked : Qt::Unchecked);
  }
  list->setCurrentRow(0);
  QLabel* nothing = textLabel(dialog, TextLook::Small, QObject::tr("No matching columns."));
  nothing->hide();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* resetButton = buttons->addButton(QObject::tr("Reset columns"), QDialogButtonBox::ResetRole);
  resetButton->setAutoDefault(false);
  column(dialog, {search, nothing, {list, 1}, buttons});
  const QFontMetrics metrics = dialog->fontMetrics();
  dialog->resize(kWidthChars * metrics.averageCharWidth(), kHeightLines * metrics.height());

  QObject::connect(search, &QLineEdit::textChanged, list, [list, nothing](const QString& words) {
    int shown = 0;
    for (int i = 0; i < list->count(); ++i) {
      const bool fits = containsWords(list->item(i)->data(kSearchRole).toString(), words);
      list->item(i)->setHidden(!fits);
      shown += fits ? 1 : 0;
    }
    nothing->setVisible(shown == 0);
  });
  QObject::connect(list, &QListWidget::itemChanged, parent, [toggled](const QListWidgetItem* item) {
    toggled(item->data(kKeyRole).toString(), item->checkState() == Qt::Checked);
  });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(resetButton, &QPushButton::clicked, parent, [reset, dialog] {
    reset();
    dialog->accept();
  });
  dialog->open();
}

}  // namespace batchwise
