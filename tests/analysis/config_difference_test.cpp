// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/config_difference.h"

#include <gmock/gmock.h>

#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ConfigValues valuesOfYaml(const std::string& yaml) {
  const LoadedConfig loaded = checked(parseConfig(yaml, "test", {}));
  return *checked(configValuesOf(configToYaml(loaded.config, YamlScope::Everything), "test"));
}

constexpr const char* kBase = "data: {train: [a.txt]}\nmax_duration: 1ep\n";

TEST(ConfigDifferenceTest, ShowsNestedFieldsWithDefaultsResolved) {
  const std::vector<ConfigValues> runs{
      valuesOfYaml(std::string(kBase) + "name: one\nseed: 1\n"),
      valuesOfYaml(std::string(kBase) + "name: two\nseed: 2\nbatch: {rampup: {duration: 0.1dur}}\n"),
      valuesOfYaml(std::string(kBase) + "optimizer: {lr: 1e-3}\nlaunch: {why: because}\n")};
  const ConfigComparison found = compareConfigValues(runs, IgnoredFields::standard());
  EXPECT_LT(found.compared, configSchema().size());
  EXPECT_GT(found.compared, 50U);
  std::map<std::string, std::vector<std::string>> rows;
  for (const FieldRow& row : found.rows) rows[row.field] = row.values;
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows["batch.rampup.duration"][1], "0.1dur");
  EXPECT_EQ(rows["batch.rampup.duration"][0], rows["batch.rampup.duration"][2]);
  EXPECT_NE(rows["optimizer.lr"][0], rows["optimizer.lr"][2]);
  EXPECT_EQ(rows["optimizer.lr"][0], runs[0].at("optimizer.lr")) << "a default has its value";
}

TEST(ConfigDifferenceTest, NothingIsIgnoredUnlessSaid) {
  const std::vector<ConfigValues> runs{valuesOfYaml(std::string(kBase) + "seed: 1\n"),
                                       valuesOfYaml("data: {train: [b.txt]}\nmax_duration: 1ep\nseed: 2\n")};
  const auto fieldsWith = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> fields;
    for (const FieldRow& row : compareConfigValues(runs, IgnoredFields(patterns)).rows) fields.push_back(row.field);
    return fields;
  };
  EXPECT_THAT(fieldsWith({}), ElementsAre("seed", "data.train"));
  EXPECT_THAT(fieldsWith({"seed"}), ElementsAre("data.train"));
  EXPECT_THAT(fieldsWith({"data.*"}), ElementsAre("seed"));
  EXPECT_THAT(fieldsWith({"data"}), ElementsAre("seed", "data.train")) << "a group needs .*";
}

TEST(ConfigDifferenceTest, AMissingFieldIsADifference) {
  std::vector<ConfigValues> runs{valuesOfYaml(kBase), valuesOfYaml(kBase)};
  runs[1].erase("optimizer.lr");
  const auto found = compareConfigValues(runs, IgnoredFields::standard());
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].values[1], "–");
}

TEST(ConfigDifferenceTest, ASettingWithoutEffectIsNoDifference) {
  const std::string continued = std::string(kBase) + "model: {init_from: exported}\n";
  const std::vector<ConfigValues> runs{
      valuesOfYaml(std::string(kBase) + "model: {preset: tiny}\ntokenizer: {train: {vocab_size: 4000}}\n"),
      valuesOfYaml(continued)};
  const IgnoredFields ignored = IgnoredFields::standard();
  const auto found = compareConfigValues(runs, ignored);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].field, "model.init_from");
  EXPECT_FALSE(hasEffect(runs[1], "model.preset"));
  EXPECT_TRUE(hasEffect(runs[0], "model.preset"));
  const std::vector<ConfigValues> three{
      runs[0], valuesOfYaml(std::string(kBase) + "model: {preset: base}\ntokenizer: {train: {vocab_size: 4000}}\n"),
      runs[1]};
  const auto sizes = compareConfigValues(three, ignored);
  ASSERT_EQ(sizes.rows.size(), 2U);
  EXPECT_THAT(sizes.rows[0].values, ElementsAre("tiny", "base", "–"));
  const ConfigValues path = valuesOfYaml(std::string(kBase) + "tokenizer: {path: v}\n");
  EXPECT_FALSE(hasEffect(path, "tokenizer.train.vocab_size"));
  EXPECT_TRUE(hasEffect(path, "model.preset"));
  const ConfigValues flat =
      valuesOfYaml(std::string(kBase) + "batch: {rampup: {initial_global_train_batch_size: 8}}\n");
  EXPECT_FALSE(hasEffect(flat, "batch.rampup.initial_global_train_batch_size")) << "there is no ramp";
  EXPECT_TRUE(hasEffect(valuesOfYaml(std::string(kBase) + "batch: {rampup: {duration: 0.1dur}}\n"),
                        "batch.rampup.initial_global_train_batch_size"));
  ConfigValues other = runs[1];
  other["model.preset"] = "tiny";
  EXPECT_EQ(experimentKey(other, ignored), experimentKey(runs[1], ignored));
}

TEST(ConfigDifferenceTest, RunsThatDifferBySeedAreOneExperiment) {
  const IgnoredFields ignored = IgnoredFields::standard();
  const ConfigValues one = valuesOfYaml(std::string(kBase) + "seed: 1\n");
  EXPECT_EQ(experimentKey(one, ignored), experimentKey(valuesOfYaml(std::string(kBase) + "seed: 2\n"), ignored));
  EXPECT_NE(experimentKey(one, ignored),
            experimentKey(valuesOfYaml(std::string(kBase) + "precision: bf16\n"), ignored));
  const ConfigValues labeled = valuesOfYaml(std::string(kBase) + "seed: 2\nexperiment: ramp\nvariant: none\n");
  EXPECT_EQ(experimentKey(one, ignored), experimentKey(labeled, ignored)) << "labels do not change the training";
}

TEST(ConfigDifferenceTest, TextsAreShownWithoutTheirQuotes) {
  const ConfigValues values = valuesOfYaml(std::string(kBase) + "experiment: \"a: \\\"b\\\" \\\\ c\"\n");
  EXPECT_EQ(plainValue(values, "experiment"), "a: \"b\" \\ c");
  EXPECT_EQ(plainValue(values, "variant"), "");
  EXPECT_EQ(plainValue(values, "no.field"), "");
}

TEST(ConfigDifferenceTest, AnUnreadableConfigurationNamesItsRun) {
  EXPECT_THAT(refused(configValuesOf("optimizer: {lr: fast}\n", "broken-run")).text(), HasSubstr("broken-run"));
}

}  // namespace
}  // namespace batchwise::test
