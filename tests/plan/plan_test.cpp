// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "tests/support/checked.h"

namespace batchwise {
namespace {

TrainConfig constantConfig(Time maxDuration, std::int64_t batch) {
  TrainConfig config;
  config.maxDuration = maxDuration;
  config.batch.globalTrainBatchSize = batch;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.scheduler.name = "constant";
  return config;
}

std::shared_ptr<const Lengths> equal(std::int64_t samples) {
  return std::make_shared<EqualLengths>(samples, 10);
}

/// Walks the whole run and returns the Timestamp at its end.
Timestamp walk(const Plan& plan, std::vector<std::int64_t>& sizes) {
  Timestamp now;
  while (!plan.finished(now)) {
    const auto batch = test::checked(plan.globalBatchAt(now));
    std::int64_t samples = 0;
    for (const OptimizerStep& step : batch->steps) {
      now = now.afterStep({step.samples, step.tokens, 0.5}, step.units);
      samples += step.samples;
    }
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
    sizes.push_back(samples);
    const bool foreseen = plan.runLength().maxDuration.unit() != TimeUnit::Second;
    EXPECT_EQ(batch->endsRun, foreseen && plan.finished(now));
  }
  return now;
}

TEST(PlanTest, LastGlobalBatchOfAnEpochIsShort) {
  const auto plan = test::checked(Plan::resolve(constantConfig(Time::of(2, TimeUnit::Epoch), 8), equal(20), {}));
  std::vector<std::int64_t> sizes;
  const Timestamp end = walk(*plan, sizes);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{8, 8, 4, 8, 8, 4}));
  EXPECT_EQ(end.epoch, 2);
  EXPECT_EQ(plan->totals().batches, 6);
  EXPECT_EQ(plan->totals().steps, 6);
  EXPECT_EQ(plan->totals().samples, 40);
  EXPECT_EQ(plan->totals().tokens, 400);
  EXPECT_EQ(plan->totals().epochs, 2.0);
}

TEST(PlanTest, EndsWhereEachUnitSays) {
  const auto sizesOf = [](Time end) {
    const auto plan = test::checked(Plan::resolve(constantConfig(end, 8), equal(20), {}));
    std::vector<std::int64_t> sizes;
    const Timestamp last = walk(*plan, sizes);
    EXPECT_EQ(plan->totals().samples.value_or(last.sample), last.sample);
    EXPECT_EQ(plan->totals().batches.value_or(last.batch), last.batch);
    return sizes;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizesOf(Time::of(4, TimeUnit::Batch)), (Sizes{8, 8, 4, 8}));
  EXPECT_EQ(sizesOf(Time::of(30, TimeUnit::Sample)), (Sizes{8, 8, 4, 8, 2}));
  EXPECT_EQ(sizesOf(Time::of(201, TimeUnit::Token)), (Sizes{8, 8, 4, 8}));
  EXPECT_EQ(sizesOf(Time::of(200, TimeUnit::Token)), (Sizes{8, 8, 4}));
  EXPECT_EQ(sizesOf(Time::epochs(0.5)), (Sizes{8, 2}));
  EXPECT_EQ(sizesOf(Time::of(1, TimeUnit::Second)), (Sizes{8, 8}));
}

TEST(PlanTest, DealsAPartEvenlyToDevicesAndPasses) {
  const auto plan =
      test::checked(Plan::resolve(constantConfig(Time::of(1, TimeUnit::Epoch), 11), equal(20), {.devices = 2}));
  const auto batch = plan->globalBatchAt({});
  const auto first = plan->microBatchesOf(batch->steps[0], 0);
  const auto second = plan->microBatchesOf(batch->steps[0], 1);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(first[0].units + first[1].units, 6);
  EXPECT_EQ(second[0].firstUnit, 6);
  EXPECT_EQ(second[1].firstUnit + second[1].units, 11);
}

TEST(PlanTest, FillBelongsToTheEpochAskedFor) {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t sample = 0; sample < 400; ++sample) tokens.push_back(1 + sample * 7919 % 90);
  TrainConfig config;
  config.maxDuration = Time::of(5, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 2;
  config.batch.tokens.maxTokens = 100;
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<ListedLengths>(tokens), {.devices = 1}));
  std::set<double> fills;
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    std::int64_t packs = 0;
    std::int64_t real = 0;
    const auto batches = test::checked(plan->batchesOfEpoch(epoch));
    for (const GlobalBatch& batch : *batches)
      for (const OptimizerStep& step : batch.steps) packs += step.units, real += step.tokens;
    EXPECT_DOUBLE_EQ(*plan->fill(epoch), static_cast<double>(real) / (static_cast<double>(packs) * 100.0));
    fills.insert(*plan->fill(epoch));
  }
  EXPECT_GT(fills.size(), 1U);
}

TEST(PlanTest, CountsBeyond64BitsAreRefusedAndLargeOnesExact) {
  TrainConfig config;
  config.maxDuration = Time::of(3, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 4096;
  const std::int64_t many = 1'000'000'000'000;
  const Error wrapped =
      test::refused(Plan::resolve(config, std::make_shared<EqualLengths>(many, 100'000'000), {.devices = 1}));
  EXPECT_EQ(wrapped.field, "data") << wrapped.text();
  // An epoch of 2^60 tokens: searches stop before the counts wrap.
  config.maxDuration = Time::of(1, TimeUnit::Epoch);
  const auto largest = test::checked(
      Plan::resolve(config, std::make_shared<EqualLengths>(std::int64_t{1} << 40, 1U << 20), {.devices = 1}));
  EXPECT_EQ(largest->totals().tokens, std::int64_t{1} << 60);
}

TEST(PlanTest, TheEndOfARunInTokensIsExact) {
  const Time odd = Time::of(9007199254740993, TimeUnit::Token);
  TrainConfig config;
  config.maxDuration = odd;
  config.scheduler.name = "linear";
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(1000, 512), {.devices = 1}));
  EXPECT_EQ(plan->resolved().at("scheduler.end"), odd.text());
  EXPECT_EQ(plan->resolved().at("scheduler.t_max"), odd.text());
}

TEST(PlanTest, AWarmUpIsCountedInTheUnitOfTheRunWhereThatIsKnownExactly) {
  std::vector<std::uint32_t> lengths(20);
  std::iota(lengths.begin(), lengths.end(), 1U);
  const auto data = std::make_shared<ListedLengths>(lengths);
  TrainConfig config = constantConfig(Time::of(1000, TimeUnit::Token), 8);
  config.scheduler.name = "linear_with_warmup";
  config.scheduler.tWarmup = Time::of(5, TimeUnit::Batch);
  const auto inTokens = test::checked(Plan::resolve(config, data, {}));
  // An epoch of 210 tokens in three global batches, then two more.
  Timestamp now;
  while (now.batch < 5) {
    const auto batch = inTokens->globalBatchAt(now);
    for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.5}, step.units);
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
  EXPECT_EQ(inTokens->resolved().at("scheduler.t_warmup"), std::to_string(now.token) + "tok");

  config.maxDuration = Time::of(200, TimeUnit::Sample);
  EXPECT_EQ(Plan::resolve(config, data, {})->resolved().at("scheduler.t_warmup"), "36sp");  // 8, 8, 4, 8, 8
  config.maxDuration = Time::of(50, TimeUnit::Batch);
  config.scheduler.tWarmup = Time::of(36, TimeUnit::Sample);
  EXPECT_EQ(Plan::resolve(config, data, {})->resolved().at("scheduler.t_warmup"), "5ba");
  config.scheduler.tWarmup = Time::of(0, TimeUnit::Token);
  EXPECT_EQ(Plan::resolve(config, nullptr, {})->resolved().at("scheduler.t_warmup"), "0ba");

  const auto refused = [&](const std::shared_ptr<const Lengths>& of) {
    const auto plan = Plan::resolve(config, of, {});
    return !plan.ok() && plan.error().field == "scheduler.t_warmup";
  };
  config.scheduler.tWarmup = Time::of(37, TimeUnit::Sample);
  EXPECT_TRUE(refused(data)) << "inside a global batch";
  config.scheduler.tWarmup = Time::of(36, TimeUnit::Sample);
  EXPECT_TRUE(refused(nullptr)) << "the data is not known";
  config.batch.growth.increaseFunction = "current_batch_size * 2";
  EXPECT_TRUE(refused(data)) << "global batches change their size";
}

TEST(PlanTest, AWarmUpUnderARampIsCountedInItsParts) {
  TrainConfig config = constantConfig(Time::of(4000, TimeUnit::Token), 8);
  config.scheduler.name = "linear_with_warmup";
  config.scheduler.tWarmup = Time::of(3, TimeUnit::Batch);
  config.batch.rampup.stages = {{Time::of(0, TimeUnit::Batch), 3}, {Time::of(2, TimeUnit::Batch), 8}};
  // 8 / 3 is 3 steps of 3, so two global batches of 9 samples, then one of 8, of 10 tokens each.
  EXPECT_EQ(Plan::resolve(config, equal(1000), {})->resolved().at("scheduler.t_warmup"), "260tok");
}

TEST(PlanTest, AWarmUpThatIsLeftOutTakesSixPercent) {
  TrainConfig config = constantConfig(Time::of(400, TimeUnit::Batch), 8);
  const auto warmup = [&] { return Plan::resolve(config, equal(1000), {})->resolved().at("scheduler.t_warmup"); };
  config.scheduler.name = "linear_with_warmup";
  EXPECT_EQ(warmup(), "24ba");
  config.scheduler.name = "multistep_with_warmup";
  EXPECT_EQ(warmup(), "24ba");
  config.scheduler.name = "cosine_annealing_with_warmup";
  config.scheduler.tMax = Time::of(100, TimeUnit::Batch);
  EXPECT_EQ(warmup(), "6ba");
  config.maxDuration = Time::of(60, TimeUnit::Second);
  EXPECT_EQ(warmup(), "6ba");
  config.scheduler.name = "constant_with_warmup";
  config.scheduler.tMax.reset();
  EXPECT_EQ(warmup(), "0ba");
}

/// Whether a note of a plan begins with `text`.
bool isNoted(const Plan& plan, const char* text) {
  return std::ranges::any_of(plan.notes(), [&](const FieldProblem& note) { return note.text().starts_with(text); });
}

TEST(PlanTest, SaysWhichGlobalBatchATableOverrules) {
  TrainConfig config = constantConfig(Time::of(100, TimeUnit::Batch), 0);
  config.batch.rampup.stages = {{Time::of(0, TimeUnit::Batch), 8}, {Time::of(10, TimeUnit::Batch), 32}};
  const std::int64_t leftOut = BatchConfig{}.globalTrainBatchSize;  // most likely not written at all
  for (const auto& [global, noted] : {std::pair{std::int64_t{64}, true}, {std::int64_t{32}, false}, {leftOut, false}}) {
    config.batch.globalTrainBatchSize = global;
    const auto plan = test::checked(Plan::resolve(config, equal(1000), {}));
    EXPECT_EQ(isNoted(*plan, "batch.global_train_batch_size: "), noted) << global;
  }
}

TEST(PlanTest, NamesTheFieldThatIsWrong) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::tuple<Time, std::int64_t, const char*> cases[] = {
      {Time::epochs(0.0009), 1, "max_duration: 0.0009ep "},
      {Time::of(most, TimeUnit::Batch), 1, "max_duration: "},
      {Time::of(most / 4, TimeUnit::Epoch), 1, "max_duration: "},
      {Time::of(10, TimeUnit::Batch), most, "devices: "}};
  for (const auto& [maxDuration, devices, begin] : cases) {
    TrainConfig config;
    config.maxDuration = maxDuration;
    const Error error = test::refused(Plan::resolve(config, equal(1000), {.devices = devices}));
    EXPECT_TRUE(error.text().starts_with(begin)) << error.text();
  }
}

TEST(PlanTest, ARateOfZeroIsNotedWhateverTheSchedule) {
  for (const char* name : {"linear", "inverse_sqrt"}) {
    TrainConfig config = constantConfig(Time::of(10, TimeUnit::Batch), 8);
    config.optimizer.lr = 0.0;
    config.scheduler.name = name;
    config.scheduler.tWarmup = Time::of(2, TimeUnit::Batch);
    const auto plan = test::checked(Plan::resolve(config, equal(10'000), {}));
    EXPECT_TRUE(isNoted(*plan, "optimizer.lr: ")) << name;
    EXPECT_EQ(plan->pointAt(Time::of(1, TimeUnit::Batch))->learningRate, 0.0);
  }
}

// What is shown behind the end is what a longer run would do from there: the last global batch was cut.
TEST(PlanTest, PointsBehindACutEndGoOnFromIt) {
  const auto plan = test::checked(Plan::resolve(constantConfig(Time::of(30, TimeUnit::Sample), 8), equal(20), {}));
  std::vector<std::int64_t> sizes;
  const Timestamp end = walk(*plan, sizes);
  ASSERT_EQ(sizes, (std::vector<std::int64_t>{8, 8, 4, 8, 2}));
  const auto last = plan->pointAt(Time::of(4, TimeUnit::Batch));
  EXPECT_EQ(last->at.sample, 28);
  EXPECT_EQ(last->globalBatchSamples, 2);
  for (const Time& place : {Time::of(5, TimeUnit::Batch), Time::of(30, TimeUnit::Sample), Time::duration(1.0)}) {
    const auto behind = test::checked(plan->pointAt(place));
    EXPECT_EQ(behind->at.sample, 30) << place.text();
    EXPECT_EQ(behind->at.token, end.token) << place.text();
    EXPECT_EQ(behind->at.batch, 5) << place.text();
    EXPECT_EQ(behind->globalBatchSamples, 8) << place.text();
  }
  EXPECT_EQ(plan->pointAt(Time::of(6, TimeUnit::Batch))->at.sample, 38);
  EXPECT_EQ(plan->pointAt(Time::of(6, TimeUnit::Batch))->globalBatchSamples, 2);  // the rest of the epoch
  EXPECT_EQ(plan->pointAt(Time::of(7, TimeUnit::Batch))->at.sample, 40);
}

/// Lengths that count how often they are read.
class CountedLengths final : public Lengths {
 public:
  std::int64_t size() const override { return 300'000; }
  std::uint32_t at(std::int64_t sample) const override { return ++reads, static_cast<std::uint32_t>(1 + sample % 100); }
  std::int64_t totalTokens() const override { return size() / 100 * 5050; }
  std::uint32_t longest() const override { return 100; }
  mutable std::int64_t reads = 0;
};

TEST(PlanTest, AnEpochIsNotReadToBePlanned) {
  TrainConfig config = constantConfig(Time::epochs(999.5), 8);
  config.batch.rampup.duration = Time::of(1'000'000'000, TimeUnit::Token);
  config.batch.rampup.initialGlobalTrainBatchSize = 1;
  const auto lengths = std::make_shared<CountedLengths>();
  const auto plan = test::checked(Plan::resolve(config, lengths, {}));
  EXPECT_EQ(plan->totals().samples, 299'850'000);
  EXPECT_LT(lengths->reads, 40 * lengths->size());
  const std::int64_t before = lengths->reads;
  const auto point = plan->pointAt(Time::of(20'000'000, TimeUnit::Batch));
  EXPECT_EQ(point->at.batch, 20'000'000);
  EXPECT_LT(lengths->reads - before, lengths->size());
}

TEST(PlanTest, ABudgetLargerThanTheEpochIsTheEpoch) {
  TrainConfig config = constantConfig(Time::of(100'000, TimeUnit::Batch), 2);
  config.batch.tokens.maxTokens = std::int64_t{1} << 32;
  config.data.shuffle = false;
  const auto plan = test::checked(Plan::resolve(config, equal(1000), {}));
  EXPECT_TRUE(plan->notes().empty()) << plan->notes().front().text();
  EXPECT_EQ(plan->totals().samples, 100'000'000);
  EXPECT_EQ(plan->resolved().at("scheduler.samples_per_batch"), "1000");
  EXPECT_EQ(plan->resolved().at("scheduler.tokens_per_batch"), "10000");
}

TEST(PlanTest, AFormulaHoldsBehindTheEndOfTheRun) {
  TrainConfig config;
  config.maxDuration = Time::of(10, TimeUnit::Batch);
  config.scheduler.name = "expression";
  config.scheduler.expression = "frac + 100 * ba";
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(1'000'000, 10), {.devices = 1}));
  EXPECT_DOUBLE_EQ(plan->pointAt(Time::of(5, TimeUnit::Batch))->factor, 500.5);
  EXPECT_DOUBLE_EQ(plan->pointAt(Time::of(10, TimeUnit::Batch))->factor, 1001.0);
  EXPECT_DOUBLE_EQ(plan->pointAt(Time::of(25, TimeUnit::Batch))->factor, 1001.0);
}

std::string refusalOf(const TrainConfig& config, std::shared_ptr<const Lengths> lengths) {
  const auto plan = Plan::resolve(config, std::move(lengths), {});
  return plan.ok() ? "" : plan.error().text();
}

TEST(PlanTest, AFormulaThatTurnsNegativeOnTheWayIsRefused) {
  TrainConfig config = constantConfig(Time::of(10, TimeUnit::Epoch), 100);
  config.scheduler.name = "expression";
  config.scheduler.expression = "1 - ba/12";
  const std::string refused = refusalOf(config, equal(101));  // 2 global batches per epoch
  EXPECT_THAT(refused, testing::HasSubstr("scheduler.expression: gives -0.08"));
  EXPECT_THAT(refused, testing::HasSubstr("at 13ba"));
  EXPECT_EQ(refusalOf(config, equal(100)), "");
  SchedulerConfig chain;
  chain.name = "chain";
  chain.parts = {config.scheduler};
  chain.parts.front().rest = true;
  config.scheduler = chain;
  EXPECT_THAT(refusalOf(config, equal(101)), testing::HasSubstr("at 13ba"));
  // A ramp whose sizes do not divide G: more global batches than samples / G.
  config = constantConfig(Time::of(600, TimeUnit::Sample), 10);
  config.scheduler.name = "expression";
  config.batch.rampup.duration = Time::of(600, TimeUnit::Sample);
  config.batch.rampup.initialGlobalTrainBatchSize = 9;
  config.scheduler.expression = "65 - ba";
  EXPECT_NE(refusalOf(config, equal(1000)), "");
  config.scheduler.expression = "66 - ba";
  EXPECT_EQ(refusalOf(config, equal(1000)), "");
}

TEST(PlanTest, ANegativeFactorEndsTheRun) {
  // Below 0 at one global batch of very many, between those that are tried before the run.
  TrainConfig config = constantConfig(Time::of(100'000, TimeUnit::Batch), 8);
  config.scheduler.name = "expression";
  config.scheduler.expression = "ba == 77777 ? -1 : 1";
  const auto plan = test::checked(Plan::resolve(config, equal(800'000), {}));
  Timestamp now = plan->pointAt(Time::of(77'776, TimeUnit::Batch))->at;
  EXPECT_TRUE(plan->globalBatchAt(now).ok());
  now = now.afterStep({8, 80, 0.5}, 8).afterBatch();
  const Error batch = test::refused(plan->globalBatchAt(now));
  EXPECT_THAT(batch.text(), testing::HasSubstr("the factor is -1 at 77777ba"));
}

TEST(PlanTest, ARampGoesOnBehindACutEnd) {
  TrainConfig config = constantConfig(Time::of(3992, TimeUnit::Token), 31);
  config.batch.rampup.duration = Time::of(231, TimeUnit::Sample);
  config.batch.rampup.initialGlobalTrainBatchSize = 4;
  config.batch.rampup.growth = RampGrowth::Linear;
  config.batch.rampup.increment = 14;
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(112, 20), {}));
  std::int64_t samples = 0;
  for (std::int64_t batch = 0; batch < 40; ++batch) {
    const auto point = test::checked(plan->pointAt(Time::of(batch, TimeUnit::Batch)));
    EXPECT_EQ(point->at.sample, samples) << batch;
    samples = point->at.sample + point->globalBatchSamples;
  }
}

TEST(PlanTest, TheMaximumBatchAndATableOfStagesAreTwoAnswers) {
  TrainConfig config = constantConfig(Time::of(10, TimeUnit::Batch), 8);
  config.batch.rampup.stages = {{Time::of(0, TimeUnit::Batch), 4}, {Time::of(3, TimeUnit::Batch), 16}};
  config.batch.useMaximumBatchSize = true;
  EXPECT_THAT(refusalOf(config, equal(100)),
              testing::HasSubstr("batch.use_maximum_batch_size: batch.rampup.stages is given too"));
}

TEST(PlanTest, ABudgetCountsTheMeanOfTheSamplesItHolds) {
  TrainConfig config = constantConfig(Time::of(10, TimeUnit::Batch), 2);
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.tokens.maxTokens = 100;
  const auto plan = test::checked(
      Plan::resolve(config, std::make_shared<ListedLengths>(std::vector<std::uint32_t>{10, 10, 10, 10, 5000}), {}));
  EXPECT_EQ(plan->resolved().at("scheduler.samples_per_batch"), "4");
  EXPECT_EQ(plan->resolved().at("scheduler.tokens_per_batch"), "40");
  ASSERT_EQ(plan->notes().size(), 1U);
  EXPECT_EQ(plan->notes().front().text(),
            "data.max_seq_len: 128 is below the longest of the given lengths, 5000; data prepared "
            "with it has no such samples");
}

TEST(PlanTest, AGlobalBatchIsFoundFromWithinWhereATableHasSmallerSizesLater) {
  TrainConfig config = constantConfig(Time::of(2000, TimeUnit::Sample), 64);
  config.batch.rampup.stages = {
      {Time::of(0, TimeUnit::Sample), 32}, {Time::of(80, TimeUnit::Sample), 8}, {Time::of(200, TimeUnit::Sample), 64}};
  const auto plan = test::checked(Plan::resolve(config, equal(1000), {}));
  Timestamp now;
  while (now.batch < 8) {
    const auto whole = test::checked(plan->globalBatchAt(now));
    for (const OptimizerStep& step : whole->steps) {
      const auto batch = test::checked(plan->globalBatchAt(now));
      ASSERT_EQ(batch->steps.size(), whole->steps.size()) << now.batch << "ba, step " << now.stepInBatch;
      EXPECT_EQ(batch->steps[0].firstUnit, whole->steps[0].firstUnit) << now.batch << "ba, step " << now.stepInBatch;
      now = now.afterStep({step.samples, step.tokens, 0.5}, step.units);
    }
    now = now.afterBatch();
  }
}

TEST(PlanTest, TheNoiseScaleIsComparedWithPacksWhereSizesAre) {
  TrainConfig config = constantConfig(Time::of(100, TimeUnit::Batch), 2);
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.tokens.maxTokens = 80;  // 8 samples
  config.batch.growth.bound = GrowthBound::None;
  config.batch.growth.increaseFunction =
      "noise_scale > current_batch_size ? current_batch_size * 2 : current_batch_size";
  const auto plan = test::checked(Plan::resolve(config, equal(1000), {}));
  const auto sizeAt = [](const Plan& of, double samples) {
    const auto grown = test::checked(of.grow({}, of.initialGrowth(), {.scale = samples}));
    return grown->state.globalUnits;
  };
  EXPECT_EQ(sizeAt(*plan, 12), 2) << "1.5 packs";
  EXPECT_EQ(sizeAt(*plan, 40), 4) << "5 packs";
  ResolvedValues values = plan->resolved();
  EXPECT_EQ(values.at("batch.growth.samples_per_pack"), "8");
  EXPECT_EQ(sizeAt(*Plan::restore(config, values, equal(1000), {}), 12), 2);
}

TEST(PlanTest, ALongerRunNotesAHeldRateThatDependsOnItsGrowth) {
  TrainConfig config = constantConfig(Time::of(100, TimeUnit::Batch), 8);
  config.scheduler.name = "expression";
  config.scheduler.expression = "1 / (1 + sp / 1000)";
  const auto notedWhenLonger = [](TrainConfig of) {
    const auto launched = test::checked(Plan::resolve(of, equal(100'000), {}));
    of.maxDuration = Time::of(200, TimeUnit::Batch);
    const auto longer = test::checked(Plan::restore(of, launched->resolved(), equal(100'000), {}));
    return isNoted(*longer, "scheduler: the rate that is held from 100ba on");
  };
  EXPECT_FALSE(notedWhenLonger(config)) << "without growth";
  config.batch.growth.every = Time::of(10, TimeUnit::Batch);
  config.batch.growth.bound = GrowthBound::None;
  config.batch.growth.increaseFunction = "current_batch_size";
  EXPECT_FALSE(notedWhenLonger(config)) << "growth is known before the run";
  config.batch.growth.increaseFunction = "loss < 2 ? current_batch_size * 2 : current_batch_size";
  EXPECT_TRUE(notedWhenLonger(config));
  config.scheduler.expression = "1 / (1 + ba / 100)";
  EXPECT_FALSE(notedWhenLonger(config)) << "the schedule follows the clock of its end";
}

}  // namespace
}  // namespace batchwise
