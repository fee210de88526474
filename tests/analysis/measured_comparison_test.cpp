// SPDX-License-Identifier: GPL-3.0-or-later
// What is compared was measured where it is said to be, and what is called better or worse is known to be.
#include <gmock/gmock.h>

#include <cmath>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/run_series_reader.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/manual_clock.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class MeasuredComparisonTest : public testing::Test {
 protected:
  void SetUp() override { workspace_ = *checked(Workspace::open(folder_ / "w", Workspace::Mode::ReadWrite, clock_)); }

  /// Stores seeds 1 to `seeds` of a run, named `name`-1, ..., whose losses differ by 0.001.
  std::vector<std::string> storeSeeds(MadeRun made, int seeds) {
    std::vector<std::string> names;
    const std::string name = made.name, yaml = made.yaml;
    const double floor = made.floor;
    for (int seed = 1; seed <= seeds; ++seed) {
      made.name = name + "-" + std::to_string(seed);
      made.yaml = yaml + "\n---\nseed: " + std::to_string(seed);
      made.floor = floor + 0.001 * seed;
      storeMadeRun(workspace_, made);
      names.push_back(made.name);
    }
    return names;
  }

  RunComparison compare(std::vector<std::string> runs, const std::vector<std::string>& more,
                        const ComparisonOptions& options = {}) const {
    runs.insert(runs.end(), more.begin(), more.end());
    return *checked(compareRuns(*workspace_, runs, options));
  }
  static ComparisonOptions grouped(const std::string& metric = "loss") {
    ComparisonOptions options;
    options.groupBy = kGroupByExperiment;
    options.metric = metric;
    return options;
  }
  static std::size_t columnOf(const RunComparison& comparison, const std::string& series) {
    for (std::size_t j = 0; j < comparison.columns.size(); ++j)
      if (comparison.columns[j].series == series) return j;
    ADD_FAILURE() << "no column " << series;
    return 0;
  }
  static const SummaryCell& cell(const RunComparison& comparison, std::size_t line, const std::string& series) {
    return comparison.cells[line][columnOf(comparison, series)];
  }

  TempFolder folder_;
  ManualClock clock_;
  std::shared_ptr<Workspace> workspace_;
};

TEST_F(MeasuredComparisonTest, EqualRunsAreEqualHoweverRarelyOneIsEvaluated) {
  const auto often = storeSeeds({.name = "often", .evaluateEvery = 4}, 2);
  const auto rarely = storeSeeds({.name = "rarely", .yaml = "eval: {interval: 6ba}", .evaluateEvery = 6}, 2);
  const RunComparison found = compare(often, rarely, grouped());
  EXPECT_EQ(found.columns[0].series, "eval.loss");
  EXPECT_EQ(found.columns[0].x, 96 * 3200) << "the last multiple of both";
  EXPECT_EQ(found.cells[1][0].delta.verdict, Assessment::Same);
  EXPECT_EQ(evaluatedAtText(found.columns[0]),
            "eval.loss is taken at 307,200 tokens, the last place at which all runs with values of it were measured.");
  const RunComparison drawn = compare(often, rarely, grouped("eval.loss"));
  EXPECT_EQ(drawn.columns[0].x, 96 * 3200);
  const auto group = groupCurve(drawn, drawn.lines[1]);
  ASSERT_EQ(group.size(), 16U);
  EXPECT_EQ(group[0].x, 6 * 3200);
}

TEST_F(MeasuredComparisonTest, EqualRunsAreEqualHoweverRarelyOneIsLogged) {
  const auto often = storeSeeds({"often"}, 2);
  const auto rarely = storeSeeds({.name = "rarely", .yaml = "optimizer: {lr: 7e-3}", .every = 7}, 2);
  const RunComparison found = compare(often, rarely, grouped());
  const SummaryColumn& loss = found.columns[columnOf(found, "loss")];
  EXPECT_EQ(loss.x, 98 * 3200);
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::Same);
  EXPECT_EQ(*cell(found, 1, "loss").value, *cell(found, 0, "loss").value);
}

TEST_F(MeasuredComparisonTest, EvaluationsAtOtherPlacesHaveNoVerdict) {
  const auto often = storeSeeds({.name = "often", .evaluateEvery = 49}, 2);
  const auto rarely = storeSeeds({.name = "rarely", .yaml = "eval: {interval: 50ba}", .evaluateEvery = 50}, 2);
  for (const Axis axis : {Axis::Tokens, Axis::Time}) {
    ComparisonOptions options = grouped("eval.loss");
    options.axis = axis;
    const RunComparison found = compare(often, rarely, options);
    ASSERT_EQ(found.columns[0].taken, TakenAt::Nearest);
    const SummaryCell& cell = found.cells[1][0];
    EXPECT_EQ(cell.delta.verdict, Assessment::Unknown);
    EXPECT_THAT(deltaText(cell), HasSubstr(axis == Axis::Time ? "nearest evaluation at 50 s of training"
                                                              : "nearest evaluation at 320,000 tokens"));
    EXPECT_DOUBLE_EQ(*cell.value, madeLoss({.name = "", .floor = 2.0015}, 100) + 0.1) << "as it was measured";
    const TextTable table = summaryTable(found, NumberFormat::Readable);
    EXPECT_THAT(table.columns[2].title, HasSubstr("eval.loss near "));
    EXPECT_THAT(*comparisonReport(*workspace_, found), HasSubstr("each value is the one nearest to"));
  }
}

TEST_F(MeasuredComparisonTest, EndsThatCountAsEqualAreComparedAndSaid) {
  std::vector<std::string> names;
  for (const bool isOther : {false, true})
    for (const int seed : {1, 2, 3}) {
      MadeRun made{.name = (isOther ? "b" : "a") + std::to_string(seed), .batches = 15, .evaluateAtEnd = true};
      made.yaml = (isOther ? "optimizer: {lr: 7e-3}\nseed: " : "seed: ") + std::to_string(seed);
      made.floor = (isOther ? 1.5 : 2) + 0.001 * seed;
      made.evaluateEvery = 1'000;
      made.tokens = 3200 + 10 * seed - (isOther ? 5 : 0);
      storeMadeRun(workspace_, made);
      names.push_back(made.name);
    }
  const RunComparison found = compare(names, {}, grouped());
  EXPECT_EQ(found.columns[0].taken, TakenAt::Measured);
  EXPECT_EQ(found.cells[0][0].count, 3U);
  EXPECT_EQ(found.cells[1][0].count, 3U);
  EXPECT_EQ(found.cells[1][0].delta.verdict, Assessment::Better);
  EXPECT_THAT(evaluatedAtText(found.columns[0]), HasSubstr("taken at 48,075 to 48,450 tokens"));
  EXPECT_THAT(summaryTable(found, NumberFormat::Readable).columns[2].title, HasSubstr("at 48.1k to 48.5k tokens"));
}

TEST_F(MeasuredComparisonTest, OneSeedASideIsNeverBetterOrWorse) {
  storeMadeRun(workspace_, {.name = "a"});
  storeMadeRun(workspace_, {.name = "b",
                            .yaml = "optimizer: {lr: 7e-3}",
                            .floor = 1,
                            .samples = 16,
                            .secondsPerBatch = 0.1,
                            .tokens = 3200});
  const RunComparison found = compare({"a", "b"}, {});
  for (const NumberFormat format : {NumberFormat::Readable, NumberFormat::Exact}) {
    const TextTable table = summaryTable(found, format);
    for (const TableFormat as : {TableFormat::Csv, TableFormat::Markdown, TableFormat::Latex}) {
      EXPECT_THAT(tableText(table, as), Not(HasSubstr("better")));
      EXPECT_THAT(tableText(table, as), Not(HasSubstr("worse")));
      EXPECT_THAT(tableText(table, as), HasSubstr("noise unknown"));
    }
  }
  const std::string page = *comparisonReport(*workspace_, found);
  EXPECT_THAT(page.substr(0, page.rfind("<script>")), Not(HasSubstr("better")));
  EXPECT_THAT(page, HasSubstr("noise unknown"));
  for (std::size_t j = 0; j < found.columns.size(); ++j) {
    EXPECT_FALSE(found.cells[1][j].band.has_value());
    EXPECT_THAT(cellSentence(found, 1, j), Not(HasSubstr("better")));
  }
}

TEST_F(MeasuredComparisonTest, SeedsOfEvaluationsTellNoNoiseOfTheTrainingLoss) {
  for (const std::string seed : {"1", "2"}) {
    storeMadeRun(workspace_, {.name = "a" + seed, .yaml = "eval: {seed: " + seed + "}"});
    storeMadeRun(workspace_,
                 {.name = "b" + seed, .yaml = "optimizer: {lr: 7e-3}\neval: {seed: " + seed + "}", .floor = 1});
  }
  ComparisonOptions options = grouped();
  options.margin = 0.05;
  const RunComparison found = compare({"a1", "a2"}, {"b1", "b2"}, options);
  ASSERT_EQ(found.lines.size(), 2U);
  EXPECT_EQ(cell(found, 1, "loss").count, 2U);
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::NoiseUnknown);
  EXPECT_FALSE(cell(found, 1, "loss").upper.has_value());
}

TEST_F(MeasuredComparisonTest, TimeSpeedAndMemoryNeedSeveralSeedsOnBothSides) {
  const auto base = storeSeeds({"base"}, 3);
  const MadeRun quick{.name = "quick",
                      .yaml = "optimizer: {lr: 7e-3}",
                      .floor = 1,
                      .samples = 16,
                      .secondsPerBatch = 0.1,
                      .tokens = 3200};
  const auto one = storeSeeds(quick, 1);
  for (const char* series : {"time", "tokens_per_sec", "memory.peak"})
    EXPECT_EQ(cell(compare(base, one, grouped()), 1, series).delta.verdict, Assessment::NoiseUnknown) << series;
  EXPECT_EQ(cell(compare(base, one, grouped()), 1, "loss").delta.verdict, Assessment::Better);
  MadeRun again = quick;
  again.yaml += "\n---\nseed: 2";
  again.name = "quick-2";
  storeMadeRun(workspace_, again);
  for (const char* series : {"time", "tokens_per_sec", "memory.peak"}) {
    const RunComparison found = compare(base, {"quick-1", "quick-2"}, grouped());
    EXPECT_EQ(cell(found, 1, series).delta.verdict, Assessment::Better) << series;
    EXPECT_TRUE(cell(found, 1, series).band.has_value()) << series;
  }
}

TEST_F(MeasuredComparisonTest, RunsBesideOtherWorkHaveNoVerdictOnTimeSpeedAndMemory) {
  const auto wait = [this] { clock_.advanceMs(500); };
  const auto base = storeSeeds({.name = "base", .afterBatch = wait}, 2);
  MadeRun quick{.name = "quick",
                .yaml = "optimizer: {lr: 7e-3}",
                .floor = 1,
                .samples = 16,
                .secondsPerBatch = 0.1,
                .tokens = 3200,
                .afterBatch = wait};
  const auto alone = storeSeeds(quick, 2);
  const RunComparison apart = compare(base, alone, grouped());
  EXPECT_EQ(cell(apart, 1, "time").delta.verdict, Assessment::Better) << "one after the other";
  quick.name = "beside";
  int batch = 0;
  quick.afterBatch = [&] {
    clock_.advanceMs(500);
    if (++batch == 30) storeMadeRun(workspace_, {.name = "guest", .batches = 20, .afterBatch = wait});
  };
  const auto beside = storeSeeds(quick, 2);
  const RunComparison found = compare(base, beside, grouped());
  for (const char* series : {"time", "tokens_per_sec", "memory.peak"}) {
    EXPECT_EQ(cell(found, 1, series).delta.verdict, Assessment::Unknown) << series;
    EXPECT_THAT(deltaText(cell(found, 1, series)), HasSubstr("ran beside other work")) << series;
  }
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::Better) << "the same whatever else runs";
  EXPECT_THAT(found.cells[1][2].caution, "ran beside other work") << "at equal time";
  EXPECT_THAT(found.notes, Contains(HasSubstr("beside-1 ran beside other runs on the same machine")));
}

TEST_F(MeasuredComparisonTest, ARunThatDivergedLosesAndIsNotBetterInTimeOrMemory) {
  const auto fine = storeSeeds({"fine"}, 2);
  MadeRun made{.name = "boom",
               .yaml = "optimizer: {lr: 1e6}",
               .samples = 16,
               .secondsPerBatch = 0.1,
               .tokens = 3200,
               .nanFrom = 50};
  const auto boom = storeSeeds(made, 2);
  for (const bool isBaseline : {false, true}) {
    const RunComparison found = isBaseline ? compare(boom, fine, grouped()) : compare(fine, boom, grouped());
    for (const char* series : {"loss", "eval.loss"}) {
      EXPECT_TRUE(std::isnan(*cell(found, isBaseline ? 0 : 1, series).value)) << series;
      EXPECT_EQ(cell(found, 1, series).delta.verdict, isBaseline ? Assessment::Better : Assessment::Worse) << series;
      EXPECT_EQ(deltaText(cell(found, 1, series)), isBaseline ? "better" : "worse");
    }
    for (const char* series : {"time", "tokens_per_sec", "memory.peak"})
      EXPECT_THAT(deltaText(cell(found, 1, series)), HasSubstr(" %, diverged")) << series;
  }
  const RunComparison found = compare({"fine-1"}, {"boom-1"});
  EXPECT_EQ(cellSentence(found, 1, 0).substr(0, 37), "boom-1: nan, against 2.828 of the bas");
  for (const NumberFormat format : {NumberFormat::Readable, NumberFormat::Exact})
    for (const TableFormat as : {TableFormat::Csv, TableFormat::Markdown, TableFormat::Latex}) {
      const std::string text = tableText(summaryTable(found, format), as);
      EXPECT_THAT(text, HasSubstr("nan"));
      EXPECT_THAT(text, HasSubstr("worse"));
      EXPECT_THAT(text, Not(HasSubstr("better")));
    }
  EXPECT_THAT(*comparisonReport(*workspace_, found), HasSubstr(">nan</td>"));
}

TEST_F(MeasuredComparisonTest, ARunThatDivergedLaterIsNotBetterBefore) {
  const auto fine = storeSeeds({"fine"}, 2);
  const auto boom = storeSeeds(
      {.name = "boom", .yaml = "optimizer: {lr: 1e6}", .batches = 55, .floor = 1, .evaluateEvery = 10, .nanFrom = 52},
      2);
  const RunComparison found = compare(fine, boom, grouped());
  EXPECT_TRUE(std::isfinite(*cell(found, 1, "eval.loss").value));
  EXPECT_EQ(cell(found, 1, "eval.loss").delta.verdict, Assessment::Unknown);
  EXPECT_EQ(cell(found, 1, "eval.loss").caution, "diverged");
}

TEST_F(MeasuredComparisonTest, AMeanOfSurvivorsHasNoVerdict) {
  const auto base = storeSeeds({"base"}, 3);
  const auto good = storeSeeds({.name = "good", .yaml = "optimizer: {lr: 7e-3}", .floor = 1}, 2);
  storeMadeRun(workspace_, {.name = "good-3", .yaml = "optimizer: {lr: 7e-3}\nseed: 3", .nanFrom = 50});
  const RunComparison found = compare(base, {"good-1", "good-2", "good-3"}, grouped());
  const SummaryCell& loss = cell(found, 1, "loss");
  EXPECT_EQ(loss.count, 2U);
  EXPECT_EQ(loss.notFinite, 1U);
  EXPECT_THAT(deltaText(loss), HasSubstr(" %, 1 of 3 not finite"));
  const TextTable table = summaryTable(found, NumberFormat::Readable);
  EXPECT_THAT(table.rows[1][2], HasSubstr("(2 of 3, 1 not finite)"));
}

TEST_F(MeasuredComparisonTest, RunsOfEquallyManySamplesAreComparedAtTheirEndsWhateverTheirTokens) {
  const auto small = storeSeeds({.name = "small", .batches = 96, .samples = 32, .evaluateAtEnd = true}, 2);
  MadeRun made{.name = "large", .yaml = "batch: {global_train_batch_size: 64}", .batches = 48, .samples = 64};
  made.evaluateEvery = 7, made.evaluateAtEnd = true, made.tokens = 6700;  // 4.5 % more than those of the others
  const auto large = storeSeeds(made, 2);
  const RunComparison found = compare(small, large, grouped("eval.loss"));
  const SummaryColumn& column = found.columns[columnOf(found, "eval.loss")];
  EXPECT_EQ(column.taken, TakenAt::Measured);
  EXPECT_EQ(column.firstX, 96 * 3200);
  EXPECT_EQ(column.x, 48 * 6700);
  made.name = "longer", made.batches = 49;
  const RunComparison other = compare(small, storeSeeds(made, 2), grouped("eval.loss"));
  EXPECT_LT(other.columns[columnOf(other, "eval.loss")].x, 96 * 3200) << "it has learned from more samples";
}

TEST_F(MeasuredComparisonTest, RunsWhoseEvaluationTextWasReplacedHaveNoVerdict) {
  MadeRun base{.name = "base", .resolvedValues = {{"evaluation.text", "11"}, {"tokenizer.identity", "t"}}};
  const auto first = storeSeeds(base, 2);
  base.name = "again";
  base.yaml = "optimizer: {lr: 7e-3}";
  base.floor = 1;
  const auto again = storeSeeds(base, 2);
  EXPECT_EQ(cell(compare(first, again, grouped()), 1, "eval.loss").delta.verdict, Assessment::Better);
  base.name = "replaced";
  base.resolvedValues["evaluation.text"] = "22";
  const auto replaced = storeSeeds(base, 2);
  const RunComparison found = compare(first, replaced, grouped());
  EXPECT_THAT(deltaText(cell(found, 1, "eval.loss")), HasSubstr(" %, not measured alike"));
  EXPECT_THAT(found.notes, Contains(HasSubstr("the text has changed")));
  EXPECT_THAT(tableText(summaryTable(found, NumberFormat::Exact), TableFormat::Csv), HasSubstr(",not measured alike,"));
  const TextTable single = summaryTable(compare({first.front()}, replaced, grouped()), NumberFormat::Readable);
  EXPECT_THAT(single.columns[2].title, HasSubstr("eval.loss"));
  EXPECT_THAT(single.columns[3].about, HasSubstr("that differ only by seed were measured like the baseline"));
}

TEST(MeasuredPlacesTest, ArePlacesThatAllCurvesHaveThatReachThem) {
  const auto curve = [](std::vector<std::int64_t> batches, double width) {
    MeasuredCurve made;
    for (const std::int64_t batch : batches) made.push_back({static_cast<double>(batch) * width, 1, batch, width});
    return made;
  };
  const auto xs = [](const std::vector<MeasuredCurve>& curves) {
    std::vector<double> found;
    for (const Curve& each : alignedCurves(curves))
      for (const CurvePoint& point : each) found.push_back(point.x);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
  using testing::ElementsAre;
  EXPECT_THAT(xs({curve({10, 20, 30}, 1), curve({20}, 1)}), ElementsAre(20, 30));
  EXPECT_THAT(xs({curve({10, 20, 30}, 1), curve({25, 50}, 1)}), ElementsAre(50));
  EXPECT_THAT(xs({curve({93, 95, 100}, 1), curve({38, 40}, 2.5)}), ElementsAre(95, 100)) << "the nearest";
  EXPECT_THAT(xs({curve({0, 7}, 1), curve({0, 5}, 1)}), ElementsAre(0, 7));
  EXPECT_FALSE(lastCommonPlace(std::vector{curve({0, 7}, 1), curve({0, 5}, 1)})) << "nothing was learned at the start";
  EXPECT_TRUE(lastCommonPlace(std::vector{curve({0}, 1), curve({0, 5}, 1)}).has_value());
  EXPECT_FALSE(lastCommonPlace(std::vector{curve({}, 1), curve({}, 1)}));
  ASSERT_TRUE(lastCommonPlace(std::vector{curve({}, 1), curve({3, 9}, 1)}));
  // Ends within a global batch, of runs with 300 and 320 tokens per batch.
  EXPECT_THAT(xs({curve({100}, 320), curve({107}, 300)}), ElementsAre(32'050));
  EXPECT_THAT(xs({curve({100}, 320), curve({108}, 300)}), ElementsAre(32'400)) << "not the same place";
}

}  // namespace
}  // namespace batchwise::test
