// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/default_values.h"

#include <gmock/gmock.h>

#include "core/config/schema.h"

namespace batchwise {
namespace {

TrainConfig filled(const std::string& yaml) {
  const LoadedConfig loaded = parseConfig(yaml, "test", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText();
  return withDefaults(loaded.config);
}

std::string valueOf(const TrainConfig& config, const char* path) {
  return findField(path)->get(config);
}

TEST(DefaultValuesTest, WhereNothingIsSaidARunIsWarmedUpEvaluatedAndSaved) {
  const TrainConfig config = filled("data: {train: [a.txt]}\nmax_duration: 3ep\n");
  EXPECT_EQ(valueOf(config, "scheduler.name"), "linear_with_warmup");
  EXPECT_EQ(valueOf(config, "scheduler.t_warmup"), "0.06dur");
  EXPECT_EQ(valueOf(config, "eval.interval"), "auto");  // resolved with the plan
  EXPECT_EQ(evalInterval(config), std::vector{Time::duration(0.1)});
  EXPECT_EQ(valueOf(config, "checkpoint.interval"), "[600sec]");
  EXPECT_EQ(valueOf(config, "precision"), "auto");  // the device decides
}

TEST(DefaultValuesTest, WhatIsSaidStaysAsItIs) {
  const std::string yaml =
      "scheduler: {name: cosine_annealing_with_warmup, t_warmup: 0ba}\neval: {interval: []}\n"
      "checkpoint: {interval: [5ba, 1h]}\n";
  const TrainConfig config = filled(yaml);
  EXPECT_EQ(config, parseConfig(yaml, "test", {}).config);
}

TEST(DefaultValuesTest, AScheduleWithoutAWarmUpGetsNone) {
  for (const char* name : {"constant", "linear", "cosine_annealing", "step"}) {
    const std::string more = std::string(name) == "step" ? ", step_size: 5ba" : "";
    EXPECT_EQ(valueOf(filled("scheduler: {name: " + std::string(name) + more + "}\n"), "scheduler.t_warmup"), "auto");
  }
}

TEST(DefaultValuesTest, TheWarmUpIsAShareOfTheEndOfTheSchedule) {
  const auto warmup = [](const std::string& more) {
    return valueOf(filled("max_duration: 5000ba\nscheduler: {name: linear_with_warmup" + more + "}\n"),
                   "scheduler.t_warmup");
  };
  EXPECT_EQ(warmup(", t_max: 1000ba"), "60ba");
  EXPECT_EQ(warmup(", t_max: 0.5dur"), "0.03dur");
  EXPECT_EQ(warmup(", t_max: 50ep"), "3ep");
  // A run that ends by the clock has nothing to take a share of.
  EXPECT_EQ(valueOf(filled("max_duration: 30m\nscheduler: constant_with_warmup\n"), "scheduler.t_warmup"), "auto");
  EXPECT_EQ(valueOf(filled("scheduler: {name: chain, parts: [{name: constant, duration: 9ba},"
                           " {name: linear_with_warmup, duration: rest}]}\n"),
                    "scheduler.parts"),
            "[{name: constant, duration: 9ba}, {name: linear_with_warmup, duration: rest, t_warmup: 0.06dur}]");
}

TEST(DefaultValuesTest, NothingToEvaluateOnMeansNoEvaluation) {
  const std::vector<Time> tenth = {Time::duration(0.1)};
  EXPECT_THAT(evalInterval(filled("data: {train: [a.txt], holdout: 0}\n")), testing::IsEmpty());
  EXPECT_EQ(evalInterval(filled("data: {train: [a.txt], eval: [b.txt], holdout: 0}\n")), tenth);
  EXPECT_EQ(evalInterval(filled("data: {format: demo, holdout: 0}\n")), tenth);
}

TEST(DefaultValuesTest, WhatADefaultBecameIsListed) {
  const LoadedConfig typed = parseConfig("eval: {interval: 9ba}\n", "test", {});
  EXPECT_THAT(filledDefaults(typed.config, withDefaults(typed.config)),
              testing::ElementsAre("scheduler.t_warmup: 0.06dur", "checkpoint.interval: [600sec]"));
}

TEST(DefaultValuesTest, AStoredConfigurationOfAnEarlierVersionHasNoWarmUpWhereItSaidNone) {
  const std::string old =
      "precision: fp32\nscheduler: {name: linear_with_warmup, t_warmup: auto}\neval: {interval: []}\n"
      "checkpoint: {interval: []}\n";
  const TrainConfig config = withDefaults(parseResolvedConfig(old, "stored").config);
  EXPECT_EQ(valueOf(config, "scheduler.t_warmup"), "0ba");
  EXPECT_EQ(valueOf(config, "eval.interval"), "[]");
  EXPECT_EQ(valueOf(config, "checkpoint.interval"), "[]");
  // One of today says what it was resolved to.
  const TrainConfig now = filled("data: {train: [a.txt]}\n");
  EXPECT_EQ(parseResolvedConfig(configToYaml(now, YamlScope::Everything), "stored").config, now);
}

TEST(DefaultValuesTest, AStoredConfigurationOfAnEarlierVersionEvaluatesWithTheMasksOfTraining) {
  const TrainConfig old = parseResolvedConfig("seed: 23\ndata: {mlm_probability: 0.3}\n", "stored").config;
  EXPECT_EQ(valueOf(old, "eval.seed"), "23");
  EXPECT_EQ(valueOf(old, "eval.mlm_probability"), "0.3");
  EXPECT_EQ(valueOf(old, "data.demo_seed"), "17");  // means nothing here
  EXPECT_EQ(valueOf(parseResolvedConfig("seed: 23\ndata: {format: demo}\n", "stored").config, "data.demo_seed"), "23");
  const TrainConfig typed = filled("seed: 23\ndata: {train: [a.txt], mlm_probability: 0.3}\n");
  const TrainConfig now = parseResolvedConfig(configToYaml(typed, YamlScope::Everything), "stored").config;
  EXPECT_EQ(valueOf(now, "eval.seed"), "0");
  EXPECT_EQ(valueOf(now, "eval.mlm_probability"), "0.15");
}

TEST(DefaultValuesTest, AStoredConfigurationOfAnEarlierVersionJoinsDocumentsWithoutASeparator) {
  const TrainConfig old = parseResolvedConfig("data: {join_documents: true}\n", "stored").config;
  EXPECT_FALSE(old.data.documentSeparator);
  EXPECT_TRUE(old.data.attentionAcrossDocuments);
  EXPECT_EQ(parseResolvedConfig("data: {join_documents: false}\n", "stored").config.data, DataConfig{});
  const TrainConfig typed = filled("data: {train: [a.txt], join_documents: true}\n");
  EXPECT_TRUE(typed.data.documentSeparator);
  EXPECT_FALSE(typed.data.attentionAcrossDocuments);
  EXPECT_EQ(parseResolvedConfig(configToYaml(typed, YamlScope::Everything), "stored").config.data, typed.data);
}

TEST(DefaultValuesTest, TheMemoryOfARunWithAChangingMaskRateIsThatOfTheLargestRate) {
  DataConfig data;
  data.mlmProbability = 0.3;
  EXPECT_EQ(largestMlmProbability(data), 0.3);
  data.mlmProbabilityEnd = 0.15;
  EXPECT_EQ(largestMlmProbability(data), 0.3);
  data.mlmProbabilityEnd = 0.4;
  EXPECT_EQ(largestMlmProbability(data), 0.4);
}

}  // namespace
}  // namespace batchwise
