// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_lines.h"

#include <QtCore/QLineF>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ui/widgets/charts/line_raster.h"

namespace batchwise {
namespace {

constexpr double kLineWidth = 1.75, kEmphasizedWidth = 2.5;
constexpr double kRawAlpha = 0.25, kRawAlphaDark = 0.45, kFaded = 0.35, kBandAlpha = 0.18;
constexpr double kDotRadius = 2.5;
constexpr double kHoverReach = 6;  // pixels

QColor withAlpha(QColor color, double alpha) {
  color.setAlphaF(static_cast<float>(alpha));
  return color;
}

/// Order of painting; lines of the last layer lie in front.
enum class Layer { Planned, Superseded, Raw, Front };

Layer layerOf(const ChartLine& line) {
  switch (line.kind) {
    case LineKind::Planned:
    case LineKind::Reference: return Layer::Planned;
    case LineKind::Superseded: return Layer::Superseded;
    case LineKind::Raw: return Layer::Raw;
    case LineKind::Thin: return line.name.isEmpty() ? Layer::Raw : Layer::Front;  // members of a group lie behind it
    default: return Layer::Front;
  }
}

enum class Emphasis { None, Emphasized, Faded };

/// An unnamed line belongs to the emphasized one of its run and color.
Emphasis emphasisOf(const ChartScene& scene, const ChartLine& line) {
  bool found = false;
  for (const ChartLine& other : scene.content.lines) {
    if (scene.emphasized.isEmpty() || other.name != scene.emphasized) continue;
    found = true;
    const bool belongs = line.name.isEmpty() && line.map == other.map && line.color == other.color;
    if (line.name == scene.emphasized || belongs) return Emphasis::Emphasized;
  }
  return found ? Emphasis::Faded : Emphasis::None;
}

/// True if raw values of so many lines are drawn that they would hide the smoothed ones.
bool isCrowded(const ChartScene& scene) {
  constexpr std::ptrdiff_t kFew = 4;
  return std::ranges::count(scene.content.lines, Layer::Raw, layerOf) > kFew;
}

bool isInFront(const ChartScene& scene, std::size_t line) {
  const ChartLine& found = scene.content.lines[line];
  return layerOf(found) == Layer::Front && emphasisOf(scene, found) == Emphasis::Emphasized;
}

void strokeLine(QPainter& painter, const ChartScene& scene, const QPen& pen, const QList<QPointF>& points) {
  painter.setPen(pen);
  QPolygonF piece;
  const auto draw = [&] {
    if (piece.size() == 1) piece << piece.back() + QPointF(1, 0);
    if (!piece.isEmpty()) painter.drawPolyline(piece);
    piece.clear();
  };
  for (const QPointF& point : points) {
    if (std::isnan(point.y()))
      draw();
    else
      piece << scene.frame.pixel(point);
  }
  draw();
}

double pointsPerColumn(const ChartScene& scene, std::size_t line) {
  return static_cast<double>(scene.drawn.lines[line].size()) * scene.pixel / scene.frame.plot.width();
}

/// True for a line that its columns show as well as its course.
bool isDense(const ChartScene& scene, std::size_t line) {
  return pointsPerColumn(scene, line) > 1.2;
}

/// Returns the points in device pixels of the plot.
std::vector<QPointF> devicePoints(const ChartScene& scene, const QList<QPointF>& points) {
  const PlotFrame& frame = scene.frame;
  const double width = frame.plot.width() / scene.pixel, height = frame.plot.height() / scene.pixel;
  const double low = frame.scaled(frame.yLow);
  const double perX = width / (frame.xHigh - frame.xLow), perY = height / (frame.scaled(frame.yHigh) - low);
  std::vector<QPointF> pixels;
  pixels.reserve(static_cast<std::size_t>(points.size()));
  for (const QPointF& point : points)
    pixels.emplace_back((point.x() - frame.xLow) * perX, height - (frame.scaled(point.y()) - low) * perY);
  return pixels;
}

/// Paints lines in layers. Those of many points are collected in one picture, as long as no other line follows.
class LayerPainter {
 public:
  LayerPainter(QPainter& painter, const ChartScene& scene) : painter_(painter), scene_(scene) {}
  /// Paints the lines of which `isChosen` is true, those of many points in front.
  template <typename IsChosen>
  void add(IsChosen isChosen) {
    for (const bool asPixels : {false, true})
      for (std::size_t i = 0; i < scene_.content.lines.size(); ++i)
        if (scene_.content.lines[i].kind != LineKind::Dots && isChosen(i) && isForRaster(scene_, i) == asPixels)
          asPixels ? addPixels(i) : addPath(i);
  }
  /// Paints what is collected.
  void finish() {
    if (std::exchange(isCollecting_, false)) scene_.raster->paint(painter_, scene_.frame.plot);
  }

 private:
  void addPath(std::size_t line) {
    finish();
    strokeLine(painter_, scene_, linePen(scene_, line), scene_.drawn.lines[line]);
  }
  void addPixels(std::size_t line) {
    if (!std::exchange(isCollecting_, true)) scene_.raster->clear((scene_.frame.plot.size() / scene_.pixel).toSize());
    QPen pen = linePen(scene_, line);
    pen.setWidthF(pen.widthF() / scene_.pixel);
    const std::vector<QPointF> points = devicePoints(scene_, scene_.drawn.lines[line]);
    isDense(scene_, line) ? scene_.raster->fillColumns(points, pen) : scene_.raster->stroke(points, pen);
  }

  QPainter& painter_;
  const ChartScene& scene_;
  bool isCollecting_ = false;
};

template <typename IsChosen>
void paintChosen(QPainter& painter, const ChartScene& scene, IsChosen isChosen) {
  LayerPainter lines(painter, scene);
  lines.add(isChosen);
  lines.finish();
}

/// Paints one piece of a band without gaps.
void fillBand(QPainter& painter, const PlotFrame& frame, std::span<const DrawnChart::BandPoint> points) {
  const auto pixel = [&](double x, double y) {
    const double shown = frame.canShow(y) ? frame.pixelY(y) : frame.plot.bottom();
    return QPointF(frame.pixelX(x), std::clamp(shown, frame.plot.top(), frame.plot.bottom()));
  };
  QPolygonF area;
  for (const auto& point : points) area << pixel(point.x, point.high);
  for (auto point = points.rbegin(); point != points.rend(); ++point) area << pixel(point->x, point->low);
  painter.drawPolygon(area);
}

void paintBands(QPainter& painter, const ChartScene& scene) {
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < scene.drawn.bands.size(); ++i) {
    painter.setBrush(withAlpha(seriesColor(scene.content.bands[i].color, scene.theme.colors().base), kBandAlpha));
    const std::span<const DrawnChart::BandPoint> points = scene.drawn.bands[i];
    const auto isGap = [](const DrawnChart::BandPoint& point) { return std::isnan(point.low); };
    for (auto from = points.begin(); from != points.end();) {
      const auto to = std::find_if(from, points.end(), isGap);
      if (to - from > 1) fillBand(painter, scene.frame, {from, to});
      from = std::find_if_not(to, points.end(), isGap);
    }
  }
  painter.setBrush(Qt::NoBrush);
}

bool isInside(const PlotFrame& frame, const QPointF& point) {
  return point.x() >= frame.xLow && point.x() <= frame.xHigh && frame.canShow(point.y()) && point.y() >= frame.yLow &&
         point.y() <= frame.yHigh;
}

/// Distance of `place` from the segment in pixels.
double distance(const QLineF& segment, QPointF place) {
  const QPointF along = segment.p2() - segment.p1(), offset = place - segment.p1();
  const double length = QPointF::dotProduct(along, along);
  const double share = length > 0 ? std::clamp(QPointF::dotProduct(offset, along) / length, 0.0, 1.0) : 0.0;
  return QLineF(segment.pointAt(share), place).length();
}

double distance(const PlotFrame& frame, const QList<QPointF>& points, QPointF place) {
  const double from = frame.valueX(place.x() - kHoverReach), to = frame.valueX(place.x() + kHoverReach);
  auto next = std::ranges::lower_bound(points, from, {}, &QPointF::x);
  if (next != points.begin()) --next;
  double least = std::numeric_limits<double>::infinity();
  for (; next != points.end() && next + 1 != points.end() && next->x() <= to; ++next) {
    if (!frame.canShow(next->y()) || !frame.canShow((next + 1)->y())) continue;
    least = std::min(least, distance(QLineF(frame.pixel(*next), frame.pixel(*(next + 1))), place));
  }
  return least;
}

}  // namespace

QPen chartPen(LineKind kind, int color, const ThemeColors& colors) {
  const QColor own = seriesColor(color, colors.base);
  const double rawAlpha = colors.base.lightness() < 128 ? kRawAlphaDark : kRawAlpha;
  switch (kind) {
    case LineKind::Main: return QPen(own, kLineWidth, seriesPenStyle(color));
    case LineKind::Raw: return QPen(withAlpha(own, rawAlpha), 1);
    case LineKind::Superseded: return QPen(withAlpha(own, rawAlpha), kLineWidth);
    case LineKind::Thin: return QPen(own, 1, seriesPenStyle(color));
    case LineKind::Planned: return QPen(colors.muted, 1.25, Qt::DotLine);
    case LineKind::Reference: return QPen(colors.muted, 1, Qt::DashLine);
    case LineKind::Points: return QPen(own, 1.25, seriesPenStyle(color));
    case LineKind::Dots: return QPen(own, 1);
  }
  return {};
}

QPen linePen(const ChartScene& scene, std::size_t line) {
  const ChartLine& found = scene.content.lines[line];
  const LineKind kind = layerOf(found) == Layer::Raw ? LineKind::Raw : found.kind;
  QPen pen = chartPen(kind, found.color, scene.theme.colors());
  if (kind == LineKind::Raw && isCrowded(scene)) pen.setColor(withAlpha(pen.color(), 0.5 * pen.color().alphaF()));
  const Emphasis emphasis = emphasisOf(scene, found);
  if (emphasis == Emphasis::Faded) pen.setColor(withAlpha(pen.color(), kFaded * pen.color().alphaF()));
  if (emphasis == Emphasis::Emphasized && layerOf(found) == Layer::Front) pen.setWidthF(kEmphasizedWidth);
  return pen;
}

bool isForRaster(const ChartScene& scene, std::size_t line) {
  constexpr double kPerColumn = 0.05;
  if (scene.raster == nullptr || pointsPerColumn(scene, line) < kPerColumn) return false;
  return isDense(scene, line) || linePen(scene, line).style() == Qt::SolidLine;
}

bool isForQtCharts(const ChartScene& scene, std::size_t line) {
  const ChartLine& found = scene.content.lines[line];
  return layerOf(found) == Layer::Front && found.kind != LineKind::Dots && !isForRaster(scene, line) &&
         !isInFront(scene, line);
}

void paintLinesBehind(QPainter& painter, const ChartScene& scene) {
  painter.save();
  painter.setClipRect(scene.frame.plot);
  paintBands(painter, scene);
  LayerPainter lines(painter, scene);
  for (const Layer layer : {Layer::Planned, Layer::Superseded, Layer::Raw, Layer::Front})
    lines.add([&](std::size_t line) {
      return layerOf(scene.content.lines[line]) == layer && !isForQtCharts(scene, line) && !isInFront(scene, line);
    });
  lines.finish();
  painter.restore();
}

void paintLines(QPainter& painter, const ChartScene& scene) {
  paintChosen(painter, scene, [&](std::size_t line) { return isForQtCharts(scene, line); });
  const QRectF plot = scene.frame.plot;
  const QColor ground = scene.theme.colors().base;
  painter.fillRect(QRectF(0, 0, plot.left(), scene.size.height()), ground);
  painter.fillRect(QRectF(plot.right(), 0, scene.size.width() - plot.right(), scene.size.height()), ground);
  painter.fillRect(QRectF(0, 0, scene.size.width(), plot.top()), ground);
  painter.fillRect(QRectF(0, plot.bottom(), scene.size.width(), scene.size.height() - plot.bottom()), ground);
}

void paintEmphasized(QPainter& painter, const ChartScene& scene) {
  if (scene.emphasized.isEmpty()) return;
  painter.save();
  painter.setClipRect(scene.frame.plot);
  paintChosen(painter, scene, [&](std::size_t line) { return isInFront(scene, line); });
  painter.restore();
}

void paintDots(QPainter& painter, const ChartScene& scene) {
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    const bool hasDots = line.kind == LineKind::Points || line.kind == LineKind::Dots;
    if (!hasDots && line.points.size() != 1) continue;  // a single point draws no line
    painter.setBrush(linePen(scene, i).color());
    for (const QPointF& point : scene.drawn.lines[i])
      if (isInside(scene.frame, point)) painter.drawEllipse(scene.frame.pixel(point), kDotRadius, kDotRadius);
  }
}

void paintSwatch(QPainter& painter, LineKind kind, const QPen& pen, QPointF left) {
  painter.setPen(pen);
  if (kind != LineKind::Dots) painter.drawLine(left, left + QPointF(kSwatchWidth, 0));
  if (kind != LineKind::Dots && kind != LineKind::Points) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(pen.color());
  painter.drawEllipse(left + QPointF(kSwatchWidth / 2, 0), kDotRadius, kDotRadius);
}

QString nameNear(const ChartScene& scene, QPointF place) {
  for (const ChartLegend::Entry& entry : scene.frame.legend.entries)
    if (entry.box.contains(place)) return scene.content.lines[entry.line].name;
  if (!scene.frame.plot.contains(place)) return {};
  double least = kHoverReach;
  QString name;
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    if (line.name.isEmpty() || line.kind == LineKind::Superseded) continue;
    const double away = distance(scene.frame, scene.drawn.lines[i], place);
    if (away >= least) continue;
    least = away;
    name = line.name;
  }
  return name;
}

}  // namespace batchwise
