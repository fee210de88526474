// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/plan/plan.h"
#include "core/plan/preview.h"
#include "tests/support/run_plan.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

TrainConfig fallingRate(Time maxDuration) {
  TrainConfig config;
  config.maxDuration = maxDuration;
  config.batch.globalTrainBatchSize = 8;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.scheduler.name = "constant";
  config.data.mlmProbability = 0.3;
  config.data.mlmProbabilityEnd = 0.1;
  return config;
}

Plan planOf(const TrainConfig& config) {
  const auto plan = Plan::resolve(config, std::make_shared<EqualLengths>(20, 10), {});
  EXPECT_TRUE(plan.ok()) << plan.error().text();
  return *plan;
}

/// Returns the shares of all global batches.
std::vector<double> rates(const Plan& plan) {
  std::vector<double> all;
  Timestamp now;
  while (!plan.finished(now)) {
    const auto batch = plan.globalBatchAt(now);
    EXPECT_TRUE(batch.ok());
    EXPECT_EQ(batch->maskProbability, plan.maskProbability(now));
    all.push_back(batch->maskProbability);
    for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
  return all;
}

TEST(MaskRateTest, FallsLinearlyAtTheStartOfEachGlobalBatch) {
  for (const Time& duration : {Time::of(4, TimeUnit::Batch), Time::of(32, TimeUnit::Sample)}) {
    TrainConfig config = fallingRate(duration);
    config.batch.globalTrainBatchSize = 8;
    const auto plan = Plan::resolve(config, std::make_shared<EqualLengths>(800, 10), {});
    ASSERT_TRUE(plan.ok()) << plan.error().text();
    const std::vector<double> found = rates(*plan);
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], 0.3 - 0.05 * static_cast<double>(i), 1e-12) << i;
    EXPECT_TRUE(plan->changesMaskProbability());
  }
  EXPECT_NEAR(rates(planOf(fallingRate(Time::of(2, TimeUnit::Epoch)))).back(), 0.3 - 0.2 * 5 / 6, 1e-12);
}

TEST(MaskRateTest, IsConstantWithoutAnEnd) {
  TrainConfig config = fallingRate(Time::of(4, TimeUnit::Batch));
  for (const std::optional<double> end : {std::optional<double>{}, {0.3}}) {
    config.data.mlmProbabilityEnd = end;
    const Plan plan = planOf(config);
    EXPECT_FALSE(plan.changesMaskProbability());
    EXPECT_THAT(rates(plan), testing::Each(0.3));
    EXPECT_FALSE(plan.resolved().contains("data.mlm_probability_end"));
  }
}

TEST(MaskRateTest, AResumeRepeatsItAndALongerOneHoldsItsEnd) {
  TrainConfig config = fallingRate(Time::of(6, TimeUnit::Batch));
  const auto lengths = std::make_shared<EqualLengths>(20, 10);
  const Plan launched = planOf(config);
  EXPECT_EQ(launched.resolved().at("data.mlm_probability_end"), "6ba");
  const auto restored = Plan::restore(config, launched.resolved(), lengths, {});
  ASSERT_TRUE(restored.ok()) << restored.error().text();
  EXPECT_EQ(rates(*restored), rates(launched));
  config.maxDuration = Time::of(9, TimeUnit::Batch);
  const auto longer = Plan::restore(config, launched.resolved(), lengths, {});
  ASSERT_TRUE(longer.ok()) << longer.error().text();
  const std::vector<double> found = rates(*longer);
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(std::vector<double>(found.begin(), found.begin() + 6), rates(launched));
  for (std::size_t i = 6; i < 9; ++i) EXPECT_NEAR(found[i], 0.1, 1e-12);
}

TEST(MaskRateTest, ThePreviewShowsIt) {
  const auto lengths = std::make_shared<EqualLengths>(20, 10);
  const RunPlan run = test::runPlanOf(fallingRate(Time::of(4, TimeUnit::Batch)), lengths);
  const auto preview = previewJson(run, {Time::of(0, TimeUnit::Batch), Time::of(2, TimeUnit::Batch)});
  ASSERT_TRUE(preview.ok());
  EXPECT_NEAR(preview->at("points").at(1).at("mlm_probability").get<double>(), 0.2, 1e-12);
  EXPECT_THAT(previewText(run, {Time::of(2, TimeUnit::Batch)}).value(), HasSubstr("20 %"));
  TrainConfig constant = fallingRate(Time::of(4, TimeUnit::Batch));
  constant.data.mlmProbabilityEnd.reset();
  const auto without = previewJson(test::runPlanOf(constant, lengths), {Time::of(0, TimeUnit::Batch)});
  EXPECT_FALSE(without->at("points").at(0).contains("mlm_probability"));
}

TEST(MaskRateTest, ARunOfSecondsHasNoKnownEnd) {
  const auto plan =
      Plan::resolve(fallingRate(Time::of(90, TimeUnit::Second)), std::make_shared<EqualLengths>(20, 10), {});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().text(), HasSubstr("data.mlm_probability_end: changes over the run"));
}

}  // namespace
}  // namespace batchwise
