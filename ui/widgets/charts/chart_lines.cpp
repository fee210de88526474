// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_lines.h"

#include <QtCore/QLineF>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

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

/// Tells which columns of pixels a dashed pen paints.
class Dashes {
 public:
  explicit Dashes(const QPen& pen) : unit_(std::max(1.0, pen.widthF())) {
    if (pen.style() != Qt::SolidLine) pattern_ = pen.dashPattern();
    period_ = std::accumulate(pattern_.begin(), pattern_.end(), 0.0);
  }
  bool isOn(double pixel) const {
    if (period_ <= 0) return true;
    double at = std::fmod(pixel / unit_, period_);
    for (qsizetype i = 0; i < pattern_.size(); ++i)
      if ((at -= pattern_[i]) < 0) return i % 2 == 0;
    return true;
  }

 private:
  QList<qreal> pattern_;
  double unit_, period_ = 0;
};

/// Blends a color over pixels that are neighbors in memory. All colors are premultiplied.
class Blender {
 public:
  explicit Blender(QRgb color) : color_(color), left_(leftBelow(color)) {
    for (int i = 0; i < kLanes; ++i) covering_[i] = static_cast<std::uint16_t>(i % 2 == 0 ? color : color >> 16);
  }
  void over(QRgb* pixels, std::size_t count) const {
    for (; count >= kLanes / 2; pixels += kLanes / 2, count -= kLanes / 2) {
      Lanes lanes;
      std::memcpy(&lanes, pixels, sizeof(lanes));
      lanes = covering_ + (((lanes & 0xFF) * left_) >> 8) + (((lanes >> 8) * left_) & 0xFF00);
      std::memcpy(pixels, &lanes, sizeof(lanes));
    }
    for (; count > 0; ++pixels, --count) *pixels = color_ + scaled(*pixels, left_);
  }
  /// Blends over the part `share` of one pixel.
  void over(QRgb& pixel, double share) const {
    const QRgb covering = scaled(color_, static_cast<std::uint16_t>(256 * share));
    pixel = covering + scaled(pixel, leftBelow(covering));
  }

 private:
  static constexpr int kLanes = 8;  // of two channels each
  using Lanes = std::uint16_t __attribute__((vector_size(2 * kLanes)));

  /// Returns how much of what lies below a color is seen, in 256ths.
  static std::uint16_t leftBelow(QRgb color) {
    return static_cast<std::uint16_t>(256 - qAlpha(color) - (qAlpha(color) >> 7));
  }
  /// Returns a color times `share` / 256, two channels at a time.
  static QRgb scaled(QRgb color, std::uint16_t share) {
    constexpr QRgb kEvenChannels = 0x00FF00FF;
    return ((color & kEvenChannels) * share >> 8 & kEvenChannels) |
           (((color >> 8) & kEvenChannels) * share & ~kEvenChannels);
  }

  QRgb color_;
  std::uint16_t left_;  // 256ths of what is below
  Lanes covering_{};
};

/// Picture of a plot in device pixels, for dense lines: filling its columns, which are stored one after the other,
/// takes a small part of the time of QPainter.
class ColumnImage {
 public:
  explicit ColumnImage(const ChartScene& scene)
      : place_(scene.frame.plot),
        size_((place_.size() / scene.pixel).toSize()),
        pixels_(static_cast<std::size_t>(size_.width()) * static_cast<std::size_t>(size_.height())) {}

  /// Blends a bar into one column, from row `top` to `bottom`, which may be fractions.
  void addBar(int column, double top, double bottom, const Blender& color) {
    if (column < 0 || column >= size_.width()) return;
    top = std::max(0.0, top);
    bottom = std::min(static_cast<double>(size_.height()), bottom);
    if (top >= bottom) return;
    const int first = static_cast<int>(top), last = static_cast<int>(std::ceil(bottom)) - 1;
    QRgb* pixels = columnAt(column);
    color.over(pixels[first], std::min(bottom, first + 1.0) - top);
    if (last == first) return;
    color.over(pixels[last], bottom - last);
    color.over(pixels + first + 1, static_cast<std::size_t>(last - first - 1));
  }
  void paint(QPainter& painter) {
    QImage rows(size_, QImage::Format_ARGB32_Premultiplied);
    const qsizetype stride = rows.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    auto* to = reinterpret_cast<QRgb*>(rows.bits());
    constexpr int kBlock = 16;  // columns whose parts fit into the cache
    for (int left = 0; left < size_.width(); left += kBlock) {
      const int right = std::min(left + kBlock, size_.width());
      for (int row = 0; row < size_.height(); ++row)
        for (int column = left; column < right; ++column) to[row * stride + column] = columnAt(column)[row];
    }
    painter.drawImage(place_, rows);
  }

 private:
  QRgb* columnAt(int column) { return pixels_.data() + static_cast<qsizetype>(column) * size_.height(); }

  QRectF place_;
  QSize size_;
  std::vector<QRgb> pixels_;
};

/// Draws a line as one bar per column of pixels. Neighboring bars meet halfway between their last and first point.
class ColumnPainter {
 public:
  ColumnPainter(ColumnImage& image, const ChartScene& scene, const QPen& pen)
      : image_(image),
        frame_(scene.frame),
        dashes_(pen),
        color_(qPremultiply(pen.color().rgba())),
        half_(pen.widthF() / 2 / scene.pixel),
        pixel_(scene.pixel) {}

  void draw(const QList<QPointF>& points) {
    for (const QPointF& point : points) {
      if (std::isnan(point.y()))
        close();
      else
        add((frame_.pixel(point) - frame_.plot.topLeft()) / pixel_);
    }
    close();
  }

 private:
  /// `at`: in device pixels of the plot.
  void add(QPointF at) {
    const int column = static_cast<int>(std::floor(std::clamp(at.x(), -2.0, frame_.plot.width() / pixel_ + 1)));
    at.setY(std::clamp(at.y(), -kBeyond, frame_.plot.height() / pixel_ + kBeyond));
    if (open_ && column != column_) {
      cross(at, column);
    } else if (!open_) {
      low_ = high_ = at.y();
    }
    open_ = true;
    column_ = column;
    include(at.y());
    last_ = at;
  }
  /// Fills the columns between the last point and `at`.
  void cross(const QPointF& at, int column) {
    const double slope = (at.y() - last_.y()) / (column - column_);
    double edge = last_.y() + slope / 2;
    include(edge);
    flush();
    for (++column_; column_ < column; ++column_) {
      low_ = high_ = edge;
      include(edge += slope);
      flush();
    }
    low_ = high_ = edge;
  }
  void include(double y) {
    low_ = std::min(low_, y);
    high_ = std::max(high_, y);
  }
  /// The gaps of a dashed line keep its spikes.
  void flush() {
    if (high_ - low_ > 4 * half_ || dashes_.isOn(column_ * pixel_))
      image_.addBar(column_, low_ - half_, high_ + half_, color_);
  }
  void close() {
    if (open_) flush();
    open_ = false;
  }

  static constexpr double kBeyond = 8;  // values are clamped this many pixels outside the plot

  ColumnImage& image_;
  const PlotFrame& frame_;
  Dashes dashes_;
  Blender color_;
  double half_;  // of the width of the line
  double pixel_;
  bool open_ = false;
  int column_ = 0;
  double low_ = 0, high_ = 0;
  QPointF last_;
};

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

/// Paints lines in layers. Dense ones are collected in one picture, as long as no other line follows.
class LayerPainter {
 public:
  LayerPainter(QPainter& painter, const ChartScene& scene) : painter_(painter), scene_(scene) {}
  /// Paints the lines of which `isChosen` is true, dense ones in front.
  template <typename IsChosen>
  void add(IsChosen isChosen) {
    for (const bool dense : {false, true})
      for (std::size_t i = 0; i < scene_.content.lines.size(); ++i)
        if (scene_.content.lines[i].kind != LineKind::Dots && isChosen(i) && isDense(scene_, i) == dense)
          dense ? addDense(i) : addSparse(i);
  }
  /// Paints what is collected.
  void finish() {
    if (dense_) dense_->paint(painter_);
    dense_.reset();
  }

 private:
  void addSparse(std::size_t line) {
    finish();
    strokeLine(painter_, scene_, linePen(scene_, line), scene_.drawn.lines[line]);
  }
  void addDense(std::size_t line) {
    if (!dense_) dense_.emplace(scene_);
    ColumnPainter(*dense_, scene_, linePen(scene_, line)).draw(scene_.drawn.lines[line]);
  }

  QPainter& painter_;
  const ChartScene& scene_;
  std::optional<ColumnImage> dense_;
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

bool isDense(const ChartScene& scene, std::size_t line) {
  constexpr double kPerColumn = 1.2;
  return static_cast<double>(scene.drawn.lines[line].size()) > kPerColumn * scene.frame.plot.width() / scene.pixel;
}

bool isForQtCharts(const ChartScene& scene, std::size_t line) {
  const ChartLine& found = scene.content.lines[line];
  return layerOf(found) == Layer::Front && found.kind != LineKind::Dots && !isDense(scene, line) &&
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
