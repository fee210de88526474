// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/line_raster.h"

#include <QtCore/QList>
#include <QtGui/QPainter>
#include <QtGui/QPen>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace batchwise {
namespace {

constexpr int kWhole = 256;  // coverage of a whole pixel

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

/// Returns a color times `share` / kWhole, two channels at a time.
QRgb scaled(QRgb color, std::uint32_t share) {
  constexpr QRgb kEvenChannels = 0x00FF00FF;
  return ((color & kEvenChannels) * share >> 8 & kEvenChannels) |
         (((color >> 8) & kEvenChannels) * share & ~kEvenChannels);
}

/// Blends a color over pixels that are neighbors in memory. All colors are premultiplied.
void blend(QRgb color, QRgb* pixels, int count) {
  using Pixels = QRgb __attribute__((vector_size(16)));
  using Channels = std::uint16_t __attribute__((vector_size(16)));                               // two in each
  const auto below = static_cast<std::uint16_t>(kWhole - qAlpha(color) - (qAlpha(color) >> 7));  // how much is seen
  const auto added = reinterpret_cast<Channels>(Pixels{color, color, color, color});
  for (; count >= 4; pixels += 4, count -= 4) {
    Channels both;
    std::memcpy(&both, pixels, sizeof(both));
    both = added + (((both & 0xFF) * below) >> 8) + (((both >> 8) * below) & 0xFF00);
    std::memcpy(pixels, &both, sizeof(both));
  }
  for (; count > 0; ++pixels, --count) *pixels = color + scaled(*pixels, below);
}

/// Columns of pixels, to paint in one color.
class Columns {
 public:
  Columns(QSize size, QRgb* pixels, const QPen& pen)
      : size_(size), pixels_(pixels), color_(qPremultiply(pen.color().rgba())) {}

  int count() const { return size_.width(); }
  int height() const { return size_.height(); }

  /// Paints the pixels from `row` on of which `coverage` / kWhole is covered.
  void paint(int column, int row, int rows, int coverage) {
    QRgb* to = pixels_ + static_cast<std::ptrdiff_t>(column) * height() + row;
    blend(scaled(color_, static_cast<std::uint32_t>(coverage)), to, rows);
  }
  /// Paints a column from row `top` to `bottom`, which may be fractions.
  void paintBar(int column, double top, double bottom) {
    top = std::max(0.0, top);
    bottom = std::min(static_cast<double>(height()), bottom);
    if (top >= bottom) return;
    const int first = static_cast<int>(top), last = static_cast<int>(std::ceil(bottom)) - 1;
    paint(column, first, 1, static_cast<int>(kWhole * (std::min(bottom, first + 1.0) - top)));
    if (last == first) return;
    paint(column, last, 1, static_cast<int>(kWhole * (bottom - last)));
    paint(column, first + 1, last - first - 1, kWhole);
  }

 private:
  QSize size_;
  QRgb* pixels_;
  QRgb color_;
};

/// Strokes a line that has fewer points than columns, as far as its columns are covered at some positions in each.
class StrokePainter {
 public:
  StrokePainter(Columns columns, double width)
      : columns_(columns),
        half_(width / 2),
        covered_(static_cast<std::size_t>(columns_.count()) * kSamples),
        changes_(static_cast<std::size_t>(columns_.height()) + 2) {}

  void draw(std::span<const QPointF> points) {
    for (auto piece = points.begin(); piece != points.end();) {
      const auto end = std::find_if(piece, points.end(), isGap);
      drawPiece({piece, end});
      piece = std::find_if_not(end, points.end(), isGap);
    }
  }

 private:
  static constexpr int kSamples = 4;  // per column
  static constexpr float kFar = std::numeric_limits<float>::max();

  struct Interval {
    float top = kFar, bottom = -kFar;
  };

  static bool isGap(const QPointF& point) { return std::isnan(point.y()); }

  void drawPiece(std::span<const QPointF> points) {
    if (points.empty()) return;
    first_ = columns_.count() * kSamples;
    last_ = -1;
    if (points.size() == 1) cover(points[0], points[0] + QPointF(1, 0));
    for (std::size_t i = 1; i < points.size(); ++i) cover(points[i - 1], points[i]);
    for (int column = first_ / kSamples; column <= last_ / kSamples && first_ <= last_; ++column) paint(column);
  }

  /// Adds the rectangle around a segment: y up to `half_` across and beyond it.
  void cover(QPointF from, QPointF to) {
    const QPointF way = to - from;
    const double length = std::sqrt(QPointF::dotProduct(way, way));
    constexpr double kLeast = 1e-9;  // instead of divisions by 0
    const double along = length > 0 ? std::max(way.x() / length, kLeast) : 1;
    const double up = length > 0 && std::abs(way.y() / length) > kLeast ? way.y() / length : kLeast;
    const double reach = half_ * (along + std::abs(up));
    const int samples = columns_.count() * kSamples;
    const int first = std::max(0, sampleAfter(from.x() - reach));
    const int last = std::min(samples, sampleAfter(to.x() + reach)) - 1;
    if (first > last) return;
    first_ = std::min(first_, first);
    last_ = std::max(last_, last);
    const double slope = up / along, across = half_ / along, back = -along / up;
    const auto [low, high] = std::minmax({-half_ / up, (length + half_) / up});
    for (int i = first; i <= last; ++i) {
      const double x = (i + 0.5) / kSamples - from.x();
      const double top = from.y() + std::max(slope * x - across, back * x + low);
      const double bottom = from.y() + std::min(slope * x + across, back * x + high);
      Interval& own = covered_[static_cast<std::size_t>(i)];
      if (top >= bottom) continue;
      own.top = std::min(own.top, static_cast<float>(top));
      own.bottom = std::max(own.bottom, static_cast<float>(bottom));
    }
  }
  /// The first sample that is not left of `x`.
  int sampleAfter(double x) const {
    return static_cast<int>(std::ceil(std::clamp(x * kSamples - 0.5, -1.0, 1.0 * columns_.count() * kSamples)));
  }

  /// Paints what is covered of a column, and forgets it.
  void paint(int column) {
    const auto samples = std::span(covered_).subspan(static_cast<std::size_t>(column) * kSamples, kSamples);
    Interval least = samples[0], most = samples[0];
    double top = 0, bottom = 0;
    for (const Interval& own : samples) {
      least = {std::max(least.top, own.top), std::min(least.bottom, own.bottom)};
      most = {std::min(most.top, own.top), std::max(most.bottom, own.bottom)};
      top += own.top / kSamples;
      bottom += own.bottom / kSamples;
    }
    // Nearly horizontal: their mean covers as much of each pixel.
    if (std::floor(least.top) == std::floor(most.top) && std::floor(least.bottom) == std::floor(most.bottom))
      columns_.paintBar(column, top, bottom);
    else
      paintRuns(column, samples);
    std::ranges::fill(samples, Interval{});
  }
  /// Paints runs of rows of equal coverage.
  void paintRuns(int column, std::span<const Interval> samples) {
    const auto height = static_cast<float>(columns_.height());
    int row = columns_.height(), end = 0;
    for (const Interval& sample : samples) {
      const Interval own{std::max(sample.top, 0.0F), std::min(sample.bottom, height)};
      if (own.top >= own.bottom) continue;
      add(own);
      row = std::min(row, static_cast<int>(own.top));
      end = std::max(end, static_cast<int>(own.bottom) + 1);
    }
    for (int coverage = 0; row < end;) {
      coverage += std::exchange(changes_[static_cast<std::size_t>(row)], 0);
      const int begin = row++;
      while (row < end && changes_[static_cast<std::size_t>(row)] == 0) ++row;
      if (coverage > 0) columns_.paint(column, begin, std::min(row, columns_.height()) - begin, coverage);
    }
    changes_[static_cast<std::size_t>(end)] = 0;
  }
  /// Notes where the coverage by one sample changes from row to row: at its first and last row in parts.
  void add(const Interval& own) {
    constexpr int kPart = kWhole / kSamples;
    const auto first = static_cast<std::size_t>(own.top), last = static_cast<std::size_t>(own.bottom);
    const int begins = static_cast<int>(kPart * (static_cast<float>(first + 1) - own.top));
    const int ends = static_cast<int>(kPart * (own.bottom - static_cast<float>(last)));
    changes_[first] += begins;
    changes_[first + 1] += kPart - begins;
    changes_[last] += ends - kPart;
    changes_[last + 1] -= ends;
  }

  Columns columns_;
  double half_;                    // of the width
  std::vector<Interval> covered_;  // by the piece of line, at each sample
  std::vector<int> changes_;       // of the coverage, at each row
  int first_ = 0, last_ = 0;       // samples of the piece
};

/// Paints one bar per column.
class BarPainter {
 public:
  BarPainter(Columns columns, const QPen& pen) : columns_(columns), dashes_(pen), half_(pen.widthF() / 2) {}

  void draw(std::span<const QPointF> points) {
    for (const QPointF& point : points) std::isnan(point.y()) ? close() : add(point);
    close();
  }

 private:
  void add(QPointF at) {
    const int column = static_cast<int>(std::floor(std::clamp(at.x(), -2.0, columns_.count() + 1.0)));
    at.setY(std::clamp(at.y(), -kBeyond, columns_.height() + kBeyond));
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
    if (column_ < 0 || column_ >= columns_.count()) return;
    if (high_ - low_ > 4 * half_ || dashes_.isOn(column_)) columns_.paintBar(column_, low_ - half_, high_ + half_);
  }
  void close() {
    if (open_) flush();
    open_ = false;
  }

  static constexpr double kBeyond = 8;  // values are clamped this many pixels outside the plot

  Columns columns_;
  Dashes dashes_;
  double half_;  // of the width of the line
  bool open_ = false;
  int column_ = 0;
  double low_ = 0, high_ = 0;
  QPointF last_;
};

}  // namespace

void LineRaster::clear(QSize size) {
  if (rows_.size() != size) rows_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
  columns_.assign(static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height()), 0);
}

void LineRaster::stroke(std::span<const QPointF> points, const QPen& pen) {
  StrokePainter(Columns(rows_.size(), columns_.data(), pen), pen.widthF()).draw(points);
}

void LineRaster::fillColumns(std::span<const QPointF> points, const QPen& pen) {
  BarPainter(Columns(rows_.size(), columns_.data(), pen), pen).draw(points);
}

void LineRaster::paint(QPainter& painter, const QRectF& place) {
  const qsizetype stride = rows_.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
  const int width = rows_.width(), height = rows_.height();
  auto* to = reinterpret_cast<QRgb*>(rows_.bits());
  constexpr int kBlock = 16;  // columns whose parts fit into the cache
  for (int left = 0; left < width; left += kBlock) {
    const int right = std::min(left + kBlock, width);
    const QRgb* from = columns_.data() + static_cast<std::ptrdiff_t>(left) * height;
    for (int row = 0; row < height; ++row)
      for (int column = left; column < right; ++column)
        to[row * stride + column] = from[static_cast<std::ptrdiff_t>(column - left) * height + row];
  }
  painter.drawImage(place, rows_);
}

}  // namespace batchwise
