// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/seesaw.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "core/plan/plan.h"
#include "core/plan/published_ramps.h"
#include "core/plan/run_plan.h"
#include "tests/support/checked.h"
#include "tests/support/message_texts.h"

namespace batchwise {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Time timeOf(const std::string& text) {
  return Time::parse(text).value();
}

TrainConfig seesawOf(const std::string& schedule, double factor, const std::string& cap, std::int64_t initial,
                     std::int64_t samples) {
  TrainConfig config;
  config.maxDuration = Time::of(samples, TimeUnit::Sample);
  config.batch.globalTrainBatchSize = initial;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.batch.rampup.fromSchedule = {factor, cap};
  config.optimizer.weightDecay = 0.0;
  config.scheduler.name = schedule;
  return config;
}

Plan planOf(const TrainConfig& config) {
  return test::checked(Plan::resolve(config, nullptr, {})).value();
}

std::string refusalOf(const TrainConfig& config) {
  const auto plan = Plan::resolve(config, nullptr, {});
  return plan.ok() ? "" : plan.error().text();
}

/// Calls visit(step, factor of the schedule) with every step of a run.
template <typename Visit>
void walk(const Plan& plan, const Visit& visit) {
  Timestamp now;
  while (!plan.finished(now)) {
    const auto batch = test::checked(plan.globalBatchAt(now));
    for (const OptimizerStep& step : batch->steps) {
      visit(step, batch->scheduleFactor);
      now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
    }
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
}

double savedPercent(const TrainConfig& config) {
  const Plan plan = planOf(config);
  const auto totals = plan.totals();
  return 100.0 * (1.0 - static_cast<double>(*totals.steps) * static_cast<double>(config.batch.globalTrainBatchSize) /
                            static_cast<double>(*totals.samples));
}

TEST(SeesawTest, TheRateTimesTheRootOfTheBatchRatioHoldsInEveryStep) {
  for (const char* schedule : {"linear", "cosine_annealing", "warmup_stable_decay", "linear_with_warmup", "polynomial"})
    for (const double factor : {1.1, std::sqrt(2.0), 2.0}) {
      SCOPED_TRACE(schedule + std::to_string(factor));
      TrainConfig config = seesawOf(schedule, factor, "8x", 48, 200'000);
      if (config.scheduler.name == "polynomial") config.scheduler.power = 2;
      if (config.scheduler.name == "warmup_stable_decay") config.scheduler.alphaF = 0;
      std::int64_t most = 0;
      double peak = 0;
      walk(planOf(config), [&](const OptimizerStep& step, double f) {
        if (step.units < most) return;  // the last step of the run is cut
        most = step.units;
        peak = std::max(peak, f);
        const double batchRatio = static_cast<double>(step.units) / 48.0;
        EXPECT_NEAR(step.learningRate, config.optimizer.lr * f * std::sqrt(batchRatio), 1e-15);
        if (f < peak && batchRatio < 8.0) {
          EXPECT_LE(1.0 / f / batchRatio, factor * 1.03) << "the batch lags by less than a factor, and rounding";
          EXPECT_GE(1.0 / f / batchRatio, 0.98);
        }
      });
      EXPECT_EQ(most, 48 * 8);
    }
}

TEST(SeesawTest, StepsAreTheSamplesOfEachStageOverItsSize) {
  const Plan plan = planOf(seesawOf("linear", std::sqrt(2.0), "4x", 64, 1'000'000));
  std::int64_t steps = 0, walked = 0;
  for (const PlannedRange& range : plan.ranges()) {
    ASSERT_TRUE(range.optimizerSteps || &range == &plan.ranges().back());
    if (!range.optimizerSteps) continue;
    const auto at = [&](std::int64_t batch) { return plan.pointAt(Time::of(batch, TimeUnit::Batch))->at.sample; };
    const std::int64_t samples = at(range.fromBatch + *range.globalBatches) - at(range.fromBatch);
    EXPECT_EQ(*range.optimizerSteps, samples / range.stepUnits);
    EXPECT_EQ(samples % range.stepUnits, 0);
    steps += *range.optimizerSteps;
  }
  walk(plan, [&](const OptimizerStep&, double) { ++walked; });
  EXPECT_EQ(plan.totals().steps, walked);
  EXPECT_LE(steps, walked);
}

TEST(SeesawTest, SavesWhatTheMeanOfTheScheduleSays) {
  struct Case {
    const char* schedule;
    double end, uncapped, capped;
  };
  for (const Case& one : {Case{"cosine_annealing", 0.0, 50, 45}, Case{"cosine_annealing", 0.1, 45, 42},
                          Case{"linear", 0.0, 50, 47}, Case{"warmup_stable_decay", 0.0, 5, 5}}) {
    SCOPED_TRACE(one.schedule);
    TrainConfig config = seesawOf(one.schedule, 1.01, "64x", 100, 6'400'000);
    config.scheduler.alphaF = one.end;
    config.scheduler.tWarmup = timeOf("0sp");
    EXPECT_NEAR(savedPercent(config), one.uncapped, 1.0);
    config = seesawOf(one.schedule, 1.01, "4x", 1000, 6'400'000);
    config.scheduler.alphaF = one.end;
    config.scheduler.tWarmup = timeOf("0sp");
    EXPECT_NEAR(savedPercent(config), one.capped, 1.0);
  }
  for (const double factor : {2.0, std::sqrt(2.0), 1.25, 1.1})
    EXPECT_NEAR(savedPercent(seesawOf("linear", factor, "64x", 100, 6'400'000)), 100.0 / (1.0 + factor), 1.0) << factor;
}

// The recursion of normalised SGD on a power-law quadratic, with label noise: the risk of each direction.
double riskOf(const Plan& plan, std::int64_t initial, double baseRate) {
  constexpr int kDirections = 100;
  constexpr double kNoise = 100.0;
  std::vector<double> curvature, risk(kDirections, 1.0);
  double trace = 0;
  for (int i = 1; i <= kDirections; ++i) trace += curvature.emplace_back(1.0 / i);
  walk(plan, [&](const OptimizerStep& step, double) {
    const double batch = static_cast<double>(step.units) / static_cast<double>(initial) * 16.0;
    double gradient = kNoise * trace / batch;
    for (std::size_t i = 0; i < risk.size(); ++i) gradient += curvature[i] * curvature[i] * risk[i];
    const double rate = step.learningRate / baseRate * 0.3 / std::sqrt(gradient);
    for (std::size_t i = 0; i < risk.size(); ++i) {
      const double kept = 1.0 - rate * curvature[i];
      risk[i] = kept * kept * risk[i] + rate * rate * kNoise * curvature[i] / batch;
    }
  });
  double loss = 0;
  for (std::size_t i = 0; i < risk.size(); ++i) loss += curvature[i] * risk[i];
  return loss;
}

TEST(SeesawTest, EndsLikeTheScheduleItReplacesWhileNoiseDominates) {
  for (const char* schedule : {"linear", "cosine_annealing"}) {
    const TrainConfig seesaw = seesawOf(schedule, 2.0, "16x", 16, 64'000);
    TrainConfig plain = seesaw;
    plain.batch.rampup = {};
    const Plan fewer = planOf(seesaw);
    EXPECT_LT(*fewer.totals().steps, 2800);
    EXPECT_NEAR(riskOf(fewer, 16, seesaw.optimizer.lr) / riskOf(planOf(plain), 16, plain.optimizer.lr), 1.0, 0.02);
  }
}

TEST(SeesawTest, AResumeReadsTheStagesInsteadOfTheSchedule) {
  TrainConfig config = seesawOf("cosine_annealing_with_warmup", std::sqrt(2.0), "4x", 10, 20'000);
  const auto lengths = std::make_shared<EqualLengths>(700, 16);
  const auto launched = test::checked(Plan::resolve(config, lengths, {}));
  EXPECT_EQ(launched->resolved().at("batch.global_train_batch_size"), "40");
  EXPECT_EQ(launched->resolved().at("batch.rampup.sizes"), "10,14,20,28,40");
  EXPECT_EQ(launched->resolved().at("lr_scaling.reference_batch_size"), "10");
  ResolvedValues moved = launched->resolved();
  const auto restored = test::checked(Plan::restore(config, moved, lengths, {}));
  std::vector<double> before, after;
  walk(*launched, [&](const OptimizerStep& step, double) { before.push_back(step.learningRate); });
  walk(*restored, [&](const OptimizerStep& step, double) { after.push_back(step.learningRate); });
  EXPECT_EQ(before, after);
  EXPECT_EQ(restored->resolved(), launched->resolved());
  EXPECT_GT(before.front(), 0.0) << "a warm-up under a ramp begins at one";
  moved["batch.rampup.sizes"] = "10,40";
  moved["batch.rampup.starts"] = "0sp,400sp";
  EXPECT_EQ(test::checked(Plan::restore(config, moved, lengths, {}))->ranges().size(), 2U);
}

TEST(SeesawTest, ReadsTheClockOfTheSchedule) {
  const auto startsOf = [](const TrainConfig& config) { return planOf(config).resolved().at("batch.rampup.starts"); };
  TrainConfig config = seesawOf("linear", 2.0, "4x", 64, 0);
  config.maxDuration = timeOf("40000000tok");
  EXPECT_EQ(startsOf(config), "0tok,20000000tok,30000000tok");
  config.maxDuration = timeOf("1000ba");
  EXPECT_EQ(startsOf(config), "0ba,500ba,750ba");
  EXPECT_THAT(test::textsOf(planOf(config).notes()),
              Contains(HasSubstr("max_duration: 1000ba are global batches of 256")));
  config.maxDuration = timeOf("40000000tok");
  config.scheduler = {};
  config.scheduler.name = "multistep";
  config.scheduler.milestones = {timeOf("100ba"), timeOf("200ba")};
  config.scheduler.gamma = 0.5;
  EXPECT_EQ(startsOf(config), "0ba,100ba,200ba");
}

TEST(SeesawTest, TheLastSizeIsTheLargestThatTheScheduleReaches) {
  TrainConfig config = seesawOf("linear", 2.0, "1024", 64, 100'000);
  config.scheduler.alphaF = 0.2;
  const Plan plan = planOf(config);
  EXPECT_EQ(plan.resolved().at("batch.rampup.sizes"), "64,128,256");
  EXPECT_EQ(plan.resolved().at("batch.global_train_batch_size"), "256");
  config.batch.rampup.fromSchedule = {1.41, "4x"};
  EXPECT_EQ(planOf(config).resolved().at("batch.rampup.sizes"), "64,90,127,179,256");
  config.batch.rampup.fromSchedule = {2.0, "200"};
  EXPECT_EQ(planOf(config).resolved().at("batch.rampup.sizes"), "64,128,200");
}

TEST(SeesawTest, SaysWhatItSavesAndWhatSpeaksAgainstIt) {
  TrainConfig config = seesawOf("linear", 2.0, "4x", 64, 64'000);
  const auto notes = test::textsOf(planOf(config).notes());
  EXPECT_THAT(notes,
              Contains("batch.rampup.from_schedule.factor: 688 steps instead of 1,000 with a constant batch of 64, "
                       "31.2 % fewer; the rate follows the square root of the step size"));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("optimizer.weight_decay"))));
  EXPECT_THAT(notes, Not(Contains(HasSubstr("more steps than a constant batch"))));
  config.optimizer.weightDecay = 0.01;
  EXPECT_THAT(test::textsOf(planOf(config).notes()), Contains(HasSubstr("optimizer.weight_decay: 0.01 is not what")));
  EXPECT_FALSE(aboveCriticalBatch(256, 256.0, "the critical batch"));
  EXPECT_THAT(aboveCriticalBatch(256, 180.0, "the critical batch")->text(),
              HasSubstr("steps grow to 256 samples, above the critical batch of 180"));
  config.batch.growth.criticalBatch = {std::log(100.0), 0.0};
  EXPECT_THAT(test::textsOf(planOf(config).notes()),
              Contains(HasSubstr("steps grow to 128 samples, above the critical batch there of 100")));
  config.batch.growth.criticalBatch = {std::log(300.0), 0.0};
  EXPECT_THAT(test::textsOf(planOf(config).notes()), Not(Contains(HasSubstr("above the critical batch"))));
}

TEST(SeesawTest, RefusesWhatItCannotFollow) {
  TrainConfig config = seesawOf("cosine_annealing_warm_restarts", 1.41, "4x", 64, 100'000);
  config.scheduler.t0 = timeOf("0.25dur");
  EXPECT_THAT(refusalOf(config), HasSubstr("rises at 25"));
  config.scheduler.lrShrink = 0.5;
  EXPECT_THAT(refusalOf(config), HasSubstr("rises at 25"));
  for (const char* flat : {"constant", "constant_with_warmup"})
    EXPECT_THAT(refusalOf(seesawOf(flat, 1.41, "4x", 64, 100'000)), HasSubstr("finds no decay")) << flat;
  config = seesawOf("linear", 1.41, "4x", 64, 100'000);
  config.scheduler.alphaF = 0.9;
  EXPECT_THAT(refusalOf(config), HasSubstr("ends at 0.9 of its peak"));
  config = seesawOf("expression", 1.41, "4x", 64, 100'000);
  config.scheduler.expression = "max(0.1, 1 - sp / 100000 - ba / 1000)";
  EXPECT_THAT(refusalOf(config), HasSubstr("several clocks"));
  config = seesawOf("linear", 1.41, "4x", 64, 100'000);
  config.scheduler.tMax = timeOf("100ba");
  config.maxDuration = timeOf("1h");
  EXPECT_THAT(refusalOf(config), HasSubstr("only known while it runs"));
  config = seesawOf("linear", 1.41, "4x", 64, 100'000);
  config.stages = {{timeOf("0.5dur"), {}}, {timeOf("1dur"), {{"data.max_seq_len", "64"}}}};
  EXPECT_THAT(test::refused(RunPlan::resolve(config,
                                             [](const RunStage&) -> Result<RunPlan::StageInput> {
                                               return RunPlan::StageInput{nullptr, {}};
                                             }))
                  .text(),
              HasSubstr("several stages of the run"));
}

TEST(PublishedRampsTest, EachIsAPlanThatEndsAtTheGlobalBatch) {
  for (const PublishedRamp& ramp : publishedRamps()) {
    SCOPED_TRACE(ramp.name);
    EXPECT_THAT(ramp.source, HasSubstr("arXiv"));
    EXPECT_EQ(findPublishedRamp(ramp.name), &ramp);
    for (const std::int64_t full : {1, 7, 512}) {
      TrainConfig config;
      config.scheduler.name = "constant";
      config.maxDuration = timeOf("1000000sp");
      config.batch.globalTrainBatchSize = full;
      config.batch.deviceTrainMicrobatchSize = 1;
      applyPublishedRamp(ramp, config);
      const Plan plan = planOf(config);
      EXPECT_EQ(plan.ranges().back().stepUnits, full);
      for (std::size_t i = 1; i < plan.ranges().size(); ++i)
        EXPECT_GT(plan.ranges()[i].stepUnits, plan.ranges()[i - 1].stepUnits);
    }
  }
  EXPECT_EQ(findPublishedRamp("llama"), nullptr);
}

TEST(PublishedRampsTest, TheRampByTheCriticalBatchSavesWhatItsPaperSays) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.maxDuration = timeOf("6580000sp");
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 16;
  applyPublishedRamp(*findPublishedRamp("olmo-critical-batch"), config);
  const Plan plan = planOf(config);
  EXPECT_EQ(plan.resolved().at("batch.rampup.sizes"), "16,32,64");
  EXPECT_NEAR(1.0 - static_cast<double>(*plan.totals().steps) / (6'580'000.0 / 16.0), 0.431, 0.001);
  EXPECT_EQ(plan.resolved().at("lr_scaling.reference_batch_size"), "16");
  EXPECT_NEAR(plan.pointAt(timeOf("6000000sp"))->factor, 2.0, 1e-12) << "the root of 4";
  applyPublishedRamp(*findPublishedRamp("minimax-01"), config);
  EXPECT_EQ(config.lrScaling, LrScalingConfig()) << "it belonged to the ramp before";
}

TEST(RampSpacingTest, StagesHaveEqualSamplesOrEqualSteps) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.maxDuration = timeOf("20000sp");
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.batch.rampup.duration = timeOf("5600sp");
  config.batch.rampup.initialGlobalTrainBatchSize = 8;
  const Plan samples = planOf(config);
  config.batch.rampup.spacing = RampSpacing::Steps;
  const Plan steps = planOf(config);
  EXPECT_EQ(steps.resolved().at("batch.rampup.starts"), "0sp,800sp,2400sp,5600sp");
  for (std::size_t stage = 0; stage < 3; ++stage)
    EXPECT_NEAR(static_cast<double>(*steps.ranges()[stage].optimizerSteps), 100.0, 8.0) << stage;
  EXPECT_LT(*steps.totals().steps, *samples.totals().steps - 80);
  const auto restored = test::checked(Plan::restore(config, steps.resolved(), nullptr, {}));
  EXPECT_EQ(restored->resolved(), steps.resolved());
  EXPECT_EQ(restored->totals().steps, steps.totals().steps);
  config.batch.rampup.duration = timeOf("3sp");  // two stages begin and end within it
  EXPECT_EQ(planOf(config).ranges().size(), 2U);
  EXPECT_EQ(equalStepBegins({1, 2, 3, 4, 5}, 15), (std::vector<std::int64_t>{0, 1, 3, 6, 10, 15}));
}

TEST(WithinBatchTest, TheRateFollowsTheLineToTheNextGlobalBatch) {
  TrainConfig config;
  config.maxDuration = timeOf("30ba");
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.batch.rampup.stages = {{timeOf("0ba"), 8}, {timeOf("20ba"), 64}};
  config.scheduler.name = "constant_with_warmup";
  config.scheduler.tWarmup = timeOf("9ba");
  config.scheduler.warmupFrom = WarmupStart::Zero;
  const auto ratesOf = [&config] {
    std::vector<double> rates;
    walk(planOf(config),
         [&](const OptimizerStep& step, double) { rates.push_back(step.learningRate / config.optimizer.lr); });
    return rates;
  };
  const std::vector<double> held = ratesOf();
  config.scheduler.withinBatch = WithinBatch::Interpolate;
  const std::vector<double> moved = ratesOf();
  ASSERT_EQ(moved.size(), held.size());
  double heldSum = 0, movedSum = 0;
  for (std::size_t step = 0; step < 72; ++step) {
    EXPECT_NEAR(moved[step], static_cast<double>(step) / 72.0, 1e-12);
    EXPECT_NEAR(held[step], static_cast<double>(step / 8) / 9.0, 1e-12);
    heldSum += held[step];
    movedSum += moved[step];
  }
  EXPECT_NEAR(movedSum / heldSum, 1.0 + 7.0 / (8.0 * 8.0), 1e-12);
  EXPECT_TRUE(std::equal(held.begin() + 72, held.end(), moved.begin() + 72));
}

TEST(WithinBatchTest, AResumeWithinAGlobalBatchHasTheSameRates) {
  TrainConfig config;
  config.maxDuration = timeOf("2000sp");
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.batch.rampup.stages = {{timeOf("0ba"), 8}, {timeOf("20ba"), 64}};
  config.scheduler.name = "cosine_annealing";
  config.scheduler.withinBatch = WithinBatch::Interpolate;
  const auto lengths = std::make_shared<EqualLengths>(500, 16);
  const auto plan = test::checked(Plan::resolve(config, lengths, {}));
  const auto restored = test::checked(Plan::restore(config, plan->resolved(), lengths, {}));
  Timestamp now;
  while (!plan->finished(now)) {
    const auto batch = test::checked(plan->globalBatchAt(now));
    for (std::size_t step = 0; step < batch->steps.size(); ++step) {
      EXPECT_EQ(test::checked(restored->globalBatchAt(now))->steps[step].learningRate, batch->steps[step].learningRate);
      now = now.afterStep({batch->steps[step].samples, batch->steps[step].tokens, 0.0}, batch->steps[step].units);
    }
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
}

TEST(WarmupStartTest, UnderARampItIsOneUnlessItIsSaid) {
  TrainConfig config;
  config.maxDuration = timeOf("100ba");
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.scheduler.tWarmup = timeOf("10ba");
  const auto firstFactor = [&config] { return planOf(config).scheduleFactor({}); };
  EXPECT_EQ(firstFactor(), 0.0);
  config.batch.rampup.stages = {{timeOf("0ba"), 8}, {timeOf("5ba"), 64}};
  EXPECT_EQ(firstFactor(), 0.1);
  config.scheduler.warmupFrom = WarmupStart::Zero;
  EXPECT_EQ(firstFactor(), 0.0);
}

}  // namespace
}  // namespace batchwise
