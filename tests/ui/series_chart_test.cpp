// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/series_chart.h"

#include <gtest/gtest.h>

#include <QtCore/QMimeData>
#include <QtCore/QSet>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QFontMetricsF>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/support/test_environment.h"
#include "tests/ui/short_names.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/plot_frame.h"

namespace batchwise {
namespace {

using Points = std::vector<QPointF>;

ChartContent wave(int count) {
  ChartContent content;
  ChartLine line;
  for (int i = 0; i < count; ++i) line.points.append(i, std::sin(i * 0.7));
  content.lines.push_back(std::move(line));
  content.xHigh = count;
  return content;
}

PlotFrame frameOf(const ChartContent& content, const PlotSetting& setting = {}) {
  return plotFrame(content, setting, {600, 300}, QFontMetricsF(QFont()));
}

int distance(const QColor& one, const QColor& other) {
  return std::abs(one.red() - other.red()) + std::abs(one.green() - other.green()) +
         std::abs(one.blue() - other.blue());
}

/// A chart in a window, in light colors.
struct ShownChart {
  explicit ShownChart(bool interactive = false) : chart({{}, {}, ValueFormat::Plain, false, {}, interactive}, theme) {
    theme.setAppearance(Appearance::Light);
    chart.resize(500, 300);
    chart.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&chart));
  }

  Theme theme;
  SeriesChart chart;
};

TEST(SeriesChartTest, DrawsAtMostTwoPointsPerPixelColumn) {
  ShownChart shown;
  SeriesChart& chart = shown.chart;
  chart.setContent(wave(200'000));
  EXPECT_GT(chart.drawnPoints(), 400);
  EXPECT_LE(chart.drawnPoints(), 2 * 500 + 4);
}

TEST(SeriesChartTest, PaintsWhateverItIsGiven) {
  Theme theme;
  ChartTitle spec;
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
  PlotSetting setting;
  setting.fromZero = true;
  const PlotFrame frame = frameOf(content, setting);
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
  const PlotFrame frame = frameOf(content, setting);
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
  EXPECT_GT(frameOf(content, setting).yHigh, 1e5);
  setting.robust = true;
  const PlotFrame frame = frameOf(content, setting);
  EXPECT_LT(frame.yHigh, 3);
  EXPECT_EQ(frame.beyond, 1);
}

TEST(PlotFrameTest, TheValueAxisFitsTheShownPart) {
  ChartContent content;
  content.lines.push_back({{}, LineKind::Main, 0, false, {{0, 1000.0}, {10, 2.0}, {20, 1.0}, {30, 3.0}}});
  content.xHigh = 30;
  PlotSetting setting;
  setting.part = AxisRange{15, 25};
  const PlotFrame frame = frameOf(content, setting);
  EXPECT_EQ(frame.xLow, 15);
  EXPECT_LT(frame.yHigh, 4);
}

/// Rows of the picture, from the top, in which a column has a pixel nearer to the color than to the ground.
std::pair<int, int> inkOf(const QImage& image, int column, const QColor& color) {
  std::pair<int, int> rows{image.height(), -1};
  for (int y = 0; y < image.height(); ++y) {
    const QColor pixel = image.pixelColor(column, y);
    if (distance(pixel, color) < 200 && pixel.saturation() > 40)
      rows = {std::min(rows.first, y), std::max(rows.second, y)};
  }
  return rows;
}

/// A chart on the screen, and what it has painted.
class PaintedChartTest : public ::testing::Test, protected ShownChart {
 protected:
  void show(LongSeries points, std::optional<AxisRange> part = {}) {
    ChartContent content;
    content.xHigh = points.back().x();
    content.lines.push_back({{}, LineKind::Main, 0, false, std::move(points)});
    chart.setContent(content, part);
    image_ = chart.grab().toImage();
  }
  /// True if the line goes through the pixel of this point, or ends there.
  bool paints(double x, double y) const {
    const int column = static_cast<int>(std::round(chart.frame().pixelX(x)));
    const double wanted = chart.frame().pixelY(y);
    for (int near = column - 1; near <= column + 1; ++near) {
      const auto [top, bottom] = inkOf(image_, near, seriesColor(0));
      if (top - 3 <= wanted && wanted <= bottom + 3) return true;
    }
    return false;
  }
  /// Columns of the plot with something of the line.
  int inkedColumns(double fromX, double toX) const {
    int count = 0;
    for (int x = static_cast<int>(chart.frame().pixelX(fromX)) + 1; x < static_cast<int>(chart.frame().pixelX(toX));
         ++x)
      count += inkOf(image_, x, seriesColor(0)).first <= chart.frame().plot.bottom() + 2 ? 1 : 0;
    return count;
  }

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
  const QRectF plot = chart.frame().plot;
  EXPECT_EQ(inkedColumns(0, 100'000), static_cast<int>(plot.width()) - 1);
  for (int x = static_cast<int>(plot.left()) + 1; x < plot.right() - 1; ++x)
    EXPECT_LT(image_.pixelColor(x, static_cast<int>(plot.center().y())).lightness(), 200) << x;
}

TEST_F(PaintedChartTest, AZoomedLineLeadsToThePointsOutside) {
  for (const AxisRange part : {AxisRange{0, 1000}, AxisRange{333, 366}, AxisRange{499.9, 500.1}}) {
    show({{0, 40}, {400, 100}, {1000, -20}}, part);
    for (const double share : {0.02, 0.3, 0.5, 0.9, 0.98}) {
      const double x = std::lerp(part.low, part.high, share);
      const double y = x < 400 ? 40 + 0.15 * x : 100 - 0.2 * (x - 400);
      EXPECT_TRUE(paints(x, y)) << x << " from " << part.low;
    }
  }
}

TEST_F(PaintedChartTest, NoLineIsDrawnAcrossAGap) {
  LongSeries points;
  for (int i = 0; i <= 1000; ++i) points.append(i, i > 300 && i < 700 && i != 500 ? std::nan("") : i % 2);
  show(points);
  EXPECT_EQ(inkedColumns(310, 490) + inkedColumns(510, 690), 0);
  EXPECT_TRUE(paints(500, 0));  // a value alone between gaps
  EXPECT_GT(inkedColumns(10, 290), 100);
  EXPECT_GT(inkedColumns(710, 990), 100);
  const auto marks = nonFinitePlaces(chart.content(), chart.frame());
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
  ShownChart shown(/*interactive=*/true);
  SeriesChart& chart = shown.chart;
  chart.setContent(wave(100));
  QWidget* plot = &chart;
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

TEST(SeriesChartTest, ADroppedSeriesIsReported) {
  ShownChart shown;
  SeriesChart& chart = shown.chart;
  QStringList dropped;
  QObject::connect(&chart, &SeriesChart::seriesDropped, [&](const QString& series) { dropped << series; });
  const auto drop = [&](const QString& format) {
    QMimeData data;
    data.setData(format, "grad_norm");
    QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&chart, &enter);
    if (!enter.isAccepted()) return;
    QDropEvent event({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&chart, &event);
  };
  drop(QStringLiteral("text/plain"));
  EXPECT_TRUE(dropped.isEmpty());
  drop(kSeriesMimeType);
  EXPECT_EQ(dropped, QStringList{QStringLiteral("grad_norm")});
}

/// Runs of constant loss 0, 1, 2, … in their own colors.
ChartContent levels(int runs, const QString& stem = QStringLiteral("run ")) {
  ChartContent content;
  for (int run = 0; run < runs; ++run) {
    ChartLine line;
    line.name = stem + QString::number(run);
    line.color = run;
    line.points = {{0, 1.0 * run}, {100, 1.0 * run}};
    content.lines.push_back(std::move(line));
  }
  content.xHigh = content.dataEnd = 100;
  return content;
}

/// Distance of the color in the middle of line `run` from that of its series.
int distanceFromColor(SeriesChart& chart, int run) {
  const QImage image = chart.grab().toImage();
  const QPointF place = chart.frame().pixel({30.0, 1.0 * run});
  int least = 1000;
  for (int y = static_cast<int>(place.y()) - 1; y <= static_cast<int>(place.y()) + 1; ++y)
    least = std::min(least, distance(image.pixelColor(static_cast<int>(place.x()), y), seriesColor(run)));
  return least;
}

TEST(SeriesChartTest, TheEmphasizedLineKeepsItsColorAndTheOthersFade) {
  ShownChart shown;
  SeriesChart& chart = shown.chart;
  chart.setContent(levels(4));
  for (const int run : {0, 1, 2, 3}) EXPECT_LT(distanceFromColor(chart, run), 100) << run;
  chart.setEmphasized(QStringLiteral("run 2"));
  EXPECT_LT(distanceFromColor(chart, 2), 60);
  EXPECT_GT(distanceFromColor(chart, 1), 150);
  chart.setEmphasized(QStringLiteral("run 9"));
  EXPECT_LT(distanceFromColor(chart, 1), 100) << "no line of that name is here";
}

TEST(SeriesChartTest, TheLineUnderTheMouseIsEmphasized) {
  ShownChart shown(/*interactive=*/true);
  SeriesChart& chart = shown.chart;
  chart.setContent(levels(4));
  QStringList hovered;
  QObject::connect(&chart, &SeriesChart::lineHovered, [&](const QString& name) { hovered << name; });
  QWidget* plot = &chart;
  QTest::mouseMove(plot, chart.frame().pixel({50.0, 2.0}).toPoint());
  EXPECT_EQ(chart.emphasized(), QStringLiteral("run 2"));
  QTest::mouseMove(plot, chart.frame().pixel({50.0, 1.5}).toPoint());
  EXPECT_EQ(hovered, (QStringList{QStringLiteral("run 2"), QString()}));
}

TEST(SeriesChartTest, TheCursorStandsOnPointsAndKeysGoFromOneToTheNext) {
  ShownChart shown(/*interactive=*/true);
  SeriesChart& chart = shown.chart;
  ChartContent content = wave(30);
  content.lines[0].name = QStringLiteral("training");
  content.dataEnd = 29;
  chart.setContent(content);
  std::vector<double> places;
  QObject::connect(&chart, &SeriesChart::cursorMoved, &chart, [&](std::optional<double> x) {
    places.push_back(x.value_or(-1));
    chart.showCursorAt(x);
  });
  chart.showCursorAt(16.0);
  for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Left, Qt::Key_Left}) QTest::keyClick(&chart, key);
  EXPECT_EQ(places, (std::vector<double>{17, 16, 15}));
  QWidget* plot = &chart;
  QTest::mouseMove(plot, chart.frame().pixel({20.7, 0.0}).toPoint());
  EXPECT_EQ(places.back(), 21);
}

TEST(SeriesChartTest, ACardStaysInsideTheChartWhateverItHolds) {
  Theme theme;
  ChartTitle spec;
  spec.title = QString(60, QLatin1Char('t'));
  SeriesChart chart(spec, theme);
  chart.resize(chart.minimumSizeHint());
  chart.show();
  ChartContent content = levels(40);
  for (ChartLine& line : content.lines) line.name = QString(175, QLatin1Char('n')) + line.name;
  content.note = QString(100, QLatin1Char('m'));
  chart.setContent(content);
  for (const double x : {0.0, 50.0, 100.0}) {
    chart.showCursorAt(x);
    chart.showCard(chart.cardAt(x));
    EXPECT_FALSE(chart.grab().isNull());
  }
  EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("39.00")));
}

TEST(SeriesChartTest, BandsAndDotsArePainted) {
  ShownChart shown;
  SeriesChart& chart = shown.chart;
  ChartContent content;
  content.xHigh = content.dataEnd = 100;
  content.bands.push_back({0, {{0, 1}, {100, 1}}, {{0, 3}, {100, 3}}});
  ChartLine dots;
  dots.kind = LineKind::Dots;
  dots.color = 1;
  dots.points = {{25, 2}, {75, 2}};
  content.lines.push_back(dots);
  chart.setContent(content);
  const QImage image = chart.grab().toImage();
  const auto at = [&](double x, double y) { return image.pixelColor(chart.frame().pixel({x, y}).toPoint()); };
  EXPECT_GT(at(50, 1.7).saturation(), 10) << "inside the band";
  EXPECT_GT(at(25, 2).saturation(), 150) << "a dot";
  EXPECT_LT(at(50, 2).saturation(), 100) << "no line between dots";
}

TEST(SeriesChartTest, PlannedValuesLieBehindThoseInUse) {
  ShownChart shown;
  SeriesChart& chart = shown.chart;
  ChartContent content = levels(1);
  content.lines[0].points.append(101, 2);
  content.lines.push_back(content.lines[0]);
  content.lines[1].kind = LineKind::Planned;
  content.xHigh = content.dataEnd = 101;
  chart.setContent(content);
  const QImage image = chart.grab().toImage();
  const int row = static_cast<int>(chart.frame().pixelY(0));
  for (int x = static_cast<int>(chart.frame().pixelX(10)); x < chart.frame().pixelX(90); ++x)
    EXPECT_GT(image.pixelColor(x, row).saturation(), 60) << x;
}

TEST(PlotFrameTest, ClippingNeverHidesASmoothedLine) {
  ChartContent content = wave(200);
  ChartLine smoothed;
  smoothed.derived = true;
  for (int i = 0; i < 200; ++i) smoothed.points.append(i, i == 100 ? 9 : 0);
  content.lines.push_back(smoothed);
  PlotSetting setting;
  setting.robust = true;
  EXPECT_GT(frameOf(content, setting).yHigh, 9);
}

TEST(PlotFrameTest, EachRunIsPlacedByItsOwnMap) {
  ChartContent content = levels(2);
  content.xAxis = XAxis::Tokens;
  content.xHigh = content.dataEnd = 2000;
  for (const int run : {0, 1})
    content.lines[static_cast<std::size_t>(run)].map =
        std::make_shared<const XAxisMap>(LongSeries{{1, 10.0 * (run + 1)}, {100, 1000.0 * (run + 1)}});
  const DrawnChart drawn = drawnChart(content, frameOf(content), 500);
  EXPECT_DOUBLE_EQ(drawn.lines[0].back().x(), 1000);
  EXPECT_DOUBLE_EQ(drawn.lines[1].back().x(), 2000);
}

TEST(PlotFrameTest, ABandIsDrawnInItsExtremes) {
  ChartContent content;
  content.xHigh = 10'000;
  ChartBand band;
  for (int i = 0; i <= 10'000; ++i) {
    band.lower.append(i, i == 5000 ? -7 : 0);
    band.upper.append(i, i > 8000 ? std::nan("") : i == 5010 ? 9 : 1);
  }
  content.bands.push_back(band);
  const PlotFrame frame = frameOf(content);
  EXPECT_TRUE(frame.hasValues);
  EXPECT_GT(frame.yHigh, 9);
  const auto points = drawnChart(content, frame, 100).bands.front();
  EXPECT_LE(points.size(), 102u);
  EXPECT_EQ(std::ranges::min(points, {}, [](const auto& point) { return std::isnan(point.low) ? 0 : point.low; }).low,
            -7);
  EXPECT_TRUE(std::isnan(points.back().low));
}

TEST(PlotFrameTest, TheLegendTakesAtMostASixthOfTheHeight) {
  const QFontMetricsF metrics{QFont()};
  const PlotFrame frame = plotFrame(levels(60), {}, {600, 300}, metrics);
  EXPECT_EQ(frame.legend.place, ChartLegend::Place::Above);
  EXPECT_LE(frame.legend.height, 50);
  EXPECT_FALSE(frame.legend.more.isEmpty());
  EXPECT_GE(frame.plot.top(), frame.legend.entries.back().box.bottom());
}

TEST(PlotFrameTest, LabelsAtTheEndsDoNotOverlap) {
  ChartContent content = levels(5);
  for (ChartLine& line : content.lines) line.points = {{0, 1}, {100, 1}};
  const QFontMetricsF metrics{QFont()};
  PlotFrame frame = plotFrame(content, {}, {900, 400}, metrics);
  ASSERT_EQ(frame.legend.place, ChartLegend::Place::Right);
  placeAtEnds(frame, content, drawnChart(content, frame, 500), metrics);
  for (std::size_t i = 1; i < frame.legend.entries.size(); ++i)
    EXPECT_GE(frame.legend.entries[i].box.top(), frame.legend.entries[i - 1].box.bottom() - 0.01);
  for (const ChartLegend::Entry& entry : frame.legend.entries) EXPECT_LE(entry.box.right(), 900);
}

TEST(TickTextTest, TellsTicksApartWithFewDigits) {
  const auto plain = [](double value, double spacing) { return tickText(value, ValueFormat::Plain, spacing); };
  EXPECT_EQ(plain(0.0004, 0.0001), QStringLiteral("0.0004"));
  EXPECT_EQ(plain(2, 0.5), QStringLiteral("2"));
  EXPECT_EQ(plain(2.5, 0.5), QStringLiteral("2.5"));
  EXPECT_EQ(plain(2.3141, 0.0001), QStringLiteral("2.3141"));
  EXPECT_EQ(plain(150, 50), QStringLiteral("150"));
  EXPECT_EQ(plain(20'000, 5000), QStringLiteral("20,000"));
  EXPECT_EQ(plain(4e-6, 1e-6), QStringLiteral("4e-6"));
  EXPECT_EQ(plain(2e7, 1e7), QStringLiteral("2e7"));
  EXPECT_EQ(plain(-0.5, 0.5), QStringLiteral("-0.5"));
  EXPECT_EQ(tickText(5e-4, ValueFormat::Rate, 1e-4), QStringLiteral("5e-4"));
  EXPECT_EQ(tickText(2.5e-4, ValueFormat::Rate, 5e-5), QStringLiteral("2.5e-4"));
  EXPECT_EQ(tickText(0, ValueFormat::Rate, 1e-4), QStringLiteral("0"));
  EXPECT_EQ(tickText(20'000, ValueFormat::Count, 10'000), QStringLiteral("20k"));
  EXPECT_EQ(tickText(3.0 * (1 << 30), ValueFormat::Gibibytes, 1 << 30), QStringLiteral("3"));
}

TEST(PlotFrameTest, TicksOfBatchesAreWholeNumbers) {
  ChartContent content = wave(2);
  for (const double tick : frameOf(content).xTicks) EXPECT_EQ(tick, std::floor(tick));
}

std::shared_ptr<const XAxisMap> tokensPerBatch(double tokens, int batches) {
  LongSeries rows;
  for (int batch = 1; batch <= batches; ++batch) rows.append(batch, tokens * batch);
  return std::make_shared<const XAxisMap>(rows);
}

/// Two runs over tokens; the second has twice as many per global batch, and ends earlier on the axis.
ChartContent twoRuns() {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  for (const int run : {0, 1}) {
    ChartLine line;
    line.name = QStringLiteral("run %1").arg(run);
    line.color = run;
    const int batches = run == 0 ? 100 : 20;
    for (int batch = 1; batch <= batches; ++batch) line.points.append(batch, run + 1.0 / batch);
    line.map = tokensPerBatch(run == 0 ? 10 : 20, batches);
    content.lines.push_back(std::move(line));
  }
  content.dataEnd = content.xHigh = 1000;
  content.events = {{400, QStringLiteral("checkpoint"), QStringLiteral("saved")}};
  return content;
}

ChartCard cardAt(const ChartContent& content, double x) {
  return chartCard(content, ValueFormat::Plain, QStringLiteral("Loss"), x, 5);
}

TEST(ChartCardTest, TellsEachRunAtItsOwnBatchInDescendingOrder) {
  const ChartCard card = cardAt(twoRuns(), 400);
  ASSERT_EQ(card.rows.size(), 2u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 1"));
  EXPECT_EQ(card.rows[0].value, QStringLiteral("1.050"));
  EXPECT_EQ(card.rows[0].color, 1);
  EXPECT_EQ(card.rows[1].value, QStringLiteral("0.02500"));
  EXPECT_EQ(card.events, QStringList{QStringLiteral("saved")});
  EXPECT_EQ(card.texts(),
            (QStringList{QStringLiteral("Token 400"), QStringLiteral("Loss"), QStringLiteral("run 1  1.050"),
                         QStringLiteral("run 0  0.02500"), QStringLiteral("saved")}));
}

TEST(ChartCardTest, ARunHasNoValueBehindItsEnd) {
  const ChartCard card = cardAt(twoRuns(), 800);
  ASSERT_EQ(card.rows.size(), 1u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 0"));
  EXPECT_TRUE(card.events.isEmpty());
  EXPECT_TRUE(cardAt(twoRuns(), 1500).rows.empty());
}

TEST(ChartCardTest, AnOldEvaluationTellsWhereItWas) {
  ChartContent content = twoRuns();
  content.lines[0].kind = LineKind::Points;
  content.lines[0].points = {{20, 3}};
  EXPECT_EQ(cardAt(content, 300).rows.back().value, QStringLiteral("3.000 (Token 200)"));
  EXPECT_EQ(cardAt(content, 200).rows.back().value, QStringLiteral("3.000"));
}

TEST(ChartCardTest, TheCursorGoesToTheNearestPointAndTheCardTellsItsValue) {
  ChartContent content;
  ChartLine line;
  line.name = QStringLiteral("training");
  for (int batch = 1; batch <= 30; ++batch) line.points.append(batch, batch);
  content.lines.push_back(line);
  content.dataEnd = 30;
  content.xHigh = 100;
  const auto placeOf = [&](double x) { return nearestPlace(content, {0, 100}, x); };
  EXPECT_EQ(placeOf(16.9), 17);
  EXPECT_EQ(placeOf(16.4), 16);
  EXPECT_EQ(placeOf(0.1), 1) << "there is no batch before the first";
  EXPECT_EQ(cardAt(content, placeOf(16.9)).texts(),
            (QStringList{QStringLiteral("Batch 17"), QStringLiteral("Loss"), QStringLiteral("training  17.00")}));
  EXPECT_EQ(placeOf(68.6), 69) << "behind the newest value";
  EXPECT_EQ(nearestPlace(content, {0, 16.8}, 16.7), 16) << "not outside of what is shown";
  EXPECT_NEAR(nearestPlace(twoRuns(), {0, 1000}, 46), 50, 1e-9) << "of the run that has one there";
}

TEST(ChartCardTest, UnnamedLinesAreNotOnIt) {
  ChartContent content = twoRuns();
  content.lines[0].name.clear();
  content.lines[1].derived = true;
  const ChartCard card = cardAt(content, 200);
  ASSERT_EQ(card.rows.size(), 1u);
  EXPECT_EQ(card.rows[0].name, QStringLiteral("run 1, smoothed"));
  EXPECT_TRUE(ChartCard().empty());
}

const char* const kLong = "bert-base-wikipedia-ramp-from-8-to-64-budget-1600-lr-5e-4-warmup-0.06-seed-";

QFontMetricsF metrics() {
  return QFontMetricsF(QFont());
}

ChartLegend legendOf(const ChartContent& content, QSizeF size) {
  return chartLegend(content, size, metrics(), 30);
}

TEST(ElidedApartTest, NamesStayDifferentAndFitTheirWidth) {
  const QStringList names = {QString(175, QLatin1Char('x')), QString(174, QLatin1Char('x')) + QLatin1Char('y'),
                             QStringLiteral("a")};
  for (double width = 40; width < 800; width *= 1.3) {
    const QStringList texts = elidedApart(names, width, metrics());
    EXPECT_EQ(QSet<QString>(texts.begin(), texts.end()).size(), names.size()) << width;
    EXPECT_EQ(texts.back(), names.back());
    for (const QString& text : texts) EXPECT_LE(metrics().horizontalAdvance(text), width) << text.toStdString();
  }
}

TEST(ChartLegendTest, ShortNamesOfFewLinesStandAtTheirEnds) {
  const ChartLegend legend = legendOf(levels(6, QStringLiteral("r")), {900, 400});
  EXPECT_EQ(legend.place, ChartLegend::Place::Right);
  EXPECT_EQ(legend.entries.size(), 6u);
  EXPECT_LE(legend.width, 150);
  EXPECT_EQ(legend.height, 0);
}

TEST(ChartLegendTest, ManyOrLongNamesStandAbove) {
  EXPECT_EQ(legendOf(levels(7, QStringLiteral("r")), {900, 400}).place, ChartLegend::Place::Above);
  EXPECT_EQ(legendOf(levels(2, QString::fromLatin1(kLong)), {900, 400}).place, ChartLegend::Place::Above);
  EXPECT_EQ(legendOf(ChartContent(), {900, 400}).place, ChartLegend::Place::None);
}

TEST(ChartLegendTest, TakesAtMostASixthAndStaysInside) {
  for (const int count : {1, 3, 8, 20, 100})
    for (const QSizeF size : {QSizeF(260, 160), QSizeF(420, 240), QSizeF(1000, 500)}) {
      const ChartLegend legend = legendOf(levels(count, QString::fromLatin1(kLong)), size);
      EXPECT_LE(legend.height, std::max(size.height() / 6, metrics().height()));
      QSet<QString> texts;
      for (const ChartLegend::Entry& entry : legend.entries) {
        EXPECT_GE(entry.box.left(), 0);
        EXPECT_LE(entry.box.right(), size.width()) << count << " " << size.width();
        EXPECT_LE(entry.box.bottom(), 30 + legend.height + 0.01);
        texts << entry.text;
      }
      EXPECT_EQ(texts.size(), static_cast<qsizetype>(legend.entries.size()));
      EXPECT_FALSE(legend.entries.empty());
      const auto left = count - static_cast<int>(legend.entries.size());
      EXPECT_EQ(legend.more, left > 0 ? QStringLiteral("+%1 more").arg(left) : QString());
      EXPECT_LE(legend.moreBox.right(), size.width());
    }
}

TEST(ChartLegendTest, LinesOfOneNameAndColorShareAnEntry) {
  ChartContent content = levels(2, QStringLiteral("r"));
  content.lines[1].name = content.lines[0].name;
  EXPECT_EQ(legendOf(content, {900, 400}).entries.size(), 2u);
  content.lines[1].color = content.lines[0].color;
  EXPECT_EQ(legendOf(content, {900, 400}).entries.size(), 1u);
}

TEST(LegendCacheTest, FollowsNamesAndSize) {
  LegendCache cache;
  const ChartContent content = levels(3, QStringLiteral("r"));
  EXPECT_EQ(cache.update(content, {900, 400}, metrics(), 30).place, ChartLegend::Place::Right);
  EXPECT_EQ(cache.update(content, {100, 400}, metrics(), 30).place, ChartLegend::Place::Above);
  EXPECT_EQ(cache.update(levels(9, QStringLiteral("r")), {900, 400}, metrics(), 30).entries.size(), 9u);
}

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
