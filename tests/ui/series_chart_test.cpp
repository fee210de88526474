// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart.h"

#include <gtest/gtest.h>

#include <QtGui/QFontMetricsF>
#include <QtTest/QTest>
#include <cmath>
#include <limits>

#include "ui/widgets/plot_frame.h"

namespace batchwise {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

ChartContent wave(int count) {
  ChartContent content;
  ChartLine line;
  for (int i = 0; i < count; ++i) line.points.emplace_back(i, std::sin(i * 0.7));
  content.lines.push_back(std::move(line));
  content.xHigh = count;
  return content;
}

PlotFrame frameOf(const ChartContent& content, bool fromZero = false) {
  return plotFrame(content, ValueFormat::Plain, fromZero, {600, 300}, QFontMetricsF(QFont()));
}

TEST(SeriesChartTest, DrawsAtMostTwoPointsPerPixelColumn) {
  Theme theme;
  SeriesChart chart({}, theme);
  chart.resize(500, 300);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  chart.setContent(wave(200'000));
  EXPECT_GT(chart.drawnPoints(), 400);
  EXPECT_LE(chart.drawnPoints(), 2 * 500 + 4);
}

TEST(SeriesChartTest, PaintsWhateverItIsGiven) {
  Theme theme;
  SeriesChart::Spec spec;
  spec.title = QStringLiteral("Loss");
  SeriesChart chart(spec, theme);
  chart.resize(400, 200);
  chart.show();
  ChartContent content = wave(100);
  content.lines[0].name = QStringLiteral("training");
  content.lines[0].points.emplace_back(100, kInf);
  content.nonFinite = {100};
  content.seams = {40};
  content.events = {{50, QStringLiteral("checkpoint"), QStringLiteral("saved")}};
  for (const ChartContent& each : {ChartContent{}, content, wave(1), ChartContent{}}) {
    chart.setContent(each);
    chart.showCursorAt(50.0);
    EXPECT_FALSE(chart.grab().isNull());
  }
}

TEST(SeriesChartTest, TheDrawnLineHasTheColourOfTheSeries) {
  Theme theme;
  SeriesChart chart({}, theme);
  chart.resize(400, 200);
  chart.show();
  ChartContent content;
  ChartLine line;
  line.color = 1;
  line.points = {{0, 1}, {100, 1}};
  content.lines.push_back(line);
  content.xHigh = 100;
  chart.setContent(content);
  const QImage image = chart.grab().toImage();
  bool found = false;
  for (int y = 0; y < image.height() && !found; ++y) {
    const QColor pixel = image.pixelColor(image.width() / 2, y);
    const QColor wanted = seriesColor(1);
    found = std::abs(pixel.red() - wanted.red()) + std::abs(pixel.green() - wanted.green()) +
                std::abs(pixel.blue() - wanted.blue()) <
            60;
  }
  EXPECT_TRUE(found);
}

TEST(PlotFrameTest, AnInfinityDoesNotMoveTheAxis) {
  ChartContent content = wave(50);
  const PlotFrame before = frameOf(content);
  content.lines[0].points.emplace_back(50, kInf);
  content.lines[0].points.emplace_back(51, -kInf);
  content.lines[0].points.emplace_back(52, std::nan(""));
  const PlotFrame after = frameOf(content);
  EXPECT_EQ(before.yLow, after.yLow);
  EXPECT_EQ(before.yHigh, after.yHigh);
}

TEST(PlotFrameTest, AConstantGetsRoomAndTicks) {
  ChartContent content;
  content.lines.push_back({{}, LineKind::Main, 0, false, {{0, 64}, {9, 64}}});
  content.xHigh = 9;
  const PlotFrame frame = frameOf(content, true);
  EXPECT_EQ(frame.yLow, 0);
  EXPECT_GT(frame.yHigh, 64);
  EXPECT_FALSE(frame.yTicks.empty());
}

TEST(PlotFrameTest, AFarReferenceIsToldInWordsAndANearOneDrawn) {
  ChartContent content = wave(50);
  ChartLine reference;
  reference.kind = LineKind::Reference;
  reference.name = QStringLiteral("limit");
  reference.points = {{0, 1.5}, {50, 1.5}};
  content.lines.push_back(reference);
  EXPECT_TRUE(frameOf(content).outside.isEmpty());
  EXPECT_GT(frameOf(content).yHigh, 1.5);
  content.lines[1].points = {{0, 100}, {50, 100}};
  const PlotFrame frame = frameOf(content);
  EXPECT_LT(frame.yHigh, 2);
  ASSERT_EQ(frame.outside.size(), 1);
  EXPECT_EQ(frame.outside[0], QStringLiteral("↑ limit 100"));
}

TEST(PlotFrameTest, TicksOfBatchesAreWholeNumbers) {
  ChartContent content = wave(2);
  for (const double tick : frameOf(content).xTicks) EXPECT_EQ(tick, std::floor(tick));
}

}  // namespace
}  // namespace batchwise
