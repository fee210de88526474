// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/sweep.h"

#include <gmock/gmock.h>

#include <tuple>

#include "core/config/run_stages.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(NameFromValuesTest, HasTheNewValuesTheSeedLast) {
  EXPECT_EQ(nameFromValues("base", {{"seed", "17", "2"}, {"optimizer.lr", "0.0005", "0.001"}}), "base-lr=0.001-seed=2");
  EXPECT_EQ(nameFromValues("base", {{"batch.global_train_batch_size", "64", "128"}}), "base-batch=128");
}

TEST(NameFromValuesTest, TheNewValueTakesThePlaceOfTheFormerOne) {
  EXPECT_EQ(nameFromValues("base-lr=1e-4-seed=2", {{"optimizer.lr", "1e-4", "5e-4"}}), "base-lr=5e-4-seed=2");
  EXPECT_EQ(nameFromValues("base-seed=2", {{"seed", "2", "3"}}), "base-seed=3");
  EXPECT_EQ(nameFromValues("base-seed=22", {{"seed", "2", "3"}}), "base-seed=22-seed=3")
      << "not the first digit of another";
}

TEST(NameFromValuesTest, LeavesOutLabelsAndWhatIsNoPartOfAName) {
  EXPECT_EQ(nameFromValues("base", {{"data.train", "[a.txt]", "[/long/folder/b.txt]"}, {"name", "a", "b"}}), "");
  EXPECT_EQ(nameFromValues("base", {}), "");
}

TEST(SweepTest, ListsOfTheFileMakeAGrid) {
  const SweepConfig sweep = parseSweep("name: a\noptimizer: {lr: [1e-4, 5e-4]}\nseed: [1, 2, 3]\n", "test", {});
  ASSERT_TRUE(sweep.first.ok()) << sweep.first.errorText();
  EXPECT_EQ(sweepSize(sweep.axes), 6);
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  ASSERT_EQ(runs->size(), 6u);
  std::vector<std::pair<double, std::int64_t>> values;
  for (const LoadedConfig& run : *runs) {
    values.emplace_back(run.config.optimizer.lr, run.config.seed);
    EXPECT_EQ(parseConfig(run.yaml, "run", {}).config, run.config);
  }
  EXPECT_THAT(values, ElementsAre(std::pair(1e-4, 1), std::pair(1e-4, 2), std::pair(1e-4, 3), std::pair(5e-4, 1),
                                  std::pair(5e-4, 2), std::pair(5e-4, 3)));
  EXPECT_THAT((*runs)[5].config.name, HasSubstr("seed=3"));
}

TEST(SweepTest, OneRunStaysAsItIsTyped) {
  const std::string yaml = "seed: 3  # why\n";
  const SweepConfig sweep = parseSweep(yaml, "test", {});
  EXPECT_TRUE(sweep.axes.empty());
  EXPECT_EQ(test::checked(sweepRuns(sweep.first, sweep.axes))->front().yaml, yaml);
}

TEST(SweepTest, FieldsThatAreListsNeedAListOfLists) {
  EXPECT_TRUE(parseSweep("optimizer: {betas: [0.9, 0.98]}", "test", {}).axes.empty());
  const SweepConfig sweep = parseSweep("optimizer: {betas: [[0.9, 0.98], [0.9, 0.999]]}", "test", {});
  ASSERT_EQ(sweep.axes.size(), 1u);
  EXPECT_EQ(sweep.axes[0].values.size(), 2u);
}

TEST(SweepTest, EveryBadValueIsToldWithItsPlace) {
  const SweepConfig sweep = parseSweep("seed: [1, two, 3]", "test", {});
  ASSERT_EQ(sweep.first.errors.size(), 1u);
  EXPECT_EQ(sweep.first.errors[0].field, "seed[1]");
  EXPECT_EQ(sweep.first.errors[0].line, 1);
}

TEST(SweepTest, WhereOneRunIsMeantAListIsRefused) {
  EXPECT_FALSE(parseConfig("seed: [1, 2]", "test", {}).ok());
}

TEST(SweepTest, ALaterAssignmentTakesThePlaceOfTheList) {
  const SweepConfig sweep = parseSweep("seed: [1, 2]", "test", {}, {"seed=4"});
  EXPECT_TRUE(sweep.axes.empty());
  EXPECT_EQ(sweep.first.config.seed, 4);
}

TEST(SweepTest, ValuesAreReadFromOneLine) {
  const Field& rate = *findField("optimizer.lr");
  EXPECT_EQ(sweepValues(rate, "1e-4, 5e-4")->size(), 2u);
  EXPECT_EQ(sweepValues(rate, "[1e-4,5e-4]")->size(), 2u);
  EXPECT_FALSE(sweepValues(rate, "1e-4").ok());
  EXPECT_THAT(sweepValues(rate, "1e-4, fast").error().message, HasSubstr("fast"));
  EXPECT_EQ(sweepValues(*findField("optimizer.betas"), "[0.9, 0.98], [0.9, 0.999]")->size(), 2u);
  EXPECT_THAT(sweepValues(*findField("batch.global_train_batch_size"), "1,000").error().message, HasSubstr("comma"));
}

TEST(SweepTest, WhatIsWrongInOneRunIsToldThere) {
  const SweepConfig sweep = parseSweep(
      "seed: [1, 2]\nbatch: {global_train_batch_size: 32, rampup: {duration: 4ba, "
      "initial_global_train_batch_size: [8, 64]}}",
      "test", {});
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  EXPECT_TRUE((*runs)[0].ok());
  EXPECT_FALSE((*runs)[1].ok());
}

TEST(SweepTest, ZippedFieldsAdvanceTogether) {
  const SweepConfig sweep = parseSweep(
      "optimizer: {lr: [1e-4, 2e-4]}\nbatch: {global_train_batch_size: [64, 128]}\nseed: [1, 2]\n"
      "zip: [optimizer.lr, batch.global_train_batch_size]\n",
      "test", {});
  ASSERT_TRUE(sweep.first.ok()) << sweep.first.errorText();
  EXPECT_EQ(sweepSize(sweep.axes, sweep.first.config.zip), 4);
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  std::vector<std::tuple<double, std::int64_t, std::int64_t>> values;
  for (const LoadedConfig& run : *runs) {
    values.emplace_back(run.config.optimizer.lr, run.config.batch.globalTrainBatchSize, run.config.seed);
    EXPECT_TRUE(run.config.zip.empty()) << "a single run has no lists";
  }
  EXPECT_THAT(values, UnorderedElementsAre(std::tuple(1e-4, 64, 1), std::tuple(1e-4, 64, 2), std::tuple(2e-4, 128, 1),
                                           std::tuple(2e-4, 128, 2)));
  const SweepConfig again = parseSweep(sweepToYaml(sweep.first.config, sweep.axes), "t", {});
  EXPECT_EQ(again.first.config.zip, sweep.first.config.zip);
}

TEST(SweepTest, ZippedListsOfUnequalLengthsAreRefusedWithBothLengths) {
  const SweepConfig sweep =
      parseSweep("optimizer: {lr: [1e-4, 2e-4, 3e-4]}\nseed: [1, 2]\nzip: [optimizer.lr, seed]\n", "test", {});
  const Error runs = test::refused(sweepRuns(sweep.first, sweep.axes));
  EXPECT_THAT(runs.message, HasSubstr("has 3 values"));
  EXPECT_THAT(runs.message, HasSubstr("has 2"));
}

TEST(SweepTest, AZippedNameThatIsNoFieldIsAnError) {
  const SweepConfig sweep = parseSweep("zip: [lr, seed]\n", "test", {});
  ASSERT_EQ(sweep.first.errors.size(), 1u);
  EXPECT_EQ(sweep.first.errors[0].field, "zip[0]");
}

TEST(SweepTest, VariantsNameTheRunsOfAnExperiment) {
  const SweepConfig sweep = parseSweep(
      "experiment: ramp\nvariant: [none, 8 to 64]\nbatch: {rampup: {duration: [none, 10ba], "
      "initial_global_train_batch_size: 8}}\nseed: [1, 2]\nzip: [variant, batch.rampup.duration]\n",
      "test", {});
  ASSERT_EQ(sweep.axes.size(), 3u) << sweep.first.errorText();
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  std::vector<std::string> names;
  for (const LoadedConfig& run : *runs) names.push_back(run.config.name);
  EXPECT_THAT(names, UnorderedElementsAre("ramp-none-seed=1", "ramp-none-seed=2", "ramp-8 to 64-seed=1",
                                          "ramp-8 to 64-seed=2"));
}

TEST(SweepTest, NamesLeaveOutWhatIsNotSetAndEndWithTheSeed) {
  const SweepConfig sweep = parseSweep(
      "name: a\nseed: [1, 2]\nbatch: {global_train_batch_size: [32, 32, 4], rampup: {duration: [none, 15ba, none], "
      "initial_global_train_batch_size: [auto, 4, auto]}, tokens: {max_tokens: [none, none, 512]}}\n"
      "zip: [batch.global_train_batch_size, batch.rampup.duration, batch.rampup.initial_global_train_batch_size, "
      "batch.tokens.max_tokens]\n",
      "test", {});
  const auto runs = sweepRuns(sweep.first, sweep.axes);
  ASSERT_TRUE(runs.ok()) << sweep.first.errorText();
  std::vector<std::string> names;
  for (const LoadedConfig& run : *runs) names.push_back(run.config.name);
  EXPECT_THAT(names,
              UnorderedElementsAre("a-batch=32-seed=1", "a-batch=32-seed=2", "a-batch=32-ramp=15ba-initial=4-seed=1",
                                   "a-batch=32-ramp=15ba-initial=4-seed=2", "a-batch=4-budget=512-seed=1",
                                   "a-batch=4-budget=512-seed=2"));
}

TEST(SweepTest, ZippedValuesGivenTwiceAreRefused) {
  const SweepConfig sweep =
      parseSweep("optimizer: {lr: [1e-4, 2e-4, 1e-4]}\nseed: [1, 2, 1]\nzip: [optimizer.lr, seed]\n", "test", {});
  EXPECT_THAT(sweepRuns(sweep.first, sweep.axes).error().message, HasSubstr("given twice"));
}

TEST(SweepTest, RunsWithEqualVariantsHaveDifferentNames) {
  const SweepConfig sweep =
      parseSweep("experiment: ramp\nvariant: [a, a, b]\nseed: [1, 2, 1]\nzip: [variant, seed]\n", "test", {});
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  std::vector<std::string> names;
  for (const LoadedConfig& run : *runs) names.push_back(run.config.name);
  EXPECT_THAT(names, ElementsAre("ramp-a-seed=1", "ramp-a-seed=2", "ramp-b-seed=1"));
}

TEST(SweepTest, ARunWhoseNameGetsTooLongHasAnError) {
  const SweepConfig sweep = parseSweep("name: " + std::string(198, 'n') + "\nseed: [1, 2]\n", "test", {});
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  ASSERT_FALSE(runs->front().ok());
  EXPECT_EQ(runs->front().errors.front().field, "name");
}

TEST(SweepTest, ARunWithoutANameIsCalledAfterItsExperiment) {
  TrainConfig config;
  EXPECT_EQ(runName(config), "");
  config.experiment = "ramp";
  EXPECT_EQ(runName(config), "ramp-seed=17");
  config.variant = "8 to 64";
  EXPECT_EQ(runName(config), "ramp-8 to 64-seed=17");
  config.name = "mine";
  EXPECT_EQ(runName(config), "mine");
}

TEST(SweepTest, RangesAreExpanded) {
  EXPECT_THAT(*sweepValues(*findField("optimizer.lr"), "1e-4..1e-2 x3 log"), ElementsAre("1e-04", "0.001", "0.01"));
  EXPECT_THAT(sweepValues(*findField("optimizer.lr"), "1e-4..1e-2 x99999").error().message, HasSubstr("(2 to 9999)"));
  EXPECT_THAT(*sweepValues(*findField("batch.global_train_batch_size"), "8..32 x4"),
              ElementsAre("8", "16", "24", "32"));
  EXPECT_THAT(sweepValues(*findField("optimizer.lr"), "0.12345678..0.5 x2")->front(), "0.12345678");
  EXPECT_THAT(sweepValues(*findField("optimizer.lr"), "1e-4..1e-2").error().message, HasSubstr("number of values"));
  EXPECT_THAT(sweepValues(*findField("optimizer.lr"), "-1..1 x3 log").error().message, HasSubstr("not a range"));
}

TEST(SweepTest, AGridTooLargeIsRefusedWithItsSize) {
  std::string list;
  for (int i = 0; i < 40; ++i) list += (i > 0 ? "," : "") + std::to_string(i);
  const SweepConfig sweep = parseSweep("seed: [" + list +
                                           "]\nlog: {interval: 1ba}\ndata: {mlm_probability: [0.1,0.15]}\n"
                                           "optimizer: {lr: [1,2,3,4,5,6,7]}",
                                       "test", {});
  EXPECT_THAT(sweepRuns(sweep.first, sweep.axes).error().message, HasSubstr("560"));
}

TEST(SweepTest, WrittenAsYamlItReadsBack) {
  const SweepConfig sweep =
      parseSweep("name: 'a: b'\nseed: [1, 2]\noptimizer: {betas: [[0.9, 0.98], [0.8, 0.9]]}", "t", {});
  const SweepConfig again = parseSweep(sweepToYaml(sweep.first.config, sweep.axes), "t", {});
  EXPECT_TRUE(again.first.ok()) << again.first.errorText();
  EXPECT_EQ(again.first.config, sweep.first.config);
  EXPECT_EQ(again.axes.size(), 2u);
}

const Field& stages() {
  return *findField("batch.rampup.stages");
}

TEST(SectionListTest, TakesAListApartAndPutsItTogetherAgain) {
  const std::string text = "[{at: 0ba, global_train_batch_size: 8}, {at: 0.1dur, global_train_batch_size: 64}]";
  const auto sections = parseSectionList(text);
  ASSERT_TRUE(sections.has_value());
  ASSERT_EQ(sections->size(), 2u);
  EXPECT_EQ((*sections)[1][0], (std::pair<std::string, std::string>{"at", "0.1dur"}));
  EXPECT_EQ(sectionListText(*sections), text);
  EXPECT_EQ(sectionListText({}), "[]");
}

TEST(SectionListTest, OtherTextIsNoListOfSections) {
  for (const char* text : {"", "8", "[8, 9]", "[{at: 0ba}], [{at: 1ba}]", "[{at: 0ba}", "{at: 0ba}"})
    EXPECT_FALSE(parseSectionList(text).has_value()) << text;
}

TEST(SectionListTest, ValuesThatWouldBreakTheTextAreQuotedAndEmptyOnesAreLeftOut) {
  const std::string text = sectionListText({{{"at", "0ba, 1ba"}, {"global_train_batch_size", ""}}, {{"at", "}"}}});
  const auto sections = parseSectionList(text);
  ASSERT_TRUE(sections.has_value()) << text;
  ASSERT_EQ(sections->size(), 2u);
  EXPECT_EQ((*sections)[0].size(), 1u);
}

TEST(SectionListTest, ListsInAPartStayLists) {
  const std::string text = "[{name: multistep, duration: rest, milestones: [0.1dur, 0.5dur]}]";
  EXPECT_EQ(sectionListText(*parseSectionList(text)), text);
}

TEST(SectionListTest, TellsTheSectionAndKeyOfAProblem) {
  const auto problems =
      checkSectionList(stages(), "[{at: 0ba, global_train_batch_size: 8}, {at: soon, global_train_batch_size: 0}, {}]");
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].index, 1u);
  EXPECT_EQ(problems[0].key, "at");
  EXPECT_EQ(problems[1].key, "global_train_batch_size");
  EXPECT_EQ(problems[2].index, 2u);
  EXPECT_TRUE(checkSectionList(stages(), "[]").empty());
}

TEST(SectionListTest, ReadsPlaces) {
  EXPECT_EQ(sectionPlace("batch.rampup.stages[1].at"), (std::pair<std::size_t, std::string>{1, "at"}));
  EXPECT_EQ(sectionPlace("[12]"), (std::pair<std::size_t, std::string>{12, ""}));
  EXPECT_FALSE(sectionPlace("batch.rampup.stages").has_value());
}

TEST(SectionListTest, KnowsTheKeysAndChoicesOfItsFields) {
  EXPECT_EQ(requiredKeys(stages()).front(), "at");
  EXPECT_TRUE(requiredKeys(*findField("seed")).empty());
  EXPECT_FALSE(keyChoices(*findField("scheduler.parts"), "name").empty());
  EXPECT_TRUE(keyChoices(stages(), "at").empty());
}

}  // namespace
}  // namespace batchwise
