// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/config/config_file.h"
#include "core/run/launch/launch_check.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Fields of the mistakes of a run over 640 samples of 10 tokens.
std::vector<std::string> fieldsOf(const std::string& yaml) {
  const LoadedConfig loaded = parseConfig("scheduler: constant\n" + yaml, "test", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText();
  const auto plan = RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
  });
  EXPECT_TRUE(plan.ok()) << plan.error().text();
  std::vector<std::string> fields;
  if (!plan.ok()) return fields;
  for (const FieldProblem& mistake : findPlanMistakes(loaded.config, *plan)) {
    fields.push_back(mistake.field);
  }
  return fields;
}

TEST(PlanMistakesTest, AnOrdinaryRunHasNone) {
  EXPECT_THAT(fieldsOf("max_duration: 2ep\nbatch: {global_train_batch_size: 64}\n"), IsEmpty());
}

TEST(PlanMistakesTest, ABatchSizeThatCountsPacksIsTold) {
  const std::string budget = "max_duration: 2ep\ndata: {max_seq_len: 10}\nbatch: {global_train_batch_size: 8, tokens: ";
  EXPECT_THAT(fieldsOf(budget + "{max_tokens: 40}}\n"), ElementsAre("batch.global_train_batch_size"));
  EXPECT_THAT(fieldsOf(budget + "{max_tokens: 10}}\n"), IsEmpty()) << "a pack is a sample";
}

TEST(PlanMistakesTest, ARampWithinTheFirstBatchIsTold) {
  const std::string ramp =
      "max_duration: 2ep\nbatch: {global_train_batch_size: 64, rampup: {initial_global_train_batch_size: 8, duration: ";
  EXPECT_THAT(fieldsOf(ramp + "16sp}}\n"), ElementsAre("batch.rampup.duration"));
  EXPECT_THAT(fieldsOf(ramp + "4ba}}\n"), IsEmpty());
}

TEST(PlanMistakesTest, WhatComesAtTheEndOnlyIsTold) {
  const std::string run = "max_duration: 5ba\nbatch: {global_train_batch_size: 64}\n";
  EXPECT_THAT(fieldsOf(run + "eval: {interval: 10ba}\ncheckpoint: {interval: 2ep}\n"),
              ElementsAre("eval.interval", "checkpoint.interval"));
  EXPECT_THAT(fieldsOf(run + "eval: {interval: 2ba}\ncheckpoint: {interval: 1h}\n"), IsEmpty());
  EXPECT_THAT(fieldsOf(run + "data: {holdout: 0}\n"), ElementsAre("data.holdout"));
}

TEST(PlanMistakesTest, ARateOfZeroLongBeforeTheEndIsTold) {
  const auto run = [](const std::string& scheduler) {
    return "max_duration: 40ba\nbatch: {global_train_batch_size: 64}\ncheckpoint: {interval: 5ba}\nscheduler: " +
           scheduler + "\n";
  };
  const auto fields = [&](const std::string& scheduler) {
    std::string yaml = run(scheduler);
    const LoadedConfig loaded = parseConfig(yaml, "test", {});
    EXPECT_TRUE(loaded.ok()) << loaded.errorText();
    const auto plan = RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
      return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
    });
    EXPECT_TRUE(plan.ok()) << plan.error().text();
    std::vector<std::string> texts;
    for (const FieldProblem& mistake : findPlanMistakes(loaded.config, *plan))
      texts.push_back(mistake.field + " " + mistake.message);
    return texts;
  };
  EXPECT_THAT(
      fields("{name: linear_with_warmup, t_warmup: 2ba, t_max: 20ba}"),
      ElementsAre("scheduler.name makes the learning rate 0 from 20ba on: the last 20 global batches learn nothing"));
  EXPECT_THAT(fields("{name: linear_with_warmup, t_warmup: 2ba}"), IsEmpty());
  EXPECT_THAT(fields("{name: linear_with_warmup, t_warmup: 2ba, t_max: 20ba, alpha_f: 0.1}"), IsEmpty());
}

TEST(PlanMistakesTest, AScaledRateThatIsFarTooHighIsTold) {
  const std::string scaled =
      "max_duration: 2ep\nbatch: {global_train_batch_size: 64}\nlr_scaling: {reference_batch_size: 1, method: ";
  EXPECT_THAT(fieldsOf(scaled + "linear}\noptimizer: {lr: 2e-3}\n"), ElementsAre("lr_scaling.reference_batch_size"));
  const LoadedConfig loaded =
      parseConfig("scheduler: constant\n" + scaled + "linear}\noptimizer: {lr: 2e-3}\n", "test", {});
  const auto plan = RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
  });
  ASSERT_TRUE(plan.ok());
  const std::string message = findPlanMistakes(loaded.config, *plan).front().message;
  EXPECT_TRUE(message.starts_with("a step of 64 has the learning rate 0.128, ")) << message;
  EXPECT_THAT(fieldsOf(scaled + "sqrt}\noptimizer: {lr: 2e-3}\n"), IsEmpty());
  EXPECT_THAT(fieldsOf(scaled + "none}\noptimizer: {lr: 2e-3}\n"), IsEmpty());
}

}  // namespace
}  // namespace batchwise
