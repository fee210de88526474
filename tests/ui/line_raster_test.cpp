// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/line_raster.h"

#include <gtest/gtest.h>

#include <QtGui/QPainter>
#include <QtGui/QPen>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "tests/ui/short_names.h"

namespace batchwise {
namespace {

using Points = std::vector<QPointF>;

const QSize kSize(80, 60);

QPen pen(double width = 2, const QColor& color = Qt::black) {
  return {color, width};
}

QImage painted(const std::function<void(LineRaster&)>& paint, const QColor& ground = Qt::transparent) {
  LineRaster raster;
  raster.clear(kSize);
  paint(raster);
  QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
  image.fill(ground);
  QPainter painter(&image);
  raster.paint(painter, image.rect());
  return image;
}

QImage stroked(const Points& points, const QPen& pen, const QColor& ground = Qt::transparent) {
  return painted([&](LineRaster& raster) { raster.stroke(points, pen); }, ground);
}

QImage filled(const Points& points, const QPen& pen) {
  return painted([&](LineRaster& raster) { raster.fillColumns(points, pen); });
}

/// The same line by QPainter, with the ends that LineRaster gives it.
QImage judged(const Points& points, QPen pen, const QColor& ground = Qt::transparent) {
  QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
  image.fill(ground);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  pen.setCapStyle(Qt::SquareCap);
  pen.setJoinStyle(Qt::BevelJoin);
  painter.setPen(pen);
  painter.drawPolyline(points.data(), static_cast<int>(points.size()));
  return image;
}

/// Sum of coverage, in whole pixels.
double ink(const QImage& image, const QRect& area = QRect({0, 0}, kSize)) {
  double sum = 0;
  for (int row = area.top(); row <= area.bottom(); ++row)
    for (int column = area.left(); column <= area.right(); ++column) sum += qAlpha(image.pixel(column, row)) / 255.0;
  return sum;
}

/// The largest difference of a channel of a pixel.
int difference(const QImage& one, const QImage& other) {
  int most = 0;
  for (int row = 0; row < one.height(); ++row)
    for (int column = 0; column < one.width(); ++column) {
      const QRgb a = one.pixel(column, row), b = other.pixel(column, row);
      for (const int each : {qRed(a) - qRed(b), qGreen(a) - qGreen(b), qBlue(a) - qBlue(b), qAlpha(a) - qAlpha(b)})
        most = std::max(most, std::abs(each));
    }
  return most;
}

TEST(LineRasterTest, SegmentsOfEverySlopeAreStrokedAsByQPainter) {
  const Points ends[] = {{{10, 30}, {70, 30}},   {{10, 30.4}, {70, 30.4}}, {{10, 20}, {70, 41}}, {{10, 50}, {70, 5}},
                         {{20, 2}, {24, 57}},    {{40.3, 5}, {40.3, 55}},  {{5, 5}, {70, 55}},   {{-30, -5}, {200, 70}},
                         {{10, -50}, {60, 500}}, {{30, 30}, {30.5, 30.5}}};
  for (const double width : {1.5, 2.0, 5.0})
    for (const Points& line : ends) {
      const QImage own = stroked(line, pen(width)), theirs = judged(line, pen(width));
      EXPECT_NEAR(ink(own), ink(theirs), 0.03 * ink(theirs) + 0.3) << width << " from x " << line[0].x();
      EXPECT_LE(difference(own, theirs), 64) << "a quarter of a pixel: columns are sampled 4 times; " << width;
    }
}

TEST(LineRasterTest, ALineOfManySegmentsIsOneShapeWhoseJoinsAreNotPaintedTwice) {
  Points zigzag;
  for (int i = 0; i < 12; ++i) zigzag.emplace_back(4 + 6 * i, i % 2 == 0 ? 20 : 34);
  const QColor pale(0, 0, 200, 100);
  const QImage own = stroked(zigzag, pen(2, pale));
  for (int row = 0; row < kSize.height(); ++row)
    for (int column = 0; column < kSize.width(); ++column) EXPECT_LE(qAlpha(own.pixel(column, row)), pale.alpha());
  EXPECT_NEAR(ink(own), ink(judged(zigzag, pen(2, pale))), 0.05 * ink(own));
}

TEST(LineRasterTest, ColorsAreBlendedOverWhatIsThere) {
  const Points line{{-10, 30}, {90, 30}};
  for (const QColor& color : {QColor(200, 40, 10), QColor(200, 40, 10, 128), QColor(1, 2, 3, 1), QColor(9, 9, 9, 0)})
    EXPECT_LE(difference(stroked(line, pen(7, color), Qt::yellow), judged(line, pen(7, color), Qt::yellow)), 2)
        << color.name(QColor::HexArgb).toStdString();
  const QImage twice = painted([&](LineRaster& raster) {
    raster.stroke(line, pen(7, QColor(255, 0, 0)));
    raster.stroke(line, pen(7, QColor(0, 0, 255, 128)));
  });
  EXPECT_NEAR(qRed(twice.pixel(40, 30)), 127, 2);
  EXPECT_NEAR(qBlue(twice.pixel(40, 30)), 128, 2);
}

TEST(LineRasterTest, ANanInterruptsALine) {
  const Points line{{5, 30}, {20, 30}, {30, kNan}, {50, 30}, {70, 30}};
  for (const QImage& image : {stroked(line, pen()), filled(line, pen())}) {
    EXPECT_GT(ink(image, QRect(5, 25, 15, 10)), 20);
    EXPECT_EQ(ink(image, QRect(24, 0, 22, 60)), 0);
    EXPECT_GT(ink(image, QRect(50, 25, 20, 10)), 30);
  }
}

TEST(LineRasterTest, APointWithoutNeighborsIsSeen) {
  for (const Points& line : {Points{{40, 30}}, Points{{5, kNan}, {40, 30}, {60, kNan}}}) {
    EXPECT_GT(ink(stroked(line, pen())), 2);
    EXPECT_GT(ink(filled(line, pen())), 1);
  }
  EXPECT_EQ(ink(stroked({}, pen())), 0);
  EXPECT_EQ(ink(filled({}, pen())), 0);
  EXPECT_EQ(ink(stroked({{1, kNan}}, pen())), 0);
}

TEST(LineRasterTest, WhatLiesOutsideIsNotPaintedButLeadsThere) {
  for (const Points& line : {Points{{-500, 10}, {-3, 10}}, Points{{84, 10}, {1e9, 10}}, Points{{10, -1e9}, {20, -1e7}},
                             Points{{10, 1e7}, {70, 1e9}}}) {
    EXPECT_EQ(ink(stroked(line, pen())), 0) << line[0].x();
    EXPECT_EQ(ink(filled(line, pen())), 0) << line[0].x();
  }
  const Points through{{-100, -70}, {180, 130}};
  EXPECT_NEAR(ink(stroked(through, pen())), ink(judged(through, pen())), 3);
  EXPECT_NEAR(ink(stroked({{10, 30}, {70, 1e12}}, pen())), 2 * 30, 3);
}

TEST(LineRasterTest, ColumnsAreFilledFromTheirLowestToTheirHighestPoint) {
  Points dense;
  for (int column = 0; column < kSize.width(); ++column)
    for (const double y : {20.0, 40.0}) dense.emplace_back(column + 0.25 + (y == 40 ? 0.5 : 0), y);
  const QImage image = filled(dense, pen());
  for (int column = 0; column < kSize.width(); ++column) {
    EXPECT_NEAR(ink(image, QRect(column, 0, 1, 60)), 22, 0.1) << "20 rows and the width of the line";
    EXPECT_EQ(qAlpha(image.pixel(column, 19)), 255);
    EXPECT_EQ(qAlpha(image.pixel(column, 18)), 0);
    EXPECT_EQ(qAlpha(image.pixel(column, 40)), 255);
    EXPECT_EQ(qAlpha(image.pixel(column, 41)), 0);
  }
}

TEST(LineRasterTest, NeighboringColumnsMeet) {
  const QImage jump = filled({{10, 5}, {11, 55}, {12, 55}}, pen());
  EXPECT_NEAR(ink(jump, QRect(10, 0, 2, 60)), 50 + 2 + 2, 1) << "each goes halfway";
  const QImage far = filled({{10, 10}, {50, 50}}, pen(1));
  for (int column = 11; column < 50; ++column) EXPECT_NEAR(ink(far, QRect(column, 0, 1, 60)), 2, 0.2) << column;
}

TEST(LineRasterTest, GapsOfADashedLineKeepItsSpikes) {
  QPen dashed = pen(1);
  dashed.setStyle(Qt::DashLine);
  Points flat, spiky;
  for (int column = 0; column < kSize.width(); ++column) {
    flat.emplace_back(column + 0.5, 30);
    spiky.emplace_back(column + 0.25, 10);
    spiky.emplace_back(column + 0.75, 50);
  }
  EXPECT_LT(ink(filled(flat, dashed)), 0.9 * ink(filled(flat, pen(1))));
  EXPECT_GT(ink(filled(flat, dashed)), 0.4 * ink(filled(flat, pen(1))));
  EXPECT_EQ(ink(filled(spiky, dashed)), ink(filled(spiky, pen(1))));
}

TEST(LineRasterTest, ClearBeginsAnewAtAnySize) {
  LineRaster raster;
  for (const QSize size : {QSize(80, 60), QSize(1, 1), QSize(33, 200), QSize(0, 0), QSize(80, 60)}) {
    raster.clear(size);
    raster.stroke(Points{{0, 30}, {80, 30}}, pen());
    raster.clear(size);
    QImage image(kSize, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    raster.paint(painter, QRectF({0, 0}, size));
    painter.end();
    EXPECT_EQ(ink(image), 0);
  }
}

}  // namespace
}  // namespace batchwise
