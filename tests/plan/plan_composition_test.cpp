// SPDX-License-Identifier: GPL-3.0-or-later
// Ramps, growth, packs, rate scaling and resumes together.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/plan/plan.h"
#include "core/plan/plan_report.h"
#include "tests/support/checked.h"
#include "tests/support/message_texts.h"
#include "tests/support/run_plan.h"

namespace batchwise {
namespace {

using nlohmann::json;

Time time(const char* text) {
  return Time::parse(text).value();
}

std::shared_ptr<const Lengths> listed(std::int64_t count) {
  std::mt19937 random(3);
  std::vector<std::uint32_t> lengths;
  for (std::int64_t index = 0; index < count; ++index) lengths.push_back(5 + static_cast<std::uint32_t>(random() % 40));
  return std::make_shared<ListedLengths>(std::move(lengths));
}

TrainConfig constantConfig(Time maxDuration, std::int64_t batch, std::int64_t microbatch) {
  TrainConfig config;
  config.maxDuration = maxDuration;
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = batch;
  config.batch.deviceTrainMicrobatchSize = microbatch;
  return config;
}

std::vector<std::string> growthNotes(const Plan& plan) {
  std::vector<std::string> texts = test::textsOf(plan.notes());
  std::erase_if(texts, [](const std::string& text) { return !text.starts_with("batch.growth"); });
  return texts;
}

/// A ramp over packs, square-root scaling by tokens, growth at epoch 3, two devices.
TrainConfig everything() {
  TrainConfig config;
  config.optimizer.lr = 1e-3;
  config.maxDuration = time("5ep");
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = 8;
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.rampup.duration = time("1ep");
  config.batch.rampup.initialGlobalTrainBatchSize = 2;
  config.batch.growth.increaseFunction = "epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size";
  config.batch.growth.bound = GrowthBound::None;
  config.batch.tokens.maxTokens = 200;
  config.lrScaling.method = LrScalingMethod::Sqrt;
  config.lrScaling.by = StepSizeUnit::Tokens;
  config.lrScaling.referenceBatchSize = 1600;
  config.lrScaling.appliesTo = {StepSizeCause::Tokens, StepSizeCause::Growth, StepSizeCause::Rampup,
                                StepSizeCause::Last};
  return config;
}

TEST(PlanCompositionTest, EverythingTogetherHasOneMeaning) {
  const auto plan = test::checked(Plan::resolve(everything(), listed(600), {.devices = 2}));
  ASSERT_EQ(plan->ranges().size(), 4U);
  EXPECT_EQ(plan->ranges()[0].stepUnits, 2);
  EXPECT_EQ(plan->ranges()[1].stepUnits, 4);
  EXPECT_EQ(plan->ranges()[2].stepUnits, 8);
  EXPECT_EQ(plan->ranges()[3].stepUnits, 16);
  EXPECT_EQ(plan->ranges()[3].microBatchesPerStep, 8);
  const auto third = test::checked(plan->pointAt(time("3ep")));
  EXPECT_EQ(third->at.batch, plan->ranges()[3].fromBatch);
  GrowthState grown = plan->initialGrowth();
  grown.globalUnits = 16;
  const auto batch = test::checked(plan->globalBatchAt(third->at, grown));
  ASSERT_EQ(batch->steps.size(), 1U);
  EXPECT_EQ(batch->steps[0].units, 16);
  EXPECT_DOUBLE_EQ(batch->steps[0].learningRate,
                   1e-3 * std::sqrt(static_cast<double>(batch->steps[0].tokens) / 1600.0));
}

TEST(PlanCompositionTest, GrowthIsAskedAfterTheRampAndAtItsBoundaries) {
  TrainConfig config = everything();
  config.batch.rampup.duration = time("1000sp");  // ends inside the second epoch
  config.batch.growth.increaseFunction = "current_batch_size * 2";
  const auto plan = test::checked(Plan::resolve(config, listed(600), {.devices = 2}));
  GrowthState growth = plan->initialGrowth();
  const Timestamp first = plan->pointAt(time("1ep"))->at;
  const Timestamp second = plan->pointAt(time("2ep"))->at;
  EXPECT_FALSE(plan->growthDue(first, growth));
  ASSERT_TRUE(plan->growthDue(second, growth));
  growth = plan->grow(second, growth, {})->state;
  EXPECT_EQ(growth.globalUnits, 16);
  EXPECT_FALSE(plan->growthDue(second, growth));
}

TEST(PlanCompositionTest, GrowthIsNotAskedWhereARampEndsInsideAnEpoch) {
  TrainConfig config = everything();
  config.batch.growth.increaseFunction = "current_batch_size * 2";
  const auto dueAtEndOfRamp = [&](const char* ramp) {
    config.batch.rampup.duration = time(ramp);
    const auto plan = test::checked(Plan::resolve(config, listed(600), {.devices = 2}));
    return plan->growthDue(plan->pointAt(time(ramp))->at, plan->initialGrowth());
  };
  EXPECT_FALSE(dueAtEndOfRamp("1000sp"));
  EXPECT_TRUE(dueAtEndOfRamp("1ep"));
}

TEST(PlanCompositionTest, GrowthByLossReadsTheMeanSinceTheLastAsking) {
  TrainConfig config = constantConfig(time("3ep"), 8, 8);
  config.batch.growth.batchIncreaseFunction = "loss < 3 ? 4 : 0";
  config.batch.growth.bound = GrowthBound::None;
  const auto plan = test::checked(Plan::resolve(config, listed(100), {}));
  EXPECT_FALSE(plan->totals().batches.has_value());
  GrowthState growth = plan->initialGrowth();
  EXPECT_FALSE(plan->grow({}, growth, {})->note.empty());
  growth.lossSum = 25.0;
  growth.lossCount = 10;
  const auto grown = plan->grow({}, growth, {});
  EXPECT_EQ(grown->state.globalUnits, 12);
  EXPECT_EQ(grown->state.lossCount, 0);
}

TEST(PlanCompositionTest, AHookTakesThePlaceOfTheExpression) {
  TrainConfig config = constantConfig(time("3ep"), 8, 3);
  config.batch.growth.bound = GrowthBound::DeviceMaximum;
  std::int64_t asked = 0;
  const auto plan = test::checked(
      Plan::resolve(config, listed(100), {.devices = 4, .largestUnits = 5}, [&](const GrowthInput& input) {
        asked = input.currentBatchSize;
        return std::int64_t{1000};
      }));
  const auto grown = plan->grow({}, plan->initialGrowth(), {});
  EXPECT_EQ(asked, 8);
  EXPECT_EQ(grown->state.globalUnits, 20);  // 4 devices of at most 5
  EXPECT_FALSE(grown->note.empty());
}

TEST(PlanCompositionTest, ALongerRunKeepsTheResolvedScheduleAndHoldsItsLastValue) {
  TrainConfig config;
  config.maxDuration = time("100ba");
  config.scheduler.name = "inverse_sqrt";
  config.scheduler.tWarmup = time("10ba");
  config.batch.globalTrainBatchSize = 8;
  config.batch.deviceTrainMicrobatchSize = 8;
  const auto plan = test::checked(Plan::resolve(config, listed(100), {}));
  config.maxDuration = time("400ba");
  const auto longer = test::checked(Plan::restore(config, plan->resolved(), listed(100), {}));
  EXPECT_EQ(longer->totals().batches, 400);
  const auto at = [](std::int64_t batch) {
    Timestamp now;
    now.batch = batch;
    return now;
  };
  EXPECT_EQ(longer->scheduleFactor(at(40)), plan->scheduleFactor(at(40)));
  EXPECT_EQ(longer->scheduleFactor(at(300)), plan->scheduleFactor(at(100)));
  EXPECT_LT(plan->scheduleFactor(at(300)), plan->scheduleFactor(at(100)));
  EXPECT_THAT(test::refused(Plan::restore(config, plan->resolved(), listed(101), {})).text(),
              testing::HasSubstr("101 samples"));
}

TEST(PlanCompositionTest, ALongerRunHoldsTheClocksThatItsScheduleDoesNotEndOn) {
  TrainConfig config;
  config.maxDuration = time("10ba");
  config.scheduler.name = "exponential";
  config.scheduler.gamma = 0.5;
  config.scheduler.decayPeriod = time("700tok");
  config.batch.globalTrainBatchSize = 8;
  config.batch.deviceTrainMicrobatchSize = 8;
  const auto lengths = std::make_shared<EqualLengths>(100, 10);
  const auto plan = test::checked(Plan::resolve(config, lengths, {}));
  config.maxDuration = time("20ba");
  const auto longer = test::checked(Plan::restore(config, plan->resolved(), lengths, {}));
  EXPECT_EQ(longer->pointAt(time("9ba"))->factor, plan->pointAt(time("9ba"))->factor);
  for (const char* place : {"10ba", "11ba", "19ba"})
    EXPECT_EQ(longer->pointAt(time(place))->factor, std::pow(0.5, 800.0 / 700.0)) << place;
}

TEST(PlanCompositionTest, ALongerRunFollowsTheScheduleToWhatItNamesBeyondTheOldEnd) {
  const auto factorAt = [](const TrainConfig& launched, const char* place) {
    const auto plan = test::checked(Plan::resolve(launched, listed(100), {}));
    TrainConfig config = launched;
    config.maxDuration = time("60ba");
    const auto longer = test::checked(Plan::restore(config, plan->resolved(), listed(100), {}));
    return longer->pointAt(time(place))->factor;
  };
  TrainConfig config;
  config.maxDuration = time("10ba");
  config.batch.globalTrainBatchSize = 8;
  config.scheduler.name = "linear";
  config.scheduler.tMax = time("40ba");
  EXPECT_EQ(factorAt(config, "20ba"), 0.5);
  EXPECT_EQ(factorAt(config, "50ba"), 0.0);
  config.scheduler = {};
  config.scheduler.name = "multistep";
  config.scheduler.milestones = {time("5ba"), time("30ba")};
  config.scheduler.gamma = 0.5;
  EXPECT_EQ(factorAt(config, "29ba"), 0.5);
  EXPECT_EQ(factorAt(config, "50ba"), 0.25);
}

TEST(PlanCompositionTest, ARampOfNoLengthIsRestoredAsItWasResolved) {
  TrainConfig config;
  config.maxDuration = time("100ba");
  config.batch.globalTrainBatchSize = 32;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.batch.rampup.initialGlobalTrainBatchSize = 8;
  config.batch.rampup.duration = Time::duration(0.001);
  const auto plan = test::checked(Plan::resolve(config, listed(100), {}));
  const auto restored = test::checked(Plan::restore(config, plan->resolved(), listed(100), {}));
  EXPECT_EQ(restored->totals().steps, plan->totals().steps);
}

TEST(PlanCompositionTest, StoredValuesThatAreImpossibleAreRefused) {
  TrainConfig config;
  config.maxDuration = time("100ba");
  config.batch.globalTrainBatchSize = 32;
  config.batch.deviceTrainMicrobatchSize = 8;
  config.batch.rampup.stages = {{time("0ba"), 8}, {time("20ba"), 32}};
  const auto plan = test::checked(Plan::resolve(config, listed(100), {}));
  ASSERT_TRUE(Plan::restore(config, plan->resolved(), listed(100), {}).ok());
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"batch.global_train_batch_size", "0"},
      {"batch.global_train_batch_size", "-4"},
      {"batch.global_train_batch_size", "1e3"},
      {"batch.device_train_microbatch_size", "0"},
      {"batch.device_train_microbatch_size", "9223372036854775807"},
      {"lr_scaling.reference_batch_size", "nan"},
      {"scheduler.samples_per_batch", "0"},
      {"scheduler.tokens_per_batch", "inf"},
      {"batch.rampup.sizes", "0,32"},
      {"batch.rampup.sizes", "8"},
      {"batch.rampup.sizes", ""},
      {"batch.rampup.starts", "20ba,0ba"},
      {"batch.rampup.starts", "0ba,20tok"},
      {"batch.growth.device_maximum", "0"},
      {"batch.growth.samples_per_pack", "0"},
      {"data.samples_per_epoch", "-1"},
      {"data.batches_per_epoch", "0"}};
  for (const auto& [name, value] : wrong) {
    ResolvedValues values = plan->resolved();
    values[name] = value;
    const auto restored = Plan::restore(config, values, listed(100), {});
    ASSERT_FALSE(restored.ok()) << name << ": " << value;
    EXPECT_THAT(restored.error().text(), testing::HasSubstr("stored value"));
  }
}

TEST(PlanCompositionTest, LinearRampAndTableOfStages) {
  TrainConfig config = constantConfig(time("100ba"), 100, 10);
  config.batch.rampup.duration = time("10ba");
  config.batch.rampup.initialGlobalTrainBatchSize = 40;
  config.batch.rampup.growth = RampGrowth::Linear;
  const auto sizes = [](const Result<Plan>& plan) {
    std::vector<std::int64_t> all;
    for (const PlannedRange& stage : plan->ranges()) all.push_back(stage.stepUnits);
    return all;
  };
  EXPECT_EQ(sizes(Plan::resolve(config, listed(5000), {.devices = 2})), (std::vector<std::int64_t>{40, 60, 80, 100}));
  config.batch.rampup = {};
  config.batch.rampup.stages = {{time("0ba"), 16}, {time("0.1dur"), 48}, {time("50ba"), 96}};
  const auto table = test::checked(Plan::resolve(config, listed(5000), {}));
  EXPECT_EQ(sizes(table), (std::vector<std::int64_t>{16, 48, 96}));
  EXPECT_EQ(table->ranges()[1].fromBatch, 10);
  EXPECT_EQ(table->ranges()[1].steps, 2);
  EXPECT_EQ(table->ranges()[2].fromBatch, 50);
}

TEST(PlanCompositionTest, ATableIsClippedWhereTheRunEnds) {
  TrainConfig config;
  config.maxDuration = time("30ba");
  config.scheduler.name = "constant";
  config.batch.deviceTrainMicrobatchSize = 16;
  config.batch.rampup.stages = {{time("0ba"), 16}, {time("10ba"), 48}, {time("50ba"), 64}, {time("90ba"), 96}};
  const auto plan = test::checked(Plan::resolve(config, listed(5000), {}));
  ASSERT_EQ(plan->ranges().size(), 4U);
  const PlannedRange& last = plan->ranges()[1];
  EXPECT_TRUE(last.reached);
  EXPECT_EQ(last.globalBatches, 20);
  std::int64_t batches = 0;
  std::int64_t steps = 0;
  for (const PlannedRange& stage : plan->ranges()) {
    batches += stage.globalBatches.value_or(0);
    steps += stage.optimizerSteps.value_or(0);
  }
  EXPECT_EQ(batches, plan->totals().batches);
  EXPECT_EQ(steps, plan->totals().steps);
  EXPECT_FALSE(plan->ranges()[2].reached);
  EXPECT_EQ(std::ranges::count(test::textsOf(plan->notes()), "the run ends before the last 2 of 4 stages"), 1);
}

TEST(PlanCompositionTest, WithoutABudgetFillIsThatOfPaddedMicroBatches) {
  TrainConfig config;
  config.maxDuration = time("1ep");
  config.scheduler.name = "constant";
  config.data.shuffle = false;
  config.batch.globalTrainBatchSize = 4;
  config.batch.deviceTrainMicrobatchSize = 1;
  const auto lengths = std::make_shared<ListedLengths>(std::vector<std::uint32_t>{10, 5, 8, 8, 2, 6});
  const auto fill = [&](std::int64_t microbatch) {
    config.batch.deviceTrainMicrobatchSize = microbatch;
    return previewJson(test::runPlanOf(config, lengths), {})->at("fill").get<double>();
  };
  EXPECT_DOUBLE_EQ(fill(1), 1.0);
  EXPECT_DOUBLE_EQ(fill(2), 39.0 / (20 + 16 + 12));
  EXPECT_DOUBLE_EQ(fill(4), 39.0 / (40 + 12));
  const RunPlan assumed = test::runPlanOf(config, std::make_shared<EqualLengths>(6, 10));
  EXPECT_TRUE(previewJson(assumed, {})->at("fill").is_null());
}

TEST(PlanCompositionTest, ATrillionSamplesAreFoundAtOnce) {
  TrainConfig config = constantConfig(time("3ep"), 4096, 32);
  config.batch.rampup.duration = time("0.5ep");
  config.batch.rampup.initialGlobalTrainBatchSize = 256;
  const std::int64_t count = 1'000'000'000'000;
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(count, 512), {.devices = 8}));
  EXPECT_EQ(plan->totals().samples, 3 * count);
  EXPECT_EQ(plan->totals().tokens, 3 * count * 512);
  EXPECT_EQ(plan->totals().batches, 3 * ((count + 4095) / 4096));
  for (const std::int64_t batch : {0, 1'000'000, 500'000'000}) {
    EXPECT_EQ(test::checked(plan->pointAt(Time::of(batch, TimeUnit::Batch)))->at.batch, batch);
  }
  EXPECT_EQ(plan->pointAt(time("2ep"))->at.sample, 2 * count);
}

TEST(PreviewTest, JsonFollowsItsContract) {
  const RunPlan run = test::runPlanOf(everything(), listed(600), {.devices = 2});
  const auto preview = test::checked(previewJson(run, {time("0ba"), time("1ep"), time("5000ba")}));
  EXPECT_EQ((*preview)["schema"], "batchwise.preview/1");
  EXPECT_EQ((*preview)["max_duration"], "5ep");
  EXPECT_EQ((*preview)["totals"]["ep"], 5);
  EXPECT_EQ((*preview)["totals"]["sp"], 3000);
  EXPECT_TRUE((*preview)["stages"].back()["global_batches"].is_null());
  EXPECT_TRUE((*preview)["stages"].back()["optimizer_steps"].is_null());
  ASSERT_EQ((*preview)["points"].size(), 3U);
  EXPECT_EQ((*preview)["points"][2]["ba"], 5000);
  for (const char* key : {"ep", "ba", "sp", "tok", "lr_factor", "lr", "step_samples", "global_batch_samples"})
    EXPECT_TRUE((*preview)["points"][0].contains(key)) << key;
  EXPECT_FALSE(previewJson(run, {time("5sec")}).ok());
  const auto text = test::checked(previewText(run, {time("0ba")}));
  EXPECT_NE(text->find("packs per step"), std::string::npos) << *text;
}

TEST(PreviewTest, BatchesListEveryPackOfAnEpochOnce) {
  TrainConfig config = everything();
  config.data.shuffle = false;
  config.batch.tokens.maxTokens = 40;  // some samples are longer
  const auto lengths = listed(300);
  const auto plan = test::checked(Plan::resolve(config, lengths, {.devices = 2}));
  const auto batches = test::checked(batchesJson(*plan, *lengths, 1, RowLength::OfPack));
  std::vector<int> seen(300, 0);
  const json& packs = (*batches)["packs"];
  ASSERT_EQ((*batches)["global_batch_of_pack"].size(), packs.size());
  for (std::size_t pack = 0; pack < packs.size(); ++pack) {
    std::int64_t tokens = 0;
    for (const json& sample : packs[pack]) {
      ++seen[sample.get<std::size_t>()];
      tokens += lengths->at(sample.get<std::int64_t>());
    }
    EXPECT_EQ((*batches)["tokens"][pack], tokens);
    EXPECT_LE(tokens, 40);
  }
  for (const json& skipped : (*batches)["skipped"]) {
    ++seen[skipped["sample"].get<std::size_t>()];
    EXPECT_GT(skipped["length"], 40);
    EXPECT_THAT(skipped["why"].get<std::string>(), testing::HasSubstr("max_tokens"));
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 300);
  EXPECT_EQ((*batches)["lr_factors"].size(), (*batches)["global_batch_of_pack"].back().get<std::size_t>() + 1);
  const auto padded = batchesJson(*plan, *lengths, 1, RowLength::OfGlobalBatch);
  EXPECT_EQ((*padded)["longest"][0], (*padded)["longest"][1]);
}

TEST(PlanCompositionTest, AFunctionThatAsksForTheSameSizeIsNotClamped) {
  TrainConfig config;
  config.maxDuration = Time::of(5, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 100;  // 10 micro-batches on 1 device
  config.batch.deviceTrainMicrobatchSize = 10;
  config.batch.growth.bound = GrowthBound::None;
  config.batch.growth.increaseFunction = "current_batch_size";
  const auto lengths = std::make_shared<EqualLengths>(1000, 10);
  const auto plan = test::checked(Plan::resolve(config, lengths, {.devices = 1}));
  EXPECT_EQ(growthNotes(*plan),
            (std::vector<std::string>{
                "batch.growth: the function always gives the current size, 100, so the batch never grows"}));
}

TEST(PlanCompositionTest, GrowthThatIsBoundedFromTheStartIsNotedWithItsCause) {
  TrainConfig config;
  config.maxDuration = Time::of(4, TimeUnit::Epoch);
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = 17;
  config.batch.growth.increaseFunction = "epoch >= 1 && loss > 1 ? current_batch_size * 1.7 : current_batch_size";
  config.batch.growth.bound = GrowthBound::DeviceMaximum;
  config.batch.growth.every = time("0.7ep");
  const auto lengths = std::make_shared<EqualLengths>(400, 10);
  const auto found =
      test::checked(Plan::resolve(config, lengths, {.devices = 2, .microbatchUnits = 5, .largestUnits = 8}));
  EXPECT_EQ(growthNotes(*found),
            (std::vector<std::string>{
                "batch.growth.bound: growth ends at 16, the largest that the devices hold, and the global batch has "
                "17, so it never grows; set batch.growth.bound to none, and it grows by accumulation"}));
  config.batch.deviceTrainMicrobatchSize = 5;
  const auto configured = test::checked(Plan::resolve(config, lengths, {.devices = 1}));
  EXPECT_EQ(growthNotes(*configured),
            (std::vector<std::string>{
                "batch.growth.bound: growth ends at 5, batch.device_train_microbatch_size 5 times 1 device, and the "
                "global batch has 17, so it never grows; set batch.growth.bound to none, and it grows by "
                "accumulation"}));
  EXPECT_EQ(configured->totals().samples, 1600) << "known before the run, as nothing depends on it";
  const auto asked =
      test::checked(configured->grow({}, {.globalUnits = 17, .evaluatedAt = {}, .lossSum = 2, .lossCount = 1}, {}));
  EXPECT_EQ(asked->state.globalUnits, 17);
  config.batch.growth.allowDecrease = true;
  EXPECT_FALSE(Plan::resolve(config, lengths, {.devices = 1})->totals().samples.has_value());
}

TEST(PlanCompositionTest, GrowthOfAutoIsBoundedByWhatWasFoundAndToldOnce) {
  TrainConfig config;
  config.maxDuration = time("8ep");
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = 10;
  config.batch.growth.increaseFunction = "current_batch_size * 2 + epoch";
  config.batch.growth.bound = GrowthBound::DeviceMaximum;
  const auto lengths = std::make_shared<EqualLengths>(1000, 10);
  const auto ahead = test::checked(Plan::resolve(config, lengths, {.devices = 1}));
  EXPECT_GT(ahead->ranges().back().stepUnits, 1000);
  EXPECT_FALSE(ahead->resolved().contains("batch.growth.device_maximum"));
  const auto launched =
      test::checked(Plan::resolve(config, lengths, {.devices = 1, .microbatchUnits = 10, .largestUnits = 64}));
  EXPECT_EQ(launched->ranges().back().stepUnits, 64);
  EXPECT_EQ(launched->microbatchUnits(), 10);
  EXPECT_EQ(std::ranges::count_if(growthNotes(*launched),
                                  [](const std::string& text) {
                                    return text.find("64 is the largest that the devices hold") != text.npos;
                                  }),
            1);
  const auto asked = launched->grow({}, launched->initialGrowth(), {});
  EXPECT_FALSE(asked->boundedAt.has_value());
  GrowthState large = launched->initialGrowth();
  large.globalUnits = 64;
  EXPECT_EQ(launched->grow({}, large, {})->boundedAt, 64);
  const auto unlimited = Plan::resolve(config, lengths, {.devices = 1, .microbatchUnits = 10});
  EXPECT_GT(unlimited->ranges().back().stepUnits, 1000);
  ASSERT_FALSE(growthNotes(*unlimited).empty());
  EXPECT_THAT(growthNotes(*unlimited).front(), testing::HasSubstr("devices.memory_limit"));
}

}  // namespace
}  // namespace batchwise
