// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_charts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/ui/fake_run_controller.h"
#include "tests/ui/series_rows.h"
#include "ui/models/labels.h"

namespace batchwise {
namespace {

RunView viewWithRows(int rows) {
  RunView view;
  view.detail.summary.plannedBatches = 400;
  view.detail.references["unigram_entropy"] = 4.1;
  for (int batch = 1; batch <= rows; ++batch) test::addRow(view.series, test::rowAt(batch));
  return view;
}

const ChartLine* lineOf(const ChartContent& content, LineKind kind) {
  for (const ChartLine& line : content.lines)
    if (line.kind == kind) return &line;
  return nullptr;
}

TEST(LossChartTest, ShowsRawValuesBehindTheSmoothedOnesAndTheReference) {
  RunView view = viewWithRows(100);
  EvalResult result;
  result.at.batch = 50;
  result.loss = 3;
  test::addResult(view.series, result);
  const ChartContent content = lossChart(view, {0.9, true});
  ASSERT_NE(lineOf(content, LineKind::Raw), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Raw)->points.size(), 100u);
  EXPECT_EQ(lineOf(content, LineKind::Main)->points.size(), 100u);
  EXPECT_EQ(lineOf(content, LineKind::Points)->points.size(), 1u);
  ASSERT_NE(lineOf(content, LineKind::Reference), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Reference)->points.front().y(), 4.1);
  EXPECT_EQ(content.xHigh, 400);
}

TEST(LossChartTest, WithoutSmoothingTheRawValuesAreTheLine) {
  const ChartContent content = lossChart(viewWithRows(10), {0.0, false});
  EXPECT_EQ(lineOf(content, LineKind::Raw), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Main)->points.size(), 10u);
  EXPECT_EQ(content.xHigh, 10);
}

TEST(LossChartTest, MarksWhatIsNotFinite) {
  RunView view = viewWithRows(3);
  MetricsRow broken = test::rowAt(4);
  broken.loss = std::numeric_limits<double>::quiet_NaN();
  test::addRow(view.series, broken);
  const ChartContent content = lossChart(view, {});
  const LongSeries& points = lineOf(content, LineKind::Raw)->points;
  EXPECT_EQ(points.countNonFinite(0, points.size()), 1u);
  EXPECT_TRUE(std::isnan(lineOf(content, LineKind::Main)->points.back().y()));
}

TEST(LossChartTest, ShowsWhatAResumeTookUpAgainBehindTheRest) {
  RunView view = viewWithRows(10);
  view.series.setSuperseded("loss", {{{7, 1.0}, {8, 1.0}, {9, 1.0}, {10, 1.0}}});
  const ChartContent content = lossChart(view, {0.0, true});
  ASSERT_NE(lineOf(content, LineKind::Superseded), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Superseded)->points.size(), 4u);
  EXPECT_LT(lineOf(content, LineKind::Superseded), lineOf(content, LineKind::Main));
}

TEST(BatchChartTest, IsDrawnAsSteps) {
  const ChartContent content = batchChart(viewWithRows(5), {});
  ASSERT_FALSE(content.lines.empty());
  for (const ChartLine& line : content.lines) EXPECT_TRUE(line.steps);
}

TEST(RateChartTest, ShowsThePlanBehindWhatIsInUse) {
  RunView view = viewWithRows(5);
  view.plannedRate = {{0, 0.0}, {400, 1e-3}};
  const ChartContent content = rateChart(view, {});
  ASSERT_EQ(content.lines.size(), 2u);
  EXPECT_EQ(content.lines.front().kind, LineKind::Planned);
}

TEST(MemoryChartTest, ShowsUsedPeakAndLimitOfEachDevice) {
  RunView view = viewWithRows(0);
  MetricsRow row = test::rowAt(1);
  row.devices.push_back({"cpu:1", 5, 0, 6, 7});
  test::addRow(view.series, row);
  const ChartContent content = memoryChart(view, {});
  EXPECT_EQ(content.lines.size(), 6u);
  EXPECT_EQ(content.lines[0].kind, LineKind::Reference);
  EXPECT_EQ(content.lines[3].name, QStringLiteral("cpu:1 limit"));
  EXPECT_NE(content.lines[2].color, content.lines[5].color);
}

TEST(RunChartsTest, AllLieOverTheChosenClock) {
  RunView view;
  view.detail.summary.plannedBatches = 20;
  view.detail.resolvedValues["data.samples_per_epoch"] = "640";
  view.plannedRate = {{0, 0.0}, {20, 1e-3}};
  view.resumePositions = {4};
  for (int batch = 1; batch <= 10; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.at.sample = 64 * batch;
    row.at.token = 1000 * batch;
    row.stepSamples = batch < 6 ? 32 : 64;
    test::addRow(view.series, row);
  }
  const auto over = [&](XAxis clock) { return runCharts(view, {0.0, true, clock}); };
  const auto batches = over(XAxis::Batches);
  ASSERT_EQ(batches.size(), kRunCharts.size());
  EXPECT_EQ(batches[0].xHigh, 20);
  EXPECT_EQ(batches[0].dataEnd, 10);
  ASSERT_EQ(batches[0].events.size(), 1u);  // the batch size changes once
  EXPECT_EQ(batches[0].events[0].x, 6);
  for (const ChartContent& content : over(XAxis::Tokens)) {
    EXPECT_EQ(content.xHigh, 20'000);
    EXPECT_EQ(content.dataEnd, 10'000);
    EXPECT_EQ(content.resumePositions, (std::vector<double>{4000}));
  }
  EXPECT_EQ(over(XAxis::Epochs)[0].dataEnd, 1);
  EXPECT_EQ(over(XAxis::Time)[0].dataEnd, 5);
  const auto tokens = over(XAxis::Tokens);
  EXPECT_EQ(tokens[1].map.at(lineOf(tokens[1], LineKind::Planned)->points.back().x()), 20'000);
}

TEST(RunChartsTest, TimeWithPausesAndWorkAreClocksToo) {
  RunView view;
  view.detail.summary.plannedBatches = 20;
  view.detail.segments = {{0, {}, "", 1'000'000, "", 0, ""}};
  view.cost = {1e6, 500};
  for (int batch = 1; batch <= 10; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.at.sample = 64 * batch;
    row.at.token = 64 * 100 * batch;  // 100 tokens each
    const std::int64_t pauseMs = batch > 5 ? 60'000 : 0;
    test::addRow(view.series, row,
                 1'000'000 + batch * 1000 + pauseMs - (batch == 8 ? 5000 : 0));  // the clock was set back once
  }
  const auto lossOver = [&](XAxis clock) { return runCharts(view, {0.0, true, clock})[0]; };
  const ChartContent elapsed = lossOver(XAxis::Elapsed);
  EXPECT_EQ(elapsed.dataEnd, 70);
  EXPECT_EQ(elapsed.map.at(5), 5);
  EXPECT_EQ(elapsed.map.at(6), 66);
  EXPECT_EQ(elapsed.map.at(8), 67);  // never back
  const double perBatch = 6400 * (1e6 + 500 * 100.0);
  const ChartContent work = lossOver(XAxis::Flops);
  EXPECT_DOUBLE_EQ(work.dataEnd, 10 * perBatch);
  EXPECT_NEAR(work.xHigh, 20 * perBatch, 1e-6 * perBatch);  // what is planned
  EXPECT_EQ(xAxisText(1.5e18, XAxis::Flops), QStringLiteral("After 1.50E FLOP"));
  EXPECT_EQ(xAxisText(7200, XAxis::Elapsed), QStringLiteral("2 h after the start"));
}

TEST(RunChartsTest, ARunWhoseRowsDoNotSayWhenKnowsWhenItWasResumed) {
  RunView view = viewWithRows(10);  // half a second each
  view.detail.summary.at = test::rowAt(10).at;
  Timestamp from;
  from.batch = 4;
  from.seconds = 2;
  view.detail.segments = {{0, {}, "", 1'000'000, "", 0, ""}, {1, from, "abc", 1'100'000, "", 0, ""}};
  const XAxisMap clock = clockValue(view, XAxis::Elapsed);
  EXPECT_EQ(clock.at(4), 100);
  EXPECT_EQ(clock.at(10), 103);
}

TEST(RunChartsTest, AnythingElseThatWasLoggedHasAChartWhenItIsWanted) {
  RunView view;
  for (int batch = 1; batch <= 4; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.at.step = 2 * batch;
    row.fill = 0.5 + 0.1 * batch;
    MetricsRow part = row;
    part.at.step = 2 * batch - 1;
    part.at.batch = batch - 1;
    part.at.partInBatch = 1;
    part.loss = 10 * batch;
    test::addRow(view.series, row);
    view.series.extend("step.loss", {{static_cast<double>(part.at.step), part.loss}});
  }
  EvalResult result;
  result.at.batch = 3;
  result.accuracy = 0.25;
  test::addResult(view.series, result);
  const auto contents = runCharts(view, {0.0, true, XAxis::Batches, {"fill", "step.loss", "eval.accuracy", "nothing"}});
  ASSERT_EQ(contents.size(), kRunCharts.size() + 4);
  const auto points = [&](std::size_t i) { return contents[kRunCharts.size() + i].lines.front().points; };
  EXPECT_EQ(points(0)[2], QPointF(3, 0.8));
  EXPECT_EQ(points(1)[0], QPointF(0.5, 10));  // half of the first global batch
  EXPECT_EQ(points(1)[3], QPointF(3.5, 40));
  EXPECT_EQ(points(2)[0], QPointF(3, 0.25));
  EXPECT_TRUE(contents.back().lines.empty());
  EXPECT_EQ(view.series.points("loss").size(), 4u);  // rows of parts are not among those of global batches
  EXPECT_EQ(seriesLabel("fill").title, QStringLiteral("Fill of the micro-batches"));
  EXPECT_EQ(seriesLabel("loss").unit, QStringLiteral("nats per masked token"));
  EXPECT_EQ(seriesLabel("memory.cpu:0.reserved").title, QStringLiteral("Memory of cpu:0, reserved"));
  EXPECT_EQ(seriesLabel("memory.").title, QStringLiteral("memory."));
  EXPECT_EQ(seriesLabel("custom.x").title, QStringLiteral("custom.x"));
}

TEST(RunChartsTest, OptionalChartsAreEmptyWithoutValues) {
  RunView view = viewWithRows(5);  // without gradient norms and evaluations
  const auto contents = runCharts(view, {});
  for (const RunChart chart : kRunCharts) {
    const bool has = chart != RunChart::GradNorm && chart != RunChart::Evaluation;
    EXPECT_EQ(!contents[static_cast<std::size_t>(chart)].lines.empty(), has) << static_cast<int>(chart);
  }
}

TEST(ClockMapTest, GoesOnBehindTheLastRowAsBefore) {
  const XAxisMap map({{10, 100}, {20, 400}});
  EXPECT_EQ(map.at(0), 0);
  EXPECT_EQ(map.at(5), 50);
  EXPECT_EQ(map.at(15), 250);
  EXPECT_EQ(map.at(30), 700);
  EXPECT_EQ(XAxisMap().at(7), 7);
  for (const double batch : {0.0, 5.0, 10.0, 15.0, 30.0}) EXPECT_DOUBLE_EQ(map.batchAt(map.at(batch)), batch);
  EXPECT_EQ(XAxisMap().batchAt(7), 7);
}

TEST(RunClockTest, TicksOfANarrowPartAreToldApart) {
  EXPECT_EQ(xTickText(24'900'000'000, XAxis::Tokens), QStringLiteral("24.9G"));
  EXPECT_EQ(xTickText(24'900'500'000, XAxis::Tokens, 500'000), QStringLiteral("24.9005G"));
  EXPECT_EQ(xTickText(15'000'000, XAxis::Tokens, 5'000'000), QStringLiteral("15M"));
  EXPECT_EQ(xTickText(1200, XAxis::Batches, 200), QStringLiteral("1,200"));
  EXPECT_EQ(xTickText(1.2345, XAxis::Epochs, 0.0005), QStringLiteral("1.2345"));
  EXPECT_EQ(xTickText(11'530, XAxis::Time, 10), QStringLiteral("3:12:10"));
}

TEST(AxisViewTest, ZoomsAtAPlaceAndStaysInside) {
  AxisView view;
  view.setExtent({0, 100}, 60);
  EXPECT_FALSE(view.part());
  view.zoom(0.5, 80);
  EXPECT_EQ(view.shown(), (AxisRange{40, 90}));
  view.pan(50);
  EXPECT_EQ(view.shown(), (AxisRange{50, 100}));
  view.zoom(4, 60);
  EXPECT_FALSE(view.part());
  view.show({-10, 30});
  EXPECT_EQ(view.shown(), (AxisRange{0, 30}));
}

TEST(AxisViewTest, FollowsTheNewestValueUntilItIsMoved) {
  AxisView view;
  view.setExtent({0, 100}, 50);
  view.follow();
  EXPECT_TRUE(view.follows());
  EXPECT_NEAR(view.shown().width(), 10, 1e-9);
  view.setExtent({0, 100}, 70);
  EXPECT_GT(view.shown().high, 70);
  EXPECT_LT(view.shown().high, 71);
  view.pan(-5);
  EXPECT_FALSE(view.follows());
  const AxisRange left = view.shown();
  view.setExtent({0, 100}, 90);
  EXPECT_EQ(view.shown(), left);
}

TEST(AddMarksTest, ACheckpointIsATickAndAResumeASeam) {
  RunView view;
  RunStarted first, second;
  second.segment = 1;
  second.from.batch = 120;
  CheckpointSaved saved;
  saved.at.batch = 120;
  addMarkers(view, first);
  addMarkers(view, saved);
  addMarkers(view, second);
  addMarkers(view, RunNote{NoteLevel::Info, "nothing special", {}});
  EXPECT_EQ(view.resumePositions, (std::vector<double>{120}));
  ASSERT_EQ(view.events.size(), 2u);
  EXPECT_EQ(view.events[0].x, 120);
  EXPECT_EQ(view.events[0].icon, QStringLiteral("checkpoint"));
  EXPECT_EQ(view.events[1].icon, QStringLiteral("resume"));
  EXPECT_EQ(view.checkpointBatch, 120);
}

}  // namespace
}  // namespace batchwise
