// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/ramp.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/plan/plan.h"
#include "core/plan/plan_report.h"
#include "tests/support/checked.h"
#include "tests/support/message_texts.h"
#include "tests/support/run_plan.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;
using testing::HasSubstr;

// The recorded ramps of bert24's pull request 76 (tests/vectors/rampup.json), planned by us.

const json kRefused = {{"error", "refused"}};

TrainConfig configOf(const json& input) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.batch.globalTrainBatchSize = input.at("global_batch").get<std::int64_t>();
  config.batch.deviceTrainMicrobatchSize = input.at("device_microbatch").get<std::int64_t>();
  return config;
}

json textAnswer(const json& input) {
  TrainConfig config = configOf(input);
  config.maxDuration = Time::of(1000, TimeUnit::Batch);
  config.batch.rampup.duration = Time::of(1000, TimeUnit::Batch);
  const auto plan = Plan::resolve(config, std::make_shared<EqualLengths>(100'000'000, 128),
                                  {.devices = input.at("n_devices").get<std::int64_t>()});
  if (!plan) return kRefused;
  json sizes = json::array();
  json steps = json::array();
  for (const PlannedRange& stage : plan->ranges()) {
    sizes.push_back(stage.stepUnits);
    steps.push_back(stage.steps);
  }
  return {{"grad_accumulation", plan->ranges().back().microBatchesPerStep},
          {"max_rampup_stages", plan->ranges().size() - 1},
          {"batch_sizes", sizes},
          {"optimizer_steps_per_logged_point", steps},
          {"samples_per_logged_point", plan->ranges().back().stepUnits}};
}

/// Samples of a stage: each step has its size, but for the last of an epoch.
std::int64_t samplesBetween(const Plan& plan, std::int64_t from, std::int64_t to) {
  const auto at = [&](std::int64_t batch) { return plan.pointAt(Time::of(batch, TimeUnit::Batch))->at.sample; };
  return at(to) - at(from);
}

json branchAnswer(const json& input) {
  TrainConfig config = configOf(input);
  config.maxDuration = Time::parse(input.at("max_duration").get<std::string>()).value();
  if (input.at("batch_rampup").is_string())
    config.batch.rampup.duration = Time::parse(input.at("batch_rampup").get<std::string>()).value();
  if (!input.at("initial_global_batch").is_null())
    config.batch.rampup.initialGlobalTrainBatchSize = input.at("initial_global_batch").get<std::int64_t>();
  const std::int64_t devices = input.at("n_devices").get<std::int64_t>();
  const std::int64_t samples = input.at("dataloader_len").get<std::int64_t>() * config.batch.globalTrainBatchSize;
  const auto lengths = std::make_shared<EqualLengths>(samples, input.at("tokens_per_sample").get<std::uint32_t>());
  const auto plan = Plan::resolve(config, lengths, {.devices = devices});
  if (!plan) return kRefused;
  json stages = json::array();
  for (const PlannedRange& stage : plan->ranges()) {
    json row = {{"divider", stage.steps},
                {"first_final_batch", stage.fromBatch},
                {"final_batches", nullptr},
                {"optimizer_steps_per_logged_point", stage.steps},
                {"microbatches_per_step", stage.microBatchesPerStep},
                {"global_batch_per_step", stage.stepUnits},
                {"samples_unused_per_device_and_point", 0}};
    if (stage.globalBatches) {
      row["final_batches"] = *stage.globalBatches;
      row["optimizer_steps"] = *stage.optimizerSteps;
      row["samples"] = samplesBetween(*plan, stage.fromBatch, stage.fromBatch + *stage.globalBatches);
    }
    stages.push_back(row);
  }
  const auto initial =
      config.batch.rampup.initialGlobalTrainBatchSize.value_or(devices * *config.batch.deviceTrainMicrobatchSize);
  const auto below = doublingStages(initial, config.batch.globalTrainBatchSize);
  std::int64_t steps = 0;
  for (const PlannedRange& stage : plan->ranges()) steps += stage.optimizerSteps.value_or(0);
  return {{"n_rampup_steps", below.ok() ? below->size() : 0},
          {"stages", stages},
          {"rampup_final_batches", plan->ranges().back().fromBatch},
          {"rampup_optimizer_steps", steps}};
}

/// Without what is no property of a plan: what the peer's log shows of a stub's losses.
json comparable(json recorded) {
  if (!recorded.contains("stages")) return recorded;
  for (json& stage : recorded["stages"]) stage.erase("logged_mean_of_sample_index");
  return recorded;
}

bool agrees(const json& wanted, const json& found) {
  if (wanted.contains("error")) return found.contains("error");
  return test::difference(wanted, found).empty();
}

TEST(RampVectorsTest, AnswersLikeThePeerOrAsTheTableSays) {
  const auto cases = test::vectorCases("rampup.json", {"pr76_text", "pr76_branch"});
  ASSERT_GT(cases.size(), 30U);
  for (const VectorCase& one : cases) {
    SCOPED_TRACE(one.name);
    const json found = one.group == "pr76_text" ? textAnswer(one.input) : branchAnswer(one.input);
    EXPECT_TRUE(agrees(comparable(one.answer), found))
        << test::difference(comparable(one.answer), found) << "\nfound " << found;
    EXPECT_FALSE(one.excepted && agrees(comparable(one.peer), found)) << "needs no exception";
  }
}

/// What the landed trainer makes of `min` to `max` over `total`: a size for each equal number of steps, so that a stage
/// takes a share of the clock that grows with its size. As our table of stages; one that nothing falls into is left
/// out.
struct LandedTable {
  std::vector<std::int64_t> thresholds;
  std::vector<RampLevelConfig> stages;
};
LandedTable landedTable(std::int64_t min, std::int64_t max, const Time& total) {
  LandedTable table;
  table.stages = {{Time::of(0, total.unit()), min}};
  std::int64_t sum = 0;
  for (std::int64_t size = min; size < max; ++size) sum += size;
  std::int64_t before = 0;
  for (std::int64_t size = min; size < max; ++size) {
    before += size;
    const std::int64_t at = (total.count() * before + sum - 1) / sum;
    table.thresholds.push_back(at);
    if (table.stages.back().at.count() == at) table.stages.pop_back();
    table.stages.push_back({Time::of(at, total.unit()), size + 1});
  }
  return table;
}

/// A number of tokens, or a Time as Python writes large numbers: "50_000_000_000tok".
Time landedLength(const json& length) {
  if (!length.is_string()) return Time::of(length.get<std::int64_t>(), TimeUnit::Token);
  std::string text = length.get<std::string>();
  std::erase(text, '_');
  return Time::parse(text).value();
}

Result<Plan> landedPlan(const LandedTable& table, std::uint32_t tokensPerRow) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.maxDuration = Time::of(1'000'000'000, TimeUnit::Batch);
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.rampup.stages = table.stages;
  return Plan::resolve(config,
                       std::make_shared<EqualLengths>(
                           std::min(std::int64_t{1} << 45, (std::int64_t{1} << 60) / tokensPerRow), tokensPerRow),
                       {});
}

json landedSizes(const json& input, const json& points) {
  const auto min = input.at("min_size").get<std::int64_t>();
  const auto max = input.at("max_size").get<std::int64_t>();
  const json& length = input.at("warmup_tokens");
  const Time whole = landedLength(length);
  const std::int64_t ranks = input.at("world_size").get<std::int64_t>();
  if (min > max) return kRefused;
  const Time total = Time::of((whole.count() + ranks - 1) / ranks, whole.unit());
  const LandedTable table = landedTable(min, max, total);
  const auto plan = landedPlan(table, 1);
  if (!plan) return kRefused;
  json sizes = json::array();
  for (const json& point : points) {
    Timestamp now;
    (total.unit() == TimeUnit::Batch ? now.batch : now.token) = point.at(0).get<std::int64_t>();
    const auto batch = plan->globalBatchAt(now);
    if (!batch) return kRefused;
    sizes.push_back({point.at(0), batch->steps.front().units});
  }
  return {{"tokens_per_rank", total.count()}, {"thresholds", table.thresholds}, {"size_at", sizes}};
}

TEST(RampVectorsTest, ATableOfStagesSaysWhatTheLandedTrainerDoes) {
  const auto cases = test::vectorCases("rampup.json", {"landed_thresholds"});
  ASSERT_EQ(cases.size(), 10U);
  for (const VectorCase& one : cases) {
    SCOPED_TRACE(one.name);
    const json found = landedSizes(one.input, one.answer.value("size_at", json::array()));
    EXPECT_TRUE(agrees(one.answer, found)) << test::difference(one.answer, found) << "\nfound " << found;
    EXPECT_FALSE(one.excepted && agrees(one.peer, found)) << "needs no exception";
  }
}

TEST(RampVectorsTest, ATableTakesTheLandedTrainersStepsUpToWholeGlobalBatches) {
  int compared = 0;
  for (const VectorCase& one : test::vectorCases("rampup.json", {"landed_full_packing"})) {
    if (one.refused()) continue;  // sizes that its packer or its arithmetic cannot take: no stages to compare
    SCOPED_TRACE(one.name);
    const json& stages = one.answer.at("stages");
    const auto devices = one.input.at("n_devices").get<std::int64_t>();
    const Time whole = landedLength(one.input.at("batch_size_warmup_tokens"));
    const Time total = Time::of((whole.count() + devices - 1) / devices, TimeUnit::Token);
    const auto rows = one.answer.at("final_rows_per_device").get<std::int64_t>();
    const LandedTable table = landedTable(stages.front().at("rows_per_device").get<std::int64_t>(), rows, total);
    EXPECT_EQ(json(table.thresholds), one.answer.at("thresholds"));
    const auto plan = test::checked(landedPlan(table, one.answer.at("tokens_per_row").get<std::uint32_t>()));
    ASSERT_EQ(plan->ranges().size(), stages.size() + 1);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      const PlannedRange& ours = plan->ranges()[stage];
      EXPECT_EQ(ours.stepUnits, stages[stage].at("rows_per_device").get<std::int64_t>());
      // Theirs changes at any step, ours at the end of a global batch.
      const auto steps = stages[stage].at("steps").get<std::int64_t>();
      const std::int64_t before = stage > 0 ? plan->ranges()[stage - 1].steps : 0;
      EXPECT_LE(std::abs(*ours.optimizerSteps - steps), std::max(ours.steps, before));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

/// The notes on sizes that do not divide in a plan of `target` samples a global batch, from `initial` by `increment`
/// (0: doubling).
std::vector<std::string> notesOfRamp(std::int64_t target, std::int64_t initial, std::int64_t increment) {
  TrainConfig config;
  config.scheduler.name = "constant";
  config.maxDuration = Time::of(100, TimeUnit::Batch);
  config.batch.globalTrainBatchSize = target;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.batch.rampup.duration = Time::of(50, TimeUnit::Batch);
  config.batch.rampup.initialGlobalTrainBatchSize = initial;
  if (increment > 0) config.batch.rampup.growth = RampGrowth::Linear, config.batch.rampup.increment = increment;
  const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(100'000, 128), {}));
  std::vector<std::string> texts = plan.ok() ? test::textsOf(plan->notes()) : std::vector<std::string>();
  std::erase_if(texts, [](const std::string& text) { return text.find("global batch is a whole") == text.npos; });
  return texts;
}

TEST(RampSizesTest, GlobalBatchesOfAnotherSizeAreNotedWithTheirSizes) {
  const std::string note =
      "batch.rampup: not every step size divides 96, and a global batch is a whole number of steps: during the ramp "
      "some have 2 x 52 = 104, 1 x 72 = 72, 1 x 92 = 92";
  EXPECT_EQ(notesOfRamp(96, 12, 20), std::vector<std::string>{note});
  EXPECT_EQ(notesOfRamp(100, 7, 0).size(), 1U);
  for (const std::int64_t dividing : {1, 2, 4, 8, 16}) EXPECT_TRUE(notesOfRamp(64, dividing, 0).empty()) << dividing;
  EXPECT_TRUE(notesOfRamp(96, 12, 12).size() == 1U) << "36, 60, 72 and 84 do not divide 96";
}

TrainConfig fallingRate(Time maxDuration) {
  TrainConfig config;
  config.maxDuration = maxDuration;
  config.batch.globalTrainBatchSize = 8;
  config.batch.deviceTrainMicrobatchSize = 4;
  config.scheduler.name = "constant";
  config.data.mlmProbability = 0.3;
  config.data.mlmProbabilityEnd = 0.1;
  return config;
}

Plan planOf(const TrainConfig& config) {
  return *test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(20, 10), {}));
}

/// Returns the shares of all global batches.
std::vector<double> rates(const Plan& plan) {
  std::vector<double> all;
  Timestamp now;
  while (!plan.finished(now)) {
    const auto batch = test::checked(plan.globalBatchAt(now));
    EXPECT_EQ(batch->maskProbability, plan.maskProbability(now));
    all.push_back(batch->maskProbability);
    for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
    now = now.afterBatch();
    if (batch->endsEpoch) now = now.afterEpoch();
  }
  return all;
}

TEST(MaskRateTest, FallsLinearlyAtTheStartOfEachGlobalBatch) {
  for (const Time& duration : {Time::of(4, TimeUnit::Batch), Time::of(32, TimeUnit::Sample)}) {
    TrainConfig config = fallingRate(duration);
    config.batch.globalTrainBatchSize = 8;
    const auto plan = test::checked(Plan::resolve(config, std::make_shared<EqualLengths>(800, 10), {}));
    const std::vector<double> found = rates(*plan);
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], 0.3 - 0.05 * static_cast<double>(i), 1e-12) << i;
    EXPECT_TRUE(plan->changesMaskProbability());
  }
  EXPECT_NEAR(rates(planOf(fallingRate(Time::of(2, TimeUnit::Epoch)))).back(), 0.3 - 0.2 * 5 / 6, 1e-12);
}

TEST(MaskRateTest, IsConstantWithoutAnEnd) {
  TrainConfig config = fallingRate(Time::of(4, TimeUnit::Batch));
  for (const std::optional<double> end : {std::optional<double>{}, {0.3}}) {
    config.data.mlmProbabilityEnd = end;
    const Plan plan = planOf(config);
    EXPECT_FALSE(plan.changesMaskProbability());
    EXPECT_THAT(rates(plan), testing::Each(0.3));
    EXPECT_FALSE(plan.resolved().contains("data.mlm_probability_end"));
  }
}

TEST(MaskRateTest, AResumeRepeatsItAndALongerOneHoldsItsEnd) {
  TrainConfig config = fallingRate(Time::of(6, TimeUnit::Batch));
  const auto lengths = std::make_shared<EqualLengths>(20, 10);
  const Plan launched = planOf(config);
  EXPECT_EQ(launched.resolved().at("data.mlm_probability_end"), "6ba");
  EXPECT_EQ(rates(*test::checked(Plan::restore(config, launched.resolved(), lengths, {}))), rates(launched));
  config.maxDuration = Time::of(9, TimeUnit::Batch);
  const auto longer = test::checked(Plan::restore(config, launched.resolved(), lengths, {}));
  const std::vector<double> found = rates(*longer);
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(std::vector<double>(found.begin(), found.begin() + 6), rates(launched));
  for (std::size_t i = 6; i < 9; ++i) EXPECT_NEAR(found[i], 0.1, 1e-12);
}

TEST(MaskRateTest, ThePreviewShowsIt) {
  const auto lengths = std::make_shared<EqualLengths>(20, 10);
  const RunPlan run = test::runPlanOf(fallingRate(Time::of(4, TimeUnit::Batch)), lengths);
  const auto preview = test::checked(previewJson(run, {Time::of(0, TimeUnit::Batch), Time::of(2, TimeUnit::Batch)}));
  EXPECT_NEAR(preview->at("points").at(1).at("mlm_probability").get<double>(), 0.2, 1e-12);
  EXPECT_THAT(previewText(run, {Time::of(2, TimeUnit::Batch)}).value(), HasSubstr("20 %"));
  TrainConfig constant = fallingRate(Time::of(4, TimeUnit::Batch));
  constant.data.mlmProbabilityEnd.reset();
  const auto without = previewJson(test::runPlanOf(constant, lengths), {Time::of(0, TimeUnit::Batch)});
  EXPECT_FALSE(without->at("points").at(0).contains("mlm_probability"));
}

TEST(MaskRateTest, ARunOfSecondsHasNoKnownEnd) {
  EXPECT_THAT(test::refused(Plan::resolve(fallingRate(Time::of(90, TimeUnit::Second)),
                                          std::make_shared<EqualLengths>(20, 10), {}))
                  .text(),
              HasSubstr("data.mlm_probability_end: changes over the run"));
}

}  // namespace
}  // namespace batchwise
