// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/series_chart.h"

#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <QtCore/QMimeData>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QGraphicsLayout>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ui/widgets/charts/card_view.h"
#include "ui/widgets/charts/chart_painter.h"
#include "ui/widgets/charts/line_raster.h"

namespace batchwise {
namespace {

constexpr double kZoomPerNotch = 0.8;
constexpr int kMinDrag = 5;           // pixels
constexpr double kEventReach = 4;     // pixels from the cursor
constexpr double kCursorStep = 0.01;  // share of the visible part
constexpr QLatin1String kSeriesFormat(kSeriesMimeType);

}  // namespace

/// Draws the lines with Qt Charts, and all that Qt Charts cannot draw around them, into a picture that is kept until
/// something in it changes. Cursor, card and selection are painted over the picture.
class SeriesChart::View final : public QChartView {
 public:
  View(SeriesChart* owner, const Theme& theme) : QChartView(owner), owner_(owner), theme_(theme) {
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setMargins({});
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setAnimationOptions(QChart::NoAnimation);
    for (auto* axis : {&xAxis_, &yAxis_}) {
      *axis = new QValueAxis(chart());
      (*axis)->setVisible(false);
    }
    chart()->addAxis(xAxis_, Qt::AlignBottom);
    chart()->addAxis(yAxis_, Qt::AlignLeft);
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);  // the chart has the focus
    setMouseTracking(true);
    setBackgroundBrush(Qt::NoBrush);
    connect(scene(), &QGraphicsScene::changed, this, &View::repaintPicture);  // Qt Charts lays out late
  }

  /// Recomputes the frame and hands the points that fit its size to Qt Charts.
  void refresh() {
    const QFontMetricsF metrics(theme_.smallFont());
    const QSizeF area = size();
    frame_ = plotFrame(content_, owner_->setting_, area, metrics,
                       legend_.update(content_, area, metrics, titleHeight(metrics)));
    matchSeries();
    chart()->setPlotArea(frame_.plot);
    // In pixels: with value ranges, Qt Charts would recompute every line at each change of a range.
    xAxis_->setRange(0, frame_.plot.width());
    yAxis_->setRange(-frame_.plot.height(), 0);
    drawn_ = drawnChart(content_, frame_, std::max(1, static_cast<int>(frame_.plot.width() / pixel())));
    placeAtEnds(frame_, content_, drawn_, metrics);
    fillSeries();
  }

  /// Hands pens and points to Qt Charts.
  void fillSeries() {
    const ChartScene scene = chartScene();
    for (std::size_t i = 0; i < content_.lines.size(); ++i) {
      const bool isShown = isForQtCharts(scene, i);
      if (!isShown && series_[i]->count() == 0) continue;
      series_[i]->setPen(linePen(scene, i));
      series_[i]->replace(isShown ? pixelsOf(drawn_.lines[i]) : QList<QPointF>());
    }
    repaintPicture();
  }

 protected:
  void mousePressEvent(QMouseEvent* event) override {
    event->ignore();                                          // so that the chart gets the keyboard focus
    const bool isRight = event->button() == Qt::RightButton;  // opens the menu, which gets the release
    if (isRight || !spec_.interactive || !frame_.plot.contains(event->position())) return;
    event->accept();
    const bool moves = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
    drag_ = moves ? Drag::Move : Drag::Choose;
    pressedAt_ = movedTo_ = event->position().x();
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    const double pixel = event->position().x();
    const double x = frame_.valueX(pixel);
    if (drag_ == Drag::Move) Q_EMIT owner_->panRequested(frame_.valueX(movedTo_) - x);
    movedTo_ = pixel;
    if (drag_ == Drag::Choose) viewport()->update();
    const bool inside = frame_.hasValues && x >= frame_.xLow && x <= frame_.xHigh;
    Q_EMIT owner_->cursorMoved(inside ? std::optional(owner_->cursorPlace(x)) : std::nullopt);
    if (drag_ == Drag::None) hover(nameNear(chartScene(), event->position()));
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    const Drag drag = std::exchange(drag_, Drag::None);
    if (drag != Drag::Choose) return;
    const double to = std::clamp(event->position().x(), frame_.plot.left(), frame_.plot.right());
    viewport()->update();
    if (std::abs(to - pressedAt_) < kMinDrag) return;
    const auto [low, high] = std::minmax({frame_.valueX(pressedAt_), frame_.valueX(to)});
    Q_EMIT owner_->rangeRequested({low, high});
  }
  void mouseDoubleClickEvent(QMouseEvent*) override { Q_EMIT owner_->fullRangeRequested(); }
  void contextMenuEvent(QContextMenuEvent* event) override { event->ignore(); }
  void leaveEvent(QEvent*) override {
    Q_EMIT owner_->cursorMoved(std::nullopt);
    hover({});
  }

  void dragEnterEvent(QDragEnterEvent* event) override {
    if (!event->mimeData()->hasFormat(kSeriesFormat)) return event->ignore();
    event->acceptProposedAction();
    showDropTarget(true);
  }
  void dragMoveEvent(QDragMoveEvent* event) override {
    event->mimeData()->hasFormat(kSeriesFormat) ? event->acceptProposedAction() : event->ignore();
  }
  void dragLeaveEvent(QDragLeaveEvent*) override { showDropTarget(false); }
  void dropEvent(QDropEvent* event) override {
    showDropTarget(false);
    const QString series = QString::fromUtf8(event->mimeData()->data(kSeriesFormat));
    if (series.isEmpty()) return event->ignore();
    event->acceptProposedAction();
    Q_EMIT owner_->seriesDropped(series);
  }

  /// Outside the plot the wheel scrolls the page.
  void wheelEvent(QWheelEvent* event) override {
    if (!spec_.interactive || !frame_.plot.contains(event->position())) {
      event->ignore();
      return;
    }
    event->accept();
    const double notches = event->angleDelta().y() / 120.0;
    const double sideways = event->angleDelta().x() / 120.0;
    const double width = frame_.xHigh - frame_.xLow;
    if (event->modifiers().testFlag(Qt::ShiftModifier) || sideways != 0)
      Q_EMIT owner_->panRequested(-0.1 * width * (sideways != 0 ? sideways : notches));
    else
      Q_EMIT owner_->zoomRequested(std::pow(kZoomPerNotch, notches), frame_.valueX(event->position().x()));
  }

  void drawBackground(QPainter* painter, const QRectF&) override { paintBackground(*painter, chartScene()); }
  void drawForeground(QPainter* painter, const QRectF&) override { paintForeground(*painter, chartScene()); }

  void paintEvent(QPaintEvent*) override {
    const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize();
    if (isStale_ || picture_.size() != pixels) drawPicture(pixels);
    QPainter painter(viewport());
    painter.drawPixmap(0, 0, picture_);
    painter.setRenderHint(QPainter::Antialiasing);
    paintOverlay(painter);
  }

 private:
  enum class Drag { None, Choose, Move };

  ChartScene chartScene() const {
    return {spec_, content_, frame_, theme_, QSizeF(size()), drawn_, raster_.get(), pixel(), owner_->emphasized_};
  }
  double pixel() const { return 1 / devicePixelRatioF(); }

  void repaintPicture() {
    isStale_ = true;
    viewport()->update();
  }

  void drawPicture(const QSize& pixels) {
    if (picture_.size() != pixels) picture_ = QPixmap(pixels);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    picture_.fill(theme_.colors().base);
    QPainter painter(&picture_);
    painter.setRenderHint(QPainter::Antialiasing);
    render(&painter, QRectF(rect()), viewport()->rect());
    isStale_ = false;
  }

  void paintOverlay(QPainter& painter) {
    const ThemeColors& colors = theme_.colors();
    if (drag_ == Drag::Choose) {
      QColor tint = colors.accent;
      tint.setAlphaF(0.18F);
      const double to = std::clamp(movedTo_, frame_.plot.left(), frame_.plot.right());
      painter.fillRect(QRectF(QPointF(pressedAt_, frame_.plot.top()), QPointF(to, frame_.plot.bottom())).normalized(),
                       tint);
    }
    if (owner_->cursorX_) paintCursor(painter, chartScene(), *owner_->cursorX_);
    if (!owner_->hasFocus() && !isDropTarget_) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors.accent, isDropTarget_ ? 3 : 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }

  void hover(const QString& name) {
    if (!spec_.interactive || std::exchange(hovered_, name) == name) return;
    owner_->setEmphasized(name);
    Q_EMIT owner_->lineHovered(name);
  }

  void showDropTarget(bool isTarget) {
    isDropTarget_ = isTarget;
    viewport()->update();
  }

  /// Converts to pixels. A point alone between NaNs is extended by one pixel, since Qt Charts draws no single point.
  QList<QPointF> pixelsOf(const QList<QPointF>& points) const {
    QList<QPointF> pixels;
    pixels.reserve(points.size() + 1);
    for (qsizetype i = 0; i < points.size(); ++i) {
      pixels.append(
          {frame_.pixelX(points[i].x()) - frame_.plot.left(), frame_.plot.top() - frame_.pixelY(points[i].y())});
      const bool begins = i == 0 || std::isnan(points[i - 1].y());
      const bool ends = i + 1 == points.size() || std::isnan(points[i + 1].y());
      if (begins && ends && !std::isnan(points[i].y())) pixels.append(pixels.back() + QPointF(pixel(), 0));
    }
    return pixels;
  }

  void matchSeries() {
    while (series_.size() > content_.lines.size()) {
      chart()->removeSeries(series_.back());
      delete series_.back();
      series_.pop_back();
    }
    while (series_.size() < content_.lines.size()) {
      auto* series = new QLineSeries(chart());
      chart()->addSeries(series);
      series->attachAxis(xAxis_);
      series->attachAxis(yAxis_);
      series_.push_back(series);
    }
  }

  SeriesChart* owner_;
  const Theme& theme_;
  const Spec& spec_ = owner_->spec_;
  const ChartContent& content_ = owner_->content_;
  PlotFrame& frame_ = owner_->frame_;
  DrawnChart& drawn_ = owner_->drawn_;
  LegendCache legend_;
  const std::unique_ptr<LineRaster> raster_ = std::make_unique<LineRaster>();
  QPixmap picture_;
  bool isStale_ = true, isDropTarget_ = false;
  QString hovered_;
  QValueAxis* xAxis_ = nullptr;
  QValueAxis* yAxis_ = nullptr;
  std::vector<QLineSeries*> series_;  // owned by the chart
  Drag drag_ = Drag::None;
  double pressedAt_ = 0, movedTo_ = 0;  // pixels
};

SeriesChart::SeriesChart(Spec spec, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      spec_(std::move(spec)),
      view_(std::make_unique<View>(this, theme)),
      card_(new CardView(theme, this)) {
  setting_.format = spec_.format;
  setting_.fromZero = spec_.fromZero;
  setAccessibleName(tr("Chart: %1").arg(spec_.title));
  if (spec_.interactive) setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    view_->refresh();
  });
}

SeriesChart::~SeriesChart() {
  delete card_;  // may have another parent
}

void SeriesChart::setContent(ChartContent content, std::optional<AxisRange> part) {
  content_ = std::move(content);
  setting_.part = part;
  view_->refresh();
}

void SeriesChart::showPart(std::optional<AxisRange> part) {
  if (std::exchange(setting_.part, part) == part) return;
  view_->refresh();
  card_->hide();  // its values belong to a place that has moved
}

void SeriesChart::setLogarithmic(bool logarithmic) {
  if (std::exchange(setting_.logarithmic, logarithmic) != logarithmic) view_->refresh();
}

void SeriesChart::setRobust(bool robust) {
  if (std::exchange(setting_.robust, robust) != robust) view_->refresh();
}

void SeriesChart::setLeastAxisWidth(double width) {
  if (std::exchange(setting_.leastAxisWidth, width) != width) view_->refresh();
}

void SeriesChart::showCursorAt(std::optional<double> x) {
  if (std::exchange(cursorX_, x) != x) view_->viewport()->update();
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

void SeriesChart::setEmphasized(const QString& name) {
  if (std::exchange(emphasized_, name) != name) view_->fillSeries();
}

int SeriesChart::drawnPoints() const {
  return std::accumulate(drawn_.lines.begin(), drawn_.lines.end(), 0,
                         [](int sum, const QList<QPointF>& points) { return sum + static_cast<int>(points.size()); });
}

ChartCard SeriesChart::cardAt(double x) const {
  QString title = spec_.unit.isEmpty() ? spec_.title : QStringLiteral("%1 (%2)").arg(spec_.title, spec_.unit);
  const QString& note = content_.shortNote.isEmpty() ? content_.note : content_.shortNote;
  if (!note.isEmpty()) title += QStringLiteral(", ") + note;
  const double reach = kEventReach / frame_.plot.width() * (frame_.xHigh - frame_.xLow);
  return chartCard(content_, spec_.format, title, x, reach);
}

double SeriesChart::cursorPlace(double x) const {
  return nearestPlace(content_, {frame_.xLow, frame_.xHigh}, x);
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

QSize SeriesChart::sizeHint() const {
  return {fontMetrics().height() * 24, fontMetrics().height() * 13};
}

QSize SeriesChart::minimumSizeHint() const {
  const int rows = content_.legendElsewhere ? 7 : 8;  // of text, with title and ticks
  return {fontMetrics().height() * 13, fontMetrics().height() * rows};
}

void SeriesChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  view_->setGeometry(rect());
  view_->refresh();
}

void SeriesChart::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  view_->refresh();
}

void SeriesChart::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  view_->viewport()->update();
}

void SeriesChart::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  view_->viewport()->update();
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
