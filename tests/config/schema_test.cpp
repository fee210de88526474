// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "core/config/config_file.h"
#include "tests/config/random_config.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

TEST(SchemaTest, SizesThatLeaveTheRangeAreRefused) {
  for (const char* path : {"batch.global_train_batch_size", "batch.device_train_microbatch_size",
                           "batch.rampup.initial_global_train_batch_size", "batch.rampup.increment",
                           "batch.tokens.max_tokens", "batch.tokens.min_batch_size", "batch.tokens.max_batch_size",
                           "lr_scaling.reference_batch_size", "eval.microbatch_size"}) {
    TrainConfig config;
    const Field& field = *findField(path);
    EXPECT_EQ(field.set(config, "1099511627776"), "") << path;
    EXPECT_THAT(field.set(config, "1099511627777"), HasSubstr("at most 1099511627776")) << path;
    EXPECT_THAT(field.set(config, "9223372036854775807"), HasSubstr("out of range")) << path;
  }
}

TEST(SchemaTest, ATimeThatIsNotUnderstoodIsQuotedOnce) {
  TrainConfig config;
  const std::string message = findField("max_duration")->set(config, "5xx");
  EXPECT_EQ(
      message,
      "'5xx' is not a time: the unit is unknown at position 2; use a time with a unit (ep, ba, sp, tok, sec, s, m, h), "
      "such as 100ba or 90m, above 0");
  EXPECT_NE(findField("max_duration")->set(config, "1000e+-1ba"), "");
}

TEST(SchemaTest, EveryFieldIsDescribedAndFoundByItsPath) {
  std::set<std::string> paths;
  for (const Field& field : configSchema()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_EQ(findField(field.path), &field);
    EXPECT_GE(field.help.size(), 12U) << field.path;
    EXPECT_EQ(field.help.back(), '.') << field.path;
    EXPECT_FALSE(field.expectation().empty()) << field.path;
    EXPECT_EQ(field.kind == FieldKind::Choice, !field.choices.empty() && field.kind != FieldKind::TextList)
        << field.path;
  }
  EXPECT_EQ(findField("optimizer"), nullptr);
  EXPECT_TRUE(isFieldGroup("batch.rampup"));
  EXPECT_FALSE(isFieldGroup("batch.global_train_batch_size"));
  EXPECT_FALSE(isFieldGroup("bat"));
}

TEST(SchemaTest, EveryFieldAndGroupHasALabelAndEveryChoiceOneOfItsOwn) {
  const std::set<std::string> alike = {"auto", "tiny", "mini", "small", "base", "large", "210m",
                                       "610m", "2.1b", "fp32", "tf32",  "bf16", "fp16"};
  for (const Field& field : configSchema()) {
    EXPECT_TRUE(!field.label.empty() && field.label[0] >= 'A' && field.label[0] <= 'Z') << field.path;
    EXPECT_THAT(field.label, testing::Not(HasSubstr("_"))) << field.path;
    EXPECT_FALSE(groupTitle(field.group).empty()) << field.group;
    if (field.kind != FieldKind::Choice) continue;
    ASSERT_EQ(field.choiceLabels.size(), field.choices.size()) << field.path;
    for (std::size_t i = 0; i < field.choices.size(); ++i)
      EXPECT_TRUE(field.choiceLabels[i] != field.choices[i] || alike.contains(field.choices[i])) << field.choices[i];
    EXPECT_EQ(std::set(field.choiceLabels.begin(), field.choiceLabels.end()).size(), field.choices.size())
        << field.path;
  }
  EXPECT_EQ(findField("lr_scaling.by")->label, "Learning-rate scaling: by");
  EXPECT_THAT(findField("data.mask_unit")->choiceLabels, testing::ElementsAre("Single tokens", "Whole words"));
  EXPECT_EQ(groupTitle("batch.rampup"), "Ramp-up");
}

TEST(SchemaTest, EveryDefaultIsAllowedAndReadsBack) {
  const TrainConfig defaults;
  for (const Field& field : configSchema()) {
    TrainConfig config;
    EXPECT_EQ(field.set(config, field.get(defaults)), "") << field.path << " = " << field.get(defaults);
    EXPECT_EQ(config, defaults) << field.path;
  }
}

TEST(SchemaTest, AnyConfigurationReadsBackEqualFieldByField) {
  std::mt19937_64 random(3);
  for (int round = 0; round < test::repeats(100, 2000); ++round) {
    const TrainConfig config = test::randomConfig(random);
    TrainConfig back;
    for (const Field& field : configSchema())
      ASSERT_EQ(field.set(back, field.get(config)), "") << field.path << " = " << field.get(config);
    ASSERT_EQ(back, config);
  }
}

TEST(SchemaTest, AnyConfigurationReadsBackEqualThroughYaml) {
  std::mt19937_64 random(4);
  for (int round = 0; round < test::repeats(100, 2000); ++round) {
    const TrainConfig config = test::randomConfig(random);
    for (const YamlScope scope : {YamlScope::ChangedOnly, YamlScope::Everything}) {
      const std::string yaml = configToYaml(config, scope);
      const LoadedConfig back = parseConfig(yaml, "written", "");
      for (const ConfigDifference& difference : compareConfigs(config, back.config))
        ADD_FAILURE() << difference.field << ": " << difference.left << " became " << difference.right << "\n"
                      << back.errorText();
      ASSERT_EQ(back.config, config) << yaml;
    }
  }
}

TEST(SchemaTest, TheDefaultConfigurationWritesItsVersionOnly) {
  EXPECT_EQ(configToYaml(TrainConfig{}, YamlScope::ChangedOnly), "version: 1\n");
  TrainConfig config;
  config.batch.rampup.duration = Time::duration(0.1);
  config.batch.globalTrainBatchSize = 64;
  EXPECT_EQ(configToYaml(config, YamlScope::ChangedOnly),
            "version: 1\nbatch:\n  global_train_batch_size: 64\n  rampup:\n    duration: 0.1dur\n");
}

TEST(SchemaTest, ComparisonListsExactlyTheChangedFields) {
  TrainConfig left;
  TrainConfig right;
  EXPECT_TRUE(compareConfigs(left, right).empty());
  right.optimizer.lr = 1e-3;
  right.batch.deviceTrainMicrobatchSize = 8;
  const auto differences = compareConfigs(left, right);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].field, "batch.device_train_microbatch_size");
  EXPECT_EQ(differences[0].left, "auto");
  EXPECT_EQ(differences[0].right, "8");
  EXPECT_EQ(differences[1].field, "optimizer.lr");
}

TEST(SchemaTest, EveryParameterOfEveryScheduleIsAField) {
  for (const std::string& name : findField("scheduler.name")->choices) {
    const auto parameters = scheduleParameters(name);
    EXPECT_FALSE(parameters.empty()) << name;
    for (const std::string& parameter : parameters)
      EXPECT_NE(findField("scheduler." + parameter), nullptr) << name << ": " << parameter;
  }
  EXPECT_TRUE(scheduleParameters("nosuch").empty());
}

TEST(SchemaTest, TheReferencePageNamesEveryField) {
  const std::string page = configReference();
  for (const Field& field : configSchema()) EXPECT_THAT(page, HasSubstr("| `" + field.path + "` |"));
  EXPECT_THAT(page, HasSubstr("a whole number of samples, at least 1"));
}

}  // namespace
}  // namespace batchwise
