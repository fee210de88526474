// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation where memory is short: the limit on host tensors plays a small device.
#include <gtest/gtest.h>

#include <vector>

#include "core/run/launch/launch_data.h"
#include "core/run/session/launch_model.h"
#include "core/train/evaluation.h"
#include "core/train/host_memory.h"
#include "tests/run/small_run.h"

namespace batchwise::test {
namespace {

class EvaluationMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    SilentSink silence;
    CommandMailbox commands;
    const LoadedConfig config = runs_.config();
    auto data = prepareLaunchData(config, runs_.folder() / "cache", silence, commands);
    ASSERT_TRUE(data.ok()) << data.error().text();
    const auto devices = useDevices(config.config.devices);
    ASSERT_TRUE(devices.ok()) << devices.error().text();
    const auto model = launchModel(config, data->tokenizer.vocabulary().size());
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
  Evaluated evaluateBy(std::int64_t samplesPerPass) {
    SingleCommunicator alone;
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    std::int64_t firstPass = 0;
    auto result = evaluate(replicas_.front().model, alone, {*samples_, *masks_, 5, 0}, samplesPerPass,
                           [&](std::int64_t done, std::int64_t) { firstPass = firstPass == 0 ? done : firstPass; });
    return {std::move(result), firstPass, hostTensorBytes().peak - before};
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

TEST_F(EvaluationMemoryTest, WhereNotEvenOneSampleFitsItSaysSo) {
  setHostTensorLimit(hostTensorBytes().inUse + 1024);
  const Evaluated none = evaluateBy(64);
  ASSERT_FALSE(none.result.ok());
  EXPECT_EQ(none.result.error().code, ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace batchwise::test
