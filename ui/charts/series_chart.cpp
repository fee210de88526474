// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/series_chart.h"

#include <QtCore/QMimeData>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/charts/chart_card.h"
#include "ui/charts/chart_painter.h"

namespace batchwise {
namespace {

constexpr double kZoomPerNotch = 0.8;
constexpr int kMinDrag = 5;           // pixels
constexpr double kEventReach = 4;     // pixels from the cursor
constexpr double kCursorStep = 0.01;  // share of the visible part

}  // namespace

SeriesChart::SeriesChart(ChartTitle title, const Theme& theme, QWidget* parent)
    : QWidget(parent), title_(std::move(title)), theme_(theme), card_(new CardView(theme, this)) {
  setting_.format = title_.format;
  setting_.fromZero = title_.fromZero;
  setAccessibleName(tr("Chart: %1").arg(title_.title));
  if (title_.interactive) setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMouseTracking(true);
  setAcceptDrops(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    refresh();
  });
}

SeriesChart::~SeriesChart() {
  delete card_;  // may have another parent
}

void SeriesChart::setContent(ChartContent content, std::optional<AxisRange> part) {
  content_ = std::move(content);
  setting_.part = part;
  refresh();
}

void SeriesChart::showPart(std::optional<AxisRange> part) {
  if (std::exchange(setting_.part, part) == part) return;
  refresh();
  card_->hide();  // its values belong to a place that has moved
}

void SeriesChart::setLogarithmic(bool logarithmic) {
  if (std::exchange(setting_.logarithmic, logarithmic) != logarithmic) refresh();
}

void SeriesChart::showCard(const ChartCard& card) {
  setAccessibleDescription(card.texts().join(QLatin1Char('\n')));
  const bool isSeen = cursorX_ && frame_.hasValues && *cursorX_ >= frame_.xLow && *cursorX_ <= frame_.xHigh;
  const QPointF at(isSeen ? frame_.pixelX(*cursorX_) : 0, frame_.plot.top());
  card_->showCard(isSeen ? card : ChartCard(), mapTo(card_->parentWidget(), at));
}

void SeriesChart::setCardArea(QWidget* area) {
  card_->setParent(area);
}

int SeriesChart::drawnPoints() const {
  return std::accumulate(drawn_.lines.begin(), drawn_.lines.end(), 0,
                         [](int sum, const QList<QPointF>& points) { return sum + static_cast<int>(points.size()); });
}

ChartCard SeriesChart::cardAt(double x) const {
  QString title = title_.unit.isEmpty() ? title_.title : QStringLiteral("%1 (%2)").arg(title_.title, title_.unit);
  const QString& note = content_.shortNote.isEmpty() ? content_.note : content_.shortNote;
  if (!note.isEmpty()) title += QStringLiteral(", ") + note;
  const double reach = kEventReach / frame_.plot.width() * (frame_.xHigh - frame_.xLow);
  return chartCard(content_, title_.format, title, x, reach);
}

/// Returns the place that is a step from `cursor`, or as many steps as it takes to leave the point there.
double SeriesChart::nextCursorPlace(double cursor, double step) const {
  double x = cursor;
  do {
    x += step;
    if (x <= frame_.xLow || x >= frame_.xHigh) return cursorPlace(std::clamp(x, frame_.xLow, frame_.xHigh));
  } while (std::abs(cursorPlace(x) - cursor) < std::abs(step) / 1000);
  return cursorPlace(x);
}

QSize SeriesChart::minimumSizeHint() const {
  const int rows = content_.legendElsewhere ? 7 : 8;  // of text, with title and ticks
  return {fontMetrics().height() * 13, fontMetrics().height() * rows};
}

/// Recomputes the frame, and the points that fit its size.
void SeriesChart::refresh() {
  const QFontMetricsF metrics(theme_.smallFont());
  frame_ =
      plotFrame(content_, setting_, size(), metrics, legend_.update(content_, size(), metrics, titleHeight(metrics)));
  drawn_ = drawnChart(content_, frame_, std::max(1, static_cast<int>(frame_.plot.width() * devicePixelRatioF())));
  placeAtEnds(frame_, content_, drawn_, metrics);
  repaintPicture();
}

void SeriesChart::repaintPicture() {
  isStale_ = true;
  update();
}

ChartScene SeriesChart::scene(QImage* image) const {
  return {title_, content_, frame_, theme_, QSizeF(size()), drawn_, image, emphasized_};
}

void SeriesChart::drawPicture(const QSize& pixels) {
  if (picture_.size() != pixels) picture_ = QImage(pixels, QImage::Format_RGB32);
  picture_.setDevicePixelRatio(devicePixelRatioF());
  picture_.fill(theme_.colors().base);
  QPainter painter(&picture_);
  painter.setRenderHint(QPainter::Antialiasing);
  paintChart(painter, scene(&picture_));
  isStale_ = false;
}

void SeriesChart::paintEvent(QPaintEvent*) {
  const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize();
  if (isStale_ || picture_.size() != pixels) drawPicture(pixels);
  QPainter painter(this);
  painter.drawImage(0, 0, picture_);
  painter.setRenderHint(QPainter::Antialiasing);
  const ThemeColors& colors = theme_.colors();
  if (drag_ == Drag::Choose) {
    QColor tint = colors.accent;
    tint.setAlphaF(0.18F);
    const double to = std::clamp(movedTo_, frame_.plot.left(), frame_.plot.right());
    painter.fillRect(QRectF(QPointF(pressedAt_, frame_.plot.top()), QPointF(to, frame_.plot.bottom())).normalized(),
                     tint);
  }
  if (cursorX_) paintCursor(painter, scene(), *cursorX_);
  if (!hasFocus() && !isDropTarget_) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colors.accent, isDropTarget_ ? 3 : 1));
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void SeriesChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refresh();
}

void SeriesChart::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void SeriesChart::mousePressEvent(QMouseEvent* event) {
  const bool isRight = event->button() == Qt::RightButton;  // opens the menu, which gets the release
  if (isRight || !title_.interactive || !frame_.plot.contains(event->position())) return event->ignore();
  const bool moves = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
  drag_ = moves ? Drag::Move : Drag::Choose;
  pressedAt_ = movedTo_ = event->position().x();
}

void SeriesChart::mouseMoveEvent(QMouseEvent* event) {
  const double pixel = event->position().x();
  const double x = frame_.valueX(pixel);
  if (drag_ == Drag::Move) Q_EMIT panRequested(frame_.valueX(movedTo_) - x);
  movedTo_ = pixel;
  if (drag_ == Drag::Choose) update();
  const bool inside = frame_.hasValues && x >= frame_.xLow && x <= frame_.xHigh;
  Q_EMIT cursorMoved(inside ? std::optional(cursorPlace(x)) : std::nullopt);
  if (drag_ == Drag::None) hover(nameNear(scene(), event->position()));
}

void SeriesChart::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  if (drag != Drag::Choose) return;
  const double to = std::clamp(event->position().x(), frame_.plot.left(), frame_.plot.right());
  update();
  if (std::abs(to - pressedAt_) < kMinDrag) return;
  const auto [low, high] = std::minmax({frame_.valueX(pressedAt_), frame_.valueX(to)});
  Q_EMIT rangeRequested({low, high});
}

void SeriesChart::leaveEvent(QEvent*) {
  Q_EMIT cursorMoved(std::nullopt);
  hover({});
}

/// Outside the plot the wheel scrolls the page.
void SeriesChart::wheelEvent(QWheelEvent* event) {
  if (!title_.interactive || !frame_.plot.contains(event->position())) return event->ignore();
  const double notches = event->angleDelta().y() / 120.0;
  const double sideways = event->angleDelta().x() / 120.0;
  const double width = frame_.xHigh - frame_.xLow;
  if (event->modifiers().testFlag(Qt::ShiftModifier) || sideways != 0)
    Q_EMIT panRequested(-0.1 * width * (sideways != 0 ? sideways : notches));
  else
    Q_EMIT zoomRequested(std::pow(kZoomPerNotch, notches), frame_.valueX(event->position().x()));
}

void SeriesChart::hover(const QString& name) {
  if (!title_.interactive || std::exchange(hovered_, name) == name) return;
  setEmphasized(name);
  Q_EMIT lineHovered(name);
}

void SeriesChart::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasFormat(kSeriesMimeType)) return event->ignore();
  event->acceptProposedAction();
  showDropTarget(true);
}

void SeriesChart::dropEvent(QDropEvent* event) {
  showDropTarget(false);
  const QString series = QString::fromUtf8(event->mimeData()->data(kSeriesMimeType));
  if (series.isEmpty()) return event->ignore();
  event->acceptProposedAction();
  Q_EMIT seriesDropped(series);
}

void SeriesChart::showDropTarget(bool isTarget) {
  isDropTarget_ = isTarget;
  update();
}

void SeriesChart::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT cursorMoved(std::nullopt);  // its card would stay under the menu
  Q_EMIT menuRequested(event->globalPos());
}

void SeriesChart::keyPressEvent(QKeyEvent* event) {
  const PlotFrame& shown = frame();
  const double width = shown.xHigh - shown.xLow;
  const double cursor = cursorX_.value_or((shown.xLow + shown.xHigh) / 2);
  switch (event->key()) {
    case Qt::Key_Left: Q_EMIT cursorMoved(nextCursorPlace(cursor, -kCursorStep * width)); break;
    case Qt::Key_Right: Q_EMIT cursorMoved(nextCursorPlace(cursor, kCursorStep * width)); break;
    case Qt::Key_Plus: Q_EMIT zoomRequested(kZoomPerNotch, cursor); break;
    case Qt::Key_Minus: Q_EMIT zoomRequested(1 / kZoomPerNotch, cursor); break;
    case Qt::Key_PageUp: Q_EMIT panRequested(-width / 2); break;
    case Qt::Key_PageDown: Q_EMIT panRequested(width / 2); break;
    case Qt::Key_Escape: Q_EMIT cursorMoved(std::nullopt); break;
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace batchwise
