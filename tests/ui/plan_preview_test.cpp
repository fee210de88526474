// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/plan_preview.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/config/config_file.h"
#include "tests/support/test_environment.h"
#include "ui/models/display_text.h"

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

TEST(PlanFactsTest, TellARampAndItsRangeOfTokens) {
  TrainConfig config = smallRun();
  config.batch.rampup.duration = Time::duration(0.5);
  config.batch.rampup.initialGlobalTrainBatchSize = 16;
  const auto facts = planFacts(preview(config), {});
  EXPECT_EQ(factNamed(facts, "Tokens per step"), QStringLiteral("2,048 to 8,192, by stage"));
  EXPECT_EQ(factNamed(facts, "Ramp-up"), QStringLiteral("100 global batches"));
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
  const auto facts = planFacts(preview(config), PlanEstimates{MeasuredSpeed{"older", 1000}});
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

TEST(PlanFactsTest, TheDurationNamesTheRunThatWasMeasured) {
  const auto facts = planFacts(preview(smallRun()), PlanEstimates{MeasuredSpeed{"older", 200 * 8192 / 90.0}});
  EXPECT_EQ(factNamed(facts, "Expected duration"), QStringLiteral("up to 1 min 30 s, at the 18.2k tok/s of older"));
}

TEST(PlanFactsTest, TheDurationOfASweepIsThatOfAllItsRuns) {
  PlanEstimates estimates{MeasuredSpeed{"older", 200 * 8192 / 90.0}};
  estimates.runs = 4;
  EXPECT_EQ(factNamed(planFacts(preview(smallRun()), estimates), "Expected duration"),
            QStringLiteral("up to 1 min 30 s for the first of 4 runs, at the 18.2k tok/s of older"));
  estimates.totalSeconds = 600;
  EXPECT_EQ(factNamed(planFacts(preview(smallRun()), estimates), "Expected duration"),
            QStringLiteral("up to 10 min for all 4 runs, 1 min 30 s for the first, at the 18.2k tok/s of older"));
}

TEST(SweepDurationTest, AddsUpWhatEachRunTrains) {
  TrainConfig run = smallRun(), longer = smallRun(), elsewhere = smallRun();
  longer.maxDuration = Time::of(6, TimeUnit::Epoch);
  elsewhere.data.maxSeqLen = 64;
  const MeasuredSpeed speed{"older", 1000};
  const PlanAssumptions samples{6400, 1};
  const double once = 2 * 6400 * 128 / 1000.0;
  const auto speedOf = [&](const TrainConfig&) { return std::optional(speed); };
  EXPECT_EQ(sweepSeconds({run, run, longer}, samples, speedOf), 5 * once);
  EXPECT_FALSE(sweepSeconds({run, elsewhere}, samples, speedOf).has_value());  // its samples are not known
  EXPECT_FALSE(sweepSeconds({run, longer}, samples, [](const TrainConfig&) {
                 return std::optional<MeasuredSpeed>();
               }).has_value());
}

TEST(PlanFactsTest, TellTheMemoryOfAStepWithWhatItIsMadeOf) {
  LoadedConfig config;
  config.config = smallRun();
  config.config.devices.use = "cpu";
  const auto memory = forecastMemory(config, 1, nullptr);
  ASSERT_TRUE(memory.ok());
  PlanEstimates estimates;
  estimates.memory = *memory;
  for (const PlanFact& fact : planFacts(preview(config.config), estimates)) {
    if (fact.name != QStringLiteral("Memory")) continue;
    EXPECT_EQ(fact.value, QStringLiteral("about %1 per device").arg(toQt(formatBytes(memory->perDevice.total()))));
    EXPECT_TRUE(fact.toolTip.contains(QStringLiteral("Weights: %1").arg(toQt(formatBytes(memory->perDevice.weights)))));
    EXPECT_TRUE(fact.toolTip.contains(QStringLiteral("Micro-batch: 16 x 128 tokens"))) << fact.toolTip.toStdString();
    return;
  }
  ADD_FAILURE() << "no fact tells the memory";
}

TEST(PlanFactsTest, TheHeadlineTellsLengthMemoryAndDuration) {
  LoadedConfig config;
  config.config = smallRun();
  config.config.devices.use = "cpu";
  const auto memory = forecastMemory(config, 1, nullptr);
  ASSERT_TRUE(memory.ok());
  PlanEstimates estimates{MeasuredSpeed{"older", 200 * 8192 / 90.0}};
  EXPECT_EQ(headline(planFacts(preview(smallRun()), estimates)),
            QStringLiteral("up to 1.64M tokens · up to 1 min 30 s"));
  estimates.memory = *memory;
  EXPECT_EQ(headline(planFacts(preview(smallRun()), estimates)),
            QStringLiteral("up to 1.64M tokens · about %1 per device · up to 1 min 30 s")
                .arg(toQt(formatBytes(memory->perDevice.total()))));
  EXPECT_TRUE(headline({}).isEmpty());
}

TEST(EstimateSamplesTest, WithoutTextThereIsNoEstimate) {
  DataConfig data;
  data.train.clear();
  EXPECT_FALSE(estimateSamples(data, test::TempFolder() / "").has_value());
}

TEST(PlanFactsTest, WithoutAPlanThereAreNone) {
  EXPECT_TRUE(planFacts({}, {}).empty());
}

}  // namespace
}  // namespace batchwise
