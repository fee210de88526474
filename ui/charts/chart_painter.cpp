// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_painter.h"

#include <QtCore/QLineF>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

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

bool isInFront(const ChartScene& scene, const ChartLine& line) {
  return layerOf(line) == Layer::Front && emphasisOf(scene, line) == Emphasis::Emphasized;
}

/// Returns a color times `share` / 256, two channels at a time.
QRgb scaled(QRgb color, std::uint32_t share) {
  constexpr QRgb kEvenChannels = 0x00FF00FF;
  return ((color & kEvenChannels) * share >> 8 & kEvenChannels) |
         (((color >> 8) & kEvenChannels) * share & ~kEvenChannels);
}

/// Paints a line into an opaque image, column by column of pixels: what its points cover of a column, or a segment that
/// crosses it. QPainter needs many times as long for a path of many points, and paints the joins of segments twice.
class ColumnPainter {
 public:
  /// `area`: what may be painted, in pixels of the image; the width of the pen is in pixels too.
  ColumnPainter(QImage& image, const QRect& area, const QPen& pen)
      : area_(area),
        color_(qPremultiply(pen.color().rgba())),
        pen_(pen),
        half_(pen.widthF() / 2),
        bits_(image.bits()),
        stride_(image.bytesPerLine()) {}

  /// Continues the line, or begins one. Points have ascending x and lie at most a few pixels outside the area.
  void add(const QPointF& at) {
    const int column = static_cast<int>(std::floor(at.x()));
    if (!open_) {
      column_ = column;
      low_ = high_ = at.y();
    } else if (column > column_) {
      cross(at, column);
    }
    open_ = true;
    include(at.y());
    last_ = at;
  }
  /// Ends the line.
  void close() {
    if (open_) paintBar(low_ - half_, high_ + half_);
    open_ = false;
  }

 private:
  /// Paints the columns up to that of `at`: neighbors meet where the segment crosses the edge between them.
  void cross(const QPointF& at, int column) {
    const double slope = (at.y() - last_.y()) / (at.x() - last_.x());
    const auto crossing = [&](int edge) { return last_.y() + (edge - last_.x()) * slope; };
    double edge = crossing(column_ + 1);
    include(edge);
    close();
    for (++column_; column_ < column; ++column_) {
      const double next = crossing(column_ + 1);
      paintCrossing((edge + next) / 2, std::abs(next - edge));
      edge = next;
    }
    low_ = high_ = edge;
  }
  void include(double y) {
    low_ = std::min(low_, y);
    high_ = std::max(high_, y);
  }

  bool isPainted(double height) const {
    return column_ >= area_.left() && column_ <= area_.right() && !isInGap(height);
  }
  /// The gaps of a dashed line keep its spikes.
  bool isInGap(double height) const {
    if (pen_.style() == Qt::SolidLine || height > 6 * half_) return false;
    const QList<qreal> pattern = pen_.dashPattern();
    double at = std::fmod(column_ / std::max(1.0, 2 * half_), std::accumulate(pattern.begin(), pattern.end(), 0.0));
    qsizetype i = 0;
    while (i < pattern.size() && (at -= pattern[i]) >= 0) ++i;
    return i % 2 == 1;
  }

  void paintBar(double top, double bottom) {
    if (!isPainted(bottom - top)) return;
    top = std::max(top, 1.0 * area_.top());
    bottom = std::min(bottom, area_.bottom() + 1.0);
    const int first = static_cast<int>(top), last = static_cast<int>(bottom);
    if (top >= bottom) return;
    if (first == last) return blend(first, first + 1, bottom - top);
    blend(first, first + 1, first + 1 - top);
    blend(first + 1, last, 1);
    blend(last, last + 1, bottom - last);
  }
  /// Paints a segment through the whole column, with `middle` in its middle. A steep one covers ever more of the rows
  /// over its slope, and ever less of them at its other side.
  void paintCrossing(double middle, double slope) {
    const double half = half_ * std::sqrt(1 + slope * slope);  // of its extent at one x
    if (slope <= 1) return paintBar(middle - half, middle + half);
    const double top = middle - half - slope / 2, bottom = middle + half + slope / 2;
    if (!isPainted(bottom - top)) return;
    const double most = std::min(1.0, 2 * half / slope);
    const int end = std::min(static_cast<int>(std::ceil(bottom)), area_.bottom() + 1);
    for (int row = std::max(static_cast<int>(top), area_.top()); row < end;) {
      const double covered = std::max(0.0, std::min(row + 0.5 - top, bottom - row - 0.5) / slope);
      const int next = covered < most ? row + 1 : std::clamp(static_cast<int>(bottom - most * slope), row + 1, end);
      blend(row, next, std::min(covered, most));
      row = next;
    }
  }
  /// `covered`: share of each of the pixels.
  void blend(int row, int end, double covered) {
    const QRgb added = scaled(color_, static_cast<std::uint32_t>(256 * covered));
    const auto kept = static_cast<std::uint32_t>(256 - qAlpha(added) - (qAlpha(added) >> 7));
    end = std::min(end, area_.bottom() + 1);
    uchar* at = bits_ + row * stride_ + column_ * static_cast<qsizetype>(sizeof(QRgb));
    for (; row < end; ++row, at += stride_) {
      QRgb& pixel = *reinterpret_cast<QRgb*>(at);
      pixel = kept == 0 ? added : added + scaled(pixel, kept);
    }
  }

  QRect area_;
  QRgb color_;
  QPen pen_;
  double half_;  // of the width of the line
  uchar* bits_;
  qsizetype stride_;
  bool open_ = false;
  int column_ = 0;
  double low_ = 0, high_ = 0;  // of the line in the column
  QPointF last_;
};

/// Returns the part of a segment inside `area`, if any.
std::optional<QLineF> clipped(const QLineF& segment, const QRectF& area) {
  const QPointF from = segment.p1(), way = segment.p2() - from;
  double begin = 0, end = 1;  // shares of the way
  const auto stayBelow = [&](double speed, double room) {
    if (speed > 0) end = std::min(end, room / speed);
    if (speed < 0) begin = std::max(begin, room / speed);
    if (speed == 0 && room < 0) end = -1;
  };
  stayBelow(-way.x(), from.x() - area.left());
  stayBelow(way.x(), area.right() - from.x());
  stayBelow(-way.y(), from.y() - area.top());
  stayBelow(way.y(), area.bottom() - from.y());
  if (begin > end) return std::nullopt;
  return QLineF(from + begin * way, from + end * way);
}

/// A value far off the scale is cut to one whose segments can still be clipped exactly.
QPointF pixelOf(const ChartScene& scene, const QPointF& point) {
  constexpr double kFar = 1e12;
  const QPointF at = scene.frame.pixel(point);
  return {at.x(), std::clamp(at.y(), -kFar, kFar)};
}

/// Returns the parts of a line inside the plot, in pixels, without the gaps.
std::vector<QPolygonF> piecesInPlot(const ChartScene& scene, const QList<QPointF>& points) {
  std::vector<QPolygonF> pieces;
  const auto add = [&](const QPointF& from, const QPointF& to) {
    const auto part = clipped({from, to}, scene.frame.plot);
    if (!part) return;
    if (pieces.empty() || pieces.back().back() != part->p1()) pieces.push_back(QPolygonF({part->p1()}));
    pieces.back() << part->p2();
  };
  for (qsizetype i = 0; i < points.size(); ++i) {
    if (std::isnan(points[i].y())) continue;
    const QPointF at = pixelOf(scene, points[i]);
    const bool begins = i == 0 || std::isnan(points[i - 1].y());
    const bool ends = i + 1 == points.size() || std::isnan(points[i + 1].y());
    if (!ends) add(at, pixelOf(scene, points[i + 1]));
    if (begins && ends) add(at, at + QPointF(1, 0));
  }
  return pieces;
}

/// QPainter would unite the outlines of all segments of a polyline, which takes ten times as long as the segments.
void strokeLine(QPainter& painter, const ChartScene& scene, const QPen& pen, const QList<QPointF>& points) {
  painter.setPen(pen);
  const bool asSegments = scene.image != nullptr && pen.style() == Qt::SolidLine;
  for (const QPolygonF& piece : piecesInPlot(scene, points)) {
    if (!asSegments) {
      painter.drawPolyline(piece);
      continue;
    }
    QList<QLineF> segments;
    for (qsizetype i = 1; i < piece.size(); ++i) segments.append({piece[i - 1], piece[i]});
    painter.drawLines(segments);
  }
}

/// Paints a line column by column. Where it leaves the plot it is cut so far outside that the cut is not seen; from
/// there it goes on along the edge, unseen, to where it comes back.
void fillLine(const ChartScene& scene, QPen pen, const QList<QPointF>& points) {
  constexpr double kBeyond = 8;  // pixels outside the plot
  const double scale = scene.image->devicePixelRatio();
  pen.setWidthF(pen.widthF() * scale);
  const QRectF plot(scale * scene.frame.plot.topLeft(), scale * scene.frame.plot.size());
  const QRectF kept = plot.adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond);
  ColumnPainter painter(*scene.image, plot.toRect() & scene.image->rect(), pen);
  std::optional<QPointF> before;
  bool wasKept = false;
  for (const QPointF& point : points) {
    if (std::isnan(point.y())) {
      painter.close();
      before.reset();
      wasKept = false;
      continue;
    }
    const QPointF at = scale * pixelOf(scene, point);
    const bool isKept = kept.contains(at);
    if (isKept && wasKept) {
      painter.add(at);
    } else if (const auto part = clipped({before.value_or(at), at}, kept)) {
      painter.add(part->p1());
      painter.add(part->p2());
    }
    before = at;
    wasKept = isKept;
  }
  painter.close();
}

/// Returns whether a line is painted column by column: any solid one without vertical edges, and any so dense that
/// neither its dashes nor its edges are seen.
bool isByColumns(const ChartScene& scene, const ChartLine& line, const QPen& pen, qsizetype points) {
  constexpr double kDense = 1.2;  // points per column
  if (scene.image == nullptr) return false;
  return (pen.style() == Qt::SolidLine && !line.steps) ||
         static_cast<double>(points) > kDense * scene.frame.plot.width() * scene.image->devicePixelRatio();
}

void paintLine(QPainter& painter, const ChartScene& scene, std::size_t line) {
  const ChartLine& chartLine = scene.content.lines[line];
  if (chartLine.kind == LineKind::Dots) return;
  const QPen pen = linePen(scene, line);
  const QList<QPointF>& points = scene.drawn.lines[line];
  if (isByColumns(scene, chartLine, pen, points.size()))
    fillLine(scene, pen, points);
  else
    strokeLine(painter, scene, pen, points);
}

/// Paints one piece of a band without gaps.
void fillBand(QPainter& painter, const ChartScene& scene, std::span<const DrawnChart::BandPoint> points) {
  const PlotFrame& frame = scene.frame;
  const auto pixel = [&](double x, double y) {
    const double shown = frame.canShow(y) ? frame.pixelY(y) : frame.plot.bottom();
    return QPointF(frame.pixelX(x), std::clamp(shown, frame.plot.top(), frame.plot.bottom()));
  };
  QPolygonF area;
  for (const auto& point : points) area << pixel(point.x, point.high);
  for (auto point = points.rbegin(); point != points.rend(); ++point) area << pixel(point->x, point->low);
  painter.drawPolygon(scene.image == nullptr ? area.intersected(frame.plot) : area);  // drawings have no clipping
}

void paintBands(QPainter& painter, const ChartScene& scene) {
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < scene.drawn.bands.size(); ++i) {
    painter.setBrush(withAlpha(seriesColor(scene.content.bands[i].color, scene.theme.colors().base), kBandAlpha));
    const std::span<const DrawnChart::BandPoint> points = scene.drawn.bands[i];
    const auto isGap = [](const DrawnChart::BandPoint& point) { return std::isnan(point.low); };
    for (auto from = points.begin(); from != points.end();) {
      const auto to = std::find_if(from, points.end(), isGap);
      if (to - from > 1) fillBand(painter, scene, {from, to});
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

void paintLines(QPainter& painter, const ChartScene& scene) {
  painter.save();
  painter.setClipRect(scene.frame.plot);
  paintBands(painter, scene);
  painter.restore();
  for (const Layer layer : {Layer::Planned, Layer::Superseded, Layer::Raw, Layer::Front})
    for (std::size_t i = 0; i < scene.content.lines.size(); ++i)
      if (layerOf(scene.content.lines[i]) == layer && !isInFront(scene, scene.content.lines[i]))
        paintLine(painter, scene, i);
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i)
    if (isInFront(scene, scene.content.lines[i])) paintLine(painter, scene, i);
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
