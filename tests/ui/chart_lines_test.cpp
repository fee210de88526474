// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <cmath>
#include <cstdlib>

#include "tests/ui/short_names.h"
#include "ui/charts/chart_painter.h"

namespace batchwise {
namespace {

using Points = std::vector<QPointF>;

/// Lines whose points are pixels of the plot, from its upper left corner.
class ChartLinesTest : public ::testing::Test {
 protected:
  ChartLinesTest() {
    theme_.setAppearance(Appearance::Light);
    frame_.plot = QRectF(20, 10, 120, 80);
    frame_.xHigh = 120;
    frame_.yLow = -80;
    frame_.yHigh = 0;
  }

  ChartContent contentOf(const Points& points, LineKind kind, int color) const {
    ChartContent content;
    ChartLine line;
    line.kind = kind;
    line.color = color;
    for (const QPointF& point : points) line.points.append(point.x(), -point.y());
    content.lines.push_back(std::move(line));
    return content;
  }
  template <typename Paint>
  QImage picture(const Paint& paint) const {
    QImage image((kSize * scale_).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale_);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, image);
    return image;
  }
  QImage painted(const Points& points, LineKind kind = LineKind::Main, int color = 0) const {
    const ChartContent content = contentOf(points, kind, color);
    const DrawnChart drawn = drawnChart(content, frame_, static_cast<int>(frame_.plot.width() * scale_));
    return picture([&](QPainter& painter, QImage& image) {
      paintLines(painter, {{}, content, frame_, theme_, kSize, drawn, &image});
    });
  }
  /// The same line by QPainter, as one shape.
  QImage judged(const Points& points, LineKind kind = LineKind::Main, int color = 0) const {
    const ChartContent content = contentOf(points, kind, color);
    return picture([&](QPainter& painter, QImage&) {
      painter.setClipRect(frame_.plot);
      painter.setPen(linePen({{}, content, frame_, theme_, kSize, {}}, 0));
      QPolygonF line;
      for (const QPointF& point : points) line << frame_.plot.topLeft() + point;
      painter.drawPolyline(line);
    });
  }
  /// The ink of a pixel; 255: black on white.
  static int inkAt(const QImage& image, int column, int row) { return 255 - qRed(image.pixel(column, row)); }
  static double inkOf(const QImage& image) {
    double sum = 0;
    for (int row = 0; row < image.height(); ++row)
      for (int column = 0; column < image.width(); ++column) sum += inkAt(image, column, row);
    return sum;
  }
  /// The ink that is in one of two pictures only, as a share of that of the second.
  static double difference(const QImage& one, const QImage& other) {
    double sum = 0;
    for (int row = 0; row < one.height(); ++row)
      for (int column = 0; column < one.width(); ++column)
        sum += std::abs(inkAt(one, column, row) - inkAt(other, column, row));
    return sum / inkOf(other);
  }

  /// Returns whether what is dark in one picture has something of the other within as many pixels.
  static bool liesNear(const QImage& one, const QImage& other, int reach) {
    constexpr int kDark = 120;
    for (int row = 0; row < one.height(); ++row)
      for (int column = 0; column < one.width(); ++column) {
        if (inkAt(one, column, row) < kDark) continue;
        const QRect around = QRect(column - reach, row - reach, 2 * reach + 1, 2 * reach + 1) & other.rect();
        if (inkOf(other.copy(around)) == 0) return false;
      }
    return true;
  }

  const QSizeF kSize{160, 100};
  Theme theme_;
  PlotFrame frame_;
  double scale_ = 1;
};

TEST_F(ChartLinesTest, SegmentsOfEverySlopeLieWhereQPainterDrawsThem) {
  const Points lines[] = {{{10, 30}, {110, 30}},     {{10, 30.4}, {110, 30.4}}, {{10, 20}, {110, 51}},
                          {{10, 75}, {110, 5}},      {{40, 2}, {60, 77}},       {{40, 77}, {44, 2}},
                          {{-1000, 30}, {2000, 70}}, {{-60, -40}, {180, 120}},  {{-3000, -900}, {70, 40}}};
  for (const double scale : {1.0, 1.5, 2.0})
    for (const Points& line : lines) {
      scale_ = scale;
      EXPECT_LT(difference(painted(line), judged(line)), 0.2)
          << "from " << line[0].x() << ", " << line[0].y() << " at scale " << scale;
    }
}

TEST_F(ChartLinesTest, SegmentsToPointsFarOffTheScaleAreColumns) {
  for (const double far : {2e4, 1e9, 1e15, 1e300})
    for (const double end : {-far, far}) {
      const QImage upright = judged({{50.5, 40}, {50.5, std::clamp(end, -200.0, 200.0)}});
      for (const Points& line : {Points{{50.5, 40}, {90, end}}, Points{{11, end}, {50.5, 40}}}) {
        const QImage image = painted(line);
        EXPECT_TRUE(liesNear(image, upright, 1)) << end;
        EXPECT_TRUE(liesNear(upright, image, 2)) << end;
      }
    }
}

TEST_F(ChartLinesTest, ASparseLineIsTheSameAtEveryZoom) {
  Points line;
  for (int i = 0; i <= 40; ++i) line.emplace_back(3 * i, 40 + 30 * std::sin(1.9 * i));
  for (const double zoom : {1.0, 3.0, 17.3, 400.0}) {
    Points shown;
    for (const QPointF& point : line) shown.emplace_back(60 + zoom * (point.x() - 61), 40 + 1.4 * (point.y() - 40));
    EXPECT_LT(difference(painted(shown), judged(shown)), 0.3) << zoom;
  }
}

TEST_F(ChartLinesTest, WhatLiesOutsideIsNotPainted) {
  for (const Points& line : {Points{{-500, 10}, {-3, 10}}, Points{{124, 10}, {1e9, 10}}, Points{{10, -1e9}, {20, -1e7}},
                             Points{{10, 1e7}, {70, 1e9}}, Points{{10, -20}, {40, -1e4}, {70, -20}}})
    EXPECT_EQ(inkOf(painted(line)), 0) << line[0].x();
  frame_.plot.setRect(100, 60, 120, 80);
  EXPECT_GT(inkOf(painted({{0, 10}, {120, 70}})), 0) << "of a plot that is larger than the image, the part in it";
}

TEST_F(ChartLinesTest, JoinsOfATranslucentLineAreNotPaintedTwice) {
  Points line;
  for (int i = 0; i < 12; ++i) line.emplace_back(4 + 9.3 * i, i % 2 == 0 ? 20 : -50);  // it leaves the plot
  const QImage image = painted(line, LineKind::Raw);
  const int once = inkAt(judged({{0, 40.5}, {120, 40.5}}, LineKind::Raw), 80, 50);
  ASSERT_GT(once, 0);
  for (int row = 0; row < image.height(); ++row)
    for (int column = 0; column < image.width(); ++column) EXPECT_LE(inkAt(image, column, row), once + 1);
}

TEST_F(ChartLinesTest, NeighboringColumnsMeet) {
  const QImage image = painted({{10.5, 5}, {11.5, 75}, {12.5, 75}});
  for (int row = 16; row < 84; ++row) EXPECT_GT(std::max(inkAt(image, 30, row), inkAt(image, 31, row)), 100) << row;
}

TEST_F(ChartLinesTest, GapsOfADenseDashedLineKeepItsSpikes) {
  int dashed = 0;
  while (seriesPenStyle(dashed) == Qt::SolidLine) ++dashed;
  Points flat, spiky;
  for (int column = 0; column < 120; ++column) {
    for (const double share : {0.25, 0.75}) {
      flat.emplace_back(column + share, 40 + share / 10);
      spiky.emplace_back(column + share, share < 0.5 ? 10 : 70);
    }
  }
  const auto columnsWith = [this](const QImage& image) {
    int count = 0;
    for (int column = 20; column < 140; ++column) {
      bool isPainted = false;
      for (int row = 0; row < image.height(); ++row) isPainted = isPainted || inkAt(image, column, row) > 0;
      count += isPainted ? 1 : 0;
    }
    return count;
  };
  EXPECT_LT(columnsWith(painted(flat, LineKind::Main, dashed)), 110);
  EXPECT_GT(columnsWith(painted(flat, LineKind::Main, dashed)), 50);
  EXPECT_EQ(columnsWith(painted(spiky, LineKind::Main, dashed)), 120);
}

}  // namespace
}  // namespace batchwise
