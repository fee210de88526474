// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/plan.h"

#include <gtest/gtest.h>

#include <numeric>

namespace batchwise {
namespace {

TrainConfig constantConfig(Time maxDuration, std::int64_t batch) {
  TrainConfig config;
  config.maxDuration = maxDuration;
  config.batch.globalTrainBatchSize = batch;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.scheduler.name = "constant";
  return config;
}

std::shared_ptr<const Lengths> equal(std::int64_t samples) {
  return std::make_shared<EqualLengths>(samples, 10);
}

/// Walks the whole run and returns the Timestamp at its end.
Timestamp walk(const Plan& plan, std::vector<std::int64_t>& sizes) {
  Timestamp now;
  while (!plan.finished(now)) {
    const auto batch = plan.globalBatchAt(now);
    EXPECT_TRUE(batch.ok()) << (batch.ok() ? "" : batch.error().text());
    std::int64_t samples = 0;
    for (const Part& part : batch->parts) {
      now = now.afterStep({part.samples, part.tokens, 0.5}, part.units);
      samples += part.samples;
    }
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
    sizes.push_back(samples);
    const bool foreseen = plan.runLength().maxDuration.unit() != TimeUnit::Second;
    EXPECT_EQ(batch->endsRun, foreseen && plan.finished(now));
  }
  return now;
}

TEST(PlanTest, LastGlobalBatchOfAnEpochIsShort) {
  const auto plan = Plan::resolve(constantConfig(Time::of(2, TimeUnit::Epoch), 8), equal(20), {});
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  std::vector<std::int64_t> sizes;
  const Timestamp end = walk(*plan, sizes);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{8, 8, 4, 8, 8, 4}));
  EXPECT_EQ(end.epoch, 2);
  EXPECT_EQ(plan->totals().batches, 6);
  EXPECT_EQ(plan->totals().steps, 6);
  EXPECT_EQ(plan->totals().samples, 40);
  EXPECT_EQ(plan->totals().tokens, 400);
  EXPECT_EQ(plan->totals().epochs, 2.0);
}

TEST(PlanTest, EndsWhereEachUnitSays) {
  const auto sizesOf = [](Time end) {
    const auto plan = Plan::resolve(constantConfig(end, 8), equal(20), {});
    EXPECT_TRUE(plan.ok());
    std::vector<std::int64_t> sizes;
    const Timestamp last = walk(*plan, sizes);
    EXPECT_EQ(plan->totals().samples.value_or(last.sample), last.sample);
    EXPECT_EQ(plan->totals().batches.value_or(last.batch), last.batch);
    return sizes;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizesOf(Time::of(4, TimeUnit::Batch)), (Sizes{8, 8, 4, 8}));
  EXPECT_EQ(sizesOf(Time::of(30, TimeUnit::Sample)), (Sizes{8, 8, 4, 8, 2}));
  EXPECT_EQ(sizesOf(Time::of(201, TimeUnit::Token)), (Sizes{8, 8, 4, 8}));
  EXPECT_EQ(sizesOf(Time::of(200, TimeUnit::Token)), (Sizes{8, 8, 4}));
  EXPECT_EQ(sizesOf(Time::epochs(0.5)), (Sizes{8}));
  EXPECT_EQ(sizesOf(Time::of(1, TimeUnit::Second)), (Sizes{8, 8}));
}

TEST(PlanTest, DealsAPartEvenlyToDevicesAndPasses) {
  const auto plan = Plan::resolve(constantConfig(Time::of(1, TimeUnit::Epoch), 11), equal(20), {.devices = 2});
  ASSERT_TRUE(plan.ok());
  const auto batch = plan->globalBatchAt({});
  const auto first = plan->microBatchesOf(batch->parts[0], 0);
  const auto second = plan->microBatchesOf(batch->parts[0], 1);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(first[0].units + first[1].units, 6);
  EXPECT_EQ(second[0].firstUnit, 6);
  EXPECT_EQ(second[1].firstUnit + second[1].units, 11);
}

}  // namespace
}  // namespace batchwise
