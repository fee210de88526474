// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_painter.h"

#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

/// Writes texts from the left into one row until its room ends.
class TextRow {
 public:
  TextRow(QPainter& painter, double left, double right, double baseline)
      : painter_(painter), left_(left), right_(right), baseline_(baseline) {}

  void addElided(const QString& text, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    const QString shown = metrics.elidedText(text, Qt::ElideMiddle, right_ - left_);
    draw(shown, left_, font, color);
    left_ += metrics.horizontalAdvance(shown) + 0.6 * metrics.height();
  }
  /// Writes the text if it fits whole; returns whether it does.
  bool add(const QString& text, const QFont& font, const QColor& color) {
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    if (text.isEmpty() || width > right_ - left_) return false;
    addElided(text, font, color);
    return true;
  }
  /// Writes the text at the right end of the row, if it fits whole.
  void addAtEnd(const QString& text, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(text);
    if (text.isEmpty() || width > right_ - left_) return;
    draw(text, right_ - width, font, color);
    right_ -= width + 0.6 * metrics.height();
  }

 private:
  void draw(const QString& text, double x, const QFont& font, const QColor& color) {
    painter_.setFont(font);
    painter_.setPen(color);
    painter_.drawText(QPointF(x, baseline_), text);
  }

  QPainter& painter_;
  double left_, right_, baseline_;
};

void drawTitle(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  const QFont small = scene.theme.smallFont();
  QFont bold = small;
  bold.setBold(true);
  const QFontMetricsF metrics(bold);
  TextRow row(painter, kChartMargin, scene.size.width() - kChartMargin, 0.3 * metrics.height() + metrics.ascent());
  row.addElided(scene.title.title, bold, colors.text);
  const bool hasRoom = scene.title.unit.isEmpty() || row.add(scene.title.unit, small, colors.muted);
  for (auto text = scene.frame.outside.rbegin(); text != scene.frame.outside.rend(); ++text)
    row.addAtEnd(*text, small, colors.muted);
  for (const QString& note : {scene.content.note, scene.content.shortNote})
    if (hasRoom && !note.isEmpty() && row.add(QStringLiteral("· ") + note, small, colors.muted)) break;
  if (scene.frame.hasValues) return;
  painter.setFont(small);
  painter.setPen(colors.muted);
  painter.drawText(scene.frame.plot, Qt::AlignCenter | Qt::TextWordWrap, scene.title.emptyText);
}

void drawTicks(QPainter& painter, const ChartScene& scene) {
  const QFontMetricsF metrics(scene.theme.smallFont());
  painter.setFont(scene.theme.smallFont());
  painter.setPen(scene.theme.colors().muted);
  if (scene.frame.hasValues) {
    const double apart = tickSpacing(scene.frame.yTicks);
    for (const double tick : scene.frame.yTicks) {
      const QRectF box(0, scene.frame.pixelY(tick) - metrics.height() / 2, scene.frame.plot.left() - 6,
                       metrics.height());
      painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tickText(tick, scene.title.format, apart));
    }
  }
  const auto& ticks = scene.frame.xTicks;
  const double spacing = tickSpacing(ticks);
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
    painter.setBrush(seriesColor(line.color, scene.theme.colors().base));
    for (const QPointF& point : scene.drawn.lines[i]) {
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

void drawGrid(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  const PlotFrame& frame = scene.frame;
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
}

}  // namespace

void paintChart(QPainter& painter, const ChartScene& scene) {
  drawGrid(painter, scene);
  paintLines(painter, scene);
  paintDots(painter, scene);
  drawTitle(painter, scene);
  drawTicks(painter, scene);
  drawEvents(painter, scene);
  drawNonFinite(painter, scene);
  drawBeyond(painter, scene);
  paintLegend(painter, scene.frame.legend, scene);
}

void paintLegend(QPainter& painter, const ChartLegend& legend, const ChartScene& scene) {
  const QColor text = scene.theme.colors().text, muted = scene.theme.colors().muted;
  const QFontMetricsF metrics(scene.theme.smallFont());
  painter.setFont(scene.theme.smallFont());
  const auto write = [&](const QRectF& box, double indent, const QColor& color, const QString& label) {
    painter.setPen(color);
    painter.drawText(QPointF(box.left() + indent, box.center().y() + metrics.ascent() / 2 - 1), label);
  };
  for (const ChartLegend::Entry& entry : legend.entries) {
    paintSwatch(painter, scene.content.lines[entry.line].kind, linePen(scene, entry.line),
                {entry.box.left(), entry.box.center().y()});
    write(entry.box, kSwatchWidth + kSwatchGap, text, entry.text);
  }
  if (!legend.more.isEmpty()) write(legend.moreBox, 0, muted, legend.more);
}

void paintCursor(QPainter& painter, const ChartScene& scene, double x) {
  const PlotFrame& frame = scene.frame;
  if (x < frame.xLow || x > frame.xHigh || !frame.hasValues) return;
  const double at = frame.pixelX(x);
  painter.setPen(QPen(scene.theme.colors().muted, 1));
  painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
}

}  // namespace batchwise
