// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan refuses before a run starts, naming the field; and what it only notes.
#include <gmock/gmock.h>

#include <functional>

#include "core/plan/plan.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

struct Refusal {
  const char* name;
  std::function<void(TrainConfig&)> break_;
  const char* field;      ///< of a slip: a part of its note
  const char* part = "";  ///< of the message
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

std::function<void(TrainConfig&)> ramp(const char* duration, std::int64_t initial) {
  return [=](TrainConfig& c) {
    c.batch.rampup.duration = time(duration);
    c.batch.rampup.initialGlobalTrainBatchSize = initial;
  };
}

std::function<void(TrainConfig&)> stages(std::vector<std::pair<const char*, std::int64_t>> levels) {
  return [levels = std::move(levels)](TrainConfig& c) {
    for (const auto& [at, size] : levels) c.batch.rampup.stages.push_back({time(at), size});
  };
}

std::function<void(TrainConfig&)> expression(const char* text) {
  return [=](TrainConfig& c) {
    c.scheduler = {};
    c.scheduler.name = "expression";
    c.scheduler.expression = text;
  };
}

/// Of four epochs, bounded by a micro-batch of this size on the one device.
std::function<void(TrainConfig&)> boundedGrowth(std::int64_t microbatch) {
  return [=](TrainConfig& c) {
    c.maxDuration = time("4ep");
    c.batch.growth.increaseFunction = "current_batch_size * 100";
    c.batch.growth.bound = GrowthBound::DeviceMaximum;
    c.batch.deviceTrainMicrobatchSize = microbatch;
  };
}

const std::vector<Refusal> kRefusals = {
    {"InitialAboveFinal", ramp("10ba", 64), "batch.rampup.initial_global_train_batch_size",
     "above batch.global_train_batch_size 32"},
    {"RampInSeconds", ramp("90m", 8), "batch.rampup.duration", "seconds"},
    {"StagesOutOfOrder", stages({{"0ba", 8}, {"20ba", 16}, {"10ba", 32}}), "batch.rampup.stages[2].at",
     "not after 20ba"},
    {"StagesThatStartLate", stages({{"5ba", 8}, {"20ba", 16}}), "batch.rampup.stages[0].at", "not 0"},
    {"StagesOfDifferentUnits", stages({{"0ba", 8}, {"20ba", 16}, {"9000tok", 32}}), "batch.rampup.stages[2].at",
     "another unit"},
    {"StageOfSizeZero", stages({{"0ba", 0}, {"20ba", 16}}), "batch.rampup.stages[0].global_train_batch_size",
     "below 1"},
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
    {"ScheduleExpressionNonsense", expression("1 / (ba - 50)^2"), "scheduler.expression", "at 50ba"},
    {"ScheduleExpressionBelowZero", expression("1 - 2 * frac"), "scheduler.expression", "not negative"},
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
  EXPECT_TRUE(test::checked(Plan::resolve(soundConfig(), samples(1000), {}))->notes().empty());
}

TEST(PlanRefusalsTest, EachNamesItsFieldAndWhatWouldDo) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(refusal.name);
    TrainConfig config = soundConfig();
    refusal.break_(config);
    const Error plan = test::refused(Plan::resolve(config, samples(1000), {}));
    EXPECT_EQ(plan.code, ErrorCode::Config);
    EXPECT_THAT(plan.text(), testing::HasSubstr(refusal.field));
    EXPECT_EQ(plan.field, refusal.field);
    EXPECT_THAT(plan.text(), testing::HasSubstr(refusal.part));
  }
}

TEST(PlanRefusalsTest, AnEpochNeedsDataOfKnownLength) {
  TrainConfig config = soundConfig();
  EXPECT_TRUE(Plan::resolve(config, nullptr, {}).ok());
  config.scheduler.tWarmup = time("0.5ep");
  EXPECT_THAT(Plan::resolve(config, nullptr, {}).error().text(), testing::HasSubstr("known length"));
  config = soundConfig();
  config.maxDuration = time("2ep");
  EXPECT_THAT(Plan::resolve(config, nullptr, {}).error().text(), testing::HasSubstr("max_duration"));
  EXPECT_THAT(Plan::resolve(config, samples(0), {}).error().text(), testing::HasSubstr("no sample"));
  const auto empty = std::make_shared<ListedLengths>(std::vector<std::uint32_t>(3, 0));
  EXPECT_THAT(Plan::resolve(config, empty, {}).error().text(), testing::HasSubstr("3 samples have 0 tokens"));
}

const std::vector<Refusal> kSlips = {
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
    {"RampThatNeverEnds", ramp("200ba", 8), "the ramp never ends"},
    {"RampWithoutStages", ramp("20ba", 32), "the ramp has one stage and changes nothing"},
    {"StagesNotReached", stages({{"0ba", 8}, {"500ba", 32}}), "the run ends before the last 1 of 2 stages"},
    {"AutoBeforeItIsFound", [](TrainConfig& c) { c.batch.deviceTrainMicrobatchSize.reset(); },
     "auto is found at launch"},
    {"ClampedGrowth", boundedGrowth(40), "and 40, batch.device_train_microbatch_size times the devices, is the bound"},
    {"GrowthThatNeverCanBe", boundedGrowth(4),
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
  for (const Refusal& slip : kSlips) {
    SCOPED_TRACE(slip.name);
    TrainConfig config = soundConfig();
    slip.break_(config);
    const auto plan = test::checked(Plan::resolve(config, samples(1000), {}));
    std::string all;
    for (const FieldProblem& note : plan->notes()) all += note.text() + "\n";
    EXPECT_THAT(all, testing::HasSubstr(slip.field));
  }
}

TEST(PlanRefusalsTest, GrowthToMoreThanCanBeCounted) {
  TrainConfig config = soundConfig();
  config.batch.growth.increaseFunction = "1e300";
  const Error refused = test::refused(Plan::resolve(config, samples(1000), {}));
  EXPECT_THAT(refused.message, testing::HasSubstr("fewer than 2^50"));
}

TEST(PlanRefusalsTest, AGlobalBatchOfMoreStepsThanMemoryHolds) {
  TrainConfig config = soundConfig();
  config.batch.globalTrainBatchSize = 5'000'000'000'000;
  config.batch.rampup.duration = time("10ba");
  config.batch.rampup.initialGlobalTrainBatchSize = 2;
  const Error refused = test::refused(Plan::resolve(config, samples(std::int64_t{1} << 45), {}));
  EXPECT_EQ(refused.field, "batch.rampup") << refused.text();
  EXPECT_THAT(refused.message, testing::HasSubstr("steps of 2; at most 1,048,576 are allowed"));
  // An epoch ends a global batch before it has as many.
  EXPECT_TRUE(Plan::resolve(config, samples(1000), {}).ok());
}

}  // namespace
}  // namespace batchwise
