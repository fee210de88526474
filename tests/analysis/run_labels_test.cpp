// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_labels.h"

#include <gmock/gmock.h>

#include <set>

#include "core/config/config_file.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

ConfigValues valuesOf(const std::string& yaml) {
  const LoadedConfig loaded = parseConfig(yaml, "test", {});
  EXPECT_TRUE(loaded.ok()) << loaded.errorText();
  auto values = configValuesOf(configToYaml(loaded.config, YamlScope::Everything), "test");
  EXPECT_TRUE(values.ok());
  return *values;
}

LabeledGroup groupOf(std::vector<std::string> names, const ConfigValues& config) {
  LabeledGroup group{std::move(names), {}};
  group.configs.assign(group.names.size(), &config);
  return group;
}

TEST(CommonStemTest, LeavesOutSeedsAndNumbers) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"base-s1", "base-s2"}, "base"},
      {{"base seed 1", "base seed 2"}, "base"},
      {{"base-seed=1", "base-seed=2"}, "base"},
      {{"base", "base-2", "base-3"}, "base"},
      {{"base1", "base2"}, "base"},
      {{"ramp-64_1", "ramp-64_2"}, "ramp-64"},
      {{"x-lr=5e-4-seed=1", "x-lr=5e-4-seed=2"}, "x-lr=5e-4"},
      {{"s1-ramp", "s2-ramp"}, "ramp"},
      {{"a-s1-long", "a-s2-long"}, "a-long"},
      {{"Größe 1", "Größe 2"}, "Größe"},
      {{"base-s1"}, "base-s1"},
      {{"2026-11-23-1", "2026-11-23-2"}, ""},
      {{"one", "two"}, ""},
      {{}, ""},
  };
  for (const auto& [names, stem] : cases) EXPECT_EQ(commonStem(names), stem) << testing::PrintToString(names);
}

TEST(SeedGroupsTest, JoinsRunsThatDifferInTheSeedOnly) {
  const ConfigValues a1 = valuesOf("seed: 1\n"), a2 = valuesOf("seed: 2\nname: other\n");
  const ConfigValues b1 = valuesOf("seed: 1\noptimizer: {lr: 1e-3}\n");
  const ConfigValues unread;
  EXPECT_THAT(seedGroups({&a1, &b1, nullptr, &a2, &unread, nullptr}),
              ElementsAre(ElementsAre(0U, 3U), ElementsAre(1U), ElementsAre(2U), ElementsAre(4U), ElementsAre(5U)));
  EXPECT_THAT(seedGroups({}), SizeIs(0));
}

TEST(CountedRepetitionsTest, OfEqualSeedsTheNewestFinishedRunCounts) {
  using Counted = std::vector<bool>;
  EXPECT_EQ(countedRepetitions({{"1", true, 10}, {"1", true, 20}, {"1", false, 30}, {"2", false, 5}}),
            (Counted{false, true, false, true}));
  EXPECT_EQ(countedRepetitions({{"1", false, 20}, {"1", false, 10}}), (Counted{true, false})) << "the newest";
  EXPECT_EQ(countedRepetitions({{"", true, 10}, {"", true, 10}}), (Counted{true, true})) << "unknown";
}

TEST(DistinctLabelsTest, TakesTheCommonStemOfTheNames) {
  const ConfigValues base = valuesOf("seed: 17\n"), ramp = valuesOf("optimizer: {lr: 1e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"base-s1", "base-s2"}, base), groupOf({"ramp-s1", "ramp-s2"}, ramp)}),
              ElementsAre("base", "ramp"));
}

TEST(DistinctLabelsTest, TakesTheVariantBeforeTheNames) {
  const ConfigValues base = valuesOf("experiment: one\nvariant: plain\n");
  const ConfigValues other = valuesOf("experiment: two\nvariant: plain\noptimizer: {lr: 1e-3}\n");
  const ConfigValues unnamed = valuesOf("optimizer: {lr: 1e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"a", "b"}, base), groupOf({"c"}, unnamed)}), ElementsAre("plain", "c"));
  EXPECT_THAT(distinctLabels({groupOf({"a", "b"}, base), groupOf({"c", "d"}, other)}), ElementsAre("one", "two"));
}

TEST(DistinctLabelsTest, TellsEqualStemsApartBySettings) {
  const ConfigValues base = valuesOf("batch: {global_train_batch_size: 64}\n");
  const ConfigValues ramp =
      valuesOf("batch: {global_train_batch_size: 64, rampup: {duration: 20ba, initial_global_train_batch_size: 8}}\n");
  const ConfigValues budget = valuesOf("batch: {global_train_batch_size: 64, tokens: {max_tokens: 1600}}\n");
  EXPECT_THAT(distinctLabels({groupOf({"demo-1", "demo-2"}, base), groupOf({"demo-3", "demo-4"}, ramp),
                              groupOf({"demo-5", "demo-6"}, budget)}),
              ElementsAre("no ramp, no budget", "ramp 8 to 64", "budget 1,600"));
}

TEST(DistinctLabelsTest, SaysRatesAndOtherValuesInWords) {
  const ConfigValues low = valuesOf("optimizer: {lr: 5e-4}\n"), high = valuesOf("optimizer: {lr: 1.5e-3}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, low), groupOf({"x-3", "x-4"}, high)}),
              ElementsAre("lr 5e-4", "lr 1.5e-3"));
  const ConfigValues heavy = valuesOf("optimizer: {weight_decay: 0.1}\n"), light = valuesOf("seed: 17\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, heavy), groupOf({"x-3", "x-4"}, light)}),
              ElementsAre("weight decay 0.1", "weight decay 0.01"));
}

TEST(CountedRepetitionsTest, RepetitionsDifferByAnySeed) {
  const ConfigValues one = {{"seed", "17"}, {"data.demo_seed", "1"}}, other = {{"seed", "17"}, {"data.demo_seed", "2"}};
  EXPECT_EQ(repetitionSeeds(one), repetitionSeeds(ConfigValues(one)));
  EXPECT_NE(repetitionSeeds(one), repetitionSeeds(other));
}

TEST(DistinctLabelsTest, ASettingWithoutEffectTellsNothing) {
  const ConfigValues fresh = valuesOf("model: {preset: tiny}\noptimizer: {weight_decay: 0.1}\n");
  const ConfigValues continued = valuesOf("model: {init_from: exported}\noptimizer: {weight_decay: 0.2}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, fresh), groupOf({"x-3", "x-4"}, continued)}),
              testing::Not(testing::Contains("base")));
}

TEST(DistinctLabelsTest, AContinuedModelIsToldFromAFreshOneBeforeAllElse) {
  const ConfigValues fresh = valuesOf("batch: {global_train_batch_size: 64}\n");
  const ConfigValues continued =
      valuesOf("batch: {global_train_batch_size: 256}\nmodel: {init_from: /runs/exported/}\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, fresh), groupOf({"x-3", "x-4"}, continued)}),
              ElementsAre("from random weights", "continues exported"));
}

TEST(DistinctLabelsTest, NumbersWhatNothingTellsApart) {
  const ConfigValues same = valuesOf("seed: 17\n");
  EXPECT_THAT(distinctLabels({groupOf({"x-1", "x-2"}, same), groupOf({"x-3", "x-4"}, same)}),
              ElementsAre("x", "x (2)"));
  LabeledGroup unread{{"1", "2"}, {nullptr, nullptr}};
  EXPECT_THAT(distinctLabels({unread, unread}), ElementsAre("1", "1 (2)"));
}

TEST(ElidedTest, KeepsDifferentLabelsDifferentAtEveryWidth) {
  const std::string longText(80, 'x');
  const std::vector<std::vector<std::string>> cases = {
      {"short", "other"},
      {longText + "-base", longText + "-ramp"},
      {"base-" + longText, "ramp-" + longText},
      {longText + "-base-" + longText, longText + "-ramp-" + longText, "plain"},
      {"größere Läufe der ersten Woche", "größere Läufe der zweiten Woche"},
  };
  for (const auto& labels : cases) {
    for (std::size_t room = 1; room < 180; ++room) {
      const auto texts = elided(labels, [room](const std::string& text) { return text.size() <= room; });
      ASSERT_EQ(texts.size(), labels.size());
      EXPECT_EQ(std::set(texts.begin(), texts.end()).size(), labels.size()) << labels.front() << " in " << room;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i].size() <= room) {
          EXPECT_EQ(texts[i], labels[i]);
        }
      }
    }
  }
}

TEST(ElidedTest, ElidesInTheMiddle) {
  const auto fits = [](const std::string& text) { return text.size() <= 9; };
  EXPECT_THAT(elided({"abcdefghijklm", "rest"}, fits), ElementsAre("abc…klm", "rest"));
}

TEST(ElidedTest, ShowsWhatDiffers) {
  const auto fits = [](const std::string& text) { return text.size() <= 29; };
  const auto middle = elided({"a-rather-long-beginning-ramp8-and-a-rather-long-end-of-it",
                              "a-rather-long-beginning-ramp64-and-a-rather-long-end-of-it"},
                             [](const std::string& text) { return text.size() <= 23; });
  EXPECT_TRUE(middle[0].starts_with("…ramp8")) << middle[0];
  EXPECT_TRUE(middle[1].starts_with("…ramp64")) << middle[1];
  std::vector<std::string> names;
  for (const char* ramp : {"8", "16"})
    for (const char* rate : {"1e-4", "5e-4"})
      for (const char* seed : {"1", "2"})
        names.push_back(std::string("modernbert-small-wiki-ramp-") + ramp + "-to-256-lr-" + rate +
                        "-warmup-0.06-seed-" + seed);
  const auto parts = elided(names, fits);
  EXPECT_EQ(parts.front(), "…ramp-8…lr-1e-4…seed-1");
  EXPECT_EQ(parts.back(), "…ramp-16…lr-5e-4…seed-2");
}

TEST(ElidedTest, EqualNamesAreNumbered) {
  const auto fits = [](const std::string& text) { return text.size() <= 20; };
  EXPECT_THAT(elided({"base", "base", "base"}, fits), ElementsAre("base", "base (2)", "base (3)"));
}

}  // namespace
}  // namespace batchwise
