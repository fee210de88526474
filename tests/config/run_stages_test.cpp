// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/run_stages.h"

#include <gmock/gmock.h>

#include "core/config/config_file.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kRun = "data: {train: [a.txt]}\nmax_duration: 100ba\nscheduler: {name: constant}\n";

TrainConfig staged(const std::string& stages, const std::string& run = kRun) {
  const LoadedConfig loaded = parseConfig(run + "stages: " + stages + "\n", "test", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText();
  return loaded.config;
}

/// The errors, "field: message".
std::vector<std::string> problems(const std::string& stages, const std::string& run = kRun) {
  std::vector<std::string> found;
  for (const ConfigIssue& issue : parseConfig(run + "stages: " + stages + "\n", "test", {}).errors)
    found.push_back(issue.field + ": " + issue.message);
  return found;
}

auto issueOf(const char* field, const char* words) {
  return testing::AllOf(testing::StartsWith(std::string(field) + ": "), testing::HasSubstr(words));
}

TEST(RunStagesTest, ARunWithoutStagesIsOne) {
  const TrainConfig config = parseConfig(kRun, "test", {}).config;
  const std::vector<RunStage> stages = runStages(config);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0].field, "");
  EXPECT_EQ(stages[0].config, config);
  EXPECT_EQ(longestSequence(config), 128);
}

TEST(RunStagesTest, AStageHasItsLengthAndItsSettings) {
  const TrainConfig config = staged(
      "[{until: 0.6dur, data.max_seq_len: 64}, {until: 90ba, data: {mlm_probability: 0.3}, batch: "
      "{global_train_batch_size: 32}}, {until: 1dur, data.max_seq_len: 512, scheduler: {name: linear}, optimizer.lr: "
      "1e-5}]");
  const std::vector<RunStage> stages = runStages(config);
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[1].field, "stages[1]");
  EXPECT_EQ(stages[0].config.maxDuration.text(), "60ba");
  EXPECT_EQ(stages[1].config.maxDuration.text(), "30ba");
  EXPECT_EQ(stages[2].config.maxDuration.text(), "10ba");
  EXPECT_EQ(stages[1].from.text(), "60ba");
  EXPECT_EQ(stages[0].config.data.maxSeqLen, 64);
  EXPECT_EQ(stages[1].config.data.maxSeqLen, 128) << "settings are those of the run, not of the stage before";
  EXPECT_EQ(stages[1].config.data.mlmProbability, 0.3);
  EXPECT_EQ(stages[1].config.batch.globalTrainBatchSize, 32);
  EXPECT_EQ(stages[2].config.scheduler.name, "linear");
  EXPECT_EQ(stages[2].config.optimizer.lr, 1e-5);
  EXPECT_FALSE(stages[0].hasOwnSchedule);
  EXPECT_TRUE(stages[2].hasOwnSchedule);
  EXPECT_EQ(longestSequence(config), 512);
  for (const RunStage& stage : stages) EXPECT_THAT(stage.config.stages, IsEmpty());
}

TEST(RunStagesTest, APassGoesOnWhereAStageReadsTheSame) {
  const std::vector<RunStage> stages = runStages(
      staged("[{until: 0.5dur}, {until: 0.8dur, data.mlm_probability: 0.3, batch.global_train_batch_size: 8}, "
             "{until: 1dur, data.max_seq_len: 64}]"));
  EXPECT_FALSE(stages[0].continuesPass);
  EXPECT_TRUE(stages[1].continuesPass);
  EXPECT_FALSE(stages[2].continuesPass);
  EXPECT_EQ(stages[1].config.seed, stages[0].config.seed);
  EXPECT_NE(stages[2].config.seed, stages[0].config.seed) << "another order of the samples";
}

TEST(RunStagesTest, EpochsAddUpToThoseOfTheRun) {
  const std::vector<RunStage> stages = runStages(staged("[{until: 0.8dur}, {until: 1dur, data.mlm_probability: 0.3}]",
                                                        "data: {train: [a.txt]}\nmax_duration: 3ep\n"));
  EXPECT_EQ(stages[0].config.maxDuration.text(), "2.4ep");
  EXPECT_EQ(stages[1].config.maxDuration.text(), "0.6ep");
}

TEST(RunStagesTest, TheRampOfTheRunIsThatOfItsFirstStage) {
  const std::vector<RunStage> stages =
      runStages(staged("[{until: 0.5dur}, {until: 1dur, data.mlm_probability: 0.3}]",
                       kRun + "batch: {rampup: {duration: 0.1dur, initial_global_train_batch_size: 8}}\n"));
  EXPECT_EQ(stages[0].config.batch.rampup.duration->text(), "0.2dur") << "of the stage: 10ba as well";
  EXPECT_FALSE(stages[1].config.batch.rampup.enabled());
}

TEST(RunStagesTest, EndsMustBeInOrderAndReachTheEndOfTheRun) {
  EXPECT_THAT(problems("[{until: 0.8dur}, {until: 0.5dur}]"),
              ElementsAre(issueOf("stages[1].until", "the end of the previous stage; list the")));
  EXPECT_THAT(problems("[{until: 0.8dur}, {until: 90ba}]"),
              ElementsAre(issueOf("stages[1].until", "end the stage at 1dur, or set max_duration")));
  EXPECT_THAT(problems("[{until: 0.001dur}, {until: 1dur}]"),
              ElementsAre(issueOf("stages[0].until", "leaves no room for the stage; give an")));
  EXPECT_THAT(problems("[{until: 1ep}, {until: 1dur}]"),
              ElementsAre(issueOf("stages[0].until", "give a share such as 0.8dur, or the")));
  EXPECT_THAT(problems("[{until: 0.5dur}, {until: 1dur}]", "data: {train: [a.txt]}\nmax_duration: 10sec\n"),
              ElementsAre(issueOf("stages", "of time; give max_duration in ep, ba, sp")));
}

TEST(RunStagesTest, SettingsThatContradictAreRefusedWithTheStage) {
  EXPECT_THAT(problems("[{until: 0.5dur}, {until: 1dur, data.max_seq_len: 1024}]",
                       kRun + "model: {max_position_embeddings: 512}\n"),
              ElementsAre(issueOf("stages[1].model.max_position_embeddings", "raise it or shorten the sequences")));
  EXPECT_THAT(problems("[{until: 0.5dur, scheduler: {name: linear}}, {until: 1dur}]"),
              ElementsAre(issueOf("stages[1]", "comes after a stage with a schedule of")));
  EXPECT_THAT(
      problems("[{until: 0.5dur}, {until: 1dur, data.max_seq_len: 64}]", "data: {train: [a.txt]}\nmax_duration: 2ep\n"),
      ElementsAre(issueOf("stages[1]", "), but the stages have epochs of different")));
  EXPECT_THAT(problems("[{until: 0.5dur}, {until: 1dur}]", kRun + "batch: {growth: {increase_function: '64'}}\n"),
              ElementsAre(issueOf("batch.growth", "batches cannot grow by a function in a")));
  EXPECT_THAT(problems("[{until: 1dur, seed: 4}]"),
              ElementsAre(issueOf("stages[0].seed", "is fixed for the whole run; a stage")));
}

}  // namespace
}  // namespace batchwise
