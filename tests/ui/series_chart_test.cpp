// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/series_chart.h"

#include <gtest/gtest.h>

#include <QtGui/QFontMetricsF>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QApplication>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test_environment.h"
#include "ui/widgets/charts/plot_frame.h"

namespace batchwise {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

ChartContent wave(int count) {
  ChartContent content;
  ChartLine line;
  for (int i = 0; i < count; ++i) line.points.append(i, std::sin(i * 0.7));
  content.lines.push_back(std::move(line));
  content.xHigh = count;
  return content;
}

PlotFrame frameOf(const ChartContent& content, bool fromZero = false) {
  PlotSetting setting;
  setting.fromZero = fromZero;
  return plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont()));
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
  content.lines[0].points.append(100, kInf);
  content.resumePositions = {40};
  content.events = {{50, QStringLiteral("checkpoint"), QStringLiteral("saved")}};
  for (const ChartContent& each : {ChartContent{}, content, wave(1), ChartContent{}}) {
    chart.setContent(each);
    chart.showCursorAt(50.0);
    EXPECT_FALSE(chart.grab().isNull());
  }
}

TEST(SeriesChartTest, TheDrawnLineHasTheColorOfTheSeries) {
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
  content.lines[0].points.append(50, kInf);
  content.lines[0].points.append(51, -kInf);
  content.lines[0].points.append(52, std::nan(""));
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

TEST(PlotFrameTest, ALogarithmicAxisCountsWhatItCannotShow) {
  ChartContent content;
  content.lines.push_back({{}, LineKind::Main, 0, false, {{0, 0.0}, {1, 1e-4}, {2, 10.0}, {3, -1.0}}});
  content.xHigh = 3;
  PlotSetting setting;
  setting.logarithmic = true;
  const PlotFrame frame = plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont()));
  EXPECT_EQ(frame.hidden, 2);
  EXPECT_GT(frame.yLow, 0);
  EXPECT_EQ(frame.outside, QStringList{QStringLiteral("2 at or below 0 not shown")});
  EXPECT_NEAR(frame.pixelY(std::sqrt(frame.yLow * frame.yHigh)), frame.plot.center().y(), 1e-6);
}

TEST(PlotFrameTest, ALoneSpikeIsCountedAndDoesNotSquashTheRest) {
  ChartContent content = wave(100);
  content.lines[0].points = {};
  for (int i = 0; i < 100; ++i) content.lines[0].points.append(i, i == 50 ? 1e5 : std::sin(i * 0.7));
  PlotSetting setting;
  EXPECT_GT(plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont())).yHigh, 1e5);
  setting.robust = true;
  const PlotFrame frame = plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont()));
  EXPECT_LT(frame.yHigh, 3);
  EXPECT_EQ(frame.beyond, 1);
}

TEST(PlotFrameTest, TheValueAxisFitsTheShownPart) {
  ChartContent content;
  content.lines.push_back({{}, LineKind::Main, 0, false, {{0, 1000.0}, {10, 2.0}, {20, 1.0}, {30, 3.0}}});
  content.xHigh = 30;
  PlotSetting setting;
  setting.part = AxisRange{15, 25};
  const PlotFrame frame = plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont()));
  EXPECT_EQ(frame.xLow, 15);
  EXPECT_LT(frame.yHigh, 4);
}

/// Rows of the picture, from the top, in which a column has a pixel nearer to the color than to the ground.
std::pair<int, int> inkOf(const QImage& image, int column, const QColor& color) {
  std::pair<int, int> rows{image.height(), -1};
  for (int y = 0; y < image.height(); ++y) {
    const QColor pixel = image.pixelColor(column, y);
    const int away = std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                     std::abs(pixel.blue() - color.blue());
    if (away < 200 && pixel.saturation() > 40) rows = {std::min(rows.first, y), std::max(rows.second, y)};
  }
  return rows;
}

/// A chart on the screen, and what it has painted.
class PaintedChartTest : public ::testing::Test {
 protected:
  PaintedChartTest() {
    theme_.setAppearance(Appearance::Light);
    chart_.resize(500, 300);
    chart_.show();
  }
  void SetUp() override { ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart_)); }

  void show(LongSeries points, std::optional<AxisRange> part = {}) {
    ChartContent content;
    content.xHigh = points.back().x();
    content.lines.push_back({{}, LineKind::Main, 0, false, std::move(points)});
    chart_.setContent(content, part);
    image_ = chart_.grab().toImage();
  }
  /// True if the line goes through the pixel of this point, or ends there.
  bool paints(double x, double y) const {
    const int column = static_cast<int>(std::round(chart_.frame().pixelX(x)));
    const double wanted = chart_.frame().pixelY(y);
    for (int near = column - 1; near <= column + 1; ++near) {
      const auto [top, bottom] = inkOf(image_, near, seriesColor(0));
      if (top - 3 <= wanted && wanted <= bottom + 3) return true;
    }
    return false;
  }
  /// Columns of the plot with something of the line.
  int inkedColumns(double fromX, double toX) const {
    int count = 0;
    for (int x = static_cast<int>(chart_.frame().pixelX(fromX)) + 1; x < static_cast<int>(chart_.frame().pixelX(toX));
         ++x)
      count += inkOf(image_, x, seriesColor(0)).first <= chart_.frame().plot.bottom() + 2 ? 1 : 0;
    return count;
  }

  Theme theme_;
  SeriesChart chart_{{}, theme_};
  QImage image_;
};

TEST_F(PaintedChartTest, EveryExtremeOfAMillionPointsIsInThePictureAtEveryZoom) {
  constexpr int kPoints = 1'000'000;
  std::mt19937 random(3);
  std::vector<double> values(kPoints, 1.0);
  std::vector<int> spikes;
  for (int i = 0; i < 60; ++i) {
    spikes.push_back(static_cast<int>(random() % kPoints));
    values[static_cast<std::size_t>(spikes.back())] = i % 2 == 0 ? 0.0 : 2.0;
  }
  LongSeries points;
  for (int i = 0; i < kPoints; ++i) points.append(i, values[static_cast<std::size_t>(i)]);
  for (const double width : {1e6, 3e5, 1e5, 1e4, 777.0, 50.0}) {
    for (int round = 0; round < test::repeats(3, 30); ++round) {
      const double middle = spikes[random() % spikes.size()];
      const double low = std::clamp(middle - width / 2, 0.0, kPoints - width);
      show(points, AxisRange{low, low + width});
      for (const int at : spikes) {
        if (at < low || at > low + width) continue;
        EXPECT_TRUE(paints(at, values[static_cast<std::size_t>(at)])) << at << " in " << width;
      }
    }
  }
}

TEST_F(PaintedChartTest, ADenseLineFillsEveryColumnOfItsPixels) {
  LongSeries points;
  for (int i = 0; i <= 100'000; ++i) points.append(i, i % 2);
  show(points);
  const QRectF plot = chart_.frame().plot;
  EXPECT_EQ(inkedColumns(0, 100'000), static_cast<int>(plot.width()) - 1);
  for (int x = static_cast<int>(plot.left()) + 1; x < plot.right() - 1; ++x)
    EXPECT_LT(image_.pixelColor(x, static_cast<int>(plot.center().y())).lightness(), 200) << x;
}

TEST_F(PaintedChartTest, NoLineIsDrawnAcrossAGap) {
  LongSeries points;
  for (int i = 0; i <= 1000; ++i) points.append(i, i > 300 && i < 700 && i != 500 ? std::nan("") : i % 2);
  show(points);
  EXPECT_EQ(inkedColumns(310, 490) + inkedColumns(510, 690), 0);
  EXPECT_TRUE(paints(500, 0));  // a value alone between gaps
  EXPECT_GT(inkedColumns(10, 290), 100);
  EXPECT_GT(inkedColumns(710, 990), 100);
  const auto marks = nonFinitePlaces(chart_.content(), chart_.frame());
  EXPECT_EQ(marks.front(), 301);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), 500), 0);
  EXPECT_GT(marks.size(), 100u);
}

TEST_F(PaintedChartTest, ALoneValueBetweenAMillionGapsIsSeen) {
  LongSeries points;
  points.append(0, 0);
  for (int i = 1; i < 1'000'000; ++i) points.append(i, i == 654'321 ? 1 : kInf);
  show(points);
  EXPECT_TRUE(paints(654'321, 1));
}

TEST(SeriesChartTest, WheelAndDragTellWhatIsWanted) {
  Theme theme;
  SeriesChart::Spec spec;
  spec.interactive = true;
  SeriesChart chart(spec, theme);
  chart.resize(500, 300);
  chart.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&chart));
  chart.setContent(wave(100));
  QWidget* plot = chart.findChild<QAbstractScrollArea*>()->viewport();
  std::optional<AxisRange> part;
  QObject::connect(&chart, &SeriesChart::rangeRequested, [&](AxisRange range) { part = range; });
  const int y = static_cast<int>(chart.frame().plot.center().y());
  const auto at = [&](double x) { return QPoint(static_cast<int>(chart.frame().pixelX(x)), y); };
  QTest::mousePress(plot, Qt::LeftButton, {}, at(60));
  QTest::mouseMove(plot, at(40));
  QTest::mouseRelease(plot, Qt::LeftButton, {}, at(20));
  ASSERT_TRUE(part);
  EXPECT_NEAR(part->low, 20, 1);
  EXPECT_NEAR(part->high, 60, 1);
  double factor = 1;
  QObject::connect(&chart, &SeriesChart::zoomRequested, [&](double wanted, double) { factor = wanted; });
  const QPoint middle = at(50);
  QWheelEvent wheel(middle, plot->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(plot, &wheel);
  EXPECT_LT(factor, 1);
}

TEST(PlotFrameTest, TicksOfBatchesAreWholeNumbers) {
  ChartContent content = wave(2);
  for (const double tick : frameOf(content).xTicks) EXPECT_EQ(tick, std::floor(tick));
}

}  // namespace
}  // namespace batchwise
