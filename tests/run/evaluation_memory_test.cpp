// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation where memory is short (the limit on host tensors plays a small device), and of no data.
#include <gtest/gtest.h>

#include <vector>

#include "core/run/launch/launch_data.h"
#include "core/run/session/launch_model.h"
#include "core/train/device_memory.h"
#include "core/train/evaluation.h"
#include "core/train/train_loop.h"
#include "tests/run/small_run.h"

namespace batchwise::test {
namespace {

class EvaluationMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    NullSink silence;
    CommandMailbox commands;
    const LoadedConfig config = runs_.config({"precision=fp32"});
    auto data = prepareLaunchData(config, runs_.folder() / "cache", silence, commands);
    ASSERT_TRUE(data.ok()) << data.error().text();
    const auto devices = useDevices(config.config.devices);
    ASSERT_TRUE(devices.ok()) << devices.error().text();
    const auto model = launchModel(config, data->tokenizer.vocabulary());
    ASSERT_TRUE(model.ok()) << model.error().text();
    auto replicas = makeReplicas(*model, config.config, *devices);
    ASSERT_TRUE(replicas.ok()) << replicas.error().text();
    replicas_ = std::move(*replicas);
    masks_.emplace(MaskSpec::of(data->tokenizer.vocabulary(), 0.15));
    samples_.emplace(std::move(data->train));
  }
  void TearDown() override { setHostTensorLimit(0); }

  struct Evaluated {
    Result<EvalResult> result;
    std::int64_t firstPass = 0;  // samples
    std::int64_t peakBytes = 0;  // above what was in use before
  };
  Evaluation by(std::int64_t samplesPerPass) { return {{*samples_, *masks_, 5, 0}, samplesPerPass}; }
  Evaluated run(Evaluation& evaluation, const FreeMemory& freeMemory = {}) {
    SingleCommunicator alone;
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    std::int64_t firstPass = 0;
    const auto progress = [&](std::int64_t done, std::int64_t) { firstPass = firstPass == 0 ? done : firstPass; };
    auto result = evaluation.run(replicas_.front().model, alone, progress, freeMemory);
    return {std::move(result), firstPass, hostTensorBytes().peak - before};
  }
  Evaluated evaluateBy(std::int64_t samplesPerPass) {
    Evaluation evaluation = by(samplesPerPass);
    return run(evaluation);
  }

  SmallRuns runs_;
  std::vector<Replica> replicas_;
  std::optional<MaskSpec> masks_;
  std::optional<TokenDataset> samples_;
};

TEST_F(EvaluationMemoryTest, APassThatDoesNotFitIsHalvedAndTheResultStays) {
  const Evaluated whole = evaluateBy(64);
  const Evaluated quarter = evaluateBy(16);
  ASSERT_TRUE(whole.result.ok()) << whole.result.error().text();
  ASSERT_EQ(whole.firstPass, 64);
  ASSERT_LT(quarter.peakBytes, whole.peakBytes / 2);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  const Evaluated halved = evaluateBy(64);
  ASSERT_TRUE(halved.result.ok()) << halved.result.error().text();
  EXPECT_LT(halved.firstPass, 64);
  EXPECT_GE(halved.firstPass, 16);
  EXPECT_LE(halved.peakBytes, whole.peakBytes / 2);
  EXPECT_NEAR(halved.result->loss, whole.result->loss, 1e-5 * whole.result->loss);
  EXPECT_EQ(halved.result->accuracy, whole.result->accuracy);
  EXPECT_EQ(halved.result->samples, whole.result->samples);
  EXPECT_EQ(halved.result->tokens, whole.result->tokens);
}

TEST_F(EvaluationMemoryTest, WhatDidNotFitIsNotTriedAgainByTheNextEvaluation) {
  const Evaluated whole = evaluateBy(64);
  Evaluation evaluation = by(64);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  const Evaluated first = run(evaluation);
  setHostTensorLimit(0);
  const Evaluated second = run(evaluation);
  ASSERT_TRUE(first.result.ok() && second.result.ok());
  EXPECT_LT(first.firstPass, 64);
  EXPECT_EQ(second.firstPass, first.firstPass);
  EXPECT_EQ(second.result->loss, first.result->loss);
}

TEST_F(EvaluationMemoryTest, APassIsTriedAgainAsItIsWhereRoomWasMade) {
  const Evaluated whole = evaluateBy(64);
  Evaluation evaluation = by(64);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  int asked = 0;
  const Evaluated again = run(evaluation, [&asked] {
    setHostTensorLimit(0);
    ++asked;
    return true;
  });
  ASSERT_TRUE(again.result.ok()) << again.result.error().text();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(again.firstPass, 64);
  EXPECT_EQ(again.result->loss, whole.result->loss);
}

TEST_F(EvaluationMemoryTest, DataWithoutATokenToPredictHasNoLoss) {
  Evaluation evaluation({TokenDataset::fromSequences({}, {0, 1, 2, 3, 4}, 10), *masks_, 5, 0}, 64);
  const auto result = run(evaluation).result;
  ASSERT_FALSE(result.ok()) << "a mean over nothing: " << result->loss;
  EXPECT_EQ(result.error().code, ErrorCode::Config);
}

TEST_F(EvaluationMemoryTest, WhereNotEvenOneSampleFitsItSaysSo) {
  setHostTensorLimit(hostTensorBytes().inUse + 1024);
  const Evaluated none = evaluateBy(64);
  ASSERT_FALSE(none.result.ok());
  EXPECT_EQ(none.result.error().code, ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace batchwise::test
