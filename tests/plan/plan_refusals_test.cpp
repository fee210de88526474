// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan refuses before a run starts, naming the field; and what it only notes.
#include <gtest/gtest.h>

#include <functional>

#include "core/plan/plan.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

struct Refusal {
  const char* name;
  std::function<void(TrainConfig&)> break_;
  const char* field;
  const char* part;  ///< of the message
};

TrainConfig soundConfig() {
  TrainConfig config;
  config.scheduler.name = "linear_with_warmup";
  config.scheduler.tWarmup = Time::duration(0.1);
  config.maxDuration = Time::of(100, TimeUnit::Batch);
  config.batch.globalTrainBatchSize = 32;
  config.batch.deviceTrainMicrobatchSize = 8;
  return config;
}

std::shared_ptr<const Lengths> samples(std::int64_t count) {
  return std::make_shared<EqualLengths>(count, 128);
}

Time time(const char* text) {
  return Time::parse(text).value();
}

const std::vector<Refusal> kRefusals = {
    {"InitialAboveFinal",
     [](TrainConfig& c) {
       c.batch.rampup.duration = time("10ba");
       c.batch.rampup.initialGlobalTrainBatchSize = 64;
     },
     "batch.rampup.initial_global_train_batch_size", "above batch.global_train_batch_size 32"},
    {"RampInSeconds",
     [](TrainConfig& c) {
       c.batch.rampup.duration = time("90m");
       c.batch.rampup.initialGlobalTrainBatchSize = 8;
     },
     "batch.rampup.duration", "seconds"},
    {"StagesOutOfOrder",
     [](TrainConfig& c) {
       c.batch.rampup.stages = {{time("0ba"), 8}, {time("20ba"), 16}, {time("10ba"), 32}};
     },
     "batch.rampup.stages[2].at", "not after 20ba"},
    {"StagesThatStartLate",
     [](TrainConfig& c) {
       c.batch.rampup.stages = {{time("5ba"), 8}, {time("20ba"), 16}};
     },
     "batch.rampup.stages[0].at", "not 0"},
    {"StagesOfDifferentUnits",
     [](TrainConfig& c) {
       c.batch.rampup.stages = {{time("0ba"), 8}, {time("20ba"), 16}, {time("9000tok"), 32}};
     },
     "batch.rampup.stages[2].at", "another unit"},
    {"StageOfSizeZero",
     [](TrainConfig& c) {
       c.batch.rampup.stages = {{time("0ba"), 0}, {time("20ba"), 16}};
     },
     "batch.rampup.stages[0].global_train_batch_size", "below 1"},
    {"IncrementOfZero",
     [](TrainConfig& c) {
       c.batch.rampup.duration = time("10ba");
       c.batch.rampup.initialGlobalTrainBatchSize = 8;
       c.batch.rampup.growth = RampGrowth::Linear;
       c.batch.rampup.increment = 0;
     },
     "batch.rampup.increment", "below 1"},
    {"BudgetBelowEverySample", [](TrainConfig& c) { c.batch.tokens.maxTokens = 100; }, "batch.tokens.max_tokens",
     "smaller than every sample"},
    {"MinOverMax",
     [](TrainConfig& c) {
       c.batch.tokens.maxTokens = 1000;
       c.batch.tokens.minBatchSize = 5;
       c.batch.tokens.maxBatchSize = 4;
     },
     "batch.tokens.min_batch_size", "above max_batch_size 4"},
    {"GroupsWithBestFit",
     [](TrainConfig& c) {
       c.batch.tokens.maxTokens = 1000;
       c.batch.tokens.packing = PackMethod::BestFit;
       c.batch.tokens.requiredMicrobatchesOfSameSize = true;
     },
     "batch.tokens.required_microbatches_of_same_size", "in_order"},
    {"ScalingPacksWithoutReference",
     [](TrainConfig& c) {
       c.batch.tokens.maxTokens = 1000;
       c.lrScaling.method = LrScalingMethod::Linear;
     },
     "lr_scaling.reference_batch_size", "missing"},
    {"ScalingByTokensWithoutReference",
     [](TrainConfig& c) {
       c.lrScaling.method = LrScalingMethod::Sqrt;
       c.lrScaling.by = StepSizeUnit::Tokens;
     },
     "lr_scaling.reference_batch_size", "missing"},
    {"ExpressionThatDoesNotParse", [](TrainConfig& c) { c.batch.growth.increaseFunction = "current_batch_size * (2"; },
     "batch.growth.increase_function", "position"},
    {"ExpressionWithAnUnknownName", [](TrainConfig& c) { c.batch.growth.increaseFunction = "batch_size * 2"; },
     "batch.growth.increase_function", "'batch_size' is not known at position 1"},
    {"ExpressionOfNonsense", [](TrainConfig& c) { c.batch.growth.increaseFunction = "current_batch_size / 0"; },
     "batch.growth.increase_function", "finite"},
    {"ExpressionOfZero", [](TrainConfig& c) { c.batch.growth.increaseFunction = "0 * epoch"; },
     "batch.growth.increase_function", "a batch has 1 or more"},
    {"TwoGrowthFunctions",
     [](TrainConfig& c) {
       c.batch.growth.increaseFunction = "current_batch_size";
       c.batch.growth.batchIncreaseFunction = "1";
     },
     "batch.growth.batch_increase_function", "one of them"},
    {"GrowthInSeconds",
     [](TrainConfig& c) {
       c.batch.growth.increaseFunction = "current_batch_size";
       c.batch.growth.every = time("1h");
     },
     "batch.growth.every", "seconds"},
    {"GrowthInSharesOfARunInSeconds",
     [](TrainConfig& c) {
       c.maxDuration = time("1h");
       c.scheduler = {};
       c.scheduler.name = "constant";
       c.batch.growth.increaseFunction = "current_batch_size * 2";
       c.batch.growth.every = time("0.1dur");
     },
     "batch.growth.every", "measured in seconds"},
    {"ScheduleInSeconds", [](TrainConfig& c) { c.scheduler.tWarmup = time("60s"); }, "scheduler.t_warmup", "seconds"},
    {"ScheduleExpressionNonsense",
     [](TrainConfig& c) {
       c.scheduler = {};
       c.scheduler.name = "expression";
       c.scheduler.expression = "1 / (ba - 50)^2";
     },
     "scheduler.expression", "at 50ba"},
    {"ScheduleExpressionBelowZero",
     [](TrainConfig& c) {
       c.scheduler = {};
       c.scheduler.name = "expression";
       c.scheduler.expression = "1 - 2 * frac";
     },
     "scheduler.expression", "not negative"},
    {"DurOfARunInSeconds",
     [](TrainConfig& c) {
       c.maxDuration = time("1h");
       c.scheduler.tMax = time("100ba");
     },
     "scheduler.t_warmup", "measured in seconds"},
    {"NothingToTrain", [](TrainConfig& c) { c.maxDuration = time("0ba"); }, "max_duration", "not above 0"},
    {"NegativeDuration", [](TrainConfig& c) { c.maxDuration = time("-1ep"); }, "max_duration", "not above 0"},
    {"ShareAsDuration", [](TrainConfig& c) { c.maxDuration = time("0.5dur"); }, "max_duration",
     "is a share of the run"},
    {"ScaledToNothing", [](TrainConfig& c) { c.scaleScheduleRatio = 0.001; }, "scale_schedule_ratio", "leaves nothing"},
    {"BatchOfZero", [](TrainConfig& c) { c.batch.globalTrainBatchSize = 0; }, "batch.global_train_batch_size",
     "below 1"},
};

TEST(PlanRefusalsTest, TheConfigurationThatIsBrokenHereIsSound) {
  const auto plan = test::checked(Plan::resolve(soundConfig(), samples(1000), {}));
  EXPECT_TRUE(plan->notes().empty());
}

TEST(PlanRefusalsTest, EachNamesItsFieldAndWhatWouldDo) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.name);
    TrainConfig config = soundConfig();
    refusal.break_(config);
    const Error plan = test::refused(Plan::resolve(config, samples(1000), {}));
    EXPECT_EQ(plan.code, ErrorCode::Config);
    EXPECT_NE(plan.text().find(refusal.field), std::string::npos) << plan.text();
    EXPECT_EQ(plan.field, refusal.field);
    EXPECT_NE(plan.text().find(refusal.part), std::string::npos) << plan.text();
  }
}

TEST(PlanRefusalsTest, AnEpochNeedsDataOfKnownLength) {
  TrainConfig config = soundConfig();
  EXPECT_TRUE(Plan::resolve(config, nullptr, {}).ok());
  config.scheduler.tWarmup = time("0.5ep");
  EXPECT_NE(Plan::resolve(config, nullptr, {}).error().text().find("known length"), std::string::npos);
  config = soundConfig();
  config.maxDuration = time("2ep");
  EXPECT_NE(Plan::resolve(config, nullptr, {}).error().text().find("max_duration"), std::string::npos);
  EXPECT_NE(Plan::resolve(config, samples(0), {}).error().text().find("no sample"), std::string::npos);
  const auto empty = std::make_shared<ListedLengths>(std::vector<std::uint32_t>(3, 0));
  EXPECT_NE(Plan::resolve(config, empty, {}).error().text().find("3 samples have 0 tokens"), std::string::npos);
}

struct Slip {
  const char* name;
  std::function<void(TrainConfig&)> make;
  const char* note;
};

const std::vector<Slip> kSlips = {
    {"WarmupLongerThanTheRun", [](TrainConfig& c) { c.scheduler.tWarmup = time("200ba"); },
     "scheduler.t_warmup: 200ba is longer"},
    {"ShortTMax", [](TrainConfig& c) { c.scheduler.tMax = time("50ba"); },
     "scheduler.t_max: 50ba is shorter than the run"},
    {"UnsortedMilestones",
     [](TrainConfig& c) {
       c.scheduler = {};
       c.scheduler.name = "multistep";
       c.scheduler.milestones = {time("50ba"), time("20ba")};
     },
     "scheduler.milestones"},
    {"RampThatNeverEnds",
     [](TrainConfig& c) {
       c.batch.rampup.duration = time("200ba");
       c.batch.rampup.initialGlobalTrainBatchSize = 8;
     },
     "the ramp never ends"},
    {"RampWithoutStages",
     [](TrainConfig& c) {
       c.batch.rampup.duration = time("20ba");
       c.batch.rampup.initialGlobalTrainBatchSize = 32;
     },
     "the ramp has one stage and changes nothing"},
    {"StagesNotReached",
     [](TrainConfig& c) {
       c.batch.rampup.stages = {{time("0ba"), 8}, {time("500ba"), 32}};
     },
     "the run ends before the last 1 of 2 stages"},
    {"AutoBeforeItIsFound", [](TrainConfig& c) { c.batch.deviceTrainMicrobatchSize.reset(); },
     "auto is found at launch"},
    {"ClampedGrowth",
     [](TrainConfig& c) {
       c.maxDuration = time("4ep");
       c.batch.growth.increaseFunction = "current_batch_size * 100";
       c.batch.growth.bound = GrowthBound::DeviceMaximum;
       c.batch.deviceTrainMicrobatchSize = 40;
     },
     "and 40, batch.device_train_microbatch_size times the devices, is the bound"},
    {"GrowthThatNeverCanBe",
     [](TrainConfig& c) {
       c.maxDuration = time("4ep");
       c.batch.growth.increaseFunction = "current_batch_size * 100";
       c.batch.growth.bound = GrowthBound::DeviceMaximum;
       c.batch.deviceTrainMicrobatchSize = 4;
     },
     "batch.growth.bound: growth ends at 4, batch.device_train_microbatch_size 4 times 1 device"},
    {"GrowthThatDependsOnTheRun",
     [](TrainConfig& c) {
       c.maxDuration = time("4ep");
       c.batch.deviceTrainMicrobatchSize = 64;
       c.batch.growth.increaseFunction = "loss < 2 ? current_batch_size * 2 : current_batch_size";
     },
     "depend on the run"},
};

TEST(PlanRefusalsTest, WhatOnlyLooksLikeASlipIsNoted) {
  for (const Slip& slip : kSlips) {
    SCOPED_TRACE(slip.name);
    TrainConfig config = soundConfig();
    slip.make(config);
    const auto plan = test::checked(Plan::resolve(config, samples(1000), {}));
    std::string all;
    for (const FieldProblem& note : plan->notes()) all += note.text() + "\n";
    EXPECT_NE(all.find(slip.note), std::string::npos) << all;
  }
}

TEST(PlanRefusalsTest, GrowthToMoreThanCanBeCounted) {
  TrainConfig config = soundConfig();
  config.batch.growth.increaseFunction = "1e300";
  const Error refused = test::refused(Plan::resolve(config, samples(1000), {}));
  EXPECT_NE(refused.message.find("fewer than 2^50"), std::string::npos) << refused.message;
}

TEST(PlanRefusalsTest, AGlobalBatchOfMoreStepsThanMemoryHolds) {
  TrainConfig config = soundConfig();
  config.batch.globalTrainBatchSize = 5'000'000'000'000;
  config.batch.rampup.duration = time("10ba");
  config.batch.rampup.initialGlobalTrainBatchSize = 2;
  const Error refused = test::refused(Plan::resolve(config, samples(std::int64_t{1} << 45), {}));
  EXPECT_EQ(refused.field, "batch.rampup") << refused.text();
  EXPECT_NE(refused.message.find("steps of 2; at most 1,048,576 are allowed"), std::string::npos);
  // An epoch ends a global batch before it has as many.
  EXPECT_TRUE(Plan::resolve(config, samples(1000), {}).ok());
}

}  // namespace
}  // namespace batchwise
