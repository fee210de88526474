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

TEST(DefaultValuesTest, AStoredConfigurationSaysWhatItWasResolvedTo) {
  const TrainConfig now = filled("data: {train: [a.txt]}\n");
  EXPECT_EQ(parseConfig(configToYaml(now, YamlScope::Everything), "stored", {}).config, now);
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
