// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/measured_speed.h"

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
  TrainConfig config = loadConfig("demo").config;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
  addRun("whole", RunStatus::Finished, 4);
  addRun("failed", RunStatus::Failed, 1);
  const auto speed = MeasuredSpeeds(*workspace_).of(config);
  ASSERT_TRUE(speed.has_value());
  EXPECT_EQ(speed->run, "whole");
  EXPECT_DOUBLE_EQ(speed->tokensPerSec, 250);
  EXPECT_DOUBLE_EQ(speed->tokensPerSample, 100);
  EXPECT_EQ(speed->devices, 1);
  config.model.preset = config.model.preset == "large" ? "base" : "large";
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

TEST_F(MeasuredSpeedTest, AnotherSizeUnderTheSamePresetIsAnotherModel) {
  addRun("whole", RunStatus::Finished, 4);
  TrainConfig config = loadConfig("demo").config;
  ASSERT_TRUE(MeasuredSpeeds(*workspace_).of(config).has_value());
  TrainConfig wider = loadConfig("demo", {"model.intermediate_size=8192"}).config;
  EXPECT_EQ(wider.model.preset, config.model.preset);
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(wider).has_value());
  config.tokenizer.trainVocabSize *= 2;
  EXPECT_FALSE(MeasuredSpeeds(*workspace_).of(config).has_value());
}

}  // namespace
}  // namespace batchwise
