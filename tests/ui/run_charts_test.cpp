// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "core/analysis/run_comparison.h"
#include "tests/support/test_environment.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/series_rows.h"
#include "tests/ui/short_names.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/long_series.h"
#include "ui/charts/plot_frame.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

using Rows = std::vector<std::vector<std::string>>;

RunView viewWithRows(int rows) {
  RunView view;
  view.detail.summary.plannedBatches = 400;
  view.detail.references["unigram_entropy"] = 4.1;
  for (int batch = 1; batch <= rows; ++batch) test::addRow(view.series, test::rowAt(batch));
  return view;
}

/// Rows whose loss is `loss` everywhere.
RunView viewWithLoss(int rows, double loss) {
  RunView view;
  for (int batch = 1; batch <= rows; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.loss = loss;
    test::addRow(view.series, row);
  }
  return view;
}

const ChartLine* lineOf(const ChartContent& content, LineKind kind) {
  for (const ChartLine& line : content.lines)
    if (line.kind == kind) return &line;
  return nullptr;
}

std::vector<const ChartLine*> linesOf(const ChartContent& content, LineKind kind) {
  std::vector<const ChartLine*> lines;
  for (const ChartLine& line : content.lines)
    if (line.kind == kind) lines.push_back(&line);
  return lines;
}

ChartSpec chartOf(std::vector<std::string> series) {
  ChartSpec spec;
  spec.series = std::move(series);
  return spec;
}

ChartLayout layoutOf(std::vector<ChartSpec> charts, double smoothing = 0) {
  ChartLayout layout;
  layout.charts = std::move(charts);
  layout.smoothing = smoothing;
  return layout;
}

ChartLayout preset(ChartPreset preset, double smoothing = 0, XAxis xAxis = XAxis::Batches) {
  ChartLayout layout;
  layout.smoothing = smoothing;
  layout.xAxis = xAxis;
  applyPreset(layout, preset);
  return layout;
}

/// The chart of these series of a single run.
ChartContent chartOfRun(const RunView& view, std::vector<std::string> series, double smoothing = 0) {
  return runCharts(layoutOf({chartOf(std::move(series))}, smoothing), {{QStringLiteral("run"), 0, {&view}}})
      .front()
      .content;
}

TEST(RunChartsTest, ShowsRawValuesBehindTheSmoothedOnesAndTheReference) {
  RunView view = viewWithRows(100);
  EvalResult result;
  result.at.batch = 50;
  result.loss = 3;
  test::addResult(view.series, result);
  const ChartContent content = chartOfRun(view, {"loss", "eval.loss"}, 0.9);
  ASSERT_NE(lineOf(content, LineKind::Raw), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Raw)->points.size(), 100u);
  EXPECT_EQ(lineOf(content, LineKind::Main)->points.size(), 100u);
  EXPECT_EQ(lineOf(content, LineKind::Points)->points.size(), 1u);
  ASSERT_NE(lineOf(content, LineKind::Reference), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Reference)->points.front().y(), 4.1);
  EXPECT_EQ(content.xHigh, 400);
}

TEST(RunChartsTest, WithoutSmoothingTheRawValuesAreTheLine) {
  const RunView view = viewWithRows(10);
  ChartLayout layout = layoutOf({chartOf({"loss"})});
  layout.wholeRun = false;
  const ChartContent content = runCharts(layout, {{QStringLiteral("run"), 0, {&view}}}).front().content;
  EXPECT_EQ(lineOf(content, LineKind::Raw), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Main)->points.size(), 10u);
  EXPECT_EQ(content.xHigh, 10);
}

TEST(RunChartsTest, TheNoiseScaleIsABandBehindTheBatchSizeWhereItIsKnown) {
  RunView view = viewWithRows(0);
  EXPECT_TRUE(chartOfRun(viewWithRows(20), {"step_samples"}).bands.empty());
  for (int batch = 1; batch <= 20; ++batch) {
    MetricsRow row = test::rowAt(batch);
    if (batch > 5) {
      row.noiseScale = 100;
      row.noiseScaleLow = batch > 10 ? 80 : 2;
      row.noiseScaleHigh = batch > 10 ? 130 : 5000;
    }
    test::addRow(view.series, row);
  }
  const ChartContent content = chartOfRun(view, {"step_samples"});
  ASSERT_EQ(content.bands.size(), 1u);
  const ChartBand& band = content.bands.front();
  ASSERT_EQ(band.lower.size(), 15u);
  EXPECT_TRUE(std::isnan(band.lower.y(0))) << "hardly known";
  EXPECT_EQ(band.lower.back().y(), 80);
  EXPECT_EQ(band.upper.back().y(), 130);
  const auto line = std::ranges::find(content.lines, QStringLiteral("noise scale"), &ChartLine::name);
  ASSERT_NE(line, content.lines.end());
  EXPECT_EQ(line->color, band.color);
  EXPECT_TRUE(line->legend.contains(QStringLiteral("not advice")));
  PlotFrame frame;
  frame.xLow = 0, frame.xHigh = 100;
  EXPECT_TRUE(nonFinitePlaces(content, frame).empty()) << "what is hardly known is no NaN of the run";
  EXPECT_TRUE(content.note.isEmpty()) << content.note.toStdString();
  EXPECT_TRUE(chartOfRun(view, {"lr"}).bands.empty());
  test::addRow(view.series, test::rowAt(21));
  test::addRow(view.series, test::rowAt(22));
  MetricsRow row = test::rowAt(23);
  row.noiseScale = 200;
  test::addRow(view.series, row);
  const ChartContent alone = chartOfRun(view, {"noise_scale"});
  ASSERT_EQ(alone.lines.size(), 1u) << "it is a mean already, and not smoothed";
  EXPECT_EQ(alone.lines[0].points.back().y(), 200);
  EXPECT_FALSE(pointAt(alone, alone.lines[0], 22)) << "it was not told there";
  EXPECT_TRUE(pointAt(alone, alone.lines[0], 20));
}

TEST(RunChartsTest, TheNoiseScaleOfAGroupHasAGapWhereNoneOfItsRunsToldIt) {
  const auto viewOf = [](int from, double noise) {
    RunView view;
    for (int batch = 1; batch <= 30; ++batch) {
      MetricsRow row = test::rowAt(batch);
      if (batch <= 10 || batch >= from) row.noiseScale = noise;
      test::addRow(view.series, row);
    }
    return view;
  };
  const RunView early = viewOf(18, 100), late = viewOf(21, 300);
  const RunView other = viewOf(21, 50);
  const ChartContent content =
      runCharts(layoutOf({chartOf({"noise_scale"})}),
                {{QStringLiteral("seeds"), 0, {&early, &late}}, {QStringLiteral("other"), 1, {&other}}})
          .front()
          .content;
  const ChartLine& mean = *linesOf(content, LineKind::Main).front();
  EXPECT_EQ(pointAt(content, mean, 10)->y(), 200);
  EXPECT_FALSE(pointAt(content, mean, 14)) << "not bridged";
  EXPECT_EQ(pointAt(content, mean, 19)->y(), 100) << "of the one that has it";
  EXPECT_EQ(pointAt(content, mean, 30)->y(), 200) << "not smoothed";
  for (const ChartLine* line : linesOf(content, LineKind::Thin)) EXPECT_FALSE(pointAt(content, *line, 14));
}

TEST(RunChartsTest, AForkShowsItsParentPaleUpToItsStart) {
  RunView parent = viewWithRows(100), fork = viewWithRows(0);
  for (int batch = 61; batch <= 90; ++batch) test::addRow(fork.series, test::rowAt(batch));
  RunSegment first;
  first.from.batch = 60;
  fork.detail.segments = {first};
  const ChartGroup group{QStringLiteral("fork"), 2, {&fork}, {}, {{&fork, &parent}}};
  const ChartContent content = runCharts(layoutOf({chartOf({"loss"})}), {group}).front().content;
  const auto pale = linesOf(content, LineKind::Superseded);
  ASSERT_EQ(pale.size(), 1u);
  EXPECT_EQ(pale.front()->points.size(), 60u);
  EXPECT_EQ(pale.front()->points.back().x(), 60);
  EXPECT_EQ(pale.front()->color, 2);
  EXPECT_TRUE(pale.front()->name.isEmpty()) << "it is no line of its own";
  EXPECT_EQ(lineOf(content, LineKind::Main)->points.size(), 30u);
}

TEST(RunChartsTest, NamedEvaluationsAreNamedBesideTheLoss) {
  RunView view = viewWithRows(20);
  for (const char* series : {"eval.loss", "eval.held_out.loss", "eval.general.loss"})
    view.series.extend(series, LongSeries{{10, 3.0}, {20, 2.5}});
  const ChartContent content = chartOfRun(view, {"loss", "eval.loss", "eval.held_out.loss", "eval.general.loss"});
  QStringList names;
  for (const ChartLine* line : linesOf(content, LineKind::Points)) names << line->name;
  EXPECT_EQ(names,
            (QStringList{QStringLiteral("evaluation, mean of the sets"), QStringLiteral("evaluation on held-out text"),
                         QStringLiteral("evaluation on general")}));
}

TEST(RunChartsTest, ALineOfARunThatHasEndedDoesNotLag) {
  RunView view = viewWithRows(200);
  view.detail.summary.status = RunStatus::Running;
  const ChartContent live = chartOfRun(view, {"loss"}, 0.9);
  EXPECT_TRUE(live.note.endsWith(QStringLiteral("10 global batches"))) << live.note.toStdString();
  view.detail.summary.status = RunStatus::Finished;
  const ChartContent ended = chartOfRun(view, {"loss"}, 0.9);
  EXPECT_TRUE(ended.note.endsWith(QStringLiteral("10 global batches, centered"))) << ended.note.toStdString();
  const LongSeries &raw = lineOf(ended, LineKind::Raw)->points, &line = lineOf(ended, LineKind::Main)->points;
  ASSERT_EQ(line.size(), raw.size());
  Curve curve;
  for (std::size_t i = 0; i < raw.size(); ++i) curve.push_back({raw.x(i), raw.y(i)});
  EXPECT_EQ(line.y(100), smoothed(curve, 0.9, Smoothing::Centered)[100].y);
}

TEST(RunChartsTest, MarksWhatIsNotFinite) {
  RunView view = viewWithRows(3);
  MetricsRow broken = test::rowAt(4);
  broken.loss = std::numeric_limits<double>::quiet_NaN();
  test::addRow(view.series, broken);
  const ChartContent content = chartOfRun(view, {"loss"}, 0.8);
  const LongSeries& points = lineOf(content, LineKind::Raw)->points;
  EXPECT_EQ(points.countNonFinite(0, points.size()), 1u);
  EXPECT_TRUE(std::isnan(lineOf(content, LineKind::Main)->points.back().y()));
}

TEST(RunChartsTest, ShowsWhatAResumeTookUpAgainBehindTheRest) {
  RunView view = viewWithRows(10);
  view.series.setSuperseded("loss", {{{7, 1.0}, {8, 1.0}, {9, 1.0}, {10, 1.0}}});
  const ChartContent content = chartOfRun(view, {"loss"});
  ASSERT_NE(lineOf(content, LineKind::Superseded), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Superseded)->points.size(), 4u);
  EXPECT_LT(lineOf(content, LineKind::Superseded), lineOf(content, LineKind::Main));
}

TEST(RunChartsTest, IsDrawnAsSteps) {
  const RunView view = viewWithRows(5);
  const ChartContent content = chartOfRun(view, {"step_samples"});
  ASSERT_FALSE(content.lines.empty());
  for (const ChartLine& line : content.lines) EXPECT_TRUE(line.steps);
}

TEST(RunChartsTest, ShowsThePlanBehindWhatIsInUse) {
  RunView view = viewWithRows(5);
  view.plannedRate = {{0, 0.0}, {400, 1e-3}};
  const ChartContent content = chartOfRun(view, {"lr"});
  ASSERT_EQ(content.lines.size(), 2u);
  EXPECT_EQ(content.lines.front().kind, LineKind::Planned);
}

TEST(RunChartsTest, ShowsUsedPeakAndLimitOfEachDevice) {
  RunView view = viewWithRows(0);
  MetricsRow row = test::rowAt(1);
  row.devices.push_back({"cpu:1", 5, 0, 6, 7});
  test::addRow(view.series, row);
  const ChartContent content = chartOfRun(view, {kMemorySeries});
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
  const auto over = [&](XAxis clock) {
    std::vector<ChartContent> contents;
    for (RunChart& chart : runCharts(preset(ChartPreset::Training, 0, clock), {{QStringLiteral("run"), 0, {&view}}}))
      contents.push_back(std::move(chart.content));
    return contents;
  };
  const auto batches = over(XAxis::Batches);
  ASSERT_EQ(batches.size(), 6u);
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
  const ChartLine& plannedRate = *lineOf(tokens[1], LineKind::Planned);
  EXPECT_EQ(plannedRate.toAxis(plannedRate.points.back().x()), 20'000);
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
  const auto lossOver = [&](XAxis clock) {
    return runCharts(preset(ChartPreset::Training, 0, clock), {{QStringLiteral("run"), 0, {&view}}})[0].content;
  };
  const ChartContent elapsed = lossOver(XAxis::Elapsed);
  EXPECT_EQ(elapsed.dataEnd, 70);
  EXPECT_EQ(elapsed.lines.front().toAxis(5), 5);
  EXPECT_EQ(elapsed.lines.front().toAxis(6), 66);
  EXPECT_EQ(elapsed.lines.front().toAxis(8), 67);  // never back
  const double perBatch = 6400 * (1e6 + 500 * 100.0);
  const ChartContent work = lossOver(XAxis::Flops);
  EXPECT_DOUBLE_EQ(work.dataEnd, 10 * perBatch);
  EXPECT_NEAR(work.xHigh, 20 * perBatch, 1e-6 * perBatch);  // what is planned
  EXPECT_EQ(xAxisText(1.5e18, XAxis::Flops), QStringLiteral("After 1.50E FLOP"));
  EXPECT_EQ(xAxisText(7200, XAxis::Elapsed), QStringLiteral("2 h after the start"));
}

TEST(RunChartsTest, OperationsCountLengthAndMasksOfEachStage) {
  RunView view;
  view.cost = {.perToken = 1e6, .perTokenAndLength = 500, .perPredicted = 2e6, .predictedShare = 0.3};
  for (int batch = 1; batch <= 4; ++batch) {
    const bool second = batch > 2;  // 64 samples of 100 tokens, then 16 of 400
    MetricsRow row = test::rowAt(batch);
    row.at.sample = second ? 128 + 16 * (batch - 2) : 64 * batch;
    row.at.token = 6400 * batch;
    row.measured.mlmProbability = second ? 0.15 : 0.3;
    test::addRow(view.series, row);
  }
  // [CLS] and [SEP] of each sample are never predicted.
  const double first = 6400 * (1e6 + 500 * 100.0) + (6400 - 2 * 64) * 0.3 * 2e6;
  const double second = 6400 * (1e6 + 500 * 400.0) + (6400 - 2 * 16) * 0.15 * 2e6;
  const LongSeries& work = view.series.flops(view.cost);
  ASSERT_EQ(work.size(), 4U);
  EXPECT_DOUBLE_EQ(work.y(1), 2 * first);
  EXPECT_DOUBLE_EQ(work.y(3), 2 * first + 2 * second);
}

TEST(RunChartsTest, EpochsAreNoAxisOfStagesThatDifferInThem) {
  RunView view = viewWithRows(10);
  EXPECT_FALSE(hasAxis(view, XAxis::Epochs)) << "unknown";
  view.detail.resolvedValues = {{"stages[0].data.samples_per_epoch", "100"},
                                {"stages[1].data.samples_per_epoch", "100"}};
  EXPECT_TRUE(hasAxis(view, XAxis::Epochs));
  EXPECT_EQ(samplesPerEpoch(view.detail), 100);
  view.detail.resolvedValues["stages[1].data.samples_per_epoch"] = "40";
  EXPECT_FALSE(hasAxis(view, XAxis::Epochs));
}

TEST(RunChartsTest, RunsOfUnknownCostAreLeftOutOverOperations) {
  RunView known = viewWithRows(10);
  const RunView unknown = viewWithRows(10);
  known.cost = {1e6, 500};
  ChartLayout layout = preset(ChartPreset::Training, 0, XAxis::Flops);
  const auto charts = runCharts(layout, {{QStringLiteral("a"), 0, {&known}}, {QStringLiteral("b"), 1, {&unknown}}});
  for (const ChartLine& line : charts[0].content.lines) EXPECT_EQ(line.color, 0);
  EXPECT_TRUE(charts[0].content.note.contains(QStringLiteral("1 run")));
  layout.xAxis = XAxis::Tokens;
  EXPECT_TRUE(runCharts(layout, {{QStringLiteral("b"), 1, {&unknown}}})[0].content.note.isEmpty());
}

TEST(RunChartsTest, ARunWhoseRowsDoNotSayWhenKnowsWhenItWasResumed) {
  RunView view = viewWithRows(10);  // half a second each
  view.detail.summary.at = test::rowAt(10).at;
  Timestamp from;
  from.batch = 4;
  from.seconds = 2;
  view.detail.segments = {{0, {}, "", 1'000'000, "", 0, ""}, {1, from, "abc", 1'100'000, "", 0, ""}};
  const XAxisMap clock = axisMapOf(view, XAxis::Elapsed);
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
    part.at.stepInBatch = 1;
    part.loss = 10 * batch;
    test::addRow(view.series, row);
    view.series.extend("step.loss", {{static_cast<double>(part.at.step), part.loss}});
  }
  EvalResult result;
  result.at.batch = 3;
  result.accuracy = 0.25;
  test::addResult(view.series, result);
  const auto charts =
      runCharts(layoutOf({chartOf({"fill"}), chartOf({"step.loss"}), chartOf({"eval.accuracy"}), chartOf({"nothing"})}),
                {{QStringLiteral("run"), 0, {&view}}});
  ASSERT_EQ(charts.size(), 4u);
  const auto points = [&](std::size_t i) { return charts[i].content.lines.front().points; };
  EXPECT_EQ(points(0)[2], QPointF(3, 0.8));
  EXPECT_EQ(points(1)[0], QPointF(0.5, 10));  // half of the first global batch
  EXPECT_EQ(points(1)[3], QPointF(3.5, 40));
  EXPECT_EQ(points(2)[0], QPointF(3, 0.25));
  EXPECT_TRUE(charts.back().content.lines.empty());
  EXPECT_EQ(view.series.points("loss").size(), 4u);  // rows of parts are not among those of global batches
  EXPECT_EQ(seriesLabel("fill").title, QStringLiteral("Micro-batch fill"));
  EXPECT_EQ(seriesLabel("loss").unit, QStringLiteral("nats per masked token"));
  EXPECT_EQ(seriesLabel("memory.cpu:0.reserved").title, QStringLiteral("Memory of cpu:0, reserved"));
  EXPECT_EQ(seriesLabel("memory.").title, QStringLiteral("memory."));
  EXPECT_EQ(seriesLabel("eval.own.loss").title, QStringLiteral("Evaluation loss on own"));
  EXPECT_EQ(seriesLabel("eval.own.loss").unit, QStringLiteral("nats per masked token"));
  EXPECT_EQ(seriesLabel("eval.own.x").title, QStringLiteral("eval.own.x"));
  EXPECT_EQ(seriesLabel("custom.x").title, QStringLiteral("custom.x"));
}

TEST(RunChartsTest, AChartWithoutValuesIsEmpty) {
  const RunView view = viewWithRows(5);  // without gradient norms and evaluations
  EXPECT_TRUE(chartOfRun(view, {"grad_norm"}).lines.empty());
  EXPECT_TRUE(chartOfRun(view, {"eval.loss"}).lines.empty());
  EXPECT_FALSE(chartOfRun(view, {"tokens_per_sec"}).lines.empty());
  EXPECT_TRUE(runCharts(preset(ChartPreset::Difference), {}).front().content.lines.empty()) << "nothing is shown";
}

TEST(RunChartsTest, RunsAreOverlaidWithoutWhatBelongsToOne) {
  RunView first = viewWithRows(20), second = viewWithRows(10);
  first.plannedStep = second.plannedStep = {{0, 16}, {400, 16}};
  first.events = {{5, QStringLiteral("checkpoint"), QStringLiteral("saved")}};
  second.resumePositions = {7};
  const auto charts = runCharts(preset(ChartPreset::Training, 0.9),
                                {{QStringLiteral("a"), 0, {&first}}, {QStringLiteral("b"), 3, {&second}}});
  const ChartContent& loss = charts[0].content;
  ASSERT_EQ(linesOf(loss, LineKind::Main).size(), 2u);
  EXPECT_EQ(linesOf(loss, LineKind::Main)[0]->name, QStringLiteral("a"));
  EXPECT_EQ(linesOf(loss, LineKind::Main)[1]->name, QStringLiteral("b"));
  EXPECT_EQ(linesOf(loss, LineKind::Main)[1]->color, 3);
  EXPECT_EQ(linesOf(loss, LineKind::Raw).size(), 2u);
  EXPECT_EQ(lineOf(loss, LineKind::Reference), nullptr);
  EXPECT_TRUE(loss.events.empty());
  EXPECT_EQ(loss.resumePositions, (std::vector<double>{7}));
  EXPECT_EQ(loss.dataEnd, 20);
  EXPECT_EQ(lineOf(charts[2].content, LineKind::Planned), nullptr);
  EXPECT_EQ(linesOf(charts[5].content, LineKind::Main).size(), 2u) << "one device of each run";
}

TEST(RunChartsTest, AGroupIsOneLineWithItsBandAndThinMembers) {
  const RunView low = viewWithLoss(10, 2.0), high = viewWithLoss(10, 4.0), other = viewWithLoss(10, 5.0);
  ChartLayout layout = layoutOf({chartOf({"loss"})});
  layout.groupBy = kGroupByExperiment;
  layout.band = Band::Error;
  const ChartContent content =
      runCharts(layout, {{QStringLiteral("seeds"), 1, {&low, &high}}, {QStringLiteral("other"), 2, {&other}}})
          .front()
          .content;
  const auto lines = linesOf(content, LineKind::Main);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]->name, QStringLiteral("seeds (n = 2)"));
  EXPECT_EQ(lines[0]->points.back(), QPointF(10, 3));
  EXPECT_EQ(linesOf(content, LineKind::Thin).size(), 2u);
  ASSERT_EQ(content.bands.size(), 1u);
  EXPECT_DOUBLE_EQ(content.bands[0].lower.back().y(), 2);  // stderr of 2 and 4: 1
  EXPECT_DOUBLE_EQ(content.bands[0].upper.back().y(), 4);
  EXPECT_EQ(content.bands[0].color, 1);
}

TEST(RunChartsTest, ARunOfTheSameSeedIsDrawnButInNoMean) {
  const RunView counted = viewWithLoss(10, 2.0), repeated = viewWithLoss(10, 4.0), other = viewWithLoss(10, 5.0);
  ChartLayout layout = layoutOf({chartOf({"loss"})});
  layout.groupBy = kGroupByExperiment;
  const ChartContent content = runCharts(layout, {{QStringLiteral("seeds"), 1, {&counted, &repeated}, {&repeated}},
                                                  {QStringLiteral("other"), 2, {&other}}})
                                   .front()
                                   .content;
  const auto lines = linesOf(content, LineKind::Main);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]->name, QStringLiteral("seeds (n = 1)"));
  EXPECT_EQ(lines[0]->points.back(), QPointF(10, 2));
  EXPECT_EQ(linesOf(content, LineKind::Thin).size(), 2u);
  EXPECT_TRUE(content.bands.empty());
}

TEST(RunChartsTest, ADifferenceIsThatToTheBaselineAtEqualX) {
  const RunView base = viewWithLoss(10, 2.0), better = viewWithLoss(6, 1.5);
  const auto charts = runCharts(preset(ChartPreset::Difference),
                                {{QStringLiteral("base"), 0, {&base}}, {QStringLiteral("better"), 1, {&better}}});
  const ChartContent& content = charts[0].content;
  ASSERT_NE(lineOf(content, LineKind::Reference), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Reference)->points.back().y(), 0);
  EXPECT_EQ(lineOf(content, LineKind::Reference)->name, QStringLiteral("base"));
  const ChartLine* line = lineOf(content, LineKind::Main);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->name, QStringLiteral("better"));
  EXPECT_EQ(line->points.back(), QPointF(6, -0.5)) << "where both have values";
  EXPECT_TRUE(content.bands.empty()) << "the noise of single runs is not known";
}

TEST(RunChartsTest, MeansAndDifferencesOfEvaluationsAreTakenWhereAllWereMeasured) {
  const auto viewOf = [](int every, double loss) {
    RunView view = viewWithLoss(12, loss);
    for (int batch = every; batch <= 12; batch += every)
      test::addValues(view.series, batch, {{"eval.loss", loss + 1.0 / batch}});
    return view;
  };
  const RunView often = viewOf(2, 2.0), rarely = viewOf(3, 3.0), other = viewOf(4, 3.0);
  ChartLayout layout = preset(ChartPreset::Difference);
  layout.charts = {chartOf({"eval.loss"})};
  layout.charts[0].difference = true;
  const auto difference =
      runCharts(layout, {{QStringLiteral("often"), 0, {&often}}, {QStringLiteral("rarely"), 1, {&rarely}}});
  const ChartLine* line = lineOf(difference[0].content, LineKind::Points);
  ASSERT_NE(line, nullptr);
  ASSERT_EQ(line->points.size(), 2U);
  EXPECT_EQ(line->points[0], QPointF(6, 1)) << "and no straight line between evaluations";
  EXPECT_EQ(line->points[1], QPointF(12, 1));
  layout = layoutOf({chartOf({"eval.loss"})});
  layout.groupBy = kGroupByExperiment;
  const auto grouped =
      runCharts(layout, {{QStringLiteral("seeds"), 0, {&often, &other}}, {QStringLiteral("rarely"), 1, {&rarely}}});
  const ChartLine* mean = lineOf(grouped[0].content, LineKind::Points);
  ASSERT_NE(mean, nullptr);
  ASSERT_EQ(mean->points.size(), 3U);
  EXPECT_EQ(mean->points[0], QPointF(4, 2.75));
}

TEST(RunChartsTest, SeriesOfWhichExtremesWereReadAreMeasuredInEachBatch) {
  RunView odd, even;
  for (int batch = 1; batch <= 99; batch += 2) test::addRow(odd.series, test::rowAt(batch));
  for (int batch = 2; batch <= 100; batch += 2) test::addRow(even.series, test::rowAt(batch));
  const auto mean = [&] {
    const auto charts = runCharts(layoutOf({chartOf({"loss"})}), {{QStringLiteral("group"), 0, {&odd, &even}}});
    const ChartLine* line = lineOf(charts.front().content, LineKind::Main);
    return line == nullptr ? std::size_t{0} : line->points.size();
  };
  EXPECT_LE(mean(), 1u) << "there is no batch at which both were measured";
  odd.thinned = even.thinned = {"loss"};
  EXPECT_GE(mean(), 98u);
}

TEST(RunChartsTest, ADifferenceAfterUnequalTokensSaysSo) {
  const auto viewOf = [](std::int64_t tokensPerBatch) {
    RunView view;
    for (int batch = 1; batch <= 5; ++batch) {
      MetricsRow row = test::rowAt(batch);
      row.at.token = batch * tokensPerBatch;
      test::addRow(view.series, row);
    }
    return view;
  };
  const RunView base = viewOf(1000), same = viewOf(1040), more = viewOf(1060);
  const auto noteOf = [&base](const RunView& other, XAxis axis) {
    ChartLayout layout = preset(ChartPreset::Difference);
    layout.xAxis = axis;
    return runCharts(layout, {{QStringLiteral("base"), 0, {&base}}, {QStringLiteral("other"), 1, {&other}}})
        .front()
        .content.note;
  };
  EXPECT_TRUE(noteOf(more, XAxis::Batches).contains(QLatin1String("unequal numbers of tokens")));
  EXPECT_FALSE(noteOf(same, XAxis::Batches).contains(QLatin1String("unequal")));
  EXPECT_FALSE(noteOf(more, XAxis::Tokens).contains(QLatin1String("unequal")));
}

TEST(RunChartsTest, ADifferenceOfGroupsHasTheStandardErrorOfTheDifference) {
  const RunView a = viewWithLoss(5, 2.0), b = viewWithLoss(5, 4.0), c = viewWithLoss(5, 1.0), d = viewWithLoss(5, 2.0);
  const ChartContent content = runCharts(preset(ChartPreset::Difference),
                                         {{QStringLiteral("base"), 0, {&a, &b}}, {QStringLiteral("new"), 1, {&c, &d}}})
                                   .front()
                                   .content;
  ASSERT_EQ(content.bands.size(), 1u);
  const double error = std::hypot(1.0, 0.5);
  EXPECT_DOUBLE_EQ(content.bands[0].lower.back().y(), -1.5 - error);
  EXPECT_DOUBLE_EQ(content.bands[0].upper.back().y(), -1.5 + error);
}

TEST(RunChartsTest, SmallMultiplesHaveTheSameAxes) {
  const RunView first = viewWithLoss(20, 2.0), second = viewWithLoss(10, 4.0);
  const auto charts = runCharts(preset(ChartPreset::Multiples),
                                {{QStringLiteral("a"), 0, {&first}}, {QStringLiteral("b"), 1, {&second}}});
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].title, QStringLiteral("a"));
  EXPECT_EQ(charts[0].spec, charts[1].spec);
  EXPECT_EQ(charts[0].content.xHigh, charts[1].content.xHigh);
  ASSERT_TRUE(charts[0].content.values.has_value());
  EXPECT_EQ(*charts[0].content.values, (AxisRange{2, 4}));
  EXPECT_EQ(charts[0].content.values, charts[1].content.values);
}

TEST(RunChartsTest, AReferenceOfAShortRunReachesTheSharedEnd) {
  RunView first = viewWithLoss(20, 2.0), second = viewWithLoss(10, 4.0);
  second.detail.references["unigram_entropy"] = 4.1;
  const auto charts = runCharts(preset(ChartPreset::Multiples),
                                {{QStringLiteral("a"), 0, {&first}}, {QStringLiteral("b"), 1, {&second}}});
  ASSERT_NE(lineOf(charts[1].content, LineKind::Reference), nullptr);
  EXPECT_EQ(lineOf(charts[1].content, LineKind::Reference)->points.back().x(), charts[0].content.xHigh);
}

TEST(RunChartsTest, TheLastBatchOfAnEpochIsADot) {
  RunView view;
  view.detail.resolvedValues["data.samples_per_epoch"] = "100";
  std::int64_t samples = 0;
  for (int batch = 1; batch <= 8; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.stepSamples = batch % 4 == 0 ? 4 : 32;  // 32 + 32 + 32 + 4
    row.at.sample = samples += row.stepSamples;
    test::addRow(view.series, row);
  }
  const ChartContent content = chartOfRun(view, {"step_samples"});
  ASSERT_NE(lineOf(content, LineKind::Dots), nullptr);
  EXPECT_EQ(lineOf(content, LineKind::Dots)->points.size(), 2u);
  EXPECT_EQ(lineOf(content, LineKind::Dots)->points.back(), QPointF(8, 4));
  const LongSeries& line = lineOf(content, LineKind::Main)->points;
  EXPECT_EQ(line.range(0, line.size()).low, 32);
  MetricsRow next = test::rowAt(9);
  next.stepSamples = 64;
  next.at.sample = samples + 64;
  test::addRow(view.series, next);
  EXPECT_EQ(lineOf(chartOfRun(view, {"step_samples"}), LineKind::Main)->points.size(), 7u);
}

TEST(RunChartsTest, EndsOfEpochsOfGroupsShareTheirEntryInTheLegendAndThoseOfOneGroupHaveTheirOwn) {
  RunView view;
  for (const QPointF point : {QPointF(1, 32), QPointF(2, 4), QPointF(3, 32)})
    view.series.extend("step_samples", {point});
  const ChartGroup one{QStringLiteral("a"), 0, {&view, &view}}, other{QStringLiteral("b"), 1, {&view, &view}};
  const auto linesFor = [](const std::vector<ChartGroup>& groups) {
    return runCharts(layoutOf({chartOf({"step_samples"})}), groups).front().content;
  };
  const ChartContent alone = linesFor({one}), both = linesFor({one, other});
  ASSERT_EQ(linesOf(alone, LineKind::Dots).size(), 2u);
  for (const ChartLine* dots : linesOf(alone, LineKind::Dots)) {
    EXPECT_EQ(dots->legend, QStringLiteral("epoch end"));
    EXPECT_EQ(dots->runs, 0) << "each is of one run";
  }
  ASSERT_EQ(linesOf(both, LineKind::Dots).size(), 4u);
  EXPECT_EQ(linesOf(both, LineKind::Dots).back()->legend, linesOf(both, LineKind::Main).back()->legend);
  EXPECT_EQ(linesOf(both, LineKind::Dots).back()->runs, linesOf(both, LineKind::Main).back()->runs);
}

TEST(RunChartsTest, ASmallerStepInsideAnEpochIsNoEnd) {
  RunView view;
  view.detail.resolvedValues["data.samples_per_epoch"] = "1000";
  std::int64_t samples = 0;
  for (int batch = 1; batch <= 6; ++batch) {
    MetricsRow row = test::rowAt(batch);
    row.stepSamples = batch == 3 ? 31 : 32;  // under a token budget
    row.at.sample = samples += row.stepSamples;
    test::addRow(view.series, row);
  }
  EXPECT_EQ(lineOf(chartOfRun(view, {"step_samples"}), LineKind::Dots), nullptr);
  RunView unknown;
  for (const QPointF point : {QPointF(1, 32), QPointF(2, 4), QPointF(3, 32)})
    unknown.series.extend("step_samples", {point});
  EXPECT_NE(lineOf(chartOfRun(unknown, {"step_samples"}), LineKind::Dots), nullptr)
      << "the size of an epoch is unknown";
}

TEST(RunChartsTest, AMeasuredZeroIsShown) {
  RunView view = viewWithRows(3);
  view.series.extend("eval.accuracy", {{2, 0.0}});
  view.series.extend("loss_scale", {{2, 0.0}});
  EXPECT_FALSE(chartOfRun(view, {"eval.accuracy"}).lines.empty());
  EXPECT_TRUE(chartOfRun(view, {"loss_scale"}).lines.empty());
}

TEST(RunChartsTest, AGroupCountsTheRunsThatHaveTheSeries) {
  RunView one = viewWithLoss(4, 2.0), two = viewWithLoss(4, 3.0), none = viewWithLoss(4, 4.0);
  for (RunView* view : {&one, &two}) view->series.extend("eval.loss", {{2, 1.0}, {4, 0.5}});
  const auto charts = runCharts(layoutOf({chartOf({"eval.loss"})}), {{QStringLiteral("g"), 0, {&one, &two, &none}}});
  ASSERT_NE(lineOf(charts[0].content, LineKind::Points), nullptr);
  EXPECT_EQ(lineOf(charts[0].content, LineKind::Points)->name, QStringLiteral("g (n = 2)"));
}

TEST(RunChartsTest, TheWindowOfTheSmoothingIsTold) {
  const RunView view = viewWithRows(50);
  EXPECT_EQ(smoothingWindow(0.95), 20);
  EXPECT_TRUE(chartOfRun(view, {"loss"}, 0.95).note.contains(QStringLiteral("about 20 ")));
  EXPECT_TRUE(chartOfRun(view, {"loss"}, 0).note.isEmpty());
  EXPECT_TRUE(chartOfRun(view, {"lr"}, 0.95).note.isEmpty());
}

TEST(RunChartsTest, TheMeanGradientNormLiesBesideTheLargest) {
  RunView parts = viewWithRows(3), whole = viewWithRows(3);
  for (RunView* view : {&parts, &whole})
    for (int batch = 1; batch <= 3; ++batch) view->series.extend("grad_norm", {{4.0 + batch, 2.0}});
  parts.series.extend("grad_norm_mean", {{5, 1.0}, {6, 1.0}});
  const ChartSpec spec = chartOf({"grad_norm", "grad_norm_mean"});
  EXPECT_FALSE(spec.hasSeveralQuantities());
  const ChartContent both = chartOfRun(parts, spec.series);
  ASSERT_NE(lineOf(both, LineKind::Thin), nullptr);
  EXPECT_EQ(lineOf(both, LineKind::Main)->name, QStringLiteral("mean norm of the steps"));
  const ChartContent one = chartOfRun(whole, spec.series);
  EXPECT_EQ(lineOf(one, LineKind::Thin), nullptr);
  EXPECT_EQ(lineOf(one, LineKind::Main)->name, QStringLiteral("before clipping"));
}

TEST(RunChartsTest, OfARunOfAnotherProgramNothingIsSaidThatOnlyOursMeasure) {
  RunView other = viewWithRows(3), own = viewWithRows(3);
  other.detail.summary.source = "tensorboard";
  for (double x = 5; x < 8; ++x) other.series.extend("grad_norm", {{x, 2.0}});
  const ChartLayout layout = layoutOf({chartOf({"loss"}), chartOf({"grad_norm"})}, 0.5);
  const auto alone = runCharts(layout, {{QStringLiteral("other"), 0, {&other}}});
  EXPECT_EQ(alone.at(0).unit, QString());
  EXPECT_EQ(lineOf(alone.at(1).content, LineKind::Main)->name, QStringLiteral("measured"));
  EXPECT_EQ(alone.at(0).content.xAxis, XAxis::Steps);
  EXPECT_EQ(alone.at(0).content.note, QStringLiteral("smoothed over about 2 steps"));
  const auto both = runCharts(layout, {{QStringLiteral("own"), 0, {&own}}, {QStringLiteral("other"), 1, {&other}}});
  EXPECT_EQ(both.at(0).unit, QString());
  EXPECT_EQ(runCharts(layout, {{QStringLiteral("own"), 0, {&own}}}).at(0).unit,
            QStringLiteral("nats per masked token"));
}

TEST(RunChartsTest, SeveralQuantitiesInOneChartAreNamed) {
  const RunView view = viewWithRows(5), other = viewWithRows(5);
  const auto charts = runCharts(layoutOf({chartOf({"loss", "lr"})}),
                                {{QStringLiteral("a"), 0, {&view}}, {QStringLiteral("b"), 1, {&other}}});
  EXPECT_EQ(charts[0].title, QStringLiteral("Loss, Learning rate"));
  const auto lines = linesOf(charts[0].content, LineKind::Main);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1]->name, QStringLiteral("b"));
  EXPECT_EQ(lines[3]->name, QStringLiteral("b, Learning rate"));
}

TEST(ChartLayoutTest, IsReadBackAsItWasWritten) {
  ChartLayout layout = preset(ChartPreset::Schedule, 0.5, XAxis::Tokens);
  layout.charts[1].logarithmic = true;
  layout.charts[1].columns = 2;
  layout.charts[2].height = 20;
  layout.charts.push_back(chartOf({"loss", "eval.loss"}));
  layout.charts.back().difference = true;
  layout.wholeRun = layout.clipSpikes = false;
  layout.groupBy = "optimizer.lr";
  layout.band = Band::Confidence95;
  layout.center = Center::Median;
  layout.metric = "eval.loss";
  EXPECT_EQ(layoutFromJson(toJson(layout)), layout);
  EXPECT_EQ(layoutFromJson({}, layout), layout);
  EXPECT_EQ(layoutFromJson({{QStringLiteral("axis"), 3}, {QStringLiteral("smoothing"), 7}}).smoothing, 0.99);
}

TEST(ChartLayoutTest, ItsOptionsDoNotMakeItAnotherPreset) {
  ChartLayout layout = preset(ChartPreset::Training, 0.5, XAxis::Tokens);
  EXPECT_TRUE(layout.hasSameCharts(preset(ChartPreset::Training)));
  layout.charts[0].logarithmic = true;
  layout.charts[0].columns = 3;
  EXPECT_TRUE(layout.hasSameCharts(preset(ChartPreset::Training)));
  layout.charts[0].series.pop_back();
  EXPECT_FALSE(layout.hasSameCharts(preset(ChartPreset::Training)));
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
}

std::shared_ptr<const XAxisMap> tokensPerBatch(double tokens) {
  LongSeries rows;
  for (int batch = 1; batch <= 4; ++batch) rows.append(batch, tokens * batch);
  return std::make_shared<const XAxisMap>(rows);
}

ChartLine lineOf(const char* name, LongSeries points, std::shared_ptr<const XAxisMap> map, int color = 0) {
  ChartLine line;
  line.name = QString::fromLatin1(name);
  line.points = std::move(points);
  line.map = std::move(map);
  line.color = color;
  return line;
}

std::vector<std::string> headsOf(const TextTable& table) {
  std::vector<std::string> heads;
  for (const auto& column : table.columns) heads.push_back(column.title);
  return heads;
}

TEST(ChartRowsTest, RunsOverAnAxisHaveOneRowPerPlaceOnIt) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}, {2, 4}}, tokensPerBatch(100)),
                   lineOf("b", {{1, 6}, {2, 3}}, tokensPerBatch(200), 1)};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Tokens", "a", "b"}));
  EXPECT_EQ(table.rows, (Rows{{"100", "5", ""}, {"200", "4", "6"}, {"400", "", "3"}}));
  EXPECT_EQ(ChartRows(content, AxisRange{150, 250}).next(100).rows, (Rows{{"200", "4", "6"}}));
}

TEST(ChartRowsTest, LinesOfOneRunTellItsGlobalBatchesToo) {
  const auto map = tokensPerBatch(100);
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}, {2, 4}}, map), lineOf("b", {{2, 3}}, map)};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Global batches", "Tokens", "a", "b"}));
  EXPECT_EQ(table.rows, (Rows{{"1", "100", "5", ""}, {"2", "200", "4", "3"}}));
}

TEST(ChartRowsTest, ALineWithoutAMapLiesOnTheAxisAlready) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("a", {{1, 5}}, tokensPerBatch(100)), lineOf("difference", {{50, 1}, {100, 2}}, nullptr)};
  EXPECT_EQ(ChartRows(content, {}).next(100).rows, (Rows{{"50", "", "1"}, {"100", "5", "2"}}));
}

TEST(ChartRowsTest, TheValuesBehindSmoothedLinesAreNamedForTheirRuns) {
  ChartContent content;
  for (const int run : {0, 1}) {
    content.lines.push_back(lineOf("", {{1, 5}}, nullptr, run));
    content.lines.back().kind = LineKind::Raw;
    content.lines.push_back(lineOf(run == 0 ? "a" : "b", {{1, 5}}, nullptr, run));
    content.lines.back().derived = true;
  }
  EXPECT_EQ(
      headsOf(ChartRows(content, {}).next(1)),
      (std::vector<std::string>{"Global batches", "a, every value", "a, smoothed", "b, every value", "b, smoothed"}));
}

TEST(ChartRowsTest, ABandHasAColumnForEachEdge) {
  ChartContent content;
  content.xAxis = XAxis::Tokens;
  content.lines = {lineOf("group", {{100, 5}}, nullptr, 3)};
  content.bands = {{3, {{100, 4}}, {{100, 6}}}};
  const TextTable table = ChartRows(content, {}).next(100);
  EXPECT_EQ(headsOf(table), (std::vector<std::string>{"Tokens", "group", "group, lower bound", "group, upper bound"}));
  EXPECT_EQ(table.rows, (Rows{{"100", "5", "4", "6"}}));
}

TEST(XAxisMapTest, ManyValuesAreMappedAsOneByOne) {
  LongSeries rows;
  for (int batch = 1; batch <= 1000; ++batch) rows.append(batch, batch < 500 ? 10 * batch : 5000);
  const XAxisMap map(rows);
  std::vector<double> places;
  for (int i = -3; i < 700; ++i) places.push_back(i * 10.3);
  const std::vector<double> batches = map.batchesAt(places);
  ASSERT_EQ(batches.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(batches[i], map.batchAt(places[i])) << places[i];
}

constexpr double kLowest = std::numeric_limits<double>::lowest();

/// Uneven x, equal values, gaps and spikes.
std::vector<QPointF> mixedPoints(std::size_t count) {
  std::mt19937 random(11);
  std::vector<QPointF> points;
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x += i < count / 2 ? 1.0 : static_cast<double>(random() % 3);
    double y = std::round(static_cast<double>(random() % 2000) - 1000) / 10;
    if (random() % 500 == 0) y = random() % 2 == 0 ? kNan : kInf;
    if (random() % 3000 == 0) y = -1e9;
    points.emplace_back(x, y);
  }
  return points;
}

TEST(LongSeriesTest, AnswersForEveryStretchWhatLookingAtEachPointDoes) {
  const auto points = mixedPoints(30'000);
  const LongSeries series{std::span(points)};
  std::mt19937 random(5);
  for (int round = 0; round < test::repeats(200, 2000); ++round) {
    std::size_t from = random() % points.size(), to = random() % (points.size() + 1);
    if (from > to) std::swap(from, to);
    const double least = round % 2 == 0 ? kLowest : 0.05;
    ValueRange all;
    std::size_t nonFinite = 0, outside = 0, first = to;
    for (std::size_t i = from; i < to; ++i) {
      const double y = points[i].y();
      if (y >= least) all.include(y);
      if (!std::isfinite(y)) ++nonFinite;
      if (std::isfinite(y) && std::abs(y) > 99) ++outside;
      if (first == to && !(std::abs(y) <= 99)) first = i;
    }
    const ValueRange got = series.range(from, to, least);
    ASSERT_EQ(got.found, all.found) << from << ' ' << to;
    EXPECT_EQ(got.low, all.low) << from << ' ' << to;
    EXPECT_EQ(got.high, all.high) << from << ' ' << to;
    EXPECT_EQ(series.countNonFinite(from, to), nonFinite);
    EXPECT_EQ(series.countOutside(from, to, -99, 99), outside);
    EXPECT_EQ(series.firstOutside(from, to, -99, 99), first);
  }
}

TEST(LongSeriesTest, FindsPlacesOnAnUnevenAxis) {
  const auto points = mixedPoints(20'000);
  const LongSeries series{std::span(points)};
  for (double x = -1; x < points.back().x() + 2; x += 7.5) {
    const auto before = [](const QPointF& point, double at) { return point.x() < at; };
    const auto behind = [](double at, const QPointF& point) { return at < point.x(); };
    EXPECT_EQ(series.firstAtOrAfter(x),
              static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), x, before) - points.begin()));
    EXPECT_EQ(series.firstAfter(x),
              static_cast<std::size_t>(std::upper_bound(points.begin(), points.end(), x, behind) - points.begin()));
  }
}

TEST(LongSeriesTest, ACopyKeepsItsPointsWhileTheOtherGrows) {
  LongSeries series;
  for (int i = 0; i < 10'000; ++i) series.append(i, i);
  const LongSeries before = series;
  series.append(10'000, 5e5);
  EXPECT_EQ(before.size(), 10'000u);
  EXPECT_EQ(before.range(0, before.size()).high, 9999);
  EXPECT_EQ(before.back(), QPointF(9999, 9999));
}

TEST(LongSeriesTest, AMillionPointsTakeSomeNineBytesEach) {
  LongSeries even;
  for (int i = 0; i < 1'000'000; ++i) even.append(i, i % 97);
  EXPECT_LT(even.bytes(), 9'500'000u);
}

std::vector<QPointF> noise(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> value;
  std::vector<QPointF> points;
  for (int i = 0; i < count; ++i) points.emplace_back(i, value(random));
  return points;
}

QList<QPointF> drawn(const LongSeries& points, double from, double to, int columns) {
  return decimate(points, evenEdges(from, to, columns));
}

TEST(DecimateTest, LeavesAtMostTwoPointsPerColumnAndTheNeighbors) {
  for (const int count : {1, 2, 999, 100'000})
    EXPECT_LE(drawn(LongSeries(noise(count)), 0, count, 500).size(), 2 * 500 + 2) << count;
}

TEST(DecimateTest, KeepsTheLowestAndHighestValueOfEachColumn) {
  const auto points = noise(10'000);
  std::map<int, ValueRange> wanted, got;
  for (const auto& point : points) wanted[static_cast<int>(point.x() / 100)].include(point.y());
  for (const auto& point : drawn(LongSeries(points), 0, 10'000, 100))
    got[static_cast<int>(point.x() / 100)].include(point.y());
  ASSERT_EQ(wanted.size(), got.size());
  for (const auto& [column, range] : wanted) {
    EXPECT_EQ(range.low, got[column].low) << column;
    EXPECT_EQ(range.high, got[column].high) << column;
  }
}

TEST(DecimateTest, KeepsOrderAndReachesBeyondTheEdges) {
  const auto points = drawn(LongSeries(noise(1000)), 400.5, 599.5, 50);
  ASSERT_GE(points.size(), 4);
  EXPECT_EQ(points.front().x(), 400);
  EXPECT_EQ(points.back().x(), 600);
  for (qsizetype i = 1; i < points.size(); ++i) EXPECT_GE(points[i].x(), points[i - 1].x());
}

/// The line as text: "0 4 | 9", with a bar for a gap.
std::string piecesOf(const QList<QPointF>& points) {
  std::string text;
  for (const QPointF& point : points)
    text += (text.empty() ? "" : " ") +
            (std::isnan(point.y()) ? std::string("|") : QString::number(point.y()).toStdString());
  return text;
}

TEST(DecimateTest, EndsTheLineAtWhatIsNotFinite) {
  const LongSeries points = {{0, 1}, {1, kNan}, {2, kInf}, {3, -kInf}, {4, 2}, {5, 3}};
  EXPECT_EQ(piecesOf(drawn(points, 0, 5, 100)), "1 | 2 3");
  EXPECT_EQ(piecesOf(drawn(points, 0, 5, 1)), "1 | 2 3");
  EXPECT_EQ(piecesOf(drawn({{0, kNan}, {1, kNan}}, 0, 1, 10)), "");
}

TEST(DecimateTest, LeavesOutWhatALogarithmicAxisCannotShow) {
  const LongSeries points = {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, -1}, {5, 5}};
  const auto edges = evenEdges(0, 5, 2);
  EXPECT_EQ(piecesOf(decimate(points, edges, std::numeric_limits<double>::denorm_min())), "1 | 3 2 | 5");
}

TEST(DecimateTest, DrawsTheExtremesOfAColumnWithManyGaps) {
  std::vector<QPointF> points = noise(10'000);
  for (std::size_t i = 0; i < points.size(); i += 2) points[i].setY(kNan);
  points[5001].setY(50);
  points[7001].setY(-50);
  const auto line = drawn(LongSeries(points), 0, 10'000, 10);
  EXPECT_LE(line.size(), 10 * 24);
  ValueRange got;
  for (qsizetype i = 0; i < line.size(); ++i) {
    got.include(line[i].y());
    const bool joined = i > 0 && !std::isnan(line[i].y()) && !std::isnan(line[i - 1].y());
    EXPECT_FALSE(joined) << i;  // no two of these values are neighbors
  }
  EXPECT_EQ(got.low, -50);
  EXPECT_EQ(got.high, 50);
}

TEST(EveryPointTest, IsWhatWideColumnsOfOnePointLeave) {
  auto points = noise(50);
  points[20].setY(std::numeric_limits<double>::quiet_NaN());
  points[30].setY(-5);
  const LongSeries series{std::span(std::as_const(points))};
  const QList<QPointF> all = everyPoint(series, {3, 40}, -2);
  ASSERT_EQ(all.size(), 37);
  for (qsizetype i = 0; i < all.size(); ++i) {
    const QPointF& given = points[static_cast<std::size_t>(i) + 3];
    if (given.y() >= -2)
      EXPECT_EQ(all[i], given) << i;
    else
      EXPECT_TRUE(std::isnan(all[i].y())) << i;
  }
}

TEST(DecimateTest, AnswersNothingForNothing) {
  EXPECT_TRUE(drawn({}, 0, 10, 10).isEmpty());
  EXPECT_TRUE(drawn(LongSeries(noise(5)), 3, 2, 10).isEmpty());
  EXPECT_FALSE(LongSeries().range(0, 0).found);
}

TEST(StaircaseTest, HoldsEachValueUntilTheNext) {
  const QList<QPointF> points = {{0, 8}, {1, 8}, {2, 8}, {3, 16}, {4, 16}};
  EXPECT_EQ(staircase(points), (QList<QPointF>{{0, 8}, {3, 8}, {3, 16}, {4, 16}}));
  EXPECT_EQ(piecesOf(staircase({{0, 8}, {2, kNan}, {3, 4}})), "8 8 | 4");
}

TEST(StaircaseTest, StaysRightWhenItIsDrawnInColumns) {
  LongSeries sizes;
  for (int i = 0; i < 100'000; ++i) sizes.append(i, i < 33'333 ? 8 : i < 70'001 ? 16 : 32);
  const auto steps = staircase(drawn(sizes, 0, 100'000, 50));
  EXPECT_EQ(steps, (QList<QPointF>{{0, 8}, {33'333, 8}, {33'333, 16}, {70'001, 16}, {70'001, 32}, {99'999, 32}}));
}

ValueRange robust(const std::vector<QPointF>& points) {
  return robustRange(LongSeries(points), {0, points.size()});
}

TEST(RobustRangeTest, LeavesALoneSpikeOutAndTheBeginningOfARunIn) {
  std::vector<QPointF> points;
  for (int i = 0; i < 500; ++i) points.emplace_back(i, 2.0 + 8.0 * std::exp(-i / 20.0));
  ValueRange calm;
  for (const QPointF& point : points) calm.include(point.y());
  points[300].setY(1e6);
  points[310].setY(-40);
  const ValueRange range = robust(points);
  EXPECT_LT(range.high, 2 * calm.high);
  EXPECT_GE(range.high, calm.high);
  EXPECT_GT(range.low, -5);
  points.resize(14);
  points[7].setY(1e6);
  EXPECT_EQ(robust(points).high, 1e6);
  EXPECT_FALSE(robust({}).found);
}

TEST(RobustRangeTest, TheLastPointsOfAShortRunAreInWhateverTheirNumber) {
  for (const int last : {3, 4, 5}) {
    std::vector<QPointF> points;
    for (int i = 0; i < 29; ++i) points.emplace_back(i, i < 29 - last ? 100 + i % 3 : 200);
    EXPECT_EQ(robust(points).high, 200) << last;
    points.back().setY(1e6);
    EXPECT_LT(robust(points).high, 1000) << "a lone spike at the end";
  }
}

}  // namespace
}  // namespace batchwise
