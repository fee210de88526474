// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <limits>
#include <set>

#include "core/base/format.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/series_rows.h"
#include "ui/charts/chart_export.h"
#include "ui/edit/edit_presenter.h"
#include "ui/list/failure_help.h"
#include "ui/list/record_models.h"
#include "ui/list/run_list.h"
#include "ui/parts/display_text.h"
#include "ui/runs/event_models.h"
#include "ui/runs/run_series.h"
#include "ui/theme/theme.h"
#include "ui/window/command_palette.h"

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
  EXPECT_EQ(model.index(1, LogModel::TextColumn).data(kIconRole).toString(), QStringLiteral("note-warning"));
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
  stage.extraSteps = 1200;
  stage.firstRate = 5e-4;
  stage.rateOverSqrtRule = 2;
  stage.halfLifeSteps = 34.31;
  model.setStages({stage}, {false, 2, 1, 128});
  EXPECT_EQ(model.index(0, 0).data(Qt::ToolTipRole).toString(),
            QStringLiteral("Up to 8 in a micro-batch × 4 micro-batches × 2 devices\n"
                           "A step takes 64 samples, up to 8,192 tokens; a global batch takes 64 samples\n"
                           "It begins at a rate of 5.0e-4, 2 times that of the square root rule\n"
                           "The second moment forgets half in 34.31 steps\n"
                           "1,200 steps more than with full steps"));
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
                  .contains(QStringLiteral(
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

constexpr FailureCause kCauses[] = {
    FailureCause::OutOfMemory, FailureCause::NonFinite,   FailureCause::LossSpike,
    FailureCause::DiskFull,    FailureCause::LostRank,    FailureCause::MissingFile,
    FailureCause::Device,      FailureCause::DamagedFile, FailureCause::DamagedCheckpoint};

TEST(FailureHelpTest, WhatItSaysGoesTogether) {
  using Action = FailureHelp::Action;
  for (const FailureCause cause : kCauses) {
    SCOPED_TRACE(static_cast<int>(cause));
    const FailureHelp none = failureHelp(cause, RemainingCheckpoints::None);
    EXPECT_EQ(none.action, Action::Duplicate);
    EXPECT_TRUE(none.remedy.contains(QStringLiteral("no checkpoint to resume from")));
    EXPECT_FALSE(none.remedy.contains(QStringLiteral("resume it")));
    const FailureHelp some = failureHelp(cause, RemainingCheckpoints::Some);
    EXPECT_EQ(some.action, Action::Resume);
    EXPECT_TRUE(some.remedy.contains(QStringLiteral("resume it")));
    const bool astray = cause == FailureCause::NonFinite || cause == FailureCause::LossSpike ||
                        cause == FailureCause::DamagedCheckpoint;
    EXPECT_EQ(some.remedy.contains(QStringLiteral("is saved")), !astray);
    const FailureHelp unknown = failureHelp(cause, RemainingCheckpoints::Unknown);
    EXPECT_FALSE(unknown.remedy.isEmpty());
    EXPECT_FALSE(unknown.remedy.contains(QStringLiteral("no checkpoint to resume"))) << "that is not known";
  }
  EXPECT_EQ(failureHelp(FailureCause::Unknown, RemainingCheckpoints::Some).action, Action::ShowLog);
}

class PaletteTest : public ::testing::TestWithParam<ColorScheme> {};

TEST_P(PaletteTest, TextHasEnoughContrastOnEveryGround) {
  const ThemeColors& c = themeColors(GetParam());
  for (const QColor& ground : {c.window, c.base, c.raised}) {
    for (const QColor& text : {c.text, c.muted, c.accent, c.good, c.warning, c.bad}) {
      EXPECT_GE(contrastRatio(text, ground), 4.5) << text.name().toStdString() << " on " << ground.name().toStdString();
    }
  }
  EXPECT_GE(contrastRatio(c.onAccent, c.accent), 4.5);
}

TEST_P(PaletteTest, SeriesCanBeSeenOnTheChartsGround) {
  const QColor ground = themeColors(GetParam()).base;
  for (int i = 0; i < 8; ++i) EXPECT_GE(contrastRatio(seriesColor(i, ground), ground), 3.0) << "series " << i;
}

TEST_P(PaletteTest, WidgetTextTakesTheColorsOfTheTheme) {
  const ThemeColors& c = themeColors(GetParam());
  const QPalette palette = widgetPalette(c);
  EXPECT_EQ(palette.color(QPalette::Window), c.window);
  EXPECT_EQ(palette.color(QPalette::Text), c.text);
  EXPECT_EQ(palette.color(QPalette::Disabled, QPalette::Text), c.disabled);
  EXPECT_EQ(palette.color(QPalette::Highlight), c.accent);
}

INSTANTIATE_TEST_SUITE_P(BothGrounds, PaletteTest, ::testing::Values(ColorScheme::Light, ColorScheme::Dark));

TEST(ContrastRatioTest, AgreesWithTheStandard) {
  EXPECT_NEAR(contrastRatio(Qt::white, Qt::black), 21.0, 1e-9);
  EXPECT_NEAR(contrastRatio(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.01);
}

TEST(SeriesColorTest, TheFirstEightDifferAndTheNextAreDashed) {
  std::set<QRgb> seen;
  for (int i = 0; i < 8; ++i) seen.insert(seriesColor(i).rgb());
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(seriesColor(8), seriesColor(0));
  EXPECT_EQ(seriesPenStyle(7), Qt::SolidLine);
  EXPECT_EQ(seriesPenStyle(8), Qt::DashLine);
}

TEST(IconTest, EveryIconOfTheWindowIsThereAndTakesItsColor) {
  for (const char* name : {"new-run",        "launch",        "stop-save",     "resume",
                           "folder",         "file",          "demo",          "reset",
                           "copy",           "close",         "state-created", "state-running",
                           "state-finished", "state-stopped", "state-failed",  "state-interrupted",
                           "note-info",      "note-warning",  "note-error",    "checkpoint",
                           "state-paused",   "continue",      "pause"}) {
    const QByteArray source = iconSource(QString::fromLatin1(name), QColor(0x12, 0x34, 0x56));
    EXPECT_TRUE(source.contains("#123456")) << name;
    const QImage image = iconPixmap(QString::fromLatin1(name), Qt::black, {32, 32}).toImage();
    bool drawn = false;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) drawn = drawn || qAlpha(image.pixel(x, y)) > 128;
    EXPECT_TRUE(drawn) << name;
  }
}

PaletteEntry entry(const char* title, const char* detail, const char* words = "") {
  return {QString::fromUtf8(title), QString::fromUtf8(detail), {}, {}, QString::fromUtf8(words)};
}

TEST(PaletteSearchTest, EachWordMustBeInTheEntryAndTitlesThatBeginWithThemComeFirst) {
  const std::vector<PaletteEntry> entries = {entry("Edit", "Help page", "How to launch"),
                                             entry("Weight decay", "Field optimizer.weight_decay"),
                                             entry("Auto-launch", "Preference"), entry("Launch", "Command")};
  const auto found = [&](const char* search) {
    QStringList titles;
    for (const PaletteEntry* each : paletteMatches(entries, QString::fromLatin1(search))) titles << each->title;
    return titles.join(QLatin1Char('|'));
  };
  EXPECT_EQ(found(""), QStringLiteral("Edit|Weight decay|Auto-launch|Launch")) << "without a search all are listed";
  EXPECT_EQ(found("LAU"), QStringLiteral("Launch|Auto-launch|Edit"));
  EXPECT_EQ(found("decay field"), QStringLiteral("Weight decay"));
  EXPECT_EQ(found("launch decay"), QString());
}

}  // namespace
}  // namespace batchwise
