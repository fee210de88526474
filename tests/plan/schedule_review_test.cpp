// SPDX-License-Identifier: GPL-3.0-or-later
// What the preview says of a schedule: figures of each stage, and one note for each slip.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/plan/plan.h"

namespace batchwise {
namespace {

/// 4,000 steps of 64 sequences of 128 tokens, a tenth of them warm-up.
TrainConfig decayingConfig() {
  TrainConfig config;
  config.scheduler.name = "linear_with_warmup";
  config.scheduler.tWarmup = Time::duration(0.1);
  config.maxDuration = Time::of(4000, TimeUnit::Batch);
  config.batch.globalTrainBatchSize = 64;
  config.batch.deviceTrainMicrobatchSize = 4;
  return config;
}

void ramp(TrainConfig& config, double share, std::int64_t initial) {
  config.batch.rampup.duration = Time::duration(share);
  config.batch.rampup.initialGlobalTrainBatchSize = initial;
  config.scheduler.warmupFrom = WarmupStart::One;
}

Plan reviewedPlan(const TrainConfig& config) {
  return Plan::resolve(config, std::make_shared<EqualLengths>(1'000'000, 128), {1, 4, 0}).value();
}

std::vector<FieldProblem> notesOf(const TrainConfig& config) {
  return reviewedPlan(config).notes();
}

struct Slip {
  const char* name;
  std::function<void(TrainConfig&)> make;
  const char* field;
  const char* part;  ///< of the note
};

const std::vector<Slip> kSlips = {
    {"ShortWarmup", [](TrainConfig& c) { c.scheduler.tWarmup = Time::of(15, TimeUnit::Batch); }, "scheduler.t_warmup",
     "takes about 15 steps; AdamW with a beta2 of 0.98 wants about 100"},
    {"FewSteps",
     [](TrainConfig& c) {
       c.maxDuration = Time::of(20'000, TimeUnit::Sample);
       c.batch.globalTrainBatchSize = 1000;
     },
     "batch.global_train_batch_size", "the run has about 20 steps"},
    {"LinearRuleForAdam",
     [](TrainConfig& c) {
       ramp(c, 0.05, 8);
       c.lrScaling.method = LrScalingMethod::Linear;
       c.lrScaling.appliesTo = {StepSizeCause::Rampup};
     },
     "lr_scaling.method", "use sqrt"},
    {"UnscaledRampLongerThanWarmup", [](TrainConfig& c) { ramp(c, 0.4, 8); }, "batch.rampup",
     "the first stage have 2.828 times the rate"},
    {"UnscaledGrowth",
     [](TrainConfig& c) {
       c.batch.growth.increaseFunction = "current_batch_size * 2";
       c.batch.growth.every = Time::of(1000, TimeUnit::Batch);
       c.batch.growth.bound = GrowthBound::None;
     },
     "batch.growth", "the batch grows by more than 4 times and the rate stays"},
    {"LimitOfNorms",
     [](TrainConfig& c) {
       ramp(c, 0.05, 8);
       c.guard.gradNorm.action = GuardAction::Stop;
     },
     "guard.grad_norm.limit", "step sizes differ by 8 times"},
    {"MemoryInTokens", [](TrainConfig& c) { ramp(c, 0.05, 8); }, "optimizer.betas",
     "forgets half in 35.1k tokens in the smallest steps and in 281k in the largest"},
    {"DearRamp", [](TrainConfig& c) { ramp(c, 0.4, 8); }, "batch.rampup", "more steps than a constant batch of 64"},
    {"DecayPerStep", [](TrainConfig& c) { ramp(c, 0.4, 8); }, "optimizer.weight_decay",
     "more often than with a constant batch"},
    {"NoDecay",
     [](TrainConfig& c) {
       ramp(c, 0.05, 8);
       c.scheduler.name = "constant_with_warmup";
     },
     "scheduler.name", "flatters large batches"},
};

std::int64_t countNotes(const Plan& plan, const Slip& slip) {
  std::int64_t count = 0;
  for (const FieldProblem& note : plan.notes())
    count += note.field == slip.field && note.message.find(slip.part) != std::string::npos ? 1 : 0;
  return count;
}

TEST(ScheduleReview, EachSlipIsNotedOnce) {
  EXPECT_TRUE(reviewedPlan(decayingConfig()).notes().empty());
  for (const Slip& slip : kSlips) {
    SCOPED_TRACE(slip.name);
    TrainConfig config = decayingConfig();
    slip.make(config);
    const Plan plan = reviewedPlan(config);
    EXPECT_EQ(countNotes(plan, slip), 1);
    std::string all;
    for (const FieldProblem& note : plan.notes()) all += note.text() + "\n";
    if (::testing::Test::HasFailure()) ADD_FAILURE() << all;
  }
}

TEST(ScheduleReview, AScaledRampWithinTheWarmupIsNotCalledTooHot) {
  TrainConfig config = decayingConfig();
  ramp(config, 0.4, 8);
  config.lrScaling.method = LrScalingMethod::Sqrt;
  config.lrScaling.referenceBatchSize = 64;
  config.lrScaling.appliesTo = {StepSizeCause::Rampup};
  for (const FieldProblem& note : notesOf(config)) EXPECT_EQ(note.message.find("times the rate"), std::string::npos);
  config = decayingConfig();
  ramp(config, 0.02, 8);
  for (const FieldProblem& note : notesOf(config)) EXPECT_EQ(note.message.find("times the rate"), std::string::npos);
}

TEST(ScheduleReview, ARestartAtTheEndIsNoRateThatHasNotDecayed) {
  TrainConfig config = decayingConfig();
  config.scheduler = {};
  config.scheduler.name = "cosine_annealing_warm_restarts";
  config.scheduler.t0 = Time::of(1000, TimeUnit::Batch);
  config.batch.rampup.duration = Time::duration(0.05);
  config.batch.rampup.initialGlobalTrainBatchSize = 8;
  for (const FieldProblem& note : notesOf(config)) EXPECT_NE(note.field, "scheduler.name") << note.text();
}

TEST(ScheduleReview, TheHalfLifeDecidesWhichWarmupAdamWants) {
  TrainConfig config = decayingConfig();
  config.scheduler.tWarmup = Time::of(15, TimeUnit::Batch);
  config.optimizer.beta2HalfLife = Time::of(10 * 64 * 128, TimeUnit::Token);  // ten steps: beta2 0.933
  EXPECT_EQ(countNotes(reviewedPlan(config), {"", {}, "scheduler.t_warmup", "wants about 30"}), 1);
}

TEST(ScheduleReview, FiguresOfEachStage) {
  TrainConfig config = decayingConfig();
  ramp(config, 0.3, 8);
  const Plan plan = reviewedPlan(config);
  const auto& ranges = plan.ranges();
  ASSERT_EQ(ranges.size(), 4U);
  std::int64_t extra = 0;
  for (const PlannedRange& range : ranges) {
    const double parts = 64.0 / static_cast<double>(range.stepUnits);
    EXPECT_NEAR(range.rateOverSqrtRule, std::sqrt(parts), 1e-12);
    EXPECT_NEAR(range.halfLifeSteps, std::log(0.5) / std::log(0.98), 1e-12);
    EXPECT_EQ(range.firstRate, plan.globalBatchAt([&] {
                                     Timestamp at;
                                     at.batch = range.fromBatch;
                                     return at;
                                   }())
                                   .value()
                                   .steps.front()
                                   .learningRate);
    extra += range.extraSteps.value_or(0);
  }
  // Three stages of 400 global batches each with 8, 4 and 2 steps in place of 1.
  EXPECT_EQ(extra, 400 * (7 + 3 + 1));
}

}  // namespace
}  // namespace batchwise
