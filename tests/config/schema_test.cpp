// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "core/base/format.h"
#include "core/config/config_file.h"
#include "core/config/train_config.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

std::int64_t below(std::mt19937_64& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

std::string randomText(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {
      "a", "Z", "9", " ", ":", ": ", "#", " #", "\"", "\\", "\n", "\t", "{",    "}",    "[",   "]",    ",", "é", "漢",
      "'", "&", "*", "!", "|", ">",  "%", "@",  "-",  "- ", "?",  "~",  "null", "true", "1e5", "\x01", "=", "."};
  std::string text;
  for (std::int64_t i = below(random, 8); i > 0; --i)
    text += pieces[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(pieces.size())))];
  return text;
}

double randomNumber(std::mt19937_64& random, const Field& field) {
  const double low = field.minimum.value_or(0);
  const double high = field.maximum.value_or(low + 10);
  const double share = std::uniform_real_distribution<double>(0.001, 0.999)(random);
  return low + share * std::min(high - low, 10.0);
}

std::string randomInteger(std::mt19937_64& random, const Field& field) {
  const auto low = static_cast<std::int64_t>(field.minimum.value_or(0));
  const std::int64_t span = field.maximum ? static_cast<std::int64_t>(*field.maximum) - low + 1 : std::int64_t{1} << 62;
  return std::to_string(low + below(random, span));
}

std::string randomTime(std::mt19937_64& random, const Field& field) {
  const TimeUnit unit =
      field.units[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(field.units.size())))];
  if (unit == TimeUnit::Duration || (unit == TimeUnit::Epoch && random() % 2 == 0))
    return formatExact(std::uniform_real_distribution<double>(0.001, 1)(random)) + std::string{unitName(unit)};
  return std::to_string(1 + below(random, std::int64_t{1} << 60)) + std::string{unitName(unit)};
}

template <class MakeItem>
std::string randomList(std::mt19937_64& random, std::int64_t atLeast, MakeItem makeItem) {
  std::string text = "[";
  for (std::int64_t i = atLeast + below(random, 3); i > 0; --i) text += (text.size() > 1 ? ", " : "") + makeItem();
  return text + "]";
}

std::string doubleQuoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') quoted += '\\';
    if (character == '\n') {
      quoted += "\\n";
    } else if (character == '\x01') {
      quoted += "\\x01";
    } else {
      quoted += character;
    }
  }
  return quoted + "\"";
}

std::string randomValue(std::mt19937_64& random, const Field& field) {
  const auto choice = [&] {
    return field.choices[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(field.choices.size())))];
  };
  if (field.optional && random() % 3 == 0) return field.unsetText;
  switch (field.kind) {
    case FieldKind::Integer: return randomInteger(random, field);
    case FieldKind::Number: return formatExact(randomNumber(random, field));
    case FieldKind::Boolean: return random() % 2 == 0 ? "true" : "false";
    case FieldKind::Text:
      if (field.path == "batch.rampup.from_schedule.cap") return "1.5x";
      return field.path == "devices.use" ? "\"cuda:0,3\"" : doubleQuoted(randomText(random));
    case FieldKind::Choice: return choice();
    case FieldKind::Time: return randomTime(random, field);
    case FieldKind::TimeList: return randomList(random, 0, [&] { return randomTime(random, field); });
    case FieldKind::TextList:
      return randomList(random, 0, [&] { return field.choices.empty() ? doubleQuoted(randomText(random)) : choice(); });
    case FieldKind::NumberList: return randomList(random, 1, [&] { return formatExact(randomNumber(random, field)); });
    case FieldKind::Bytes: return std::to_string(1 + below(random, std::int64_t{1} << 50));
    case FieldKind::Stages: return "[{at: 0ba, global_train_batch_size: 3}, {at: 0.25dur, global_train_batch_size: 9}]";
    case FieldKind::Schedule:
      return "[{name: linear, duration: 0.5ep, alpha_i: 0.25}, {name: multistep, milestones: [1ba, 0.5dur], duration: "
             "rest, gamma: 0.1}]";
    case FieldKind::EvalSets: return "{own: [own.txt, \"b c.txt\"], general-2: {text: [wiki.txt], weight: 0.5}}";
    case FieldKind::Tasks:
      return "[{path: a.yaml}, {name: b, kind: pair, train: \"b c.tsv\", test: d.csv, text: [e, \"f: g\"], label: h, "
             "metric: spearman}]";
    case FieldKind::RunStages: return "[{until: 0.25dur}, {until: 1dur, data.max_seq_len: 64, data.train: [a.txt]}]";
  }
  return "";
}

/// A configuration with every field drawn at random within its type; texts hold characters that YAML treats specially.
TrainConfig randomConfig(std::mt19937_64& random) {
  TrainConfig config;
  for (const Field& field : configSchema()) field.set(config, randomValue(random, field));
  return config;
}

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
  EXPECT_THAT(findField("log.noise_half_life")->set(config, "5xx"), HasSubstr("(tok), such as 1000000tok, above 0"));
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
    const TrainConfig config = randomConfig(random);
    TrainConfig back;
    for (const Field& field : configSchema())
      ASSERT_EQ(field.set(back, field.get(config)), "") << field.path << " = " << field.get(config);
    ASSERT_EQ(back, config);
  }
}

TEST(SchemaTest, AnyConfigurationReadsBackEqualThroughYaml) {
  std::mt19937_64 random(4);
  for (int round = 0; round < test::repeats(100, 2000); ++round) {
    const TrainConfig config = randomConfig(random);
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
