// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QTranslator>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <limits>
#include <string_view>

#include "core/base/format.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/series_rows.h"
#include "ui/charts/chart_content.h"
#include "ui/edit/section_table.h"
#include "ui/list/record_models.h"
#include "ui/list/run_list.h"
#include "ui/parts/display_text.h"
#include "ui/runs/event_models.h"
#include "ui/runs/run_series.h"

namespace batchwise {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

RunSummary summary(const std::string& id, std::int64_t createdMs, RunStatus status = RunStatus::Finished) {
  RunSummary run;
  run.id = id;
  run.name = "run " + id;
  run.status = status;
  run.createdMs = createdMs;
  run.plannedBatches = 1000;
  return run;
}

TEST(PluralTest, GoesByTheCountWhichStandsInTheText) {
  const auto text = [](std::int64_t count) {
    return plural(count, QStringLiteral("%n run of %1"), QStringLiteral("%n runs of %1"));
  };
  EXPECT_EQ(text(1), QStringLiteral("1 run of %1"));
  EXPECT_EQ(text(0), QStringLiteral("0 runs of %1"));
  EXPECT_EQ(text(12'400), QStringLiteral("12,400 runs of %1"));
}

TEST(RunListTest, HasTheNewestFirst) {
  RunList list;
  QSignalSpy updated(&list, &RunList::updated);
  list.update({summary("a", 1), summary("c", 3), summary("b", 2)});
  EXPECT_EQ(list.at(0)->id, "c");
  EXPECT_EQ(list.placeOf("a"), 2);
  EXPECT_EQ(list.find(QStringLiteral("b")), list.at(1));
  EXPECT_EQ(list.find(QStringLiteral("d")), nullptr);
  EXPECT_EQ(list.at(3), nullptr);
  EXPECT_EQ(updated.count(), 1);
}

TEST(LogModelTest, HasOneSentencePerEventThatSaysSomething) {
  LogModel model;
  QAbstractItemModelTester tester(&model, Mode::Fatal);
  CheckpointSaved saved;
  saved.at.batch = 200;
  saved.bytes = 1 << 20;
  model.append(saved, 1'700'000'000'000);
  model.append(test::rowAt(3), 1'700'000'000'000);
  model.append(RunNote{NoteLevel::Warning, "<b>not markup</b>", {}}, 1'700'000'000'000);
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, LogModel::BatchColumn).data().toString(), QStringLiteral("200"));
  EXPECT_EQ(model.index(1, LogModel::TextColumn).data().toString(), QStringLiteral("<b>not markup</b>"));
  EXPECT_EQ(model.index(1, LogModel::TextColumn).data(LogModel::IconRole).toString(), QStringLiteral("note-warning"));
  EXPECT_EQ(model.plainText().count(QLatin1Char('\n')), 2);
  model.clear();
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(LogModelTest, TheEndOfARunNamesIt) {
  LogModel model;
  model.setRun("const-s1");
  RunFinished finished;
  finished.status = RunStatus::Finished;
  finished.reason = "reached its planned length";
  model.append(finished, 0);
  EXPECT_EQ(model.index(0, LogModel::TextColumn).data().toString(),
            QStringLiteral("Run const-s1: Finished: reached its planned length"));
}

TEST(LogModelTest, KeepsTheNewestTenThousand) {
  LogModel model;
  for (int i = 0; i < 10'010; ++i) model.append(RunNote{NoteLevel::Info, std::to_string(i), {}}, 1);
  EXPECT_EQ(model.rowCount(), 10'000);
  EXPECT_EQ(model.index(0, LogModel::TextColumn).data().toString(), QStringLiteral("10"));
}

TEST(StageModelTest, ShowsAnOpenEndInWords) {
  StageModel model;
  QAbstractItemModelTester tester(&model, Mode::Fatal);
  PlannedRange first, last;
  first.globalBatches = 10;
  first.steps = 4;
  first.stepUnits = 64;
  last.fromBatch = 10;
  model.setStages({first, last}, {});
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, StageModel::PartsColumn).data().toString(), QStringLiteral("4"));
  EXPECT_EQ(model.index(1, StageModel::BatchesColumn).data().toString(), QStringLiteral("to the end"));
}

TEST(StageModelTest, TellsTheEffectiveBatchInSamplesAndTokens) {
  StageModel model;
  PlannedRange stage;
  stage.stepUnits = 64;
  stage.microBatchesPerStep = 4;
  stage.microbatchUnits = 8;
  model.setStages({stage}, {false, 2, 1, 128});
  EXPECT_EQ(model.index(0, StageModel::TokensColumn).data().toString(), toQt(formatCount(64 * 128)));
  EXPECT_EQ(model.index(0, StageModel::MicroBatchesColumn).data().toString(), QStringLiteral("4 × 8"));
  EXPECT_EQ(model.index(0, 0).data(Qt::ToolTipRole).toString(),
            QStringLiteral("Up to 8 in a micro-batch × 4 micro-batches × 2 devices\n"
                           "A step takes 64 samples, up to 8,192 tokens; a global batch takes 64 samples"));
}

TEST(StageModelTest, MicroBatchesThatDifferAreTheOnesThatAreTrained) {
  StageModel model;
  PlannedRange stage;
  stage.stepUnits = 256;
  stage.microBatchesPerStep = 3;
  stage.microbatchUnits = 105;
  model.setStages({stage}, {});
  EXPECT_EQ(model.index(0, StageModel::MicroBatchesColumn).data().toString(), QStringLiteral("3 × 85–86"));
}

TEST(StageModelTest, UnderATokenBudgetAStepTakesPacks) {
  StageModel model;
  PlannedRange stage;
  stage.stepUnits = 8;
  model.setStages({stage}, {true, 1, 4, 500});
  EXPECT_EQ(model.headerData(StageModel::StepSizeColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
            QStringLiteral("Packs"));
  EXPECT_TRUE(model.index(0, 0)
                  .data(Qt::ToolTipRole)
                  .toString()
                  .endsWith(QStringLiteral(
                      "A step takes 8 packs, about 32 samples and 4,000 tokens; a global batch takes 8 packs")));
}

TEST(StageModelTest, AStageBehindTheEndIsDisabledAndSaysSo) {
  StageModel model;
  PlannedRange first, beyond;
  first.globalBatches = beyond.globalBatches = 10;
  beyond.reached = false;
  model.setStages({first, beyond}, {});
  EXPECT_TRUE(model.index(0, 0).flags().testFlag(Qt::ItemIsEnabled));
  EXPECT_FALSE(model.index(1, 0).flags().testFlag(Qt::ItemIsEnabled));
  EXPECT_EQ(model.index(1, StageModel::BatchesColumn).data().toString(), QStringLiteral("not reached"));
  EXPECT_TRUE(model.index(1, 0).data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("The run ends before")));
}

TEST(WordsTest, ThePlannedEndIsToldWithoutTheNameOfASetting) {
  RunFinished finished;
  finished.status = RunStatus::Finished;
  finished.reason = "reached its planned length";
  EXPECT_EQ(eventSentence(finished), QStringLiteral("Finished: reached its planned length"));
  finished.reason = "stopped by hand";
  EXPECT_EQ(eventSentence(finished), QStringLiteral("Finished: stopped by hand"));
}

TEST(RunListTest, KnowsTheNewestFinishedRun) {
  RunList model;
  EXPECT_EQ(model.newestFinished(), nullptr);
  model.update({summary("a", 1), summary("b", 2), summary("c", 3, RunStatus::Failed)});
  EXPECT_EQ(model.newestFinished()->id, "b");
}

TEST(RunSeriesTest, PassesOverRowsThatAreThereAlready) {
  RunSeries series;
  series.extend("loss", {{1, 5.0}, {2, 4.0}});
  test::addRow(series, test::rowAt(2));
  test::addRow(series, test::rowAt(3));
  EXPECT_EQ(series.points("loss").size(), 3u);
  EXPECT_EQ(series.lastBatch(), 3);
  EXPECT_EQ(series.devices(), (std::vector<std::string>{"cpu:0"}));
}

/// Adds the row of a global batch with four steps behind `at`, and then theirs.
void addFourParts(RunSeries& series, Timestamp& at) {
  MetricsRow row;
  LongSeries steps;
  while (at.stepInBatch < 4) {
    at = at.afterStep({}, 0);
    steps.append(static_cast<double>(at.step), static_cast<double>(at.step));
  }
  row.at = at = at.afterBatch();
  test::addRow(series, row);
  series.extend("step.loss", steps);
}

/// Rows of such global batches as a fork at global batch 100 and step 1,000 has them.
RunSeries forkOfFourParts(int batches) {
  RunSeries series;
  Timestamp at;
  at.batch = 100;
  at.step = 1000;
  series.setStart(at);
  for (int i = 0; i < batches; ++i) addFourParts(series, at);
  return series;
}

TEST(RunSeriesTest, EveryStepLiesInItsGlobalBatchAlsoBeforeTheFirstRowOfAFork) {
  const RunSeries series = forkOfFourParts(3);
  const LongSeries& steps = series.points("step.loss");
  ASSERT_EQ(steps.size(), 12u);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_DOUBLE_EQ(steps.x(i), 100 + 0.25 * static_cast<double>(i + 1));
    EXPECT_EQ(steps.y(i), 1001 + static_cast<double>(i));
    EXPECT_DOUBLE_EQ(series.stepMap().at(steps.x(i)), steps.y(i)) << "and back on the clock of steps";
  }
}

TEST(RunSeriesTest, StepsBehindTheLastRowOfAnEndedRunAreThereOnce) {
  RunSeries series = forkOfFourParts(2);
  for (int times = 0; times < 2; ++times) series.extend("step.loss", {{1009, 9}, {1010, 10}});
  EXPECT_EQ(series.points("step.loss").size(), 10u) << "once";
  EXPECT_DOUBLE_EQ(series.points("step.loss").back().x(), 102.5);
}

TEST(ChartRowsTest, AStepInsideAGlobalBatchKeepsItsPlace) {
  ChartContent content;
  content.lines.resize(1);
  content.lines[0].points = {{1, 5}, {1.25, 4}, {1.5, 3}, {2, 2}};
  EXPECT_EQ(ChartRows(content, AxisRange{1.25, 1.5}).next(100).rows,
            (std::vector<std::vector<std::string>>{{"1.25", "4"}, {"1.5", "3"}}));
  EXPECT_EQ(ChartRows(content, {}).next(1).rows.front().front(), "1");
}

TEST(RunSeriesTest, TheAverageOfAGrowingSeriesIsThatOfItsPointsOverGapsAndSeams) {
  RunSeries series;
  std::int64_t batch = 0;
  const auto grow = [&](int rows) {
    for (int i = 0; i < rows; ++i) {
      MetricsRow row;
      row.at.batch = batch += 1 + i % 3;
      row.loss =
          i % 17 == 5 ? std::numeric_limits<double>::quiet_NaN() : 3 + std::sin(static_cast<double>(batch) * 0.3);
      series.extend("loss", {{static_cast<double>(batch), row.loss}});
      if (i % 40 == 0) series.smoothed("loss", 0.9, Smoothing::Trailing);
    }
  };
  const auto expectRight = [&](double weight) {
    const LongSeries& raw = series.points("loss");
    Curve curve;
    for (std::size_t i = 0; i < raw.size(); ++i) curve.push_back({raw.x(i), raw.y(i)});
    const Curve wanted = smoothed(curve, weight);
    const LongSeries& got = series.smoothed("loss", weight, Smoothing::Trailing);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(got.y(i) == wanted[i].y || (std::isnan(got.y(i)) && std::isnan(wanted[i].y))) << i;
  };
  grow(200);
  expectRight(0.9);
  grow(100);
  expectRight(0.9);
  expectRight(0.5);
}

TEST(RunSeriesTest, FindsWhatEachLaterSegmentTookUpAgain) {
  const auto points = [](std::int64_t first, std::int64_t last, std::vector<SeriesPoint>& into) {
    for (std::int64_t batch = first; batch <= last; ++batch) into.push_back({batch, 1.0});
  };
  std::vector<SeriesPoint> all;
  points(1, 100, all);
  EXPECT_TRUE(supersededRanges(all).empty());
  points(51, 80, all);
  points(21, 30, all);
  const auto stretches = supersededRanges(all);
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].size(), 80u);
  EXPECT_EQ(stretches[0].front().x(), 21);
  EXPECT_EQ(stretches[1].size(), 30u);
  EXPECT_TRUE(supersededRanges({}).empty());
}

TEST(RunSeriesTest, BucketsBecomeTheirLowestAndHighestValue) {
  SeriesBucket falling{10, 19, 5.0, 4.0, 3.5, 6.0, 10, 0};
  SeriesBucket broken{20, 29, 0, 0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(),
                      10, 10};
  const auto points = toLongSeries(std::vector<SeriesBucket>{falling, broken});
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0], QPointF(10, 6.0));
  EXPECT_EQ(points[1], QPointF(19, 3.5));
  EXPECT_TRUE(std::isnan(points[2].y()));
}

}  // namespace
}  // namespace batchwise
