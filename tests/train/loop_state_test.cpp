// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/loop_state.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/config/schema.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

LoopState someState() {
  LoopState state;
  state.now = {3, 120, 241, 999'999'999'999, 5, 0.1 + 0.2, 7, 8, 9, 10, 1};
  state.batchStart = state.now;
  state.batchStart.seconds = 1e-300;
  state.growth = {64, state.now, 1.0 / 3.0, 17, 4711, std::nextafter(0.1, 1.0), 2.0 / 3.0};
  state.window = {2, 32, 900, 1000, 140, 16, std::nextafter(300.0, 301.0), 2.5, 0.0, 0.7};
  state.microbatchUnits = 6;
  state.passesPerPack = 4;
  state.skippedInARow = 2;
  state.noise = {123.456, {{1000, 8, 1.0 / 7.0, 0.25}, {17.5, 2, 1e-300, -0.125}}};
  state.noiseMode = NoiseScaleMode::Examples;
  state.metric = std::nextafter(2.0, 3.0);
  state.guards.lossSpike.recent = {{239, std::nextafter(5.0, 6.0)}, {240, 1.0 / 3.0}};
  state.guards.plateau.recent = {0.1 + 0.2, 1e-300};
  state.guards.noiseScales = {{240, 0.1 + 0.7}};
  state.guards.earlyStop = {std::nextafter(4.0, 5.0), 3};
  state.guards.lossCourse = {5.75, {1.0 / 3.0, 2.5}, 3, 0.1 + 0.2, 1e-3, 1};
  state.guards.skippedRanges = {{40, 57, 20, 28, 320, 451, "abc-0-40"}};
  return state;
}

TEST(LoopStateTest, ComesBackWithTheSameBits) {
  LoopState state = someState();
  EXPECT_EQ(*loopStateFromText(loopStateText(state)), state);
  state.stage = 2;
  state.stageStart = {3, 60, 120, 777, 4, 0.3, 0, 0, 0, 0, 0};
  EXPECT_EQ(*loopStateFromText(loopStateText(state)), state);
  state.metric.reset();
  state.growth.lossSum = std::numeric_limits<double>::infinity();
  state.window.lossSum = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(*loopStateFromText(loopStateText(state)), state);
  state.window.gradNorm = std::nan("");
  EXPECT_TRUE(std::isnan(loopStateFromText(loopStateText(state))->window.gradNorm));
}

TEST(LoopStateTest, TheLongestWindowsComeBackToo) {
  const auto longest = [](const char* field) { return static_cast<std::size_t>(*findField(field)->maximum); };
  constexpr double kManyDigits = -1.2345678901234567e-100;
  LoopState state = someState();
  state.guards.plateau.recent.assign(longest("guard.plateau.window"), kManyDigits);
  state.guards.lossSpike.recent.assign(longest("guard.loss_spike.window"), {999'999'999, kManyDigits});
  const auto read = test::checked(loopStateFromText(loopStateText(state)));
  EXPECT_TRUE(*read == state);
}

TEST(LoopStateTest, EachMissingOrWrongPartIsNamed) {
  const std::string good = loopStateText(someState());
  for (const char* name : {"clock", "batch_start", "growth", "window", "microbatch_units", "skipped_in_a_row",
                           "loss_sum", "evaluated_at", "token_in_epoch", "predicted", "noise", "loss_spike", "plateau",
                           "without_improvement", "skipped_ranges", "to_sp", "checkpoint"}) {
    std::string text = good;
    text.replace(text.find("\"" + std::string(name) + "\""), std::string(name).size() + 2, "\"other\"");
    const Result<LoopState> read = loopStateFromText(text);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    EXPECT_THAT(read.error().message, testing::HasSubstr(name));
  }
  for (const char* bad : {"", "[]", "{", "null", "{\"clock\": 3}"}) EXPECT_FALSE(loopStateFromText(bad).ok()) << bad;
}

TEST(LoopStateTest, AMicroBatchOfNothingIsDamage) {
  LoopState state = someState();
  state.microbatchUnits = 0;
  EXPECT_EQ(test::refused(loopStateFromText(loopStateText(state))).code, ErrorCode::Corrupt);
}

StepResult step(std::int64_t samples, double lossSum, std::int64_t predicted, double gradNorm) {
  StepResult result;
  result.samples = samples;
  result.tokens = samples * 10;
  result.computedTokens = samples * 16;
  result.predicted = predicted;
  result.lossSum = lossSum;
  result.gradNorm = gradNorm;
  result.learningRate = 1e-3 * static_cast<double>(samples);
  result.seconds = 0.5;
  return result;
}

TEST(BatchWindowTest, ARowIsOverAllPartsWeightedByPredictedTokens) {
  BatchTotals window;
  window.add(step(4, 12.0, 4, 2.0));
  window.add(step(8, 10.0, 16, 5.0));
  window.add(step(6, 8.0, 10, 3.0));
  const MetricsRow row = window.row({});
  EXPECT_DOUBLE_EQ(row.loss, 1.0);  // 30 nats over 30 tokens: not the mean of the means
  EXPECT_EQ(row.parts, 3);
  EXPECT_EQ(row.stepSamples, 8);
  EXPECT_EQ(row.globalBatchSamples, 18);
  EXPECT_DOUBLE_EQ(row.gradNorm, 5.0);
  EXPECT_DOUBLE_EQ(row.gradNormMean.value(), 10.0 / 3.0);
  EXPECT_FALSE(row.measured.attentionLogit || row.measured.updateRatio || row.measured.lossScale);
  EXPECT_DOUBLE_EQ(row.learningRate, 6e-3);
  EXPECT_DOUBLE_EQ(row.stepSec, 0.5);
  EXPECT_DOUBLE_EQ(row.samplesPerSec, 12.0);
  EXPECT_DOUBLE_EQ(row.tokensPerSec, 120.0);
  EXPECT_DOUBLE_EQ(row.fill, 10.0 / 16.0);
}

TEST(BatchWindowTest, WhatIsMeasuredIsTheLargestOfTheParts) {
  BatchTotals window;
  for (const double factor : {2.0, 3.0, 1.0}) {
    StepResult part = step(4, 1.0, 4, 1.0);
    part.measured.attentionLogit = 10 * factor;
    if (factor < 3) part.measured.updateRatio = factor;  // not of a skipped step
    part.measured.lossScale = 1024 * factor;
    window.add(part);
  }
  const MetricsRow row = window.row({});
  EXPECT_EQ(row.measured.attentionLogit, 30.0);
  EXPECT_EQ(row.measured.updateRatio, 2.0);
  EXPECT_EQ(row.measured.lossScale, 1024.0);  // of the last part
}

TEST(BatchWindowTest, ANormThatIsNotANumberIsNotLost) {
  BatchTotals window;
  window.add(step(4, 1.0, 4, std::nan("")));
  window.add(step(4, 1.0, 4, 2.0));
  EXPECT_TRUE(std::isnan(window.row({}).gradNorm));
}

TEST(BatchWindowTest, AMeasuredFigureThatIsNotANumberIsNotLost) {
  BatchTotals window;
  for (const double logit : {3.0, std::nan(""), 5.0}) {
    StepResult part = step(4, 1.0, 4, 1.0);
    part.measured.attentionLogit = logit;
    window.add(part);
  }
  EXPECT_TRUE(std::isnan(window.row({}).measured.attentionLogit.value()));
}

}  // namespace
}  // namespace batchwise
