// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/plan/plan.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

TrainConfig configOf(GrowthPreset rule, std::vector<double> values = {}) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.batch.growth.rule = rule;
  config.batch.growth.values = std::move(values);
  config.batch.growth.criticalBatch = {2.5, 0.25};
  return config;
}

TrainConfig configOf(const std::string& expression) {
  TrainConfig config = configOf(GrowthPreset::None);
  config.batch.growth.increaseFunction = expression;
  return config;
}

GrowthRule ruleOf(const TrainConfig& config) {
  return *test::checked(GrowthRule::make(config, config.batch.globalTrainBatchSize, {}, {}));
}

GrowthInput randomInput(std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  GrowthInput in;
  in.epoch = static_cast<std::int64_t>(random() % 12);
  in.currentBatchSize = static_cast<std::int64_t>(between(1, 4096));
  in.loss = between(0.1, 10);
  in.noise.trace = between(1e-3, 1e3);
  in.noise.gradientSquared = between(1e-4, 10);
  in.noise.scale = *in.noise.trace / *in.noise.gradientSquared;
  in.lastGradientSquared = between(1e-4, 10);
  in.evalLoss = between(0.1, 10);
  in.learningRate = between(1e-6, 1e-2);
  in.token = between(1, 1e10);
  in.criticalBatch = between(1, 1e4);
  return in;
}

/// What a measured value may do to a size at once, without leave to shrink it.
std::int64_t limited(double asked, std::int64_t current) {
  if (asked < 1.0) return current;
  return std::clamp(static_cast<std::int64_t>(asked), current, 2 * current);
}

TEST(GrowthRuleTest, PresetsEqualTheirFormulas) {
  struct Preset {
    TrainConfig config;
    std::function<std::int64_t(const GrowthInput&, std::int64_t current)> formula;
  };
  const auto norm = [](const GrowthInput& in) { return std::sqrt(*in.noise.gradientSquared); };
  const std::vector<Preset> presets = {
      {configOf(GrowthPreset::DoubleAtEpochs, {3, 6, 9}),
       [](const GrowthInput& in, std::int64_t b) {
         return in.epoch == 3 || in.epoch == 6 || in.epoch == 9 ? 2 * b : b;
       }},
      {configOf(GrowthPreset::NormTest, {0.5}),
       [](const GrowthInput& in, std::int64_t b) {
         return limited(std::ceil(*in.noise.trace / (0.25 * *in.noise.gradientSquared)), b);
       }},
      {configOf(GrowthPreset::DiveBatch),
       [](const GrowthInput& in, std::int64_t b) { return limited(1.0 + *in.noise.scale, b); }},
      {configOf(GrowthPreset::McCandlish),
       [](const GrowthInput& in, std::int64_t b) { return limited(std::sqrt(64.0 * *in.noise.scale), b); }},
      {configOf(GrowthPreset::Accordion, {0.5, 512}),
       [&](const GrowthInput& in, std::int64_t b) {
         const double last = std::sqrt(*in.lastGradientSquared);
         return limited(std::abs(norm(in) - last) / last < 0.5 ? 512.0 : 64.0, b);
       }},
      {configOf(GrowthPreset::CriticalBatch),
       [](const GrowthInput& in, std::int64_t b) {
         return *in.criticalBatch > 2.0 * static_cast<double>(b) ? 2 * b : b;
       }},
  };
  for (const Preset& preset : presets) {
    SCOPED_TRACE(growthExpression(preset.config.batch.growth, 64));
    const GrowthRule rule = ruleOf(preset.config);
    std::mt19937_64 random(7);
    for (int draw = 0; draw < 1000; ++draw) {
      const GrowthInput in = randomInput(random);
      ASSERT_EQ(rule.evaluate(in).size, preset.formula(in, in.currentBatchSize)) << draw;
    }
  }
}

TEST(GrowthRuleTest, APresetIsTheExpressionThatItShows) {
  for (const GrowthPreset preset : {GrowthPreset::NormTest, GrowthPreset::DiveBatch, GrowthPreset::McCandlish,
                                    GrowthPreset::Accordion, GrowthPreset::CriticalBatch}) {
    const TrainConfig config = configOf(preset);
    const std::string shown = growthExpression(config.batch.growth, 64);
    const GrowthRule rule = ruleOf(config), written = ruleOf(configOf(shown));
    std::mt19937_64 random(3);
    for (int draw = 0; draw < 200; ++draw) {
      const GrowthInput in = randomInput(random);
      ASSERT_EQ(rule.evaluate(in).size, written.evaluate(in).size) << shown;
    }
    TrainConfig planned = config;
    planned.maxDuration = Time::of(50, TimeUnit::Batch);
    const auto plan = test::checked(Plan::resolve(planned, std::make_shared<EqualLengths>(10'000, 10), {}));
    EXPECT_EQ(plan->resolved().at("batch.growth.increase_function"), shown);
  }
}

TEST(GrowthRuleTest, ANoteSaysWhatTheFunctionAskedFor) {
  GrowthInput in{.epoch = 1, .currentBatchSize = 64};
  in.noise.scale = 36;
  EXPECT_THAT(ruleOf(configOf(GrowthPreset::McCandlish, {1})).evaluate(in).note, testing::HasSubstr("asks for 6,"));
}

// With the gradient's own norm, which is all noise, the test would ask for B / theta^2 each time; without the noise the
// norm is not measurable, and the size stays.
TEST(GrowthRuleTest, TheNormTestDoesNotJumpOnPureNoise) {
  const GrowthRule rule = ruleOf(configOf(GrowthPreset::NormTest));
  std::mt19937_64 random(11);
  constexpr int kDimensions = 200, kSteps = 400;
  constexpr double kSmall = 8;
  std::int64_t size = 64;
  int grown = 0;
  for (int asking = 0; asking < 50; ++asking) {
    std::vector<double> squares;  // |G|^2 of single steps
    double trace = 0;
    for (int step = 0; step < kSteps; ++step) {
      const auto big = static_cast<double>(size);
      std::normal_distribution<double> own(0, 1 / std::sqrt(kSmall)), rest(0, 1 / std::sqrt(big - kSmall));
      double ofSmall = 0, ofBig = 0;
      for (int i = 0; i < kDimensions; ++i) {
        const double small = own(random), whole = (kSmall * small + (big - kSmall) * rest(random)) / big;
        ofSmall += small * small, ofBig += whole * whole;
      }
      squares.push_back((big * ofBig - kSmall * ofSmall) / (big - kSmall));
      trace += (ofSmall - ofBig) / (1 / kSmall - 1 / big) / kSteps;
    }
    double mean = 0, variance = 0;
    for (const double square : squares) mean += square / kSteps;
    for (const double square : squares) variance += (square - mean) * (square - mean) / (kSteps - 1);
    GrowthInput in;
    in.currentBatchSize = size;
    in.noise.trace = trace;
    if (mean > 1.96 * std::sqrt(variance / kSteps)) in.noise.gradientSquared = mean;
    const std::int64_t next = rule.evaluate(in).size;
    EXPECT_LE(next, 2 * size);
    grown += next > size;
    size = 64;
  }
  EXPECT_LE(grown, 4) << "2.5 % are expected";
}

TEST(GrowthRuleTest, WhatIsNotMeasuredYetChangesNothing) {
  for (const char* name : {"loss", "noise_scale", "noise_trace", "gradient_sq", "last_gradient_sq", "eval_loss"}) {
    const GrowthRule rule = ruleOf(configOf("current_batch_size * (1 + " + std::string(name) + ")"));
    EXPECT_TRUE(rule.dependsOnRun()) << name;
    GrowthInput in;
    in.currentBatchSize = 100;
    EXPECT_EQ(rule.evaluate(in).size, 100) << name;
    EXPECT_THAT(rule.evaluate(in).note, HasSubstr("the size stays 100")) << name;
  }
  EXPECT_FALSE(ruleOf(configOf("pow2(lr * ba + tok * frac) + critical_batch + 1")).dependsOnRun());
}

TEST(GrowthRuleTest, MeasuredValuesChangeASizeAtMostTwofold) {
  TrainConfig config = configOf("noise_scale");
  config.batch.growth.allowDecrease = true;
  const GrowthRule rule = ruleOf(config);
  for (const auto& [noise, size] : {std::pair{1e6, 202}, {150.0, 150}, {3.0, 51}}) {
    GrowthInput in;
    in.currentBatchSize = 101;
    in.noise.scale = noise;
    EXPECT_EQ(rule.evaluate(in).size, size);
  }
  GrowthInput in;
  in.currentBatchSize = 64;
  EXPECT_EQ(ruleOf(configOf("64 * 100")).evaluate(in).size, 6400) << "what is known before the run is meant";
}

TEST(GrowthRuleTest, MistakesAreNamed) {
  const auto problem = [](const TrainConfig& config) {
    const auto rule = GrowthRule::make(config, 64, {}, {});
    return rule.ok() ? std::string("none") : rule.error().text();
  };
  EXPECT_THAT(problem(configOf(GrowthPreset::DoubleAtEpochs)),
              HasSubstr("batch.growth.values: must be the completed epochs"));
  EXPECT_THAT(problem(configOf(GrowthPreset::NormTest, {0})), HasSubstr("must be above 0"));
  EXPECT_THAT(problem(configOf(GrowthPreset::NormTest, {1, 2})), HasSubstr("at most 1 value"));
  EXPECT_THAT(problem(configOf(GrowthPreset::CriticalBatch, {1})), HasSubstr("has no effect under critical_batch"));
  TrainConfig config = configOf(GrowthPreset::DoubleAtEpochs, {3});
  config.batch.growth.every = Time::of(10, TimeUnit::Batch);
  EXPECT_THAT(problem(config), HasSubstr("batch.growth.every: must be 1ep"));
  config = configOf(GrowthPreset::CriticalBatch);
  config.batch.growth.criticalBatch = {};
  EXPECT_THAT(problem(config), HasSubstr("needs its law"));
  EXPECT_THAT(problem(configOf("epoch in [3, 6 ? 1 : 2")), HasSubstr("position"));
}

/// The sizes of a run of 10 tokens a sample, by the token at which each begins.
std::vector<std::pair<std::int64_t, std::int64_t>> sizesOf(const Plan& plan, Timestamp now, GrowthState growth) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  while (!plan.finished(now)) {
    if (plan.growthDue(now, growth)) growth = plan.grow(now, growth, {})->state;
    const auto batch = test::checked(plan.globalBatchAt(now, growth));
    if (sizes.empty() || sizes.back().second != batch->steps[0].units)
      if (!batch->endsEpoch) sizes.emplace_back(now.token, batch->steps[0].units);
    for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
  return sizes;
}

TEST(GrowthRuleTest, DwellKeepsASizeForThatLong) {
  TrainConfig config = configOf("current_batch_size * 2");
  config.batch.globalTrainBatchSize = 8;
  config.batch.growth.every = Time::of(1, TimeUnit::Batch);
  config.batch.growth.dwell = Time::of(10'000, TimeUnit::Token);
  config.maxDuration = Time::of(40'000, TimeUnit::Token);
  const auto lengths = std::make_shared<EqualLengths>(100'000, 10);
  const auto plan = test::checked(Plan::resolve(config, lengths, {}));
  const auto sizes = sizesOf(*plan, {}, plan->initialGrowth());
  ASSERT_EQ(sizes.size(), 4U);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    EXPECT_EQ(sizes[i].second, 2 * sizes[i - 1].second);
    EXPECT_GE(sizes[i].first - sizes[i - 1].first, 10'000);
    EXPECT_LT(sizes[i].first - sizes[i - 1].first, 10'000 + 10 * sizes[i - 1].second);
    EXPECT_EQ(plan->ranges()[i].stepUnits, sizes[i].second) << "as shown before the run";
  }
  // A resume knows when the size has changed.
  const auto restored = test::checked(Plan::restore(config, plan->resolved(), lengths, {}));
  Timestamp now;
  GrowthState growth = plan->initialGrowth();
  for (int batch = 0; batch < 170; ++batch) {
    if (restored->growthDue(now, growth)) growth = restored->grow(now, growth, {})->state;
    const auto planned = test::checked(restored->globalBatchAt(now, growth));
    now = now.afterStep({planned->steps[0].samples, planned->steps[0].tokens, 0.0}, planned->steps[0].units);
    now = now.afterBatch();
  }
  auto rest = sizesOf(*restored, now, growth);
  rest.front().first = sizes[1].first;  // where the walk above has come to
  EXPECT_EQ(rest, decltype(rest)(sizes.begin() + 1, sizes.end()));
}

TEST(GrowthRuleTest, WithinTheDwellNothingIsAskedAndWhatTheExpressionReadsCountsOn) {
  TrainConfig config = configOf("loss > 0 && last_gradient_sq > 0 ? current_batch_size * 2 : current_batch_size");
  config.batch.globalTrainBatchSize = 8;
  config.batch.growth.every = Time::of(1, TimeUnit::Batch);
  config.batch.growth.dwell = Time::of(10'000, TimeUnit::Token);
  config.maxDuration = Time::of(40'000, TimeUnit::Token);
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
  GrowthState state = plan->initialGrowth();
  state.lossSum = 3;
  state.lossCount = 2;
  state.lastGradientSquared = 5;
  Timestamp now;
  now.batch = 1;
  now.token = 9'999;
  const GrowthState waits = plan->grow(now, state, {1, 1, 7})->state;
  EXPECT_EQ(waits.lossSum, 3);
  EXPECT_EQ(waits.lossCount, 2);
  EXPECT_EQ(waits.lastGradientSquared, 5);
  EXPECT_EQ(waits.evaluatedAt.batch, 1) << "it is looked at again after the next interval";
  now.batch = 2;
  now.token = 10'000;
  const GrowthState asked = plan->grow(now, waits, {1, 1, 7})->state;
  EXPECT_EQ(asked.globalUnits, 16);
  EXPECT_EQ(asked.lossCount, 0);
  EXPECT_EQ(asked.lastGradientSquared, 7);
}

TEST(GrowthRuleTest, ClocksAndTheLawAreKnownBeforeTheRun) {
  TrainConfig config = configOf(GrowthPreset::CriticalBatch);
  config.batch.globalTrainBatchSize = 8;
  config.batch.growth.criticalBatch = {0.0, 0.5};  // 32 at 1,024 tokens
  config.batch.growth.every = Time::of(1, TimeUnit::Batch);
  config.maxDuration = Time::of(100'000, TimeUnit::Token);
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {.devices = 1}));
  const auto sizes = sizesOf(*plan, {}, plan->initialGrowth());
  ASSERT_EQ(plan->ranges().size(), sizes.size());
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    EXPECT_EQ(plan->ranges()[i].stepUnits, sizes[i].second);
    const double law = std::sqrt(static_cast<double>(sizes[i].first));
    EXPECT_GT(law, static_cast<double>(sizes[i].second));
    EXPECT_LE(std::sqrt(static_cast<double>(sizes[i].first - 10 * sizes[i - 1].second)),
              std::max(static_cast<double>(sizes[i].second), std::sqrt(80.0)));
  }
  EXPECT_EQ(sizes.back().second, 256);  // sqrt(100,000) is 316
}

// Optimizer memory in tokens.

TrainConfig rampedConfig() {
  TrainConfig config = configOf(GrowthPreset::None);
  config.batch.globalTrainBatchSize = 64;
  config.batch.rampup.duration = Time::of(12, TimeUnit::Batch);
  config.batch.rampup.initialGlobalTrainBatchSize = 8;
  config.maxDuration = Time::of(30, TimeUnit::Batch);
  config.optimizer.weightDecay = 0.1;
  return config;
}

TEST(OptimizerMemoryTest, EightPartsKeepTheWeightOfAnOldGradient) {
  TrainConfig config = rampedConfig();
  config.optimizer.beta2HalfLife = Time::of(20'000, TimeUnit::Token);
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
  const auto first = test::checked(plan->globalBatchAt({}));
  ASSERT_EQ(first->steps.size(), 8U);
  double product = 1.0;
  for (const OptimizerStep& step : first->steps) product *= *step.beta2;
  Timestamp late;
  late.batch = 20;
  late.sample = late.unitInEpoch = late.sampleInEpoch = 20 * 64;
  late.token = late.tokenInEpoch = 20 * 640;
  const auto full = test::checked(plan->globalBatchAt(late));
  ASSERT_EQ(full->steps.size(), 1U);
  EXPECT_NEAR(product, *full->steps[0].beta2, 1e-12);
  EXPECT_NEAR(*full->steps[0].beta2, std::exp2(-640.0 / 20'000.0), 1e-15);
  EXPECT_NEAR(plan->ranges().front().beta2.value_or(0), *first->steps[0].beta2, 1e-15);
  config.optimizer.beta2HalfLife.reset();
  const auto off = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
  EXPECT_FALSE(test::checked(off->globalBatchAt({}))->steps[0].beta2);
  EXPECT_EQ(test::checked(off->globalBatchAt({}))->steps[0].weightDecayFactor, 1.0);
}

TEST(OptimizerMemoryTest, TheTimeConstantOfWeightDecayIsTheSameOverStages) {
  TrainConfig config = rampedConfig();
  config.optimizer.weightDecayFollows = WeightDecayClock::Tokens;
  for (const LrScalingMethod method :
       {LrScalingMethod::None, LrScalingMethod::Linear, LrScalingMethod::Sqrt, LrScalingMethod::Power}) {
    config.lrScaling.method = method;
    config.lrScaling.exponent = 0.3;
    config.lrScaling.referenceBatchSize = 48;
    config.lrScaling.appliesTo = {StepSizeCause::Rampup};
    const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
    Timestamp now;
    std::optional<double> tau;
    for (std::int64_t ba = 0; ba < 30; ++ba) {
      const auto batch = test::checked(plan->globalBatchAt(now));
      for (const OptimizerStep& step : batch->steps) {
        const double own =
            static_cast<double>(step.tokens) / (step.learningRate * plan->weightDecayOf(step).value_or(0));
        EXPECT_NEAR(own / tau.value_or(own), 1.0, 1e-12) << ba;
        tau = own;
        now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
      }
      now = now.afterBatch();
      EXPECT_TRUE(ba < 29 || batch->steps[0].weightDecayFactor == 1.0);
    }
    EXPECT_NEAR(plan->ranges().back().weightDecay.value_or(0), 0.1, 1e-15);
  }
}

TEST(OptimizerMemoryTest, AFreePowerScalesTheRate) {
  TrainConfig config = rampedConfig();
  config.lrScaling.method = LrScalingMethod::Power;
  config.lrScaling.exponent = 0.3;
  config.lrScaling.appliesTo = {StepSizeCause::Rampup};
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
  EXPECT_DOUBLE_EQ(test::checked(plan->globalBatchAt({}))->steps[0].learningRate,
                   config.optimizer.lr * std::pow(8.0 / 64.0, 0.3));
}

TEST(OptimizerMemoryTest, AHalfLifeOfLessThanTenStepsIsNoted) {
  TrainConfig config = rampedConfig();
  const auto notes = [&](std::int64_t tokens) {
    config.optimizer.beta2HalfLife = Time::of(tokens, TimeUnit::Token);
    const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 10), {}));
    std::string all;
    for (const FieldProblem& note : plan->notes()) all += note.text() + "\n";
    return all;
  };
  EXPECT_THAT(notes(6399), HasSubstr("optimizer.beta2_half_life: 6399tok are 9.998 steps of the largest size"));
  EXPECT_THAT(notes(6399), HasSubstr("use 6400tok or more"));
  EXPECT_THAT(notes(6400), testing::Not(HasSubstr("optimizer.beta2_half_life")));
}

}  // namespace
}  // namespace batchwise
