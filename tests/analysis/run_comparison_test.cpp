// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_comparison.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/figure.h"
#include "core/analysis/group_curve.h"
#include "core/analysis/run_series_reader.h"
#include "core/analysis/statistics.h"
#include "core/store/recording/run_writer.h"
#include "tests/analysis/comparison_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RunComparisonTest : public testing::Test {
 protected:
  void SetUp() override { workspace_ = *checked(Workspace::open(folder_ / "w")); }
  RunComparison compare(const std::vector<std::string>& runs, const ComparisonOptions& options = {}) const {
    return *checked(compareRuns(*workspace_, runs, options));
  }
  /// The page up to its script, which is the same in all reports.
  std::string report(const RunComparison& comparison, const SeriesNames& names = {}) const {
    const auto page = checked(comparisonReport(*workspace_, comparison, names));
    return page->substr(0, page->rfind("<script>"));
  }
  static ComparisonOptions grouped() {
    ComparisonOptions options;
    options.groupBy = kGroupByExperiment;
    return options;
  }
  static ComparisonOptions over(Axis axis) {
    ComparisonOptions options;
    options.axis = axis;
    return options;
  }
  const SummaryCell& cell(const RunComparison& comparison, std::size_t line, const std::string& series) const {
    for (std::size_t j = 0; j < comparison.columns.size(); ++j)
      if (comparison.columns[j].series == series) return comparison.cells[line][j];
    ADD_FAILURE() << "no column " << series;
    return comparison.cells[0][0];
  }

  /// Mean loss of the global batches `first` to `last`.
  static double meanLoss(const MadeRun& made, std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t batch = first; batch <= last; ++batch) sum += madeLoss(made, batch);
    return sum / static_cast<double>(last - first + 1);
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_;
};

TEST_F(RunComparisonTest, ComparesRunsOfDifferentBatchSizeAtEqualTokensAndAtEqualTime) {
  const MadeRun base{"base", "", 100, 2.0, 32, 0.5};                                    // 320,000 tok, 50 s
  const MadeRun big{"big", "batch: {global_train_batch_size: 64}", 100, 1.5, 64, 0.8};  // 640,000 tok, 80 s
  storeMadeRun(workspace_, base);
  storeMadeRun(workspace_, big);
  const RunComparison atTokens = compare({"base", "big"});
  ASSERT_TRUE(atTokens.end.has_value());
  EXPECT_EQ(atTokens.end->x, 320'000);
  EXPECT_EQ(comparedAtText(atTokens),
            "Compared at 320,000 tokens, the last point that all 2 runs reach: base ends there.");
  EXPECT_EQ(atTokens.columns[0].series, "eval.loss") << "leads";
  EXPECT_EQ(atTokens.columns[1].window, 32'000) << "five batches of the run with the largest";
  EXPECT_EQ(averagedOverText(atTokens.columns[1]), "loss is the mean over the last 32,000 tokens up to there.");
  EXPECT_NEAR(*cell(atTokens, 0, "loss").value, meanLoss(base, 91, 100), 1e-12);
  EXPECT_NEAR(*cell(atTokens, 1, "loss").value, meanLoss(big, 46, 50), 1e-12)
      << "half of its batches have these tokens";
  EXPECT_DOUBLE_EQ(*cell(atTokens, 1, "eval.loss").value, madeLoss(big, 50) + 0.1);
  EXPECT_DOUBLE_EQ(*cell(atTokens, 1, "time").value, 40);
  EXPECT_EQ(cell(atTokens, 1, "time").delta.verdict, Assessment::NoiseUnknown) << "one seed a side";
  EXPECT_DOUBLE_EQ(*cell(atTokens, 1, "tokens_per_sec").value, 8000);
  EXPECT_EQ(cell(atTokens, 1, "tokens_per_sec").delta.verdict, Assessment::NoiseUnknown);
  EXPECT_DOUBLE_EQ(*cell(atTokens, 1, "memory.peak").value, (64 + 50) / 1024.0) << "up to there";

  const RunComparison atTime = compare({"base", "big"}, over(Axis::Time));
  for (const auto& [here, there, axis, title] :
       {std::tuple(&atTokens, &atTime, Axis::Time, "loss at equal time"),
        std::tuple(&atTime, &atTokens, Axis::Tokens, "loss at equal tokens")}) {
    EXPECT_EQ(here->columns[2].title, title);
    EXPECT_EQ(here->columns[2].axis, axis);
    EXPECT_EQ(here->columns[2].x, there->end->x);
    for (std::size_t line = 0; line < 2; ++line) {
      EXPECT_EQ(here->cells[line][2].value, there->cells[line][1].value) << title;
      EXPECT_EQ(here->cells[line][2].delta.verdict, there->cells[line][1].delta.verdict) << title;
    }
  }
  EXPECT_DOUBLE_EQ(atTime.end->x, 50);
  EXPECT_NEAR(*cell(atTime, 1, "loss").value, (4 * meanLoss(big, 58, 62) + 0.4 * madeLoss(big, 63)) / 4.4, 1e-9)
      << "50 s lie between its batches 62 and 63";
  EXPECT_NEAR(*cell(atTime, 1, "tokens").value, 62.5 * 6400, 1e-6);
  EXPECT_THAT(comparedAtText(atTime), HasSubstr("50 s of training"));
}

TEST_F(RunComparisonTest, TakesTheMetricAtEqualTokensAndAtEqualTimeWhateverItIsOver) {
  storeMadeRun(workspace_, {"base", "", 100, 2.0, 32, 0.5});
  storeMadeRun(workspace_, {"big", "batch: {global_train_batch_size: 64}", 100, 1.5, 64, 0.8});
  const RunComparison atTokens = compare({"base", "big"}), atTime = compare({"base", "big"}, over(Axis::Time));
  for (const Axis axis : {Axis::Steps, Axis::Samples}) {
    const RunComparison found = compare({"base", "big"}, over(axis));
    ASSERT_GE(found.columns.size(), 4U);
    EXPECT_EQ(found.columns[2].title, "loss at equal tokens");
    EXPECT_EQ(found.columns[2].x, atTokens.end->x);
    EXPECT_EQ(found.columns[3].title, "loss at equal time");
    EXPECT_EQ(found.columns[3].x, atTime.end->x);
    for (std::size_t line = 0; line < 2; ++line) {
      EXPECT_EQ(found.cells[line][2].value, atTokens.cells[line][1].value);
      EXPECT_EQ(found.cells[line][2].delta.verdict, atTokens.cells[line][1].delta.verdict);
      EXPECT_EQ(found.cells[line][3].value, atTime.cells[line][1].value);
    }
  }
}

TEST_F(RunComparisonTest, GlobalBatchesAreAnAxis) {
  storeMadeRun(workspace_, {"base", "", 100, 2.0, 32, 0.5});
  storeMadeRun(workspace_, {"short", "", 60, 1.5, 32, 0.5});
  const RunComparison found = compare({"base", "short"}, over(Axis::Batches));
  EXPECT_EQ(found.end->x, 60);
  EXPECT_EQ(found.runs[0].curve.back().x, 100);
  EXPECT_EQ(comparedAtText(found),
            "Compared at 60 global batches, the last point that all 2 runs reach: short ends there.");
  RunComparison training = found;
  training.runs[1].summary.status = RunStatus::Running;
  EXPECT_EQ(comparedAtText(training),
            "Compared at 60 global batches, the last point that all 2 runs have reached: short is still training.");
  EXPECT_EQ(found.runs[1].value, cell(found, 1, "loss").value);
  const TextTable table = summaryTable(found, NumberFormat::Readable);
  EXPECT_EQ(table.columns[1].title, "eval.loss at equal global batches");
}

TEST_F(RunComparisonTest, NothingIsBetterOrWorseAfterUnequalNumbersOfTokens) {
  const std::string base = storeMadeRun(workspace_, {"base", "", 100, 2.0, 32, 0.5});
  const std::string other =
      storeMadeRun(workspace_, {"big", "batch: {global_train_batch_size: 64}", 100, 1.5, 64, 0.8});
  ComparisonOptions options;
  options.deviceClocks.devices = 8;
  options.deviceClocks.sec[base] = std::vector<SeriesPoint>{{100, 20.0}};
  options.deviceClocks.sec[other] = std::vector<SeriesPoint>{{100, 30.0}};
  for (const Axis axis : {Axis::Batches, Axis::Steps}) {
    options.axis = axis;
    options.equalTokensWhereUnequal = false;
    const RunComparison unequal = compare({"base", "big"}, options);
    EXPECT_EQ(unequal.options.axis, axis);
    for (const char* series : {"loss", "eval.loss", "time", "devices_time"}) {
      const SummaryCell& big = cell(unequal, 1, series);
      EXPECT_EQ(big.delta.verdict, Assessment::Unknown) << series;
      EXPECT_THAT(deltaText(big), HasSubstr(" %, after 640k against 320k tokens")) << series;
    }
    EXPECT_TRUE(cell(unequal, 1, "tokens_per_sec").caution.empty()) << "needs no equal data";
    EXPECT_EQ(unequal.cells[1][2].delta.verdict, Assessment::NoiseUnknown) << "at equal tokens";
    EXPECT_GT(unequal.cells[1][2].delta.absolute, 0) << "at equal tokens";
    EXPECT_THAT(report(unequal), HasSubstr("after 640k against 320k tokens"));
    options.equalTokensWhereUnequal = true;
    const RunComparison fair = compare({"base", "big"}, options);
    EXPECT_EQ(fair.options.axis, Axis::Tokens);
    EXPECT_EQ(fair.end->x, 320'000);
    EXPECT_GT(cell(fair, 1, "loss").delta.absolute, 0) << "though lower after equal batches";
    EXPECT_EQ(cell(fair, 1, "loss").delta.verdict, Assessment::NoiseUnknown);
    EXPECT_THAT(fair.notes, ElementsAre(HasSubstr("so they are compared at equal tokens")));
  }
}

TEST_F(RunComparisonTest, EqualPlansAreComparedOverTheChosenAxis) {
  storeMadeRun(workspace_, {"base", "", 100, 2.0, 32, 0.5});
  storeMadeRun(workspace_, {"rate", "optimizer: {lr: 1e-3}", 100, 1.5, 32, 0.5});
  ComparisonOptions options = over(Axis::Batches);
  options.equalTokensWhereUnequal = true;
  const RunComparison found = compare({"base", "rate"}, options);
  EXPECT_EQ(found.options.axis, Axis::Batches);
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::NoiseUnknown);
  EXPECT_TRUE(cell(found, 1, "loss").caution.empty());
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST_F(RunComparisonTest, ACellIsASentenceWithRoundedFigures) {
  for (const char* seed : {"1", "2"}) {
    const double noise = 0.01 * std::stod(seed);
    storeMadeRun(workspace_, {std::string("a") + seed, std::string("seed: ") + seed, 100, 2 + noise});
    storeMadeRun(workspace_,
                 {std::string("b") + seed, std::string("optimizer: {lr: 1e-3}\nseed: ") + seed, 100, 1 + noise});
  }
  const RunComparison found = compare({"a1", "a2", "b1", "b2"}, grouped());
  EXPECT_THAT(cellSentence(found, 0, 0), testing::MatchesRegex("a, the baseline: [0-9.]+"));
  EXPECT_THAT(
      cellSentence(found, 1, 0),
      testing::MatchesRegex("b: [0-9.]+, against [0-9.]+ of the baseline a. Difference: .* ± .* %, better; ± is its "
                            "interval .at least 95 %., from the spread between seeds .n = [0-9]+ and [0-9]+."));
  EXPECT_THAT(tableCaption(found), HasSubstr("± is the interval of the difference to the baseline (at least 95 %)"));
}

class VerdictTest : public RunComparisonTest {
 protected:
  /// Three seeds of a plain and a ramped arm with the same loss after each global batch.
  void storeArms(std::int64_t parts) {
    for (const std::string seed : {"1", "2", "3"})
      for (const std::string arm : {"plain", "ramped"}) {
        MadeRun made;
        made.name = arm + seed;
        made.yaml = "seed: " + seed + (arm == "ramped" ? "\noptimizer: {lr: 1e-3}\n" : "\n");
        made.floor = 2 + std::stod(seed) * (arm == "ramped" ? 0.012 : 0.01);
        made.parts = arm == "ramped" ? parts : 1;
        storeMadeRun(workspace_, made);
      }
  }
  RunComparison compareArms(std::optional<double> margin = {}) {
    ComparisonOptions options;
    options.groupBy = kGroupByExperiment;
    options.margin = margin;
    return compare({"plain1", "plain2", "plain3", "ramped1", "ramped2", "ramped3"}, options);
  }
};

TEST_F(VerdictTest, TrainingLossBetweenUpdatesHasNoVerdictAndSaysWhy) {
  storeArms(8);
  const RunComparison found = compareArms(0.05);
  EXPECT_EQ(cell(found, 1, "loss").caution, "taken after up to 7 updates inside the batch");
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::Unknown);
  EXPECT_EQ(cell(found, 1, "loss").upper, std::nullopt);
  EXPECT_EQ(cell(found, 1, "eval.loss").caution, "");
  EXPECT_EQ(cell(found, 1, "eval.loss").delta.verdict, Assessment::WithinNoise);
  EXPECT_EQ(cell(found, 1, "steps").value, 800);
  EXPECT_THAT(verdictTexts(found), testing::Contains(HasSubstr("loss: taken after up to 7 updates inside the batch.")));
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("only evaluations decide there")));
}

TEST_F(VerdictTest, EqualPartsAreComparedAsBefore) {
  storeArms(1);
  const RunComparison found = compareArms();
  EXPECT_EQ(cell(found, 1, "loss").caution, "");
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::WithinNoise);
  for (const SummaryColumn& column : found.columns) EXPECT_NE(column.series, "steps");
}

TEST_F(VerdictTest, SaysWhatIsDetectableAndWhetherALineIsNotWorse) {
  storeArms(1);
  const SummaryCell found = cell(compareArms(0.05), 1, "eval.loss");
  ASSERT_TRUE(found.upper && found.band);
  EXPECT_EQ(detectableDifference(found), found.band);
  // differences of 0.002, 0.004 and 0.006, paired by seed: mean + t(0.95, 2) 0.002 / sqrt(3)
  EXPECT_NEAR(*found.upper, 0.004 + 2.919986 * 0.002 / std::sqrt(3.0), 1e-6);
  const auto texts = verdictTexts(compareArms(0.05));
  EXPECT_THAT(texts, testing::Contains(testing::MatchesRegex(
                         "ramped is within noise of plain in eval.loss: .* would tell a difference of .*")));
  EXPECT_THAT(texts,
              testing::Contains(testing::MatchesRegex("ramped is not worse than plain by more than 0.05[0]* nats "
                                                      "of eval.loss: the difference is at most .*")));
  EXPECT_THAT(verdictTexts(compareArms(0.0005)),
              testing::Contains(testing::StartsWith("It is not shown that ramped is not worse than plain")));
}

TEST_F(VerdictTest, AMarginInNatsIsSaidOfLossesOnlyAndWithItsSource) {
  storeArms(1);
  ComparisonOptions options;
  options.metric = "eval.perplexity";
  options.margin = 0.05;
  const auto texts = verdictTexts(compare({"plain1", "ramped2", "ramped3"}, options));
  EXPECT_THAT(texts, testing::Each(testing::Not(HasSubstr("nats of eval.perplexity"))));
  EXPECT_THAT(texts, testing::Contains(
                         HasSubstr("Student's t, n = 1 and 1, noise of all compared runs that differ by seed only).")));
}

TEST_F(VerdictTest, SmallDifferencesAreNotRoundedAway) {
  for (const int seed : {1, 2, 3})
    for (const std::string arm : {"plain", "other"})
      storeMadeRun(workspace_,
                   {.name = arm + std::to_string(seed),
                    .yaml = "seed: " + std::to_string(seed) + (arm == "plain" ? "" : "\noptimizer: {lr: 1e-3}"),
                    .floor = 2 + 1e-7 * seed * seed + (arm == "plain" ? 0 : 1e-5)});
  const auto found = compare({"plain1", "plain2", "plain3", "other1", "other2", "other3"}, grouped());
  EXPECT_THAT(equalLossTexts(found), testing::ElementsAre(testing::ContainsRegex("after 0\\.00[0-9]+ % more tokens")));
}

TEST_F(VerdictTest, TimeOnOtherDevicesIsComparedByItsPrediction) {
  storeArms(1);
  ComparisonOptions options = grouped();
  options.deviceClocks.devices = 64;
  for (const RunSummary& run : *workspace_->listRuns()) {
    auto& clock = options.deviceClocks.sec[run.id];
    for (std::int64_t batch = 1; batch <= 100; ++batch)
      clock.push_back({batch, static_cast<double>(batch) * (run.name.starts_with("ramped") ? 2 : 1)});
  }
  const RunComparison found = compare({"plain1", "plain2", "plain3", "ramped1", "ramped2", "ramped3"}, options);
  EXPECT_NEAR(*cell(found, 1, "devices_time").value, 200, 1e-9);
  EXPECT_THAT(equalLossTexts(found), testing::ElementsAre(HasSubstr(" more time on 64 devices (predicted)")));
  EXPECT_THAT(equalLossTexts(found).front(), HasSubstr("serial steps"));
}

TEST_F(RunComparisonTest, ReadersAreToldWhereEachQuantityWasTaken) {
  storeMadeRun(workspace_, {"base", "", 105, 2.0, 32, 0.5});  // its last evaluation is at global batch 100
  storeMadeRun(workspace_, {"big", "batch: {global_train_batch_size: 64}", 105, 1.5, 64, 0.8});
  const RunComparison found = compare({"base", "big"}, over(Axis::Samples));
  const TextTable table = summaryTable(found, NumberFormat::Readable);
  std::vector<std::string> titles;
  for (const TextTable::Column& column : table.columns)
    if (column.title != "vs baseline") titles.push_back(column.title);
  EXPECT_THAT(titles,
              ElementsAre("run", "eval.loss at 3.20k samples", "loss at equal samples", "loss at equal tokens (336k)",
                          "loss at equal time (53 s)", "time", "serial steps", "tokens (tok)", "mean speed (tok/s)",
                          "peak memory (GiB)", "eval.accuracy at 3.20k samples"));
  EXPECT_EQ(table.columns[3].about, comparedAtText(found) + " loss is the mean over the last 352 samples up to there.");
  const char* exactly =
      "loss at equal tokens is taken at 336,000 tokens, the last point that all runs with values of it reach.";
  EXPECT_THAT(table.columns[5].about, testing::StartsWith(exactly));
  EXPECT_EQ(table.columns[1].about,
            "eval.loss is taken at 3,200 samples, the last place at which all runs with values of it were measured.");
  const std::string page = report(found);
  EXPECT_THAT(page, HasSubstr(exactly));
  EXPECT_THAT(page, HasSubstr("loss at equal time (53 s)"));
}

TEST_F(RunComparisonTest, EachEvaluationSetHasItsColumns) {
  MadeRun made{"sets", "", 20};
  made.sets = {{"own", 2.0, 7.4, 0.5, 10, 1000, 1.25, 0.01}, {"general", 3.0, 20.1, 0.4, 10, 1000, 1.5, 0.01}};
  made.tasks = {{"films.f1", 0.75}, {"films.ndcg_at_10", 0.25}};
  storeMadeRun(workspace_, made);
  const RunComparison found = compare({"sets"}, {});
  std::map<std::string, std::optional<double>> values;
  for (std::size_t i = 0; i < found.columns.size(); ++i)
    if (found.columns[i].series.starts_with("eval.")) values[found.columns[i].series] = found.cells[0][i].value;
  const std::map<std::string, std::optional<double>> expected = {
      {"eval.own.loss", 2.0},           {"eval.own.accuracy", 0.5},
      {"eval.own.bits_per_byte", 1.25}, {"eval.general.loss", 3.0},
      {"eval.general.accuracy", 0.4},   {"eval.general.bits_per_byte", 1.5},
      {"eval.accuracy", 0.5},           {"eval.loss", values["eval.loss"]},
      {"eval.task.films.f1", 0.75},     {"eval.task.films.ndcg_at_10", 0.25}};
  EXPECT_EQ(values, expected);
}

TEST_F(RunComparisonTest, ItsReaderMayNameTheSeries) {
  storeMadeRun(workspace_, {"time", "", 20});
  storeMadeRun(workspace_, {"other", "optimizer: {lr: 7e-3}", 20, 1.7});
  ComparisonOptions options;
  options.smoothing = 0.5;
  const SeriesNames names{.series = [](const std::string& series) { return "«" + series + "»"; },
                          .unit = [](const std::string&) { return std::string("nats"); }};
  const std::string page = report(compare({"time", "other"}, options), names);
  EXPECT_THAT(page, HasSubstr("<h1>Comparison of 2 runs: «loss»</h1>"));
  EXPECT_THAT(page, HasSubstr(R"x("title":"«loss» (nats)")x"));
  EXPECT_THAT(page, HasSubstr(R"("smoothing":0.5)"));
  EXPECT_THAT(page, HasSubstr(">vs baseline</th>"));
  EXPECT_THAT(page, HasSubstr(">time</td>")) << "names of runs stay";
}

TEST_F(RunComparisonTest, SmoothsAndPassesOverNaN) {
  MadeRun made{"nan", "", 60};
  made.nanAt = 30;
  storeMadeRun(workspace_, made);
  ComparisonOptions options;
  options.smoothing = 0.9;
  const RunComparison found = compare({"nan"}, options);
  EXPECT_TRUE(std::isnan(found.runs[0].curve[29].y));
  const Curve smooth = smoothedCurve(found, found.runs[0]);
  EXPECT_TRUE(std::isnan(smooth[29].y));
  constexpr double kWeight = 0.9 / (2 - 0.9);  // centered, as the run has ended
  double sum = 0, weights = 0;
  for (std::int64_t batch = 1; batch <= 60; ++batch) {
    sum *= batch == 30 ? kWeight : 1;
    weights *= batch == 30 ? kWeight : 1;
    if (batch == 30) continue;
    sum = kWeight * sum + madeLoss(made, batch);
    weights = kWeight * weights + 1;
  }
  EXPECT_NEAR(smooth.back().y, sum / weights, 1e-12);
  EXPECT_NEAR(*cell(found, 0, "loss").value, meanLoss(made, 56, 60), 1e-12) << "whatever the drawing is smoothed by";
  MadeRun diverged{"diverged", "", 60};
  diverged.nanAt = 59;
  storeMadeRun(workspace_, diverged);
  const RunComparison skipped = compare({"nan", "diverged"});
  EXPECT_DOUBLE_EQ(*cell(skipped, 1, "loss").value, (meanLoss(diverged, 56, 58) * 3 + madeLoss(diverged, 60)) / 4);
  EXPECT_FALSE(skipped.runs[1].diverged) << "one batch was";
  EXPECT_THAT(skipped.notes, testing::Contains(HasSubstr("1 of 60 values of loss of diverged are NaN or infinite")));
}

/// Resumes a made run behind batch 20, with a loss of 100 + batch.
class ResumedRun {
 public:
  ResumedRun(const std::shared_ptr<Workspace>& workspace, const std::string& id) {
    for (int batch = 0; batch < 20; ++batch) at_ = at_.afterStep({32, 3200, 0.5}, 32).afterBatch();
    writer_ = *checked(RunWriter::open(workspace, id, {at_, "c", "{}", ""}));
  }
  void train(int batches) {
    for (int i = 0; i < batches; ++i) {
      at_ = at_.afterStep({32, 3200, 0.25}, 32).afterBatch();
      MetricsRow row;
      row.at = at_;
      row.loss = 100 + static_cast<double>(at_.batch);
      writer_->publish(row);
    }
    ASSERT_TRUE(writer_->flush().ok());
  }

 private:
  Timestamp at_;
  std::unique_ptr<RunWriter> writer_;
};

TEST_F(RunComparisonTest, SupersededRowsDoNotCount) {
  const MadeRun made{"resumed", "", 50};
  ResumedRun(workspace_, storeMadeRun(workspace_, made)).train(10);
  const RunComparison found = compare({"resumed"});
  ASSERT_EQ(found.runs[0].curve.size(), 30U);
  EXPECT_DOUBLE_EQ(found.runs[0].curve[19].y, madeLoss(made, 20));
  EXPECT_EQ(found.runs[0].curve[20].y, 121);
  EXPECT_EQ(found.end->x, 30 * 3200);
  EXPECT_DOUBLE_EQ(*cell(found, 0, "time").value, 20 * 0.5 + 10 * 0.25) << "time goes on where the checkpoint was";
}

TEST_F(RunComparisonTest, ARunThatGrowsIsComparedAsIfItWereReadAnew) {
  storeMadeRun(workspace_, {"base", "", 40, 2.0, 32, 0.5});
  const std::string id = storeMadeRun(workspace_, {"grows", "", 50});
  RunComparer comparer(*workspace_);
  const auto expectAsNew = [&](std::size_t rows) {
    const auto again = checked(comparer.compare({"base", "grows"}, {}));
    const RunComparison anew = compare({"base", "grows"});
    EXPECT_EQ(again->runs[1].curve.size(), rows);
    EXPECT_EQ(tableText(summaryTable(*again, NumberFormat::Exact), TableFormat::Csv),
              tableText(summaryTable(anew, NumberFormat::Exact), TableFormat::Csv));
    EXPECT_EQ(tableText(pointsTable(*again, PointSource::Runs), TableFormat::Csv),
              tableText(pointsTable(anew, PointSource::Runs), TableFormat::Csv));
  };
  expectAsNew(50);
  ResumedRun resumed(workspace_, id);
  for (const int batches : {1, 5, 20}) {
    resumed.train(batches);
    expectAsNew(batches == 1 ? 21 : batches == 5 ? 26 : 46);
  }
}

TEST_F(RunComparisonTest, AGroupKeepsItsColorWhicheverIsTheBaseline) {
  std::vector<std::string> ids = storeAblations(workspace_);
  ComparisonOptions options = grouped();
  std::map<std::string, int> styles;
  for (const ComparedLine& line : compare(ids, options).lines) styles[line.label] = line.style;
  std::reverse(ids.begin(), ids.end());
  const RunComparison reversed = compare(ids, options);
  ASSERT_EQ(reversed.lines.size(), styles.size());
  EXPECT_EQ(reversed.lines[0].style, static_cast<int>(styles.size()) - 1);
  for (const ComparedLine& line : reversed.lines) EXPECT_EQ(line.style, styles.at(line.label)) << line.label;
}

TEST_F(RunComparisonTest, AGroupHasTheColorOfItsOldestRunWhateverAreItsOthers) {
  const std::vector<std::string> ids = storeAblations(workspace_);  // two seeds of each
  RunStyles styles = RunStyles::read(*workspace_);
  styles.set(ids[0], 1);
  styles.set(ids[2], 0);
  styles.set(ids[1], 5);
  ASSERT_TRUE(styles.write(*workspace_).ok());
  const RunComparison found = compare({ids[3], ids[2], ids[1], ids[0]}, grouped());
  ASSERT_EQ(found.lines.size(), 2U);
  EXPECT_EQ(found.lines[0].leader, 1U);
  EXPECT_EQ(found.lines[0].style, 0);
  EXPECT_EQ(found.lines[1].style, 1) << "as without groups";
  for (const ComparedRun& run : found.runs)
    EXPECT_EQ(run.style, &run - found.runs.data() < 2 ? 0 : 1) << run.summary.name;
}

TEST_F(RunComparisonTest, GroupsSeedsAndJudgesDifferencesByTheirNoise) {
  const std::vector<std::string> ids = storeAblations(workspace_);
  ComparisonOptions options = grouped();
  const RunComparison found = compare(ids, options);
  ASSERT_EQ(found.lines.size(), 5U);
  EXPECT_EQ(found.lines[1].members, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(found.lines[1].label, "rate-1");
  for (std::size_t i = 0; i < found.lines.size(); ++i)
    EXPECT_EQ(found.lines[i].style, static_cast<int>(i)) << "not that of its second or third run";
  ASSERT_EQ(found.differences.rows.size(), 1U);
  EXPECT_EQ(found.differences.rows[0].field, "optimizer.lr");
  // Seeds differ by 0.02 at every x: deviation 0.02 / sqrt(2), five groups of two, so five degrees of freedom.
  ASSERT_TRUE(found.columns[0].noise.has_value());
  EXPECT_NEAR(found.columns[0].noise->deviation, 0.02 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(found.columns[0].noise->degrees, 5);
  const SummaryCell& second = cell(found, 1, "loss");
  EXPECT_NEAR(second.delta.absolute, -0.2, 1e-12);
  EXPECT_NEAR(second.band.value_or(0), studentT(kBandConfidence, 2) * 0.02 / std::sqrt(2.0), 1e-12)
      << "of the two groups alone: others may vary less";
  EXPECT_EQ(second.noiseFrom, NoiseSource::Seeds);
  EXPECT_EQ(second.delta.verdict, Assessment::Better);
  const GroupPoint point = groupCurve(found, found.lines[0]).at(49);
  EXPECT_EQ(point.count, 2U);
  EXPECT_NEAR(point.center, 2.51 + 8 / 6.0, 1e-12);
  EXPECT_NEAR(point.high - point.low, 2 * 0.02 / std::sqrt(2.0), 1e-12);
  options.groupBy = "seed";
  EXPECT_EQ(compare(ids, options).lines.size(), 2U);
  options.groupBy = "optimizer.l";
  EXPECT_THAT(refused(compareRuns(*workspace_, ids, options)).message, HasSubstr("did you mean 'optimizer.lr'?"));
}

TEST_F(RunComparisonTest, ADifferenceBelowTheSeedsIsNoise) {
  const auto add = [&](const char* name, const char* yaml, double floor) {
    storeMadeRun(workspace_, {name, yaml, 50, floor, 32, 0.5});
  };
  add("a1", "seed: 1", 2.0);
  add("a2", "seed: 2", 2.1);
  add("b1", "optimizer: {lr: 7e-3}", 2.05);
  const RunComparison found = compare({"a1", "b1", "a2"});
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::WithinNoise);
  EXPECT_GT(cell(found, 1, "loss").band.value_or(0), 0.05);
}

TEST_F(RunComparisonTest, MediansAreJudgedByTheNoiseOfMedians) {
  std::vector<std::string> names;
  for (const bool other : {false, true})
    for (const int seed : {1, 2, 3}) {
      const std::string number = std::to_string(seed + (other ? 3 : 0));  // else they would be compared as pairs
      names.push_back((other ? "b" : "a") + number);
      storeMadeRun(workspace_, {names.back(), (other ? "optimizer: {lr: 7e-3}\nseed: " : "seed: ") + number, 50,
                                (other ? 1.967 : 2.0) + 0.01 * seed});
    }
  ComparisonOptions options = grouped();
  const RunComparison means = compare(names, options);
  options.center = Center::Median;
  const RunComparison medians = compare(names, options);
  // The difference is 0.033 in both; 98 % of those between seeds are within 0.0306 and 0.0355.
  EXPECT_EQ(cell(means, 1, "loss").delta.verdict, Assessment::Better);
  EXPECT_EQ(cell(medians, 1, "loss").delta.verdict, Assessment::WithinNoise);
  EXPECT_NEAR(cell(medians, 1, "loss").band.value_or(0), 1.1602 * cell(means, 1, "loss").band.value_or(0), 1e-5);
}

TEST_F(RunComparisonTest, RunsOfTheSameSeedAreNoRepetitions) {
  storeMadeRun(workspace_, {"a1", "seed: 1", 50, 2.0});
  storeMadeRun(workspace_, {"again", "seed: 1", 50, 3.0});
  storeMadeRun(workspace_, {"b1", "optimizer: {lr: 7e-3}\nseed: 1", 50, 2.5});
  const RunComparison found = compare({"a1", "again", "b1"}, grouped());
  ASSERT_EQ(found.lines.size(), 2U);
  EXPECT_EQ(found.lines[0].members.size(), 2U) << "it is shown";
  ASSERT_EQ(found.lines[0].counted.size(), 1U);
  EXPECT_EQ(cell(found, 0, "loss").count, 1U);
  EXPECT_FALSE(found.columns[0].noise.has_value()) << "they say nothing about other seeds";
  EXPECT_EQ(groupCurve(found, found.lines[0]).front().count, 1U);
  EXPECT_EQ(figureOf(found, Scale::Linear).lines[0].count, " (n=1)");
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("another run has the same settings and seed")));
}

TEST_F(RunComparisonTest, NotesThatAGroupStartedFromTrainedWeights) {
  for (const char* seed : {"1", "2"}) {
    storeMadeRun(workspace_, {std::string("fresh-s") + seed, std::string("seed: ") + seed, 20});
    storeMadeRun(workspace_,
                 {std::string("more-s") + seed, std::string("model: {init_from: exported}\nseed: ") + seed, 20});
  }
  const auto names = HasSubstr("more-s1 started from trained weights");
  EXPECT_THAT(compare({"fresh-s1", "more-s1"}).notes, ElementsAre(names)) << "and no vocabulary that is not used";
  EXPECT_THAT(compare({"more-s1", "more-s2"}).notes, IsEmpty());
  EXPECT_THAT(compare({"fresh-s1", "fresh-s2", "more-s1", "more-s2"}, grouped()).notes,
              ElementsAre(testing::StartsWith("more started from trained")));
}

TEST_F(RunComparisonTest, NotesWhatWasNotMeasuredAlike) {
  storeMadeRun(workspace_, {"one", "", 20});
  storeMadeRun(workspace_, {"seed", "seed: 5", 20});
  EXPECT_THAT(compare({"one", "seed"}).notes, IsEmpty());
  storeMadeRun(workspace_, {"long", "---\ndata.max_seq_len: 256", 20});
  EXPECT_THAT(compare({"one", "long"}).notes,
              ElementsAre(HasSubstr("one and long were not measured alike: they differ in data.max_seq_len")));
  const RunComparison found = compare({"one", "long"});
  for (const char* series : {"loss", "eval.loss"}) {
    EXPECT_EQ(cell(found, 1, series).delta.verdict, Assessment::Unknown);
    EXPECT_THAT(cell(found, 1, series).caution, "not measured alike");
  }
}

TEST_F(RunComparisonTest, SaysWhatIsMissing) {
  storeMadeRun(workspace_, {"one", ""});
  NewRun empty;
  empty.name = "empty";
  ASSERT_TRUE(workspace_->createRun(empty).ok());
  const RunComparison found = compare({"one", "empty"});
  EXPECT_THAT(found.notes, testing::Contains(HasSubstr("empty has no values of loss")));
  EXPECT_EQ(cell(found, 1, "loss").delta.verdict, Assessment::Unknown);
  ComparisonOptions options;
  options.metric = "nothing";
  EXPECT_THAT(comparedAtText(compare({"one"}, options)), HasSubstr("nothing to compare"));
  EXPECT_FALSE(compareRuns(*workspace_, {}, {}).ok());
  EXPECT_FALSE(compareRuns(*workspace_, {"nobody"}, {}).ok());
  options.smoothing = 1;
  EXPECT_FALSE(compareRuns(*workspace_, {"one"}, options).ok());
}

TEST_F(RunComparisonTest, ARunKeepsItsColor) {
  std::vector<std::string> ids;
  for (const char* name : {"a", "b", "c"}) ids.push_back(storeMadeRun(workspace_, {name, "", 3}));
  RunStyles styles = RunStyles::read(*workspace_);
  EXPECT_TRUE(styles.assign({ids[1], ids[0]}));
  ASSERT_TRUE(styles.write(*workspace_).ok());
  RunStyles again = RunStyles::read(*workspace_);
  EXPECT_EQ(again.of(ids[1]), 0);
  EXPECT_EQ(again.of(ids[0]), 1);
  EXPECT_EQ(again.of(ids[2]), -1);
  EXPECT_TRUE(again.assign({ids[2], ids[0], ids[1]}));
  EXPECT_EQ(again.of(ids[2]), 2);
  EXPECT_FALSE(again.assign({ids[2], ids[0]}));
  EXPECT_EQ(compare({ids[0], ids[1]}).runs[0].style, 1);
  ASSERT_TRUE(workspace_->saveSetting("run_styles", "{broken").ok());
  EXPECT_EQ(RunStyles::read(*workspace_).of(ids[1]), -1);
}

TEST_F(RunComparisonTest, RunsThatMeetForTheFirstTimeLookDifferent) {
  std::vector<std::string> ids;
  for (const char* name : {"a", "b", "c"}) ids.push_back(storeMadeRun(workspace_, {name, "", 3}));
  RunStyles styles = RunStyles::read(*workspace_);
  for (const std::string& id : ids) EXPECT_TRUE(styles.assign({id})) << "each by itself";
  EXPECT_EQ(styles.of(ids[1]), 0);
  EXPECT_TRUE(styles.assign(ids));
  EXPECT_EQ(styles.of(ids[0]), 0) << "who was there first stays";
  EXPECT_EQ(styles.of(ids[1]), 1);
  EXPECT_EQ(styles.of(ids[2]), 2);
  EXPECT_FALSE(styles.assign(ids));
  styles.set(ids[2], 11);
  EXPECT_TRUE(styles.assign(ids)) << "no dashes while a color is free";
  EXPECT_EQ(styles.of(ids[2]), 2);
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back("run " + std::to_string(i));
  EXPECT_TRUE(styles.assign(many));
  EXPECT_FALSE(styles.assign(many)) << "with more runs than looks some stay alike";
  std::set<int> looks;
  for (int i = 0; i < 16; ++i) looks.insert(styles.of(many[static_cast<std::size_t>(i)]));
  EXPECT_EQ(looks.size(), 16U);
}

TEST_F(RunComparisonTest, EveryPointOfEveryRunIsWrittenWhateverTheyAreGroupedBy) {
  storeMadeRun(workspace_, {"a1", "seed: 1", 30});
  storeMadeRun(workspace_, {"a2", "seed: 2", 20, 2.1});
  ComparisonOptions options = grouped();
  options.smoothing = 0.5;
  const RunComparison found = compare({"a1", "a2"}, options);
  const TextTable points = pointsTable(found, PointSource::Runs);
  std::vector<std::string> titles;
  for (const TextTable::Column& column : points.columns) titles.push_back(column.title);
  EXPECT_THAT(titles, ElementsAre("run", "group", "tokens", "loss", "loss smoothed"));
  ASSERT_EQ(points.rows.size(), 50U);
  EXPECT_EQ(points.rows[49][0], "a2");
  EXPECT_EQ(points.rows[49][1], found.lines[0].label);
  EXPECT_EQ(std::stod(points.rows[49][3]), madeLoss({"a2", "", 20, 2.1}, 20)) << "as it was measured";
  EXPECT_EQ(std::stod(points.rows[49][4]), smoothedCurve(found, found.runs[1]).back().y);
  const TextTable groups = pointsTable(found, PointSource::Groups);
  ASSERT_EQ(groups.rows.size(), 30U);
  EXPECT_NE(groups.rows[19][3], "");
  EXPECT_NE(groups.rows[19][4], "");
  EXPECT_EQ(groups.rows[29][3], "") << "one run has no band";
  EXPECT_EQ(groups.rows[29][4], "");
  EXPECT_EQ(ignoredDifferencesText(found.differences),
            "Also different, but not counted because they do not change the experiment: seed");
}

TEST_F(RunComparisonTest, WhoeverExportsALongRunIsToldThatItsPointsAreExtremesOfStretches) {
  storeMadeRun(workspace_, {"short", "", 30});
  EXPECT_THAT(compare({"short"}, {}).notes, IsEmpty());
  MadeRun made{"long", "", 201'000};
  made.every = 1000;
  storeMadeRun(workspace_, made);
  EXPECT_THAT(compare({"long"}, {}).notes, ElementsAre(HasSubstr("averages and exported points")));
}

TEST_F(RunComparisonTest, AMeanTellsHowManyOfItsGroupItStandsFor) {
  storeMadeRun(workspace_, {"a1", "seed: 1", 30});
  storeMadeRun(workspace_, {"a2", "seed: 2", 5});  // ends before the first evaluation
  storeMadeRun(workspace_, {"b1", "optimizer: {lr: 7e-3}", 30});
  const RunComparison found = compare({"a1", "a2", "b1"}, grouped());
  EXPECT_EQ(cell(found, 0, "eval.loss").count, 1U);
  EXPECT_EQ(cell(found, 0, "loss").count, 2U);
  const TextTable table = summaryTable(found, NumberFormat::Readable);
  const auto column = static_cast<std::size_t>(
      std::find_if(table.columns.begin(), table.columns.end(),
                   [](const TextTable::Column& each) { return each.title.starts_with("eval.loss"); }) -
      table.columns.begin());
  ASSERT_LT(column, table.columns.size());
  EXPECT_TRUE(table.rows[0][column].ends_with(" (1 of 2)")) << table.rows[0][column];
  EXPECT_EQ(table.rows[1][column].find('('), std::string::npos);
  const Figure figure = figureOf(found, Scale::Linear);
  EXPECT_EQ(figure.lines[0].count, " (n=2→1)");
  EXPECT_EQ(figure.lines[1].count, " (n=1)");
}

TEST_F(RunComparisonTest, MemoryIsComparedInGibibytes) {
  const std::string id = storeMadeRun(workspace_, {"one", "", 10});
  const auto names = checked(comparableSeries(*workspace_, {id}));
  const auto peak = std::find_if(names->begin(), names->end(), [](const std::string& name) {
    return name.starts_with("memory.") && name.ends_with(".peak");
  });
  ASSERT_NE(peak, names->end());
  ComparisonOptions options;
  options.metric = *peak;
  const RunComparison found = compare({"one"}, options);
  EXPECT_EQ(*cell(found, 0, *peak).value, *cell(found, 0, "memory.peak").value);
  EXPECT_THAT(figureOf(found, Scale::Linear).title, HasSubstr(".peak (GiB)"));
  EXPECT_EQ(pointsTable(found, PointSource::Runs).columns[2].title, *peak + " (GiB)");
}

TEST_F(RunComparisonTest, DifferencesHaveTwoDigitsAndValuesFour) {
  const SummaryColumn column{"loss", "loss", "", Direction::LowerIsBetter, 0, Axis::Tokens, {}};
  EXPECT_EQ(cellValueText(column, 3.27), "3.270");
  EXPECT_EQ(cellValueText(column, 0.9359), "0.9359");
  EXPECT_EQ(cellValueText(column, 12345), "1.234e+04");
  EXPECT_EQ(cellValueText(column, 999.94), "999.9");
  EXPECT_EQ(cellValueText(column, -999.97), "-1000");
  EXPECT_EQ(cellValueText(column, 0), "0");
  EXPECT_EQ(cellValueText(column, NAN), "nan");
  const auto told = [](double relative) {
    return deltaText({1, 1, {relative, relative, Assessment::NoDirection}, {}});
  };
  const auto withBand = [](double relative, double band) {
    return deltaText({2 * (1 + relative), 1, {2 * relative, relative, Assessment::NoDirection}, 2 * band});
  };
  EXPECT_EQ(withBand(-0.0881, 0.0123), "−8.8 ± 1.2 %");
  EXPECT_EQ(withBand(0.0076, 0.24), "+0.8 ± 24.0 %");
  EXPECT_EQ(withBand(-0.452, 0.003), "−45.2 ± 0.3 %") << "a band is not rounded to none";
  EXPECT_EQ(withBand(-0.017, 0.0003), "−1.70 ± 0.03 %");
  EXPECT_EQ(told(0.09), "+9.0 %");
  EXPECT_EQ(told(-0.0881), "−8.8 %");
  EXPECT_EQ(told(0.171), "+17 %");
  EXPECT_EQ(told(2.5), "+250 %");
  EXPECT_EQ(told(0.000123), "+0.012 %");
}

TEST_F(RunComparisonTest, OffersWhatCanBeCompared) {
  const std::string id = storeMadeRun(workspace_, {"one", "", 10});
  const auto names = checked(comparableSeries(*workspace_, {id}));
  EXPECT_THAT(*names, testing::IsSupersetOf({"loss", "eval.loss", "lr", "tokens_per_sec"}));
  EXPECT_THAT(*names, Not(testing::Contains("tok")));
}

TEST_F(RunComparisonTest, TheReportOfOneExperimentBearsItsName) {
  const std::string one = storeMadeRun(workspace_, {"one", "experiment: batch <sizes>\nvariant: small\n", 10});
  const std::string two = storeMadeRun(workspace_, {"two", "experiment: batch <sizes>\nvariant: large\n", 10});
  const std::string other = storeMadeRun(workspace_, {"other", "", 10});
  EXPECT_THAT(report(compare({one, two})), HasSubstr("<h1>batch &lt;sizes&gt;: "));
  EXPECT_THAT(report(compare({one, other})), Not(HasSubstr("<h1>batch")));
}

TEST_F(RunComparisonTest, TheReportHoldsHostileTextsAsPlainText) {
  const std::string hostile = "<script>alert(1)</script>\"'&<img src=x onerror=y><!--";
  const std::string id = storeMadeRun(workspace_, {hostile, "", 20});
  ASSERT_TRUE(workspace_->setNote(id, "<b>note</b>").ok());
  ASSERT_TRUE(workspace_->setTags(id, {"<i>tag</i>"}).ok());
  const RunComparison found = compare({id});
  const std::string page = report(found);
  const std::string data = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(data), end = page.find("</script>", begin);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_THAT(page.substr(begin, end - begin), HasSubstr(R"(\u003cscript>alert(1)\u003c/script>)"));
  const std::string rest = page.substr(0, begin) + page.substr(end + 9);
  for (const char* bad : {"<script", "</script", "<img", "<b>", "<i>", "<!--<", "http:", "https:", "href="})
    EXPECT_THAT(rest, Not(HasSubstr(bad)));
  EXPECT_THAT(rest, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(rest, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(rest, Not(HasSubstr("unsafe")));
}

/// Numbers of a line of the page: 0 where there is none.
std::vector<double> cellsOf(const nlohmann::json& text) {
  std::vector<double> cells;
  std::istringstream all(text.get<std::string>());
  for (std::string cell; std::getline(all, cell, ',');) cells.push_back(cell.empty() ? 0 : std::stod(cell));
  return cells;
}

TEST_F(RunComparisonTest, TheReportKeepsExtremesAndWhatIsNotFinite) {
  MadeRun made{"long", "", 9'000};
  made.nanAt = 5'000;
  storeMadeRun(workspace_, made);
  storeMadeRun(workspace_, {"short", "", 50});
  const RunComparison found = compare({"long", "short"}, over(Axis::Batches));
  const std::string page = report(found);
  const std::size_t begin = page.find('{', page.find(R"(id="data">)"));
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data.at("lines").size(), 2U);
  std::set<std::string> titles;
  for (const auto& chart : data.at("charts")) titles.insert(chart.at("title").get<std::string>());
  EXPECT_THAT(titles, testing::IsSupersetOf({"loss", "eval.loss", "lr"}));
  const auto& line = data.at("charts").at(0).at("lines").at(0);
  const auto x = cellsOf(data.at("charts").at(0).at("x")), y = cellsOf(line.at("y")), means = cellsOf(line.at("means"));
  EXPECT_LE(x.size(), 2'001U);
  EXPECT_EQ(y.size(), x.size());
  EXPECT_EQ(std::ranges::count_if(y, [](double value) { return std::isinf(value); }), 1);
  double most = 0, sum = 0;
  for (const MeasuredPoint& point : found.runs[0].curve) most = std::max(most, std::isfinite(point.y) ? point.y : 0);
  EXPECT_NEAR(*std::ranges::max_element(y, {}, [](double value) { return std::isinf(value) ? 0 : value; }), most, 1e-4);
  for (const double mean : means) sum += mean;
  EXPECT_NEAR(sum / static_cast<double>(means.size()), meanLoss(made, 5'001, 9'000), 0.2);
  EXPECT_EQ(data.at("charts").at(0).at("at"), 50);
}

TEST_F(RunComparisonTest, TheReportOfManySeriesHasTheFirstAndAWholeCommand) {
  ExternalRun run;
  run.source = "tensorboard";
  run.path = "/logged";
  run.name = "logged";
  run.status = RunStatus::Finished;
  for (int i = 0; i < 100; ++i) run.series.push_back({"a" + std::to_string(i), {{1, 1.0}, {2, 2.0}}});
  for (const char* name : {"it's", "lr"}) run.series.push_back({name, {{1, 1.0}, {2, 2.0}}});
  ASSERT_TRUE(workspace_->storeExternalRuns(std::span(&run, 1)).ok());
  ComparisonOptions options = over(Axis::Batches);
  options.metric = "it's";
  const std::string page = report(compare({"logged"}, options));
  EXPECT_THAT(page, HasSubstr("60 charts are shown; those of 42 more series are left out."));
  EXPECT_THAT(page, HasSubstr(R"("title":"lr)"));
  EXPECT_THAT(page, HasSubstr(" --metric " + escapeMarkup(R"('it'\''s')") + " --at "));
}

TEST_F(RunComparisonTest, TheCommandOfTheReportHasAllThatDecidesItsVerdicts) {
  const std::string one = storeMadeRun(workspace_, {"one", "", 20}), two = storeMadeRun(workspace_, {"two", "", 20});
  ComparisonOptions options;
  options.groupBy = kGroupByExperiment;
  options.margin = 0.01;
  options.ignored = IgnoredFields({"name", "data.*"});
  options.deviceClocks.devices = 8;
  for (const std::string& run : {one, two}) options.deviceClocks.sec[run] = std::vector<SeriesPoint>{{20, 5.0}};
  EXPECT_THAT(report(compare({one, two}, options)),
              HasSubstr(" --margin 0.01 --devices 8 --ignore name --ignore " + escapeMarkup("'data.*'") +
                        " --group-by experiment --center mean --band std"));
  EXPECT_THAT(report(compare({one, two})), Not(HasSubstr("--ignore")));
}

TEST_F(RunComparisonTest, TablesReadBackExactly) {
  storeMadeRun(workspace_, {"base", "", 30});
  storeMadeRun(workspace_, {"other", "optimizer: {lr: 7e-3}", 30, 1.7});
  const RunComparison found = compare({"base", "other"});
  const TextTable exact = summaryTable(found, NumberFormat::Exact);
  EXPECT_EQ(exact.rows[1][0], "other");
  EXPECT_EQ(std::stod(exact.rows[1][1]), *cell(found, 1, "eval.loss").value);
  EXPECT_EQ(std::stod(exact.rows[1][6]), *cell(found, 1, "loss").value);
  EXPECT_EQ(std::stod(exact.rows[1][7]), cell(found, 1, "loss").delta.absolute);
  EXPECT_EQ(exact.rows[1][9], "") << "no noise is known";
  EXPECT_EQ(exact.rows[1][10], "noise unknown");
  const TextTable points = pointsTable(found, PointSource::Runs);
  EXPECT_EQ(points.rows.size(), 60U);
  PointRows blocks(std::make_shared<const RunComparison>(found), PointSource::Runs);
  std::vector<std::vector<std::string>> rows;
  while (!blocks.atEnd()) {
    const double before = blocks.progress();
    for (auto& row : blocks.next(7).rows) rows.push_back(std::move(row));
    EXPECT_GT(blocks.progress(), before);
  }
  EXPECT_EQ(rows, points.rows);
  EXPECT_EQ(blocks.progress(), 1);
  EXPECT_EQ(differenceText(found.differences).substr(0, 5), "1 of ");
  EXPECT_THAT(differenceTable(found).rows, ElementsAre(ElementsAre("optimizer.lr", "5e-04", "0.007")));
}

/// A run with rows of a few of its many global batches.
class RunSeriesReaderTest : public RunComparisonTest {
 protected:
  void SetUp() override {
    RunComparisonTest::SetUp();
    NewRun run;
    run.name = "long";
    id_ = *workspace_->createRun(run);
    writer_ = *checked(RunWriter::open(workspace_, id_, {}));
  }

  void store(std::int64_t firstBatch, std::int64_t lastBatch) {
    for (std::int64_t batch = firstBatch; batch <= lastBatch; ++batch) {
      MetricsRow row;
      row.at.batch = row.at.step = batch;
      row.at.token = 10 * batch;
      row.loss = static_cast<double>(batch * 37 % 101);
      writer_->publish(row);
    }
    ASSERT_TRUE(writer_->flush().ok());
  }

  std::vector<std::pair<std::int64_t, double>> read(RunSeriesReader& reader, const std::string& series) {
    reader.follow(*workspace_->findRun(id_));
    std::vector<std::pair<std::int64_t, double>> read;
    for (const SeriesPoint& point : *reader.points(series)) read.emplace_back(point.batch, point.value);
    return read;
  }

  std::string id_;
  std::unique_ptr<RunWriter> writer_;
};

TEST_F(RunSeriesReaderTest, PointsOfALongRunDoNotDependOnWhenTheyWereRead) {
  RunSeriesReader following(*workspace_, id_);
  store(1, 300);
  EXPECT_EQ(read(following, "loss").size(), 300u);
  const std::pair<std::int64_t, std::int64_t> parts[] = {
      {299'990, 300'000}, {300'001, 300'002}, {300'003, 300'100}, {300'101, 300'101}, {700'000, 700'050}};
  for (const auto& [from, to] : parts) {
    store(from, to);
    RunSeriesReader fresh(*workspace_, id_);
    for (const std::string series : {"loss", "tok"}) {
      const auto points = read(following, series);
      EXPECT_EQ(points, read(fresh, series)) << series << " at " << to;
      EXPECT_EQ(points.back().first, to);
      EXPECT_TRUE(std::ranges::is_sorted(points, {}, &std::pair<std::int64_t, double>::first));
    }
    EXPECT_TRUE(following.isDownsampled());
  }
}

TEST_F(RunSeriesReaderTest, TheMeanOfALongRunIsThatOfAllItsValues) {
  store(296'001, 300'000);
  RunSeriesReader reader(*workspace_, id_);
  const auto points = read(reader, "loss");
  ASSERT_TRUE(reader.isDownsampled());
  ASSERT_TRUE(reader.setAxis(Axis::Batches).ok());
  const Curve curve = reader.over(*reader.points("loss"));
  ASSERT_EQ(curve.size(), points.size());
  for (const double window : {3'200.0, 800.0}) {  // of values from 0 to 100, whose mean is 50
    const auto mean = meanBefore(curve, 300'000, window);
    ASSERT_TRUE(mean);
    EXPECT_NEAR(*mean, 50, 0.5) << window;
  }
}

}  // namespace
}  // namespace batchwise::test
