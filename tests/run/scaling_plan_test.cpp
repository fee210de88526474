// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/scaling_plan.h"

#include <gtest/gtest.h>

namespace batchwise {
namespace {

/// BERT base, half a second a step on one device.
StepCost base() {
  StepCost cost;
  cost.tokensPerStep = 500'000;
  cost.secondsPerToken = 1e-6;
  cost.microbatchTokens = 20'000;
  cost.parameters = 110'000'000;
  cost.embeddingParameters = 23'000'000;
  return cost;
}

TEST(ScalingPlanTest, OneDeviceIsWhatWasMeasured) {
  const std::vector<std::int64_t> one = {1};
  const ScalingPoint point = predictScaling(base(), {}, one).front();
  EXPECT_DOUBLE_EQ(point.stepSec, 0.5);
  EXPECT_DOUBLE_EQ(point.efficiency, 1.0);
  EXPECT_DOUBLE_EQ(point.tokensPerSec, 1e6);
  EXPECT_EQ(point.communicationSec, 0.0);
}

TEST(ScalingPlanTest, SumsHideBehindTheLastBackwardPassButForTheWordEmbeddings) {
  Interconnect between;
  between.devicesPerNode = 8;
  between.nodeBytesPerSec = 100e9;
  between.latencySec = 0;
  const std::vector<std::int64_t> eight = {8};
  StepCost cost = base();
  const double ring = 2.0 * 7 / 8;
  const double overlappable = ring * 87e6 * 4 / 100e9, last = ring * 23e6 * 4 / 100e9;
  const ScalingPoint hidden = predictScaling(cost, between, eight).front();
  EXPECT_DOUBLE_EQ(hidden.tokensPerDevice, 62'500);
  EXPECT_NEAR(hidden.communicationSec, overlappable + last, 1e-12);
  EXPECT_NEAR(hidden.exposedSec, last, 1e-12) << "13 ms of backward pass hide 6 ms";
  EXPECT_NEAR(hidden.stepSec, 0.0625 + last, 1e-12);
  cost.microbatchTokens = 600;  // 0.4 ms of backward pass
  const ScalingPoint shown = predictScaling(cost, between, eight).front();
  EXPECT_NEAR(shown.exposedSec, overlappable - 0.0004 + last, 1e-12);
  EXPECT_NEAR(shown.efficiency, 0.0625 / (0.0625 + shown.exposedSec), 1e-12);
}

TEST(ScalingPlanTest, BeyondANodeTheNetworkCountsAndEfficiencyFalls) {
  const std::vector<std::int64_t> counts = {1, 8, 9, 64, 1024, 1'000'000};
  const auto points = predictScaling(base(), {}, counts);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(points[i].efficiency, points[i - 1].efficiency);
    EXPECT_GT(points[i].communicationSec, points[i - 1].communicationSec);
  }
  EXPECT_GT(points[2].communicationSec, 5 * points[1].communicationSec);
  EXPECT_GT(points[1].efficiency, 0.95);
}

}  // namespace
}  // namespace batchwise
