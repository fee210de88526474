// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/scaling_plan.h"

#include <gtest/gtest.h>

#include "core/config/config_file.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

class MeasuredSpeedTest : public ::testing::Test {
 protected:
  /// A run with one row of 1000 tokens in `seconds`.
  void addRun(const std::string& name, RunStatus status, double seconds) {
    NewRun run;
    run.name = name;
    run.configYaml = run.resolvedYaml = bundledConfig("demo");
    const std::string id = *workspace_->createRun(run);
    auto writer = RunWriter::open(workspace_, id, {});
    ASSERT_TRUE(writer.ok());
    MetricsRow row;
    row.at.batch = 1;
    row.at.sample = 10;
    row.at.token = 1000;
    row.at.seconds = seconds;
    RunFinished finished;
    finished.status = status;
    finished.at = row.at;
    (*writer)->publish(row);
    (*writer)->publish(finished);
    ASSERT_TRUE((*writer)->flush().ok());
  }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
};

TEST_F(MeasuredSpeedTest, IsThatOfAFinishedRunWithTheSamePreset) {
  LoadedConfig config = loadConfig("demo");
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
  addRun("whole", RunStatus::Finished, 4);
  addRun("failed", RunStatus::Failed, 1);
  const auto speed = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(speed.has_value());
  EXPECT_EQ(speed->run, "whole");
  EXPECT_DOUBLE_EQ(speed->tokensPerSec, 250);
  EXPECT_DOUBLE_EQ(speed->tokensPerSample, 100);
  EXPECT_EQ(speed->devices, 1);
  config.config.model.preset =
      config.config.model.preset == ModelPreset::Large ? ModelPreset::Base : ModelPreset::Large;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

TEST_F(MeasuredSpeedTest, AnotherSizeUnderTheSamePresetIsAnotherModel) {
  addRun("whole", RunStatus::Finished, 4);
  LoadedConfig config = loadConfig("demo");
  ASSERT_TRUE(MeasuredSpeeds(*workspace_).of(config).has_value());
  LoadedConfig wider = loadConfig("demo", {"model.intermediate_size=8192"});
  EXPECT_EQ(wider.config.model.preset, config.config.model.preset);
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(wider).has_value());
  config.config.tokenizer.trainVocabSize *= 2;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

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
