// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart.h"

#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainterPath>
#include <QtWidgets/QGraphicsLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/models/decimate.h"
#include "ui/models/words.h"
#include "ui/theme/icon.h"
#include "ui/widgets/plot_frame.h"

namespace batchwise {
namespace {

constexpr double kLineWidth = 1.75;
constexpr double kRawAlpha = 0.25;

QColor withAlpha(QColor color, double alpha) {
  color.setAlphaF(static_cast<float>(alpha));
  return color;
}

QPen linePen(const ChartLine& line, const ThemeColors& colors) {
  const QColor color = seriesColor(line.color);
  switch (line.kind) {
    case LineKind::Main: return QPen(color, kLineWidth, seriesPenStyle(line.color));
    case LineKind::Raw: return QPen(withAlpha(color, kRawAlpha), 1);
    case LineKind::Superseded: return QPen(withAlpha(color, kRawAlpha), kLineWidth);
    case LineKind::Thin: return QPen(color, 1);
    case LineKind::Planned: return QPen(colors.muted, 1.25, Qt::DotLine);
    case LineKind::Reference: return QPen(colors.muted, 1, Qt::DashLine);
    case LineKind::Points: return QPen(color, 1.25);
  }
  return {};
}

/// The newest point at or before x, if any.
std::optional<QPointF> pointAt(const ChartLine& line, double x) {
  const auto after = std::upper_bound(line.points.begin(), line.points.end(), x,
                                      [](double at, const QPointF& point) { return at < point.x(); });
  if (after == line.points.begin()) return std::nullopt;
  return *std::prev(after);
}

/// The last point that can be drawn.
std::optional<QPointF> lastFinite(const ChartLine& line) {
  for (auto point = line.points.rbegin(); point != line.points.rend(); ++point)
    if (std::isfinite(point->y())) return *point;
  return std::nullopt;
}

}  // namespace

/// Draws the lines with Qt Charts, and around them what Qt Charts has no words for.
class SeriesChart::View final : public QChartView {
 public:
  View(SeriesChart* owner, Spec spec, const Theme& theme) : QChartView(owner), spec_(std::move(spec)), theme_(theme) {
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
    setMouseTracking(true);
    setBackgroundBrush(Qt::NoBrush);
  }

  const Spec& spec() const { return spec_; }
  const ChartContent& content() const { return content_; }
  int drawnPoints() const { return drawnPoints_; }

  void setContent(ChartContent content) {
    content_ = std::move(content);
    refresh();
  }

  /// Hands the points that the present size shows to Qt Charts.
  void refresh() {
    frame_ = plotFrame(content_, spec_.format, spec_.fromZero, QSizeF(size()), QFontMetricsF(theme_.smallFont()));
    matchSeries();
    chart()->setPlotArea(frame_.plot);
    xAxis_->setRange(frame_.xLow, frame_.xHigh);
    yAxis_->setRange(frame_.yLow, frame_.yHigh);
    drawnPoints_ = 0;
    for (std::size_t i = 0; i < content_.lines.size(); ++i) {
      const QList<QPointF> points = pixelsOf(content_.lines[i]);
      drawnPoints_ += static_cast<int>(points.size());
      series_[i]->setPen(linePen(content_.lines[i], theme_.colors()));
      series_[i]->replace(points);
    }
    viewport()->update();
  }

  void setCursorX(std::optional<double> x) {
    if (x == cursorX_) return;
    cursorX_ = x;
    viewport()->update();
  }

  std::function<void(std::optional<double>)> onHover;

 protected:
  void mouseMoveEvent(QMouseEvent* event) override {
    const double x = frame_.valueX(event->position().x());
    const bool inside = frame_.hasValues && x >= frame_.xLow && x <= frame_.xHigh;
    onHover(inside ? std::optional(x) : std::nullopt);
  }
  void leaveEvent(QEvent*) override { onHover(std::nullopt); }
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }  // the page scrolls

  void drawBackground(QPainter* painter, const QRectF&) override {
    const ThemeColors& colors = theme_.colors();
    painter->fillRect(QRectF(QPointF(), QSizeF(size())), colors.base);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(QPen(colors.line, 1));
    for (const double tick : frame_.hasValues ? frame_.yTicks : std::vector<double>()) {
      const double y = std::round(frame_.pixelY(tick));
      painter->drawLine(QPointF(frame_.plot.left(), y), QPointF(frame_.plot.right(), y));
    }
    painter->setPen(QPen(colors.muted, 1, Qt::DashLine));
    for (const double x : content_.seams) {
      if (x < frame_.xLow || x > frame_.xHigh) continue;
      const double at = std::round(frame_.pixelX(x));
      painter->drawLine(QPointF(at, frame_.plot.top()), QPointF(at, frame_.plot.bottom()));
    }
    painter->setRenderHint(QPainter::Antialiasing, true);
  }

  void drawForeground(QPainter* painter, const QRectF&) override {
    drawTitle(*painter);
    drawTicks(*painter);
    drawEvents(*painter);
    drawDots(*painter);
    drawNonFinite(*painter);
    drawEndLabels(*painter);
    drawCursor(*painter);
  }

 private:
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

  QList<QPointF> pixelsOf(const ChartLine& line) const {
    const int columns = std::max(1, static_cast<int>(frame_.plot.width() * devicePixelRatioF()));
    if (!line.steps) return decimate(line.points, frame_.xLow, frame_.xHigh, columns);
    const QList<QPointF> treads = staircase(line.points);
    return decimate({treads.begin(), treads.end()}, frame_.xLow, frame_.xHigh, columns);
  }

  void drawTitle(QPainter& painter) const {
    const ThemeColors& colors = theme_.colors();
    QFont bold = theme_.smallFont();
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    const double baseline = 0.3 * metrics.height() + metrics.ascent();
    painter.setFont(bold);
    painter.setPen(colors.text);
    painter.drawText(QPointF(8, baseline), spec_.title);
    double x = 8 + metrics.horizontalAdvance(spec_.title + QLatin1Char(' '));
    painter.setFont(theme_.smallFont());
    painter.setPen(colors.muted);
    const QFontMetricsF plain(theme_.smallFont());
    painter.drawText(QPointF(x, baseline),
                     plain.elidedText(spec_.unit, Qt::ElideRight, std::max(0.0, width() - x - 8)));
    x += plain.horizontalAdvance(spec_.unit) + 16;
    const QString outside = frame_.outside.join(QStringLiteral("  "));
    const double room = width() - 8 - x;
    if (!outside.isEmpty() && plain.horizontalAdvance(outside) <= room)
      painter.drawText(QPointF(width() - 8 - plain.horizontalAdvance(outside), baseline), outside);
    if (!frame_.hasValues) painter.drawText(frame_.plot, Qt::AlignCenter | Qt::TextWordWrap, spec_.emptyText);
  }

  void drawTicks(QPainter& painter) const {
    const QFontMetricsF metrics(theme_.smallFont());
    painter.setFont(theme_.smallFont());
    painter.setPen(theme_.colors().muted);
    if (frame_.hasValues) {
      for (const double tick : frame_.yTicks) {
        const QRectF box(0, frame_.pixelY(tick) - metrics.height() / 2, frame_.plot.left() - 6, metrics.height());
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tickText(tick, spec_.format));
      }
    }
    for (const double tick : frame_.xTicks) {
      const QString text = tickText(tick, ValueFormat::Count);
      const double half = metrics.horizontalAdvance(text) / 2;
      const double x = std::clamp(frame_.pixelX(tick), half + 2, std::max(half + 2, width() - half - 2));
      painter.drawText(QPointF(x - half, frame_.plot.bottom() + 8 + metrics.ascent()), text);
    }
  }

  void drawEvents(QPainter& painter) const {
    painter.setPen(QPen(theme_.colors().muted, 1.5));
    for (const ChartEvent& event : content_.events) {
      if (event.x < frame_.xLow || event.x > frame_.xHigh) continue;
      const double x = frame_.pixelX(event.x);
      painter.drawLine(QPointF(x, frame_.plot.bottom() + 1), QPointF(x, frame_.plot.bottom() + 6));
    }
  }

  void drawDots(QPainter& painter) const {
    for (const ChartLine& line : content_.lines) {
      if (line.kind != LineKind::Points && line.points.size() != 1) continue;  // a lone point makes no line
      painter.setPen(Qt::NoPen);
      painter.setBrush(linePen(line, theme_.colors()).color());
      for (const QPointF& point : pixelsOf(line))
        if (point.x() >= frame_.xLow && point.x() <= frame_.xHigh) painter.drawEllipse(frame_.pixel(point), 2.5, 2.5);
    }
  }

  void drawNonFinite(QPainter& painter) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.colors().bad);
    double last = -1e9;
    for (const double x : content_.nonFinite) {
      const double at = frame_.pixelX(x);
      if (at - last < 1) continue;  // one mark per pixel
      last = at;
      const double top = frame_.plot.top();
      painter.drawPolygon(QPolygonF({QPointF(at - 4, top), QPointF(at + 4, top), QPointF(at, top + 7)}));
    }
  }

  void drawEndLabels(QPainter& painter) const {
    struct Label {
      double y;
      const ChartLine* line;
    };
    const QFontMetricsF metrics(theme_.smallFont());
    std::vector<Label> labels;
    for (const ChartLine& line : content_.lines) {
      const auto end = lastFinite(line);
      if (line.name.isEmpty() || !end || end->y() < frame_.yLow || end->y() > frame_.yHigh) continue;
      labels.push_back({frame_.pixelY(end->y()), &line});
    }
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    double lowest = frame_.plot.bottom() - metrics.height() * (static_cast<double>(labels.size()) - 0.5);
    double next = frame_.plot.top();
    painter.setFont(theme_.smallFont());
    for (const Label& label : labels) {
      const double y = std::max(next, std::min(label.y, lowest));
      const double x = frame_.plot.right() + 6;
      painter.setPen(linePen(*label.line, theme_.colors()));
      painter.drawLine(QPointF(x, y), QPointF(x + 10, y));
      painter.setPen(theme_.colors().text);
      painter.drawText(QPointF(x + 14, y + metrics.ascent() / 2 - 1), label.line->name);
      next = y + metrics.height();
      lowest += metrics.height();
    }
  }

  QStringList cardLines(double x) const {
    std::vector<std::pair<double, QString>> values;
    for (const ChartLine& line : content_.lines) {
      if (line.name.isEmpty()) continue;
      if (const auto point = pointAt(line, x))
        values.emplace_back(point->y(), QStringLiteral("%1  %2").arg(line.name, valueText(point->y(), spec_.format)));
    }
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    QStringList lines{SeriesChart::tr("Batch %1").arg(integerText(std::llround(std::floor(x))))};
    for (const auto& [value, text] : values) lines << text;
    const double near = 4 / frame_.plot.width() * (frame_.xHigh - frame_.xLow);
    for (const ChartEvent& event : content_.events)
      if (std::abs(event.x - x) <= near) lines << event.text;
    return lines;
  }

  void drawCursor(QPainter& painter) const {
    if (!cursorX_ || *cursorX_ < frame_.xLow || *cursorX_ > frame_.xHigh || !frame_.hasValues) return;
    const ThemeColors& colors = theme_.colors();
    const double x = frame_.pixelX(*cursorX_);
    painter.setPen(QPen(colors.muted, 1));
    painter.drawLine(QPointF(x, frame_.plot.top()), QPointF(x, frame_.plot.bottom()));
    const QFontMetricsF metrics(theme_.smallFont());
    const QStringList lines = cardLines(*cursorX_);
    double cardWidth = 0;
    for (const QString& line : lines) cardWidth = std::max(cardWidth, metrics.horizontalAdvance(line));
    const QSizeF cardSize(cardWidth + 16, metrics.height() * static_cast<double>(lines.size()) + 8);
    const bool leftSide = x + 8 + cardSize.width() > width();
    const QRectF card(QPointF(leftSide ? std::max(0.0, x - 8 - cardSize.width()) : x + 8, frame_.plot.top()), cardSize);
    painter.setPen(QPen(colors.line, 1));
    painter.setBrush(colors.raised);
    painter.drawRoundedRect(card, 3, 3);
    painter.setPen(colors.text);
    painter.setFont(theme_.smallFont());
    painter.drawText(card.adjusted(8, 4, -8, -4), Qt::AlignLeft | Qt::AlignTop, lines.join(QLatin1Char('\n')));
  }

  Spec spec_;
  const Theme& theme_;
  ChartContent content_;
  PlotFrame frame_;
  QValueAxis* xAxis_ = nullptr;
  QValueAxis* yAxis_ = nullptr;
  std::vector<QLineSeries*> series_;  // owned by the chart
  std::optional<double> cursorX_;
  int drawnPoints_ = 0;
};

SeriesChart::SeriesChart(Spec spec, const Theme& theme, QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Chart: %1").arg(spec.title));
  view_ = std::make_unique<View>(this, std::move(spec), theme);
  view_->onHover = [this](std::optional<double> x) { Q_EMIT cursorMoved(x); };
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    view_->refresh();
  });
}

SeriesChart::~SeriesChart() = default;

void SeriesChart::setContent(ChartContent content) {
  view_->setContent(std::move(content));
}

const ChartContent& SeriesChart::content() const {
  return view_->content();
}

void SeriesChart::showCursorAt(std::optional<double> x) {
  view_->setCursorX(x);
}

int SeriesChart::drawnPoints() const {
  return view_->drawnPoints();
}

QSize SeriesChart::sizeHint() const {
  return {fontMetrics().height() * 24, fontMetrics().height() * 13};
}

QSize SeriesChart::minimumSizeHint() const {
  return {fontMetrics().height() * 13, fontMetrics().height() * 8};
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

}  // namespace batchwise
