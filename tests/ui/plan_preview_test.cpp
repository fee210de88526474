// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/plan_preview.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/config/config_file.h"
#include "core/text/demo_corpus.h"
#include "tests/support/test_environment.h"
#include "ui/edit/edit_presenter.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

TrainConfig smallRun() {
  TrainConfig config = loadConfig("demo").config;
  config.data.maxSeqLen = 128;
  config.batch = {};
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 16;
  config.scheduler = {};
  config.scheduler.tWarmup = Time::duration(0.1);
  config.maxDuration = Time::of(2, TimeUnit::Epoch);
  return config;
}

PlanPreview preview(const TrainConfig& config) {
  const auto plan = previewPlan(config, {6400, 1});
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().text());
  return plan.ok() ? *plan : PlanPreview();
}

/// With a run measured at this speed.
PlanEstimates estimatesAt(const TrainConfig& config, double tokensPerSec) {
  LoadedConfig loaded;
  loaded.config = config;
  PlanEstimates estimates;
  estimates.cost = runCost(loaded, preview(config).stageTotals, MeasuredSpeed{"older", tokensPerSec}, MachineInfo());
  return estimates;
}

std::optional<RunCost> unknownCost(const LoadedConfig&, const std::vector<Plan::Totals>&) {
  return std::nullopt;
}

QString factNamed(const std::vector<PlanFact>& facts, const char* name) {
  for (const PlanFact& fact : facts)
    if (fact.name == QLatin1String(name)) return fact.value;
  return QStringLiteral("-");
}

TEST(PlanFactsTest, TellTheTotalsOfARunWithOneBatchSize) {
  const auto facts = planFacts(preview(smallRun()), {});
  EXPECT_EQ(factNamed(facts, "Global batches"), QStringLiteral("200"));
  EXPECT_EQ(factNamed(facts, "Optimizer steps"), QStringLiteral("200"));
  EXPECT_EQ(factNamed(facts, "Epochs"), QStringLiteral("2"));
  EXPECT_EQ(factNamed(facts, "Samples"), QStringLiteral("12.8k"));
  EXPECT_EQ(factNamed(facts, "Tokens per step"), QStringLiteral("up to 8,192"));
  EXPECT_EQ(factNamed(facts, "Warm-up"), QStringLiteral("20 global batches"));
  for (const char* absent : {"Ramp-up", "Fill", "Expected duration"})
    EXPECT_EQ(factNamed(facts, absent), QStringLiteral("-"));
}

double lowest(const std::vector<QPointF>& curve, double from, double to) {
  double least = 1e9;
  for (const QPointF& point : curve)
    if (point.x() >= from && point.x() <= to) least = std::min(least, point.y());
  return least;
}

TEST(PlanCurvesTest, StandWhereTheRowsOfTheRunWill) {
  const PlanPreview plan = preview(smallRun());
  EXPECT_EQ(plan.rate.front(), QPointF(1, 0)) << "the first global batch trains with the rate at its start";
  EXPECT_EQ(plan.rate.back().x(), 200);
  EXPECT_EQ(plan.rate.size(), 200u);
}

TEST(PlanCurvesTest, ShowTheShortLastGlobalBatchOfEachEpochAndEachEdgeOfAStage) {
  TrainConfig config = smallRun();
  config.maxDuration = Time::of(5000, TimeUnit::Batch);
  const auto plan = previewPlan(config, {64 * 290 + 27, 1});  // epochs of 291 global batches
  ASSERT_TRUE(plan.ok());
  for (int epoch = 1; epoch <= 17; ++epoch) {
    EXPECT_EQ(lowest(plan->stepSize, 291.0 * epoch, 291.0 * epoch), 27) << epoch;
    EXPECT_EQ(lowest(plan->stepSize, 291.0 * epoch - 290, 291.0 * epoch - 1), 64) << epoch;
  }
  config.batch.rampup.duration = Time::of(1234, TimeUnit::Batch);
  config.batch.rampup.initialGlobalTrainBatchSize = 16;
  const PlanPreview ramp = preview(config);
  for (const double x : {617.0, 618.0, 1234.0, 1235.0})
    EXPECT_EQ(lowest(ramp.stepSize, x, x), x < 618 ? 16 : x < 1235 ? 32 : 64) << x;
}

TEST(PlanCurvesTest, KeepTheRateWhereTheSizesAreKnownOnlyDuringTheRun) {
  TrainConfig config = smallRun();
  config.maxDuration = Time::of(500, TimeUnit::Batch);
  config.scheduler.tWarmup = Time::of(50, TimeUnit::Batch);
  const PlanPreview constant = preview(config);
  config.batch.growth.rule = GrowthPreset::NormTest;
  const PlanPreview grows = preview(config);
  EXPECT_TRUE(grows.stepSize.empty());
  ASSERT_FALSE(grows.rate.empty());
  EXPECT_EQ(grows.rate.front(), constant.rate.front());
  EXPECT_EQ(grows.rate.back(), constant.rate.back());
  EXPECT_EQ(factNamed(planFacts(grows, {}), "Global batches"), QStringLiteral("500"));
  EXPECT_EQ(factNamed(planFacts(grows, {}), "Optimizer steps"), QStringLiteral("-"));
  EXPECT_NE(factNamed(planFacts(grows, {}), "Batch growth"), QStringLiteral("-"));
  config.scheduler.tWarmup = Time::of(640, TimeUnit::Sample);
  config.scheduler.tMax = Time::of(32000, TimeUnit::Sample);
  EXPECT_TRUE(preview(config).rate.empty()) << "it follows from the sizes";
}

TEST(PlanFactsTest, TellARampAndItsRangeOfTokens) {
  TrainConfig config = smallRun();
  config.batch.rampup.duration = Time::duration(0.5);
  config.batch.rampup.initialGlobalTrainBatchSize = 16;
  const auto facts = planFacts(preview(config), {});
  EXPECT_EQ(factNamed(facts, "Tokens per step"), QStringLiteral("2,048 to 8,192, by stage"));
  EXPECT_EQ(factNamed(facts, "Ramp-up"), QStringLiteral("100 global batches"));
}

TEST(PlanFactsTest, TokensPerStepOnAverageAreTheTokensOfTheRunByItsSteps) {
  TrainConfig config = smallRun();
  config.maxDuration = Time::of(3, TimeUnit::Epoch);
  PlanAssumptions assumptions;
  assumptions.lengths = std::make_shared<EqualLengths>(64 * 9 + 10, 100);  // each epoch ends with a short step
  const auto plan = previewPlan(config, assumptions);
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  ASSERT_EQ(plan->totals.steps, 30);
  EXPECT_EQ(factNamed(planFacts(*plan, {}), "Tokens per step"), QStringLiteral("5,860 on average"));
  config.batch.rampup.duration = Time::duration(0.5);
  config.batch.rampup.initialGlobalTrainBatchSize = 16;
  const auto ramp = previewPlan(config, assumptions);
  ASSERT_TRUE(ramp.ok());
  const QString mean = integerText(std::llround(3.0 * 58'600 / static_cast<double>(*ramp->totals.steps)));
  EXPECT_EQ(factNamed(planFacts(*ramp, {}), "Tokens per step"),
            mean + QStringLiteral(" on average; 1,600 to 6,400, by stage"));
}

TEST(PlanFactsTest, WhatWasCountedInTheTextIsTakenAsItIs) {
  PlanAssumptions counted;
  counted.samplesPerEpoch = 640;
  counted.tokensPerSample = 20;
  TrainConfig config = smallRun();
  config.maxDuration = Time::of(2, TimeUnit::Epoch);
  const auto plan = previewPlan(config, counted);
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  EXPECT_TRUE(plan->lengthsKnown);
  EXPECT_EQ(plan->totals.tokens, 2 * 640 * 20);
}

TEST(PlanFactsTest, AWarmUpInSamplesIsToldInGlobalBatchesToo) {
  TrainConfig config = smallRun();
  config.scheduler.tWarmup = Time::of(1280, TimeUnit::Sample);
  config.maxDuration = Time::of(12'800, TimeUnit::Sample);
  EXPECT_EQ(factNamed(planFacts(preview(config), {}), "Warm-up"), QStringLiteral("1,280 samples, 20 global batches"));
}

TEST(PlanFactsTest, TellNoWarmUpAndAnEndThatIsNotKnown) {
  TrainConfig config = smallRun();
  config.scheduler.name = "constant";
  config.scheduler.tWarmup.reset();
  config.maxDuration = Time::of(60, TimeUnit::Second);
  const auto facts = planFacts(preview(config), estimatesAt(config, 1000));
  EXPECT_EQ(factNamed(facts, "Warm-up"), QStringLiteral("none"));
  EXPECT_EQ(factNamed(facts, "Length"), QStringLiteral("60sec"));
  EXPECT_EQ(factNamed(facts, "Expected duration"), QStringLiteral("-"));
}

TEST(PlanFactsTest, TellTheFillUnderATokenBudget) {
  TrainConfig config = smallRun();
  config.batch.tokens.maxTokens = 500;  // three samples of 128 in a pack
  const PlanPreview plan = preview(config);
  EXPECT_TRUE(plan.units.packs);
  EXPECT_EQ(factNamed(planFacts(plan, {}), "Fill"), QStringLiteral("76.8 % of 500 tokens"));
}

TEST(PlanFactsTest, WithoutAMeasuredRunTheDurationIsAGuessFromTheOperations) {
  LoadedConfig config;
  config.config = smallRun();
  config.config.devices.use = "cpu";
  MachineInfo machine;
  machine.cores = 4;
  PlanEstimates estimates;
  estimates.cost = runCost(config, preview(config.config).stageTotals, std::nullopt, machine);
  ASSERT_TRUE(estimates.cost.has_value());
  EXPECT_DOUBLE_EQ(estimates.cost->seconds, estimates.cost->operations / roughOperationsPerSec(config.config, machine));
  const QString time = toQt(formatDuration(estimates.cost->seconds));
  EXPECT_EQ(factNamed(planFacts(preview(config.config), estimates), "Expected duration"),
            QStringLiteral("up to %1, a rough guess").arg(time));
}

TEST(PlanFactsTest, TheDurationNamesTheRunThatWasMeasuredAndThatOfASweepIsOfAllItsRuns) {
  PlanEstimates estimates = estimatesAt(smallRun(), 200 * 8192 / 90.0);
  EXPECT_EQ(factNamed(planFacts(preview(smallRun()), estimates), "Expected duration"),
            QStringLiteral("up to 1 min 30 s, at 18.2k tok/s by run older"));
  estimates.runs = 4;
  EXPECT_EQ(factNamed(planFacts(preview(smallRun()), estimates), "Expected duration"),
            QStringLiteral("up to 1 min 30 s for run 1 of 4, at 18.2k tok/s by run older"));
  estimates.totalSeconds = 600;
  EXPECT_EQ(factNamed(planFacts(preview(smallRun()), estimates), "Expected duration"),
            QStringLiteral("up to 10 min for all 4 runs, 1 min 30 s for run 1, at 18.2k tok/s by run older"));
}

TEST(SweepDurationTest, AddsUpWhatEachRunTrains) {
  TrainConfig run = smallRun(), longer = smallRun(), elsewhere = smallRun();
  longer.maxDuration = Time::of(6, TimeUnit::Epoch);
  elsewhere.data.maxSeqLen = 64;
  const double once = 2 * 6400 * 128 / 1000.0;
  const CostOf measured = [](const LoadedConfig& config, const std::vector<Plan::Totals>& stages) {
    return runCost(config, stages, MeasuredSpeed{"older", 1000}, MachineInfo());
  };
  const auto planned = [](const std::vector<TrainConfig>& configs, const CostOf& costOf) {
    std::vector<LoadedConfig> runs;
    for (const TrainConfig& config : configs) runs.emplace_back().config = config;
    return planRuns(runs, {}, {6400, 1}, costOf);
  };
  const auto three = planned({run, run, longer}, measured);
  EXPECT_EQ(totalSeconds(three), 5 * once);
  EXPECT_EQ(totalTokens(three), 10 * 6400 * 128);
  EXPECT_EQ(three.back().steps, 600);
  EXPECT_FALSE(totalSeconds(planned({run, elsewhere}, measured)).has_value());  // its samples are not known
  const auto unmeasured = planned({run, longer}, unknownCost);
  EXPECT_FALSE(totalSeconds(unmeasured).has_value());
  EXPECT_TRUE(totalTokens(unmeasured).has_value());
}

TEST(SweepDurationTest, ARunTellsWhatItHasThatOthersHaveNot) {
  const SweepConfig sweep =
      parseSweep("experiment: e\nvariant: [a, b]\nseed: [1, 2]\nscheduler: constant\nmax_duration: 9ba\n", "t", {});
  const auto runs = sweepRuns(sweep.first, sweep.axes);
  ASSERT_TRUE(runs.ok());
  const auto planned = planRuns(*runs, sweep.axes, {6400, 1}, unknownCost);
  ASSERT_EQ(planned.size(), 4u);
  EXPECT_EQ(planned[3].name, "e-b-seed=2");
  EXPECT_EQ(planned[3].steps, 9);
}

TEST(SweepWarningsTest, ARampOfOneStageInALaterRunIsToldWithItsName) {
  TrainConfig base = smallRun(), ramp = smallRun();
  ramp.name = "ramp";
  ramp.batch.rampup.duration = Time::duration(0.5);
  ramp.batch.deviceTrainMicrobatchSize = base.batch.deviceTrainMicrobatchSize = ramp.batch.globalTrainBatchSize;
  std::vector<LoadedConfig> runs(2);
  runs[0].config = base;
  runs[1].config = ramp;
  const auto planned = planRuns(runs, {}, {6400, 1}, unknownCost);
  const auto others = otherWarnings(planned, planned[0].warnings);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].field, "batch.rampup.initial_global_train_batch_size");
  EXPECT_TRUE(toQt(others[0].message).contains(QStringLiteral("'ramp'")));
  EXPECT_TRUE(toQt(others[0].message).contains(QStringLiteral("one stage")));
  EXPECT_TRUE(otherWarnings(planned, planned[1].warnings).empty()) << "shown already";
}

TEST(SweepWarningsTest, UnderAnotherBudgetStepsOfAsManyPacksHaveOtherTokens) {
  const SweepAxis budget{"batch.tokens.max_tokens", {"512", "1024"}}, seed{"seed", {"1", "2"}};
  const auto warnings = sweepWarnings({budget, seed});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].field, budget.field);
  EXPECT_TRUE(sweepWarnings({budget, {"batch.global_train_batch_size", {"16", "8"}}}).empty());
  EXPECT_TRUE(sweepWarnings({seed}).empty());
}

TEST(TextReviewTest, TellsFilesSizeAndTheBeginningOfTheText) {
  const test::TempFolder folder;
  DataConfig data;
  data.train = {"*.txt"};
  EXPECT_TRUE(textLine(reviewText(data, folder.path())).isEmpty());
  ASSERT_TRUE(writeFileAtomically(folder / "a.txt", "The  first\nline.\n\nAnother document.").ok());
  ASSERT_TRUE(writeFileAtomically(folder / "b.txt", std::string(2000, 'x')).ok());
  const TextReview review = reviewText(data, folder.path());
  EXPECT_EQ(review.files, 2);
  EXPECT_EQ(review.bytes, 2035);
  EXPECT_TRUE(review.sample.startsWith(QStringLiteral("The first line."))) << review.sample.toStdString();
  EXPECT_TRUE(textLine(review).startsWith(QStringLiteral("2 files, "))) << textLine(review).toStdString();
  std::filesystem::remove(folder / "a.txt");
  EXPECT_EQ(reviewText(data, folder.path()).sample.size(), 121) << "120 characters and an ellipsis";
  data.format = TextFormat::Demo;
  EXPECT_FALSE(reviewText(data, folder.path()).sample.isEmpty());
}

std::vector<std::string> warnedFields(const TrainConfig& config) {
  std::vector<std::string> fields;
  for (const FieldProblem& warning : reviewWarnings(config, preview(config), nullptr)) fields.push_back(warning.field);
  return fields;
}

TEST(ReviewWarningsTest, NameTheFieldToChange) {
  const auto warns = [](const TrainConfig& config, const char* field) {
    const auto fields = warnedFields(config);
    return std::count(fields.begin(), fields.end(), field) >= 1;
  };
  EXPECT_TRUE(warnedFields(smallRun()).empty()) << warnedFields(smallRun()).front();
  TrainConfig packs = smallRun();
  packs.batch.tokens.maxTokens = 4096;
  EXPECT_TRUE(warns(packs, "batch.global_train_batch_size")) << "64 samples are now 64 packs";
  TrainConfig flat = smallRun();
  flat.batch.rampup.duration = Time::duration(0.5);
  flat.batch.rampup.initialGlobalTrainBatchSize = 64;
  EXPECT_TRUE(warns(flat, "batch.rampup.initial_global_train_batch_size")) << "the ramp begins at its full size";
  TrainConfig slow = smallRun();
  slow.scheduler.tWarmup = Time::of(300, TimeUnit::Batch);
  EXPECT_TRUE(warns(slow, "scheduler.t_warmup")) << "longer than the run";
}

TEST(ReviewWarningsTest, TooFewSamplesForOneBatchAreToldBeforeTheLaunch) {
  const EqualLengths few(10, 128);
  const auto warnings = reviewWarnings(smallRun(), preview(smallRun()), &few);
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings.front().field, "batch.global_train_batch_size");
}

TEST(EditPresenterTest, AVariantKeepsAllButItsLabels) {
  TaskQueue tasks;
  EditPresenter edit(tasks);
  RunDetail run;
  run.summary.name = "ramp-seed=17";
  run.configYaml = "name: ramp-seed=17\nseed: 17\noptimizer: {lr: 3e-3}\n";
  EXPECT_EQ(EditPresenter::proposedExperiment(run), QStringLiteral("ramp"));
  edit.loadVariant(run, QStringLiteral("ramp"), QStringLiteral("no ramp"));
  const TrainConfig& config = edit.draft().config();
  EXPECT_EQ(config.name, "");
  EXPECT_EQ(config.experiment, "ramp");
  EXPECT_EQ(config.variant, "no ramp");
  EXPECT_EQ(config.optimizer.lr, 3e-3);
  EXPECT_EQ(runName(config), "ramp-no ramp-seed=17");
  run.configYaml += "experiment: batches\n";
  EXPECT_EQ(EditPresenter::proposedExperiment(run), QStringLiteral("batches"));
}

/// On a processor.
Result<MemoryForecast> memoryOfSmallRun() {
  LoadedConfig config;
  config.config = smallRun();
  config.config.devices.use = "cpu";
  return forecastMemory(config, 1, nullptr);
}

TEST(PlanFactsTest, TellTheModelAndTheMemoryOfAStepWithWhatItIsMadeOfAndItsLimit) {
  const auto memory = memoryOfSmallRun();
  ASSERT_TRUE(memory.ok());
  PlanEstimates estimates;
  estimates.memory = *memory;
  auto facts = planFacts(preview(smallRun()), estimates);
  const auto fact = std::ranges::find(facts, QStringLiteral("Memory"), &PlanFact::name);
  ASSERT_NE(fact, facts.end());
  EXPECT_EQ(fact->value, QStringLiteral("needs about %1 per device").arg(toQt(formatBytes(memory->perDevice.total()))));
  EXPECT_TRUE(fact->toolTip.contains(QStringLiteral("Weights: %1").arg(toQt(formatBytes(memory->perDevice.weights)))));
  EXPECT_TRUE(fact->toolTip.contains(QStringLiteral("Micro-batch: 16 x 128 tokens"))) << fact->toolTip.toStdString();
  EXPECT_TRUE(factNamed(facts, "Model").startsWith(QStringLiteral("2 layers of width 128, ")));
  estimates.memoryLimit = std::int64_t{8} << 30;
  facts = planFacts(preview(smallRun()), estimates);
  EXPECT_TRUE(factNamed(facts, "Memory").endsWith(toQt(" of " + formatBytes(*estimates.memoryLimit))));
}

TEST(PlanFactsTest, TheHeadlineTellsLengthMemoryAndDuration) {
  const auto memory = memoryOfSmallRun();
  ASSERT_TRUE(memory.ok());
  PlanEstimates estimates = estimatesAt(smallRun(), 200 * 8192 / 90.0);
  EXPECT_EQ(headline(planFacts(preview(smallRun()), estimates)),
            QStringLiteral("up to 1.64M tokens · up to 1 min 30 s"));
  estimates.memory = *memory;
  EXPECT_EQ(headline(planFacts(preview(smallRun()), estimates)),
            QStringLiteral("up to 1.64M tokens · needs about %1 per device · up to 1 min 30 s")
                .arg(toQt(formatBytes(memory->perDevice.total()))));
  EXPECT_TRUE(headline({}).isEmpty());
}

TEST(EstimateSamplesTest, WithoutTextThereIsNoEstimate) {
  DataConfig data;
  data.train = {};
  EXPECT_FALSE(estimateSamples(data, 4000, 0).has_value());
}

TEST(EstimateSamplesTest, OfTheDemoTextFollowsFromItsGenerator) {
  DataConfig data;
  data.format = TextFormat::Demo;
  data.maxSeqLen = 32;
  data.holdout = 0;
  const auto paragraphs = static_cast<std::int64_t>(DemoCorpusSpec{}.paragraphs);
  EXPECT_EQ(estimateSamples(data, 512, 0), 2 * paragraphs);
  data.maxSeqLen = 64;
  EXPECT_EQ(estimateSamples(data, 512, 0), paragraphs);
}

TEST(EstimateSamplesTest, ShorterSequencesMakeMoreOfThem) {
  const ListedLengths known({128, 66, 64, 3});
  EXPECT_EQ(samplesFromOtherLengths(known, 128, 64, 2), 3 + 2 + 1 + 1) << "whatever the size of the text tells";
  EXPECT_EQ(samplesFromOtherLengths(known, 128, 127, 0), 5);
  EXPECT_EQ(samplesFromOtherLengths(known, 128, 256, 9), 4) << "longer ones make no more";
  EXPECT_EQ(samplesFromOtherLengths(known, 128, 256, 2), 2);
  EXPECT_EQ(samplesFromOtherLengths(known, 128, 256, 0), 4) << "the size of the text is not known";
}

TEST(PlanFactsTest, WithoutAPlanThereAreNone) {
  EXPECT_TRUE(planFacts({}, {}).empty());
}

}  // namespace
}  // namespace batchwise
