// SPDX-License-Identifier: GPL-3.0-or-later
// The recorded ramps of bert24's pull request 76 (tests/vectors/rampup.json), planned by us.
#include <gtest/gtest.h>

#include "core/batch/plan.h"
#include "core/batch/ramp.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::VectorCase;

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
  for (const PlannedStage& stage : plan->stages()) {
    sizes.push_back(stage.stepUnits);
    steps.push_back(stage.parts);
  }
  return {{"grad_accumulation", plan->stages().back().microBatchesPerStep},
          {"max_rampup_stages", plan->stages().size() - 1},
          {"batch_sizes", sizes},
          {"optimizer_steps_per_logged_point", steps},
          {"samples_per_logged_point", plan->stages().back().stepUnits}};
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
  for (const PlannedStage& stage : plan->stages()) {
    json row = {{"divider", stage.parts},
                {"first_final_batch", stage.fromBatch},
                {"final_batches", nullptr},
                {"optimizer_steps_per_logged_point", stage.parts},
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
  for (const PlannedStage& stage : plan->stages()) steps += stage.optimizerSteps.value_or(0);
  return {{"n_rampup_steps", below.ok() ? below->size() : 0},
          {"stages", stages},
          {"rampup_final_batches", plan->stages().back().fromBatch},
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

}  // namespace
}  // namespace batchwise
