// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_painter.h"

#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr double kLineWidth = 1.75;
constexpr double kRawAlpha = 0.25, kRawAlphaDark = 0.45;

QColor withAlpha(QColor color, double alpha) {
  color.setAlphaF(static_cast<float>(alpha));
  return color;
}

bool isInside(const PlotFrame& frame, const QPointF& point) {
  return point.x() >= frame.xLow && point.x() <= frame.xHigh && frame.canShow(point.y()) && point.y() >= frame.yLow &&
         point.y() <= frame.yHigh;
}

/// Returns the last point up to the right edge, if it lies inside the plot.
std::optional<QPointF> lastShown(const QList<QPointF>& drawn, const PlotFrame& frame) {
  for (auto point = drawn.rbegin(); point != drawn.rend(); ++point) {
    if (point->x() > frame.xHigh || !frame.canShow(point->y())) continue;
    return isInside(frame, *point) ? std::optional(*point) : std::nullopt;
  }
  return std::nullopt;
}

void drawTitle(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  QFont bold = scene.theme.smallFont();
  bold.setBold(true);
  const QFontMetricsF metrics(bold);
  const double baseline = 0.3 * metrics.height() + metrics.ascent();
  painter.setFont(bold);
  painter.setPen(colors.text);
  painter.drawText(QPointF(8, baseline), scene.spec.title);
  double x = 8 + metrics.horizontalAdvance(scene.spec.title + QLatin1Char(' '));
  painter.setFont(scene.theme.smallFont());
  painter.setPen(colors.muted);
  const QFontMetricsF plain(scene.theme.smallFont());
  painter.drawText(QPointF(x, baseline),
                   plain.elidedText(scene.spec.unit, Qt::ElideRight, std::max(0.0, scene.size.width() - x - 8)));
  x += plain.horizontalAdvance(scene.spec.unit) + 16;
  const QString outside = scene.frame.outside.join(QStringLiteral("  "));
  const double room = scene.size.width() - 8 - x;
  if (!outside.isEmpty() && plain.horizontalAdvance(outside) <= room)
    painter.drawText(QPointF(scene.size.width() - 8 - plain.horizontalAdvance(outside), baseline), outside);
  if (!scene.frame.hasValues)
    painter.drawText(scene.frame.plot, Qt::AlignCenter | Qt::TextWordWrap, scene.spec.emptyText);
}

void drawTicks(QPainter& painter, const ChartScene& scene) {
  const QFontMetricsF metrics(scene.theme.smallFont());
  painter.setFont(scene.theme.smallFont());
  painter.setPen(scene.theme.colors().muted);
  if (scene.frame.hasValues) {
    for (const double tick : scene.frame.yTicks) {
      const QRectF box(0, scene.frame.pixelY(tick) - metrics.height() / 2, scene.frame.plot.left() - 6,
                       metrics.height());
      painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tickText(tick, scene.spec.format));
    }
  }
  const auto& ticks = scene.frame.xTicks;
  const double spacing = ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
  for (const double tick : ticks) {
    const QString text = xTickText(tick, scene.content.xAxis, spacing);
    const double half = metrics.horizontalAdvance(text) / 2;
    const double x = std::clamp(scene.frame.pixelX(tick), half + 2, std::max(half + 2, scene.size.width() - half - 2));
    painter.drawText(QPointF(x - half, scene.frame.plot.bottom() + 8 + metrics.ascent()), text);
  }
}

void drawEvents(QPainter& painter, const ChartScene& scene) {
  painter.setPen(QPen(scene.theme.colors().muted, 1.5));
  for (const ChartEvent& event : scene.content.events) {
    if (event.x < scene.frame.xLow || event.x > scene.frame.xHigh) continue;
    const double x = scene.frame.pixelX(event.x);
    painter.drawLine(QPointF(x, scene.frame.plot.bottom() + 1), QPointF(x, scene.frame.plot.bottom() + 6));
  }
}

void drawDots(QPainter& painter, const ChartScene& scene) {
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    if (line.kind != LineKind::Points && line.points.size() != 1) continue;  // a single point draws no line
    painter.setPen(Qt::NoPen);
    painter.setBrush(chartPen(line, scene.theme.colors()).color());
    for (const QPointF& point : scene.drawn[i])
      if (isInside(scene.frame, point)) painter.drawEllipse(scene.frame.pixel(point), 2.5, 2.5);
  }
}

/// Marks non-finite values at the top edge, at most one per pixel.
void drawNonFinite(QPainter& painter, const ChartScene& scene) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(scene.theme.colors().bad);
  const double top = scene.frame.plot.top();
  double last = -1e9;
  for (const double x : nonFinitePlaces(scene.content, scene.frame)) {
    const double at = scene.frame.pixelX(x);
    if (at - last < 1) continue;
    last = at;
    painter.drawPolygon(QPolygonF({QPointF(at - 4, top), QPointF(at + 4, top), QPointF(at, top + 7)}));
  }
}

/// Draws arrows at the edges for values outside the axis.
void drawBeyond(QPainter& painter, const ChartScene& scene) {
  if (scene.frame.beyond == 0) return;
  const PlotFrame& frame = scene.frame;
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    if (!line.isMeasured()) continue;
    QColor color = chartPen(line, scene.theme.colors()).color();
    color.setAlphaF(1);
    painter.setBrush(color);
    for (const QPointF& point : scene.drawn[i]) {
      if (point.x() < frame.xLow || point.x() > frame.xHigh) continue;
      const double x = frame.pixelX(point.x());
      if (point.y() > frame.yHigh) {
        const double tip = frame.plot.top();
        painter.drawPolygon(QPolygonF({QPointF(x - 3.5, tip + 6), QPointF(x + 3.5, tip + 6), QPointF(x, tip)}));
      } else if (point.y() < frame.yLow) {
        const double tip = frame.plot.bottom();
        painter.drawPolygon(QPolygonF({QPointF(x - 3.5, tip - 6), QPointF(x + 3.5, tip - 6), QPointF(x, tip)}));
      }
    }
  }
}

/// Draws a line as one bar per column of pixels. Neighboring bars meet halfway between their last and first point.
class ColumnPainter {
 public:
  ColumnPainter(QPainter& painter, const ChartScene& scene, const QPen& pen)
      : painter_(painter), frame_(scene.frame), pen_(pen), pixel_(scene.pixel) {}

  void draw(const QList<QPointF>& points) {
    painter_.setPen(pen_);
    for (const QPointF& point : points) {
      if (std::isnan(point.y()))
        close();
      else
        add(frame_.pixel(point));
    }
    close();
  }

 private:
  void add(QPointF at) {
    const double column = std::floor((at.x() - frame_.plot.left()) / pixel_);
    at.setY(std::clamp(at.y(), frame_.plot.top() - kBeyond, frame_.plot.bottom() + kBeyond));
    if (open_ && column != column_) {
      if (column > column_ + 1) painter_.drawLine(last_, at);
      const double middle = (last_.y() + at.y()) / 2;
      include(middle);
      flush();
      low_ = high_ = column > column_ + 1 ? at.y() : middle;
    } else if (!open_) {
      low_ = high_ = at.y();
    }
    open_ = true;
    column_ = column;
    include(at.y());
    last_ = at;
  }
  void include(double y) {
    low_ = std::min(low_, y);
    high_ = std::max(high_, y);
  }
  void flush() {
    const double width = pen_.widthF();
    painter_.fillRect(QRectF(frame_.plot.left() + column_ * pixel_, low_ - width / 2, pixel_, high_ - low_ + width),
                      pen_.color());
  }
  void close() {
    if (open_) flush();
    open_ = false;
  }

  static constexpr double kBeyond = 4;  // values are clamped this many pixels outside the plot

  QPainter& painter_;
  const PlotFrame& frame_;
  QPen pen_;
  double pixel_;
  bool open_ = false;
  double column_ = 0, low_ = 0, high_ = 0;
  QPointF last_;
};

void drawDense(QPainter& painter, const ChartScene& scene) {
  painter.save();
  painter.setClipRect(scene.frame.plot);
  for (std::size_t i = 0; i < scene.drawn.size(); ++i)
    if (isDense(scene, i))
      ColumnPainter(painter, scene, chartPen(scene.content.lines[i], scene.theme.colors())).draw(scene.drawn[i]);
  painter.restore();
}

void drawEndLabels(QPainter& painter, const ChartScene& scene) {
  struct Label {
    double y;
    const ChartLine* line;
  };
  const QFontMetricsF metrics(scene.theme.smallFont());
  std::vector<Label> labels;
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    const auto end = lastShown(scene.drawn[i], scene.frame);
    if (line.name.isEmpty() || !end) continue;
    labels.push_back({scene.frame.pixelY(end->y()), &line});
  }
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  double lowest = scene.frame.plot.bottom() - metrics.height() * (static_cast<double>(labels.size()) - 0.5);
  double next = scene.frame.plot.top();
  painter.setFont(scene.theme.smallFont());
  for (const Label& label : labels) {
    const double y = std::max(next, std::min(label.y, lowest));
    const double x = scene.frame.plot.right() + 6;
    painter.setPen(chartPen(*label.line, scene.theme.colors()));
    painter.drawLine(QPointF(x, y), QPointF(x + 10, y));
    painter.setPen(scene.theme.colors().text);
    painter.drawText(QPointF(x + 14, y + metrics.ascent() / 2 - 1), label.line->name);
    next = y + metrics.height();
    lowest += metrics.height();
  }
}

}  // namespace

QPen chartPen(const ChartLine& line, const ThemeColors& colors) {
  const QColor color = seriesColor(line.color);
  const double rawAlpha = colors.base.lightness() < 128 ? kRawAlphaDark : kRawAlpha;
  switch (line.kind) {
    case LineKind::Main: return QPen(color, kLineWidth, seriesPenStyle(line.color));
    case LineKind::Raw: return QPen(withAlpha(color, rawAlpha), 1);
    case LineKind::Superseded: return QPen(withAlpha(color, rawAlpha), kLineWidth);
    case LineKind::Thin: return QPen(color, 1);
    case LineKind::Planned: return QPen(colors.muted, 1.25, Qt::DotLine);
    case LineKind::Reference: return QPen(colors.muted, 1, Qt::DashLine);
    case LineKind::Points: return QPen(color, 1.25);
  }
  return {};
}

bool isDense(const ChartScene& scene, std::size_t line) {
  constexpr double kPerColumn = 1.2;
  const bool solid = chartPen(scene.content.lines[line], scene.theme.colors()).style() == Qt::SolidLine;
  return solid && static_cast<double>(scene.drawn[line].size()) > kPerColumn * scene.frame.plot.width() / scene.pixel;
}

void paintBackground(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  const PlotFrame& frame = scene.frame;
  painter.fillRect(QRectF(QPointF(), scene.size), colors.base);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(colors.line, 1));
  for (const double tick : frame.hasValues ? frame.yTicks : std::vector<double>()) {
    const double y = std::round(frame.pixelY(tick));
    painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
  }
  painter.setPen(QPen(colors.muted, 1, Qt::DashLine));
  for (const double x : scene.content.resumePositions) {
    if (x < frame.xLow || x > frame.xHigh) continue;
    const double at = std::round(frame.pixelX(x));
    painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  drawDense(painter, scene);
}

void paintLines(QPainter& painter, const ChartScene& scene) {
  for (std::size_t i = 0; i < scene.drawn.size(); ++i) {
    painter.setPen(chartPen(scene.content.lines[i], scene.theme.colors()));
    QPolygonF piece;
    const auto draw = [&] {
      if (piece.size() == 1) piece << piece.back() + QPointF(1, 0);
      if (!piece.isEmpty()) painter.drawPolyline(piece);
      piece.clear();
    };
    for (const QPointF& point : scene.drawn[i]) {
      if (std::isnan(point.y()))
        draw();
      else
        piece << scene.frame.pixel(point);
    }
    draw();
  }
  const QRectF plot = scene.frame.plot;
  const QColor ground = scene.theme.colors().base;
  painter.fillRect(QRectF(0, 0, plot.left(), scene.size.height()), ground);
  painter.fillRect(QRectF(plot.right(), 0, scene.size.width() - plot.right(), scene.size.height()), ground);
  painter.fillRect(QRectF(0, 0, scene.size.width(), plot.top()), ground);
  painter.fillRect(QRectF(0, plot.bottom(), scene.size.width(), scene.size.height() - plot.bottom()), ground);
}

void paintForeground(QPainter& painter, const ChartScene& scene) {
  drawTitle(painter, scene);
  drawTicks(painter, scene);
  drawEvents(painter, scene);
  drawDots(painter, scene);
  drawNonFinite(painter, scene);
  drawBeyond(painter, scene);
  drawEndLabels(painter, scene);
}

void paintCursor(QPainter& painter, const ChartScene& scene, double x, const QStringList& card) {
  const PlotFrame& frame = scene.frame;
  if (x < frame.xLow || x > frame.xHigh || !frame.hasValues) return;
  const ThemeColors& colors = scene.theme.colors();
  const double at = frame.pixelX(x);
  painter.setPen(QPen(colors.muted, 1));
  painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
  if (card.isEmpty()) return;
  const QFontMetricsF metrics(scene.theme.smallFont());
  double cardWidth = 0;
  for (const QString& line : card) cardWidth = std::max(cardWidth, metrics.horizontalAdvance(line));
  cardWidth = std::min(cardWidth + 16, scene.size.width());
  const double height = metrics.height() * static_cast<double>(card.size()) + 8;
  const bool leftSide = at + 8 + cardWidth > scene.size.width();
  const double top = std::max(0.0, std::min(frame.plot.top(), scene.size.height() - height));
  const QRectF box(leftSide ? std::max(0.0, at - 8 - cardWidth) : at + 8, top, cardWidth, height);
  painter.setPen(QPen(colors.line, 1));
  painter.setBrush(colors.raised);
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(colors.text);
  painter.setFont(scene.theme.smallFont());
  double y = box.top() + 4;
  for (const QString& line : card) {
    painter.drawText(QPointF(box.left() + 8, y + metrics.ascent()),
                     metrics.elidedText(line, Qt::ElideRight, box.width() - 16));
    y += metrics.height();
  }
}

}  // namespace batchwise
