// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/runs_view.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyleOptionViewItem>
#include <algorithm>
#include <utility>

#include "ui/widgets/charts/chart_legend.h"
#include "ui/widgets/parts/table_views.h"

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

RunDelegate::RunDelegate(const Theme& theme, QObject* parent) : IconDelegate(theme, RunsTable::IconRole, parent) {}

void RunDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  IconDelegate::initStyleOption(option, index);
  const bool isNarrow = option->widget != nullptr && option->rect.width() <= iconWidth(*option->widget);
  if (isNarrow && index.column() == RunListModel::StateColumn) option->text.clear();
  if (index.data(RunsTable::ArchivedRole).toBool()) option->palette.setColor(QPalette::Text, theme().colors().muted);
  if (index.column() == RunListModel::NameColumn) option->text = shortNames_.value(option->text, option->text);
  const QVariant style = index.data(RunsTable::StyleRole);
  if (!style.isValid()) return;
  const int side = swatchSide(*option);
  option->icon = swatch(style.toInt(), index.data(RunsTable::BaselineRole).toBool(), side, qApp->devicePixelRatio());
  option->decorationSize = QSize(side, side);
  option->features |= QStyleOptionViewItem::HasDecoration;
}

int RunDelegate::iconWidth(const QWidget& view) {
  return 2 * view.fontMetrics().height();
}

QRect RunDelegate::tickBox(QStyleOptionViewItem option, const QModelIndex& index) const {
  initStyleOption(&option, index);
  const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
  return style->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, option.widget);
}

double RunDelegate::textWidth(QStyleOptionViewItem option, const QModelIndex& index) const {
  initStyleOption(&option, index);
  option.features |= QStyleOptionViewItem::HasDecoration;  // of a ticked run
  option.decorationSize = QSize(swatchSide(option), swatchSide(option));
  const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, option.widget) + 1;
  return style->subElementRect(QStyle::SE_ItemViewItemText, &option, option.widget).width() - 2 * margin;
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  IconDelegate::paint(painter, option, index);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (index.column() == RunListModel::NameColumn) {
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

RunsHeader::RunsHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setSectionsMovable(true);
  setFirstSectionMovable(false);
  setHighlightSections(false);
  setTextElideMode(Qt::ElideRight);
}

void RunsHeader::setTickState(Qt::CheckState state) {
  if (std::exchange(state_, state) != state) viewport()->update();
}

QRect RunsHeader::tickBox() const {
  const int side = style()->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, this);
  const int left = sectionViewportPosition(RunListModel::NameColumn) + kCellGap / 2;
  return {left, (height() - side) / 2, side, side};
}

/// An icon without pixels keeps the place of the tick box.
void RunsHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
  QHeaderView::initStyleOptionForIndex(option, section);
  const bool isNarrow = sectionSize(section) <= RunDelegate::iconWidth(*this);
  if (isNarrow && section == RunListModel::StateColumn) option->text.clear();
  const int title = fontMetrics().horizontalAdvance(option->text.section(QLatin1Char('\n'), 0, 0));
  if (section == RunListModel::EvalLossColumn && sectionSize(section) < title) option->text = tr("Last\neval.");
  if (section != RunListModel::NameColumn) return;
  QPixmap room(tickBox().size());
  room.fill(Qt::transparent);
  option->icon = room;
}

void RunsHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  painter->save();  // the base leaves a clip region that hides all
  QHeaderView::paintSection(painter, rect, section);
  painter->restore();
  if (section != RunListModel::NameColumn) return;
  QStyleOptionViewItem box;
  box.initFrom(this);
  box.rect = tickBox();
  box.state.setFlag(QStyle::State_HasFocus, false);
  box.state |= state_ == Qt::Checked     ? QStyle::State_On
               : state_ == Qt::Unchecked ? QStyle::State_Off
                                         : QStyle::State_NoChange;
  style()->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, this);
  frameTick(*painter, box.rect, palette());
}

void RunsHeader::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->button() == Qt::LeftButton &&
             tickBox().adjusted(-kCellGap, -kCellGap, kCellGap, kCellGap).contains(event->pos());
  pressed_ ? Q_EMIT tickPressed() : QHeaderView::mousePressEvent(event);
}

void RunsHeader::mouseReleaseEvent(QMouseEvent* event) {
  if (!std::exchange(pressed_, false)) QHeaderView::mouseReleaseEvent(event);
}

RunsView::RunsView(RunsTable& table, const Theme& theme, QWidget* parent)
    : QTreeView(parent), table_(table), delegate_(new RunDelegate(theme, this)) {
  setHeader(new RunsHeader(this));
  setUpTable(*this, table, "runs", tr("Runs"));
  setItemDelegate(delegate_);
  setTextElideMode(Qt::ElideMiddle);  // names of a sweep differ at their ends
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setExpandsOnDoubleClick(true);
  connect(&table, &RunsTable::arranged, this, &RunsView::shortenNames);
  connect(header(), &QHeaderView::sectionResized, this, [this](int column) {
    if (column == RunListModel::NameColumn) shortenNames();
  });
}

/// Shortens the names that do not fit, or are not quite seen before the table is scrolled, so that no two of the first
/// rows look alike.
void RunsView::shortenNames() {
  constexpr int kMostNames = 500;
  const int rows = model() == nullptr ? 0 : std::min(model()->rowCount(), kMostNames);
  QStringList wide;
  QHash<QString, QString> names;
  if (rows > 0) {
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    const int whole = columnWidth(RunListModel::NameColumn);
    const int seen = std::clamp(viewport()->width(), whole * 2 / 3, whole);
    option.rect = QRect(0, 0, seen - indentation(), 100);
    const double room = delegate_->textWidth(option, model()->index(0, RunListModel::NameColumn));
    const QFontMetricsF metrics(font());
    const auto add = [&](const QModelIndex& index) {
      const QString name = index.data().toString();
      if (metrics.horizontalAdvance(name) > room && !names.contains(name)) {
        names.insert(name, {});
        wide << name;
      }
    };
    for (int row = 0; row < rows; ++row) {
      const QModelIndex top = model()->index(row, RunListModel::NameColumn);
      add(top);
      const QModelIndex group = top.siblingAtColumn(0);
      for (int i = 0; i < model()->rowCount(group) && wide.size() < kMostNames; ++i)
        add(model()->index(i, RunListModel::NameColumn, group));
    }
    const QStringList shorter = elidedApart(wide, room, metrics);
    for (qsizetype i = 0; i < wide.size(); ++i) names[wide[i]] = shorter[i];
  }
  delegate_->setShortNames(std::move(names));
  viewport()->update();
}

QModelIndex RunsView::tickAt(const QPoint& place) const {
  const QModelIndex index = indexAt(place);
  if (!index.isValid() || index.column() != RunListModel::NameColumn) return {};
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

/// No row moves under the pointer.
bool RunsView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Enter) table_.setHeld(true);
  if (event->type() == QEvent::Leave || event->type() == QEvent::Hide) table_.setHeld(false);
  return QTreeView::viewportEvent(event);
}

void RunsView::mousePressEvent(QMouseEvent* event) {
  const QModelIndex index = event->button() == Qt::LeftButton ? tickAt(event->pos()) : QModelIndex();
  pressed_ = index.isValid();
  pressed_ ? Q_EMIT tickPressed(index) : QTreeView::mousePressEvent(event);
}

/// Otherwise a pull on a tick box would select rows.
void RunsView::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) QTreeView::mouseMoveEvent(event);
}

void RunsView::mouseReleaseEvent(QMouseEvent* event) {
  if (!std::exchange(pressed_, false)) QTreeView::mouseReleaseEvent(event);
}

/// The second press of a double click ticks once more.
void RunsView::mouseDoubleClickEvent(QMouseEvent* event) {
  const QModelIndex index = tickAt(event->pos());
  pressed_ = index.isValid();
  pressed_ ? Q_EMIT tickPressed(index) : QTreeView::mouseDoubleClickEvent(event);
}

void RunsView::changeEvent(QEvent* event) {
  QTreeView::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) shortenNames();
}

void RunsView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  Q_EMIT resized();
  shortenNames();
}

}  // namespace batchwise
