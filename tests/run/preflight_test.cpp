// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/preflight.h"

#include <gmock/gmock.h>

#include <chrono>

#include "core/base/file.h"
#include "core/config/config_file.h"
#include "core/config/time/run_length.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/store/workspace_folder.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PreflightTest : public testing::Test {
 protected:
  std::vector<PreflightFinding> look(const std::string& yaml) {
    const LoadedConfig config = test::checked(parseConfig(yaml, "test", folder_.path()));
    return preflight(config, folder_.path());
  }
  test::TempFolder folder_;
};

TEST_F(PreflightTest, TheDemoNeedsNothing) {
  EXPECT_TRUE(look(bundledConfig("demo") + "devices: cpu\n").empty());
}

TEST_F(PreflightTest, TextThatIsNotThereIsNamedWithWhereItIsLookedFor) {
  const auto found = look("data: {train: [nothing/*.txt]}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].fatal);
  EXPECT_EQ(found[0].field, "data.train");
  EXPECT_THAT(found[0].what, HasSubstr("nothing"));
  EXPECT_THAT(found[0].remedy, HasSubstr(folder_.path().string()));
}

TEST_F(PreflightTest, VocabularyAndWeightsThatCannotBeReadAreNamed) {
  ASSERT_TRUE(writeFileAtomically(folder_ / "a.txt", "words\n").ok());
  const auto found = look("data: {train: [a.txt]}\ntokenizer: {path: none}\nmodel: {init_from: gone}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].field, "tokenizer.path");
  EXPECT_THAT(found[1].what, HasSubstr("config.json"));
  EXPECT_THAT(found[2].what, HasSubstr("gone"));
}

TEST_F(PreflightTest, AGpuThatIsNotThereIsSaid) {
  const auto found = look(bundledConfig("demo") + "devices: cuda:900\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, "devices.use");
}

TEST_F(PreflightTest, RoomForTheCheckpointsThatAreKeptIsAWarning) {
  const auto found =
      look("data: {format: demo}\nmodel: {preset: mini}\ncheckpoint: {keep_last: 1000000}\ndevices: cpu\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].field, "checkpoint.keep_last");
}

TEST_F(PreflightTest, AStepAboveTheMemoryLimitIsAWarningThatNamesASizeThatFits) {
  const std::string yaml =
      "data: {format: demo, max_seq_len: 128}\nmodel: {preset: mini}\nmax_duration: 9ba\n"
      "batch: {global_train_batch_size: 256, device_train_microbatch_size: ";
  const std::string devices = "}\ndevices: {use: cpu, memory_limit: 512MiB}\n";
  const auto found = look(yaml + "256" + devices);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].fatal);
  EXPECT_EQ(found[0].field, "batch.device_train_microbatch_size");
  EXPECT_THAT(found[0].what, HasSubstr("512 MiB of devices.memory_limit"));
  const std::string most = found[0].remedy.substr(found[0].remedy.find_first_of("0123456789"));
  EXPECT_TRUE(look(yaml + std::to_string(std::stoi(most)) + devices).empty());
  const auto little = look(yaml + std::to_string(std::stoi(most) + 1) + devices);
  ASSERT_EQ(little.size(), 1u);
  EXPECT_THAT(found[0].remedy, testing::Not(HasSubstr("activation_checkpointing")));  // would not do
  EXPECT_THAT(little[0].remedy, HasSubstr("or turn devices.activation_checkpointing on"));
}

TEST_F(PreflightTest, WhereNoMicroBatchFitsSomethingElseIsNamed) {
  const std::string model = "data: {format: demo, max_seq_len: 512}\nmax_duration: 9ba\nmodel: {preset: ";
  EXPECT_EQ(look(model + "base}\ndevices: {use: cpu, memory_limit: 1GiB}\n").at(0).field, "model.preset");
  const auto longer = look(model + "mini}\ndevices: {use: cpu, memory_limit: 220MiB}\n");
  EXPECT_EQ(longer.at(0).field, "data.max_seq_len");
}

TEST_F(PreflightTest, OnTheProcessorTheFreeMemoryIsShared) {
  const LoadedConfig config = parseConfig(bundledConfig("demo") + "devices: cpu:4\n", "test", {});
  const auto forecast = test::checked(forecastMemory(config, 4, nullptr));
  const std::int64_t needed = 4 * forecast->perDevice.total();
  EXPECT_FALSE(assessMemory(*forecast, needed).has_value());
  const auto finding = assessMemory(*forecast, needed - 4);
  ASSERT_TRUE(finding.has_value());
  EXPECT_FALSE(finding->fatal);
  EXPECT_TRUE(assessMemory(*forecast, 0).has_value()) << "none is free";
  EXPECT_FALSE(assessMemory(*forecast, std::nullopt).has_value()) << "it is not known";
}

TEST_F(PreflightTest, SamplesThatLieInTheCacheAreTakenAtTheLengthTheyHave) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "a short line of some words\n";
  ASSERT_TRUE(writeFileAtomically(folder_ / "text.txt", text).ok());
  // What was changed a moment ago is not trusted to stay as it was read.
  std::filesystem::last_write_time(folder_ / "text.txt",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string yaml =
      "data: {train: [text.txt], format: lines, max_seq_len: 512, holdout: 0}\ntokenizer: {train: {vocab_size: 100}}\n"
      "model: {preset: mini}\nmax_duration: 9ba\n"
      "batch: {global_train_batch_size: 64, device_train_microbatch_size: 64}\n"
      "devices: {use: cpu, memory_limit: 512MiB}\n";
  const auto unknown = look(yaml);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0].what, HasSubstr("devices.memory_limit"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / kCacheFolder)) << "nothing is made by looking";
  NullSink nobody;
  CommandMailbox commands;
  const auto data = test::checked(
      prepareLaunchData(parseConfig(yaml, "test", folder_.path()), folder_ / kCacheFolder, nobody, commands));
  EXPECT_TRUE(look(yaml).empty()) << look(yaml)[0].what;
}

TEST_F(PreflightTest, AWorkspaceThatIsNotThereCannotBeWritten) {
  const LoadedConfig config = loadConfig("demo");
  const auto found = preflight(config, folder_ / "gone");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("gone"));
}

/// Fields of the mistakes of a run over 640 samples of 10 tokens.
std::vector<std::string> fieldsOf(const std::string& yaml) {
  const LoadedConfig loaded = test::checked(parseConfig("scheduler: constant\n" + yaml, "test", {}));
  const auto plan = test::checked(RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
  }));
  std::vector<std::string> fields;
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
    const LoadedConfig loaded = test::checked(parseConfig(yaml, "test", {}));
    const auto plan = test::checked(RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
      return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
    }));
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
  const auto plan = test::checked(RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(640, 10), {}};
  }));
  const std::string message = findPlanMistakes(loaded.config, *plan).front().message;
  EXPECT_TRUE(message.starts_with("a step of 64 has the learning rate 0.128, ")) << message;
  EXPECT_THAT(fieldsOf(scaled + "sqrt}\noptimizer: {lr: 2e-3}\n"), IsEmpty());
  EXPECT_THAT(fieldsOf(scaled + "none}\noptimizer: {lr: 2e-3}\n"), IsEmpty());
}

struct Planned {
  TrainConfig config;
  std::optional<RunPlan> plan;
};

/// A run over 400 samples of 10 tokens.
Planned planned(const std::string& yaml) {
  const LoadedConfig loaded =
      test::checked(parseConfig("data: {train: [a.txt]}\nscheduler: constant\n" + yaml, "test", {}));
  auto plan = RunPlan::resolve(loaded.config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<EqualLengths>(400, 10), {}};
  });
  EXPECT_TRUE(plan.ok()) << yaml << plan.error().text();
  Planned made{loaded.config, {}};
  if (plan.ok()) made.plan = *plan;
  return made;
}

/// How often the run is evaluated, as the training loop goes through it.
int evaluations(const Planned& run) {
  int count = 0;
  Timestamp now;
  for (std::size_t stage = 0; stage < run.plan->plans().size(); ++stage) {
    now = stageStart(run.plan->stages()[stage], now);
    const Plan plan = run.plan->plans()[stage].startingAt(now);
    const auto intervals = test::checked(resolveIntervals(run.config, *run.plan, stage));
    const auto due =
        IntervalSet::resolve(intervals->at("eval.interval"), plan.runLength(), AtEnd::Fire, "eval.interval");
    while (!plan.finished(now)) {
      const Timestamp before = now;
      const auto batch = test::checked(plan.globalBatchAt(now));
      for (const OptimizerStep& step : batch->steps) now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
      now = now.afterBatch();
      if (batch->endsEpoch) now = now.afterEpoch();
      const bool ends = plan.finished(now) && stage + 1 == run.plan->plans().size();
      count += due->anyDue(before, now, ends);
    }
  }
  return count;
}

TEST(RunIntervalsTest, TenEvaluationsPerRunAreTen) {
  for (const char* length : {"3ep", "2.5ep", "5ep", "7ep", "11ba", "12ba", "15ba", "19ba", "27ba", "36ba", "81ba",
                             "150ba", "1000sp", "777sp", "9000tok", "20001tok"})
    for (const char* more : {"", "rampup: {duration: 0.3dur, initial_global_train_batch_size: 11}, ",
                             "tokens: {max_tokens: 77}, device_train_microbatch_size: 1, "}) {
      const bool packs = std::string(more).starts_with("tokens");
      const std::string yaml = "max_duration: " + std::string(length) + "\nbatch: {" + more +
                               "global_train_batch_size: " + (packs ? "4" : "35") + "}\n";
      EXPECT_EQ(evaluations(planned(yaml)), 10) << yaml;
    }
}

TEST(RunIntervalsTest, TenEvaluationsOfARunOfStagesAreTen) {
  for (const char* length : {"4ep", "40ba"}) {
    const std::string yaml = "max_duration: " + std::string(length) +
                             "\nbatch: {global_train_batch_size: 35}\nstages: [{until: 0.45dur}, {until: 1dur, batch: "
                             "{global_train_batch_size: 13}, scheduler: {name: constant}}]\n";
    EXPECT_EQ(evaluations(planned(yaml)), 10) << yaml;
  }
}

TEST(RunIntervalsTest, AShortRunIsEvaluatedAfterEachGlobalBatch) {
  EXPECT_EQ(evaluations(planned("max_duration: 7ba\nbatch: {global_train_batch_size: 35}\n")), 7);
}

TEST(RunIntervalsTest, AnIntervalThatIsGivenStaysAsItIs) {
  const Planned run = planned("max_duration: 12ba\neval: {interval: 0.1dur}\nbatch: {global_train_batch_size: 35}\n");
  EXPECT_EQ(resolveIntervals(run.config, *run.plan, 0)->at("eval.interval"), std::vector{Time::of(2, TimeUnit::Batch)});
}

}  // namespace
}  // namespace batchwise
