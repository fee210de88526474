// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/config/default_values.h"
#include "core/config/path_fields.h"
#include "core/config/run_stages.h"
#include "core/config/schema.h"
#include "core/config/sweep.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/support/vectors.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LoadedConfig parse(const std::string& yaml) {
  return parseConfig(yaml, "c.yaml", "/data");
}

Time timeOf(const char* text) {
  const Result<Time> time = Time::parse(text);
  EXPECT_TRUE(time.ok()) << text;
  return *time;
}

constexpr const char* kDocumentedExample = R"(version: 1
name: wikitext-mini
seed: 17
model: {preset: mini}                                   # or every size by name
tokenizer: {train: {vocab_size: 8192}}
data: {train: [text/*.txt], eval: [valid.txt], max_seq_len: 128}
max_duration: 2ep
batch: {global_train_batch_size: 256, device_train_microbatch_size: auto, rampup: {duration: 0.1dur, initial_global_train_batch_size: 32}}
optimizer: {name: adamw, lr: 5e-4, betas: [0.9, 0.98], eps: 1e-6, weight_decay: 0.01, grad_clip_norm: 1.0}
scheduler: {name: linear_with_warmup, t_warmup: 0.06dur, alpha_f: 0.02}
precision: fp32
eval: {interval: 0.1dur}
checkpoint: {interval: [500ba, 30m], keep_last: 3, keep_best: 1, best_metric: eval.loss}
devices: auto
)";

TEST(ConfigFileTest, ReadsTheDocumentedExample) {
  const LoadedConfig loaded = test::checked(parse(kDocumentedExample));
  EXPECT_TRUE(loaded.notes.empty()) << loaded.notes.front().text();
  const TrainConfig& c = loaded.config;
  EXPECT_EQ(c.name, "wikitext-mini");
  EXPECT_EQ(c.model.preset, ModelPreset::Mini);
  EXPECT_EQ(c.tokenizer.trainVocabSize, 8192);
  EXPECT_EQ(c.data.train, std::vector<std::string>{"text/*.txt"});
  EXPECT_EQ(c.data.eval, std::vector<std::string>{"valid.txt"});
  EXPECT_EQ(c.maxDuration, Time::of(2, TimeUnit::Epoch));
  EXPECT_EQ(c.batch.globalTrainBatchSize, 256);
  EXPECT_FALSE(c.batch.deviceTrainMicrobatchSize.has_value());
  EXPECT_EQ(c.batch.rampup.duration, Time::duration(0.1));
  EXPECT_EQ(c.batch.rampup.initialGlobalTrainBatchSize, 32);
  EXPECT_EQ(c.optimizer.lr, 5e-4);
  EXPECT_EQ(c.optimizer.eps, 1e-6);
  EXPECT_EQ(c.scheduler.tWarmup, Time::duration(0.06));
  EXPECT_EQ(c.scheduler.alphaF, 0.02);
  EXPECT_EQ(c.eval.interval, std::vector<Time>{Time::duration(0.1)});
  EXPECT_EQ(c.checkpoint.interval, (std::vector<Time>{timeOf("500ba"), timeOf("30m")}));
  EXPECT_EQ(c.devices.use, "auto");
}

TEST(ConfigFileTest, LeftOutFieldsHaveTheirDefaults) {
  const LoadedConfig loaded = test::checked(parse("scheduler: constant\n"));
  TrainConfig expected;
  expected.scheduler.name = "constant";
  EXPECT_EQ(loaded.config, expected);
}

TEST(ConfigFileTest, ReadsShortForms) {
  EXPECT_EQ(parse("{scheduler: constant, devices: 'cpu:4'}").config.devices.use, "cpu:4");
  EXPECT_EQ(parse("scheduler: constant\ndevices: cuda:0,1\n").config.devices.use, "cuda:0,1");
  const LoadedConfig section =
      test::checked(parse("scheduler: constant\ndevices: {use: cpu, memory_limit: 512MiB, threads: 2}\n"));
  EXPECT_EQ(section.config.devices.use, "cpu");
  EXPECT_EQ(section.config.devices.memoryLimitBytes, std::int64_t{512} << 20);
  EXPECT_EQ(section.config.devices.threads, 2);
  EXPECT_EQ(parse("scheduler: constant\ntokenizer: {path: vocab}\n").config.tokenizer.path, "vocab");
  EXPECT_EQ(parse("scheduler: constant\nmodel: tiny\n").config.model.preset, ModelPreset::Tiny);
  EXPECT_EQ(parse("scheduler: constant\ndata: {train: one.txt}\n").config.data.train,
            std::vector<std::string>{"one.txt"});
  EXPECT_EQ(parse("scheduler: constant\neval: {interval: [1ep, 30m]}\n").config.eval.interval->size(), 2U);
}

TEST(ConfigFileTest, MemorySizesTakeBinaryAndDecimalUnits) {
  const std::vector<std::pair<const char*, std::int64_t>> cases = {{"1048576", 1048576},
                                                                   {"512MiB", std::int64_t{512} << 20},
                                                                   {"2GB", 2'000'000'000},
                                                                   {"1.5GiB", (std::int64_t{3} << 30) / 2},
                                                                   {"64 KiB", 65536},
                                                                   {"10B", 10},
                                                                   {"1TiB", std::int64_t{1} << 40},
                                                                   {"3kB", 3000}};
  for (const auto& [text, bytes] : cases) {
    const LoadedConfig loaded =
        test::checked(parse(std::string("scheduler: constant\ndevices: {memory_limit: ") + text + "}\n"));
    EXPECT_EQ(loaded.config.devices.memoryLimitBytes, bytes) << text;
  }
}

TEST(ConfigFileTest, ReadsSourcesOfText) {
  const LoadedConfig read = test::checked(parse(
      "data:\n  train:\n  - {name: web, path: [web/*.txt, more], weight: 0.7}\n  - {path: own/my text.txt, weight: "
      "0.3}\n"));
  const std::vector<TextSource> wanted = {{"web", {"web/*.txt", "more"}, 0.7}, {"my-text", {"own/my text.txt"}, 0.3}};
  EXPECT_EQ(read.config.data.train.sources, wanted);
  EXPECT_EQ(parseConfig(read.yaml, "stored", "/data").config, read.config);
  const std::vector<TextSource> plain = {
      {"a", {"a.txt"}, {}}, {"web", {"text/web/*.txt"}, {}}, {"a-2", {"b/a.txt"}, {}}};
  EXPECT_EQ(
      parse("data: {train: [{path: a.txt}, text/web/*.txt, b/a.txt], temperature: 2}\n").config.data.train.sources,
      plain);
  const std::pair<const char*, const char*> wrong[] = {
      {"[{path: a, weight: 1}, b]", "data.train[1].weight: is missing for some sources"},
      {"[{path: a, name: x}, {path: b, name: x}]", "data.train[1].name: is given twice"},
      {"[{name: x}]", "data.train[0].path: is missing"},
      {"[{path: a, weight: 0}]", "data.train[0].weight"},
      {"[{path: a, name: a.b}]", "not a valid name of a source"},
      {"[{path: a, path: b}]", "data.train[0].path: is given twice"},
      {"[{path: a, weigth: 2}]", "did you mean 'weight'?"},
      {"[{path: a, repeat: 2}]", "unknown key; known: name, path, weight"}};
  for (const auto& [text, message] : wrong)
    EXPECT_THAT(parse(std::string("data: {train: ") + text + "}\n").errorText(), HasSubstr(message)) << text;
}

TEST(ConfigFileTest, ReadsAChainOfSchedules) {
  const LoadedConfig loaded = test::checked(parse(R"(scheduler:
  name: chain
  parts:
    - {name: linear, alpha_i: 0, alpha_f: 1, duration: 100ba}
    - {name: constant, duration: rest}
    - {name: cosine_annealing, alpha_f: 0.1, duration: 0.2dur}
)"));
  const auto& parts = loaded.config.scheduler.parts;
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "linear");
  EXPECT_EQ(parts[0].alphaI, 0.0);
  EXPECT_EQ(parts[0].length, timeOf("100ba"));
  EXPECT_FALSE(parts[0].rest);
  EXPECT_TRUE(parts[1].rest);
  EXPECT_FALSE(parts[1].length.has_value());
  EXPECT_EQ(parts[2].length, Time::duration(0.2));
}

TEST(ConfigFileTest, ReadsAnExplicitTableOfStages) {
  const LoadedConfig loaded = test::checked(
      parse("scheduler: constant\nbatch: {rampup: {stages: [{at: 0ba, global_train_batch_size: 32}, {at: 10ba, "
            "global_train_batch_size: 256}]}}\n"));
  EXPECT_EQ(loaded.config.batch.rampup.stages,
            (std::vector<RampLevelConfig>{{Time::of(0, TimeUnit::Batch), 32}, {Time::of(10, TimeUnit::Batch), 256}}));
}

TEST(ConfigFileTest, NamesOfOtherTrainersAreAcceptedWithANote) {
  const LoadedConfig loaded = test::checked(parse(R"(scheduler: constant
data: {train: a.txt}
global_train_batch_size: 512
device_train_microbatch_size: 8
batch_rampup: 10ba
inital_global_train_batch_size: 64
)"));
  EXPECT_EQ(loaded.config.batch.globalTrainBatchSize, 512);
  EXPECT_EQ(loaded.config.batch.deviceTrainMicrobatchSize, 8);
  EXPECT_EQ(loaded.config.batch.rampup.duration, timeOf("10ba"));
  EXPECT_EQ(loaded.config.batch.rampup.initialGlobalTrainBatchSize, 64);
  ASSERT_EQ(loaded.notes.size(), 4U);
  EXPECT_EQ(loaded.notes[3].field, "batch.rampup.initial_global_train_batch_size");
  EXPECT_EQ(loaded.notes[3].line, 6);
  EXPECT_THAT(loaded.notes[3].message, HasSubstr("inital_global_train_batch_size"));
}

TEST(ConfigFileTest, ReadsDeepSpeedsSection) {
  const std::string section = R"(dynamic_batching:
  enabled: true
  max_tokens: 4096
  min_batch_size: 2
  max_batch_size: 64
  sequence_picking_order: seqlen
  lr_scaling_method: sqrt
  verbose: true
)";
  const LoadedConfig loaded =
      test::checked(parse("scheduler: constant\nlr_scaling: {reference_batch_size: 64}\n" + section));
  EXPECT_EQ(loaded.config.batch.tokens.maxTokens, 4096);
  EXPECT_EQ(loaded.config.batch.tokens.minBatchSize, 2);
  EXPECT_EQ(loaded.config.batch.tokens.maxBatchSize, 64);
  EXPECT_EQ(loaded.config.batch.tokens.sequencePickingOrder, PickingOrder::BySize);
  EXPECT_EQ(loaded.config.lrScaling.method, LrScalingMethod::Sqrt);
  EXPECT_TRUE(test::checked(parse("scheduler: constant\ndynamic_batching: {enabled: yes, max_tokens: 4096}\n"))
                  .config.batch.tokens.enabled());
  const LoadedConfig off = test::checked(parse("scheduler: constant\ndynamic_batching: {max_tokens: 4096}\n"));
  EXPECT_FALSE(off.config.batch.tokens.enabled());
  ASSERT_FALSE(off.notes.empty());
  EXPECT_THAT(off.notes.front().message, HasSubstr("enabled"));
}

/// The settings that the peer resolves its section to, as ours.
nlohmann::json answerTo(const nlohmann::json& section) {
  const std::string yaml = section.is_null() ? "" : "dynamic_batching: " + section.dump() + "\n";
  const LoadedConfig loaded = parse("scheduler: constant\nlr_scaling: {reference_batch_size: 64}\n" + yaml);
  if (!loaded.ok()) return {{"error", "refused"}};
  const TokenBudgetConfig& tokens = loaded.config.batch.tokens;
  nlohmann::json answer = {{"enabled", tokens.enabled()},
                           {"lr_scaling_method", choiceName(loaded.config.lrScaling.method)},
                           {"min_batch_size", tokens.minBatchSize},
                           {"max_batch_size", nullptr},
                           {"sequence_picking_order", choiceName(tokens.sequencePickingOrder)}};
  if (tokens.maxTokens) answer["max_tokens"] = *tokens.maxTokens;
  if (tokens.maxBatchSize) answer["max_batch_size"] = *tokens.maxBatchSize;
  if (!tokens.metricsPath.empty()) answer["metrics_path"] = tokens.metricsPath;
  return answer;
}

TEST(ConfigFileTest, ReadsTheRecordedSectionsAsDeepSpeedDoes) {
  const auto cases = test::vectorCases("deepspeed_batching.json", {"config"});
  ASSERT_EQ(cases.size(), 5U);
  for (test::VectorCase one : cases) {
    SCOPED_TRACE(one.name);
    const nlohmann::json found = answerTo(one.input);
    ASSERT_EQ(found.contains("error"), one.refused());
    if (one.refused()) continue;
    for (nlohmann::json* side : {&one.answer, &one.peer}) {
      side->erase("verbose");  // how much the peer prints
      if (side->at("lr_scaling_method") == "None") side->at("lr_scaling_method") = "none";
    }
    EXPECT_EQ(test::difference(one.answer, found), "");
    EXPECT_FALSE(one.excepted && test::difference(one.peer, found).empty()) << "needs no exception";
  }
}

TEST(ConfigFileTest, DeepSpeedsWordForNoScalingIsOurs) {
  for (const char* method : {"null", "None", "none", "~"}) {
    const LoadedConfig loaded =
        test::checked(parse("scheduler: constant\ndynamic_batching: {enabled: true, max_tokens: 100.7, "
                            "lr_scaling_method: " +
                            std::string(method) + "}\n"));
    EXPECT_EQ(loaded.config.lrScaling.method, LrScalingMethod::None);
    EXPECT_EQ(loaded.config.batch.tokens.maxTokens, 100);
  }
}

TEST(ConfigFileTest, ATableThatOverrulesTheDefaultSizeAsTypedIsNoted) {
  const std::string table =
      "rampup: {stages: [{at: 0ba, global_train_batch_size: 4}, "
      "{at: 3ba, global_train_batch_size: 16}]}}\n";
  const std::string usual = std::to_string(BatchConfig{}.globalTrainBatchSize);
  const LoadedConfig typed = test::checked(parse("batch: {global_train_batch_size: " + usual + ", " + table));
  ASSERT_EQ(typed.notes.size(), 1U);
  EXPECT_EQ(typed.notes[0].text(), "c.yaml:1: batch.global_train_batch_size: " + usual +
                                       " is not used; the last size of batch.rampup.stages, 16, is the global batch");
  EXPECT_TRUE(parse("batch: {" + table).notes.empty());
}

TEST(ConfigFileTest, ARateByTokensThatDoesNotFollowTokensIsNoted) {
  const std::string scaling = "lr_scaling: {method: sqrt, reference_batch_size: 4096, by: tokens, applies_to: [";
  const LoadedConfig slip = parse(scaling + "growth, rampup]}");
  ASSERT_EQ(slip.notes.size(), 1U);
  EXPECT_EQ(slip.notes[0].field, "lr_scaling.by");
  EXPECT_EQ(slip.notes[0].line, 1);
  EXPECT_THAT(slip.notes[0].message, HasSubstr("lr_scaling.applies_to does not name tokens"));
  EXPECT_TRUE(parse(scaling + "growth, tokens]}").notes.empty());
  EXPECT_TRUE(parse("lr_scaling: {by: tokens, applies_to: [growth]}").notes.empty()) << "no rate is scaled";
}

TEST(ConfigFileTest, AFileIsOneDocument) {
  const test::TempFolder folder;
  const std::filesystem::path file = folder.path() / "two.yaml";
  std::ofstream(file) << "seed: 3\nname: a\n---\n\noptimizer.lr: 5\n";
  const LoadedConfig two = loadConfig(file.string());
  ASSERT_EQ(two.errors.size(), 1U);
  EXPECT_EQ(two.errors[0].line, 5);
  EXPECT_THAT(two.errors[0].message, HasSubstr("second YAML document"));
  std::ofstream(file) << "seed: 3\rname: a\roptimizer:\r  lr: 5\r";
  EXPECT_EQ(test::checked(loadConfig(file.string(), {"seed=4"})).config.optimizer.lr, 5);
  std::ofstream(file) << "---\nseed: 3\n---\n";
  const LoadedConfig one = test::checked(loadConfig(file.string(), {"seed=4"}));
  EXPECT_EQ(one.config.seed, 4);
}

TEST(ConfigFileTest, AllErrorsComeAtOnceWithTheirLines) {
  const LoadedConfig loaded =
      parse("sead: 3\nmax_duration: 5\nbatch:\n  globl_train_batch_size: 3\noptimizer: {lr: fast}\n");
  ASSERT_EQ(loaded.errors.size(), 4U) << loaded.errorText();
  EXPECT_EQ(loaded.errors[0].text().rfind("c.yaml:1: sead: unknown field; did you mean 'seed'?", 0), 0U)
      << loaded.errors[0].text();
  EXPECT_EQ(loaded.errors[1].line, 2);
  EXPECT_EQ(loaded.errors[2].field, "batch.globl_train_batch_size");
  EXPECT_EQ(loaded.errors[2].line, 4);
  EXPECT_THAT(loaded.errors[2].message, HasSubstr("'batch.global_train_batch_size'"));
  EXPECT_EQ(loaded.errors[3].field, "optimizer.lr");
  EXPECT_EQ(loaded.errors[3].line, 5);
}

TEST(ConfigFileTest, AFieldInTheWrongSectionIsFound) {
  const LoadedConfig loaded = parse("grad_clip_norm: 1\n");
  ASSERT_EQ(loaded.errors.size(), 1U);
  EXPECT_THAT(loaded.errors[0].message, HasSubstr("did you mean 'optimizer.grad_clip_norm'?"));
}

TEST(ConfigFileTest, FlagsChangeTheFileAndTheTextReadsBackEqual) {
  const test::TempFolder folder;
  std::ofstream(folder / "run.yaml") << "{name: a, scheduler: {name: constant}, optimizer: {lr: 1e-3}}";
  const LoadedConfig good = test::checked(
      loadConfig((folder / "run.yaml").string(),
                 {"optimizer.lr=2e-3", "batch.rampup={duration: 0.1dur}", "devices=cpu:2", "optimizer.lr=3e-3",
                  "data.train=[a.txt, \"b, c.txt\"]", "launch.why='a: b # c'", "global_train_batch_size=64"}));
  EXPECT_EQ(good.config.optimizer.lr, 3e-3);
  EXPECT_EQ(good.config.batch.rampup.duration, Time::duration(0.1));
  EXPECT_EQ(good.config.devices.use, "cpu:2");
  EXPECT_EQ(good.config.data.train, (std::vector<std::string>{"a.txt", "b, c.txt"}));
  EXPECT_EQ(good.config.launch.why, "a: b # c");
  EXPECT_EQ(good.config.batch.globalTrainBatchSize, 64);
  EXPECT_EQ(good.baseFolder, folder.path());
  const LoadedConfig again = parseConfig(good.yaml, "stored", folder.path());
  ASSERT_TRUE(again.ok()) << again.errorText() << "\n" << good.yaml;
  EXPECT_EQ(again.config, good.config);
}

TEST(ConfigFileTest, WithoutAFileRelativePathsStartAtTheWorkingFolder) {
  EXPECT_EQ(loadConfig("demo").baseFolder, std::filesystem::current_path());
  const LoadedConfig missing = loadConfig("/nosuch/run.yaml");
  ASSERT_EQ(missing.errors.size(), 1U);
  EXPECT_THAT(missing.errors[0].text(), testing::HasSubstr("/nosuch/run.yaml"));
  EXPECT_EQ(newRunConfig().baseFolder, std::filesystem::current_path());
  EXPECT_TRUE(newRunConfig().ok());
}

TEST(ConfigFileTest, ARunOfOnesOwnIsNotCalledDemo) {
  EXPECT_EQ(loadConfig("demo").config.name, "demo");
  EXPECT_EQ(loadConfig("demo", {"optimizer.lr=1e-3"}).config.name, "demo");
  const LoadedConfig own = test::checked(loadConfig("demo", {"data.format=text", "data.train=[a.txt]"}));
  EXPECT_EQ(own.config.name, "");
  EXPECT_EQ(parseConfig(own.yaml, "stored", {}).config, own.config);
  EXPECT_EQ(loadConfig("demo", {"data.format=text", "data.train=[a.txt]", "name=mine"}).config.name, "mine");
  TrainConfig nameless = loadConfig("demo").config;
  nameless.name.clear();
  EXPECT_EQ(newRunConfig().config, nameless);
}

TEST(ConfigFileTest, AStoredRunKeepsWhatOnlyANewRunMayNotHave) {
  const auto brokenIn = [](const TrainConfig& config, const TrainConfig& stored) {
    std::vector<std::string> fields;
    for (const FieldProblem& problem : checkNewRun(config, &stored)) fields.push_back(problem.field);
    return fields;
  };
  const TrainConfig old = loadConfig("demo", {"data.train=[a.txt]", "optimizer.eps=1e-60"}).config;
  EXPECT_EQ(checkNewRun(old).size(), 2U);
  EXPECT_THAT(brokenIn(old, old), testing::IsEmpty());
  TrainConfig changed = old;
  changed.maxDuration = Time::of(900, TimeUnit::Batch);
  EXPECT_THAT(brokenIn(changed, old), testing::IsEmpty());
  changed.optimizer.eps = 1e-61;
  EXPECT_THAT(brokenIn(changed, old), testing::ElementsAre("optimizer.eps"));
  changed.data.train = {"b.txt"};
  EXPECT_THAT(brokenIn(changed, old), testing::ElementsAre("optimizer.eps", "data.train"));
  TrainConfig text = old;
  text.data.format = TextFormat::Text;
  EXPECT_THAT(brokenIn(old, text), testing::ElementsAre("data.train")) << "the format is what makes the text unused";
}

TEST(ConfigFileTest, ANewRunNamesAMicrobatchOrTakesTheLargest) {
  const TrainConfig both =
      loadConfig("demo", {"batch.use_maximum_batch_size=true", "batch.device_train_microbatch_size=8"}).config;
  ASSERT_EQ(checkNewRun(both).size(), 1U);
  EXPECT_EQ(checkNewRun(both).front().field, "batch.use_maximum_batch_size");
  EXPECT_TRUE(checkNewRun(both, &both).empty());
  TrainConfig found = both;
  found.batch.deviceTrainMicrobatchSize.reset();
  EXPECT_TRUE(checkNewRun(found).empty());
}

TEST(ConfigFileTest, OwnTextBesideTheDemoIsAnErrorOfANewRunOnly) {
  for (const char* field : {"data.train", "data.eval"}) {
    const LoadedConfig loaded = loadConfig("demo", {std::string(field) + "=[a.txt]"});
    EXPECT_TRUE(loaded.ok()) << loaded.errorText();  // a stored run is read like this
    const auto problems = checkNewRun(loaded.config);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].field, field);
    EXPECT_THAT(problems[0].message, HasSubstr("data.format is demo"));
  }
  EXPECT_TRUE(checkNewRun(loadConfig("demo").config).empty());
  const SweepConfig sweep = loadSweep("demo", {"data.train=[a.txt]", "data.format=[text, demo]"});
  const auto runs = test::checked(sweepRuns(sweep.first, sweep.axes));
  EXPECT_TRUE((*runs)[0].ok());
  EXPECT_FALSE((*runs)[1].ok());
}

TEST(ConfigFileTest, FaultyFlagsNameTheFlag) {
  for (const auto& [flag, field] :
       std::vector<std::pair<std::string, std::string>>{{"optimizer.lr", ""},
                                                        {"=3", ""},
                                                        {"optimizer.lr=fast", "optimizer.lr"},
                                                        {"optimiser.lr=1", "optimiser.lr"},
                                                        {"batch=5", "batch"},
                                                        {"optimizer.betas=[0.9", "optimizer.betas"},
                                                        {"optimizer.lr=", "optimizer.lr"}}) {
    const LoadedConfig loaded = loadConfig("demo", {flag});
    ASSERT_EQ(loaded.errors.size(), 1U) << flag << "\n" << loaded.errorText();
    EXPECT_EQ(loaded.errors[0].source, "--set");
    EXPECT_EQ(loaded.errors[0].field, field) << loaded.errorText();
  }
}

TEST(ConfigFileTest, ATextGivenByAFlagMeansItself) {
  const std::string function = "epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size";
  const LoadedConfig loaded = test::checked(loadConfig(
      "demo", {"batch.growth.increase_function=" + function, "launch.why= a: b # c", "name=\"quoted: text\""}));
  EXPECT_EQ(loaded.config.batch.growth.increaseFunction, function);
  EXPECT_EQ(loaded.config.launch.why, "a: b # c");
  EXPECT_EQ(loaded.config.name, "quoted: text");
  EXPECT_EQ(parseConfig(loaded.yaml, "stored", {}).config, loaded.config);
}

TEST(ConfigFileTest, WhatAFlagBreaksIsPutAtTheFlag) {
  const LoadedConfig loaded =
      loadConfig("demo", {"batch.rampup={duration: 4ba, initial_global_train_batch_size: 1000000}"});
  ASSERT_EQ(loaded.errors.size(), 1U) << loaded.errorText();
  EXPECT_EQ(loaded.errors[0].field, "batch.rampup.initial_global_train_batch_size");
  EXPECT_EQ(loaded.errors[0].line, 0);
  const LoadedConfig twice = parseConfig("seed: 1\nbatch: {rampup: {duration: 4ba}}\n", "run.yaml", {},
                                         {"batch.rampup.initial_global_train_batch_size=1000000"});
  ASSERT_EQ(twice.errors.size(), 1U) << twice.errorText();
  EXPECT_EQ(twice.errors[0].source, "--set");
  EXPECT_EQ(twice.errors[0].line, 0);
}

TEST(ConfigFileTest, AnIssueNamesThePlaceOfItsField) {
  const LoadedConfig loaded = parseConfig("seed: 1\nscheduler:\n  name: constant\n  t_max: 4ba\n", "run.yaml", {});
  EXPECT_EQ(loaded.issueAt("scheduler.t_max", "x").line, 4);
  EXPECT_EQ(loaded.issueAt("scheduler", "x").text(), "run.yaml:3: scheduler: x");
  EXPECT_EQ(loaded.issueAt("batch.growth.every", "x").line, 0);
}

TEST(ConfigFileTest, OnlyTheFirstErrorOfAFieldHasItsValue) {
  const LoadedConfig loaded = parse("lr_scaling: {applies_to: [a, b]}\n");
  ASSERT_GE(loaded.errors.size(), 2U);
  EXPECT_EQ(loaded.errors[0].value, "[a, b]");
  EXPECT_EQ(loaded.errors[1].field, "lr_scaling.applies_to[1]");
  EXPECT_TRUE(loaded.errors[1].value.empty()) << "a long list would be copied once for each of its items";
}

TEST(ConfigFileTest, ReadsTheBundledDemo) {
  const LoadedConfig loaded = test::checked(loadConfig("demo"));
  EXPECT_TRUE(loaded.notes.empty());
  EXPECT_EQ(loaded.config.data.format, TextFormat::Demo);
  EXPECT_EQ(loaded.config.model.preset, ModelPreset::Tiny);
  EXPECT_TRUE(bundledConfig("other").empty());
}

TEST(ConfigFileTest, AMissingFileOrAFolderIsOneClearError) {
  const test::TempFolder folder;
  for (const std::string& path : {(folder / "none.yaml").string(), folder.path().string()}) {
    const LoadedConfig loaded = loadConfig(path);
    ASSERT_EQ(loaded.errors.size(), 1U);
    EXPECT_THAT(loaded.errors[0].text(), HasSubstr(path));
    EXPECT_EQ(loaded.errors[0].text().find(path), loaded.errors[0].text().rfind(path)) << "named once";
  }
  EXPECT_THAT(loadConfig("demmo").errorText(), HasSubstr("or 'demo' for the bundled one"));
}

TEST(DeviceNamesTest, CountsWhatIsNamed) {
  EXPECT_EQ(namedDeviceCount("cpu"), 1);
  EXPECT_EQ(namedDeviceCount("cpu:4"), 4);
  EXPECT_EQ(namedDeviceCount("cuda:3"), 1);
  EXPECT_EQ(namedDeviceCount("cuda:0,1"), 2);
  EXPECT_FALSE(namedDeviceCount("cuda").has_value());
  EXPECT_FALSE(namedDeviceCount("auto").has_value());
}

TEST(ConfigFileTest, SlipsBecomeNotes) {
  const LoadedConfig loaded = test::checked(parse("batch: {tokens: {min_batch_size: 2}}\n"));
  ASSERT_EQ(loaded.notes.size(), 1U);
  EXPECT_EQ(loaded.notes[0].field, "batch.tokens.max_tokens");
}

TrainConfig filled(const std::string& yaml) {
  const LoadedConfig loaded = test::checked(parseConfig(yaml, "test", {}));
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

TEST(DefaultValuesTest, UnderARampTheWarmUpBeginsAtOneUnlessItIsSaid) {
  const auto startOf = [](const std::string& yaml) { return withDefaults(parse(yaml).config).scheduler.warmupFrom; };
  const std::string ramp = "batch: {rampup: {duration: 0.1dur}}\n";
  EXPECT_EQ(startOf(""), std::nullopt);
  EXPECT_EQ(startOf(ramp), WarmupStart::One);
  EXPECT_EQ(startOf("batch: {rampup: {from_schedule: {factor: 2}}}\n"), WarmupStart::One);
  EXPECT_EQ(startOf(ramp + "scheduler: {warmup_from: zero}\n"), WarmupStart::Zero);
  EXPECT_EQ(startOf(ramp + "scheduler: constant\n"), std::nullopt);
  const RunStage later =
      runStages(parse("max_duration: 20ba\nstages: [{until: 10ba}, {until: 20ba}]\n" + ramp).config)[1];
  EXPECT_EQ(later.config.scheduler.warmupFrom, WarmupStart::One) << "the schedule of the run goes on";
}

TEST(DefaultValuesTest, TheLargestGlobalBatchIsTheCapOfASchedule) {
  BatchConfig batch;
  EXPECT_EQ(largestGlobalBatch(batch), 256);
  for (const auto& [cap, size] : {std::pair{"4x", 1024}, {"1.5x", 384}, {"300", 300}}) {
    batch.rampup.fromSchedule = {1.41, cap};
    EXPECT_EQ(largestGlobalBatch(batch), size) << cap;
  }
  for (const char* bad : {"", "x", "0", "0.5x", "2.5", "-4x", "4 x", "nan", "inf", "4xx"})
    EXPECT_NE(checkCap(bad), "") << bad;
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

const std::string kRun = "data: {train: [a.txt]}\nmax_duration: 100ba\nscheduler: {name: constant}\n";

TrainConfig staged(const std::string& stages, const std::string& run = kRun) {
  const LoadedConfig loaded = test::checked(parseConfig(run + "stages: " + stages + "\n", "test", {}));
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

TEST(RunStagesTest, AStageWithAnotherSeedReadsTheDataAnewAndTheNextGoesOn) {
  const std::vector<RunStage> stages =
      runStages(staged("[{until: 0.5dur}, {until: 0.8dur, seed: 5}, {until: 0.9dur}, {until: 1dur, seed: 5}]"));
  EXPECT_FALSE(stages[1].continuesPass);
  EXPECT_TRUE(stages[2].continuesPass);
  EXPECT_TRUE(stages[3].continuesPass);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(stages[i].config.seed, 5);
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
  EXPECT_THAT(problems("[{until: 1dur, name: b}]"),
              ElementsAre(issueOf("stages[0].name", "is fixed for the whole run; a stage")));
}

TEST(AnchoredPathsTest, RelativeNamesStartAtTheFolder) {
  SweepConfig read = parseSweep(
      "data: {train: [text/*.txt, /corpus/all.txt, ../more], eval: [held out.txt]}\n"
      "tokenizer: {path: vocab}\nmodel: {init_from: weights/small}\n",
      "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  TrainConfig& config = read.first.config;
  config.batch.tokens.metricsPath = "lengths.bin";
  EXPECT_TRUE(makePathsAbsolute(config, read.axes, "/home/me/runs"));
  EXPECT_THAT(config.data.train.names(), ElementsAre("/home/me/runs/text/*.txt", "/corpus/all.txt", "/home/me/more"));
  EXPECT_THAT(config.data.eval, ElementsAre("/home/me/runs/held out.txt"));
  EXPECT_EQ(config.tokenizer.path, "/home/me/runs/vocab");
  EXPECT_EQ(config.model.initFrom, "/home/me/runs/weights/small");
  EXPECT_EQ(config.batch.tokens.metricsPath, "/home/me/runs/lengths.bin");
  EXPECT_FALSE(makePathsAbsolute(config, read.axes, "/elsewhere")) << "absolute names stay";
}

TEST(AnchoredPathsTest, ATildeStartsAtTheHomeFolder) {
  const test::EnvironmentVariable home("HOME", "/home/me");
  SweepConfig read = parseSweep("data: {train: [~/text/*.txt, ~other/x]}\nmodel: {init_from: ~/weights}\n", "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  EXPECT_THAT(read.first.config.data.train.names(), ElementsAre("/home/me/text/*.txt", "/runs/~other/x"));
  EXPECT_EQ(read.first.config.model.initFrom, "/home/me/weights");
}

TEST(AnchoredPathsTest, NamesOfEvaluationSetsAndOfStagesStartAtTheFolder) {
  const std::string text = "eval:\n  sets: {own: [own.txt, /all.txt], general: {text: wiki.txt, weight: 0.5}}  # two\n";
  SweepConfig read = parseSweep(text, "test", {});
  ASSERT_TRUE(read.first.ok()) << read.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  ASSERT_EQ(read.first.config.eval.sets.size(), 2u);
  EXPECT_THAT(read.first.config.eval.sets[0].text, ElementsAre("/runs/own.txt", "/all.txt"));
  EXPECT_THAT(read.first.config.eval.sets[1].text, ElementsAre("/runs/wiki.txt"));
  EXPECT_EQ(read.first.config.eval.sets[1].weight, 0.5);
  EXPECT_EQ(makePathsAbsoluteInText(text, "/runs").value_or("nothing"),
            "eval:\n  sets: {own: [/runs/own.txt, /all.txt], general: {text: /runs/wiki.txt, weight: 0.5}}  # two\n");
  const std::string sources = "data: {train: [{name: a, path: a.txt}, {path: [b.txt, /c.txt]}]}\n";
  EXPECT_EQ(makePathsAbsoluteInText(sources, "/runs").value_or("nothing"),
            "data: {train: [{name: a, path: /runs/a.txt}, {path: [/runs/b.txt, /c.txt]}]}\n");
  SweepConfig staged =
      parseSweep("max_duration: 100ba\nstages: [{until: 0.5dur}, {until: 1dur, data.train: [late.txt]}]\n", "test", {});
  ASSERT_TRUE(staged.first.ok()) << staged.first.errorText();
  EXPECT_TRUE(makePathsAbsolute(staged.first.config, staged.axes, "/runs"));
  EXPECT_EQ(staged.first.config.stages[1].settings[0].second, "[/runs/late.txt]");
}

TEST(AnchoredPathsTest, SeveralValuesOfAFieldAreAnchoredEach) {
  SweepConfig read = parseSweep("data: {train: [[a.txt], [b.txt, c.txt]]}\nseed: [1, 2]\n", "test", {});
  ASSERT_EQ(read.axes.size(), 2u);
  EXPECT_TRUE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  const SweepConfig again = parseSweep(sweepToYaml(read.first.config, read.axes), "test", "/other");
  ASSERT_TRUE(again.first.ok()) << again.first.errorText();
  const auto runs = test::checked(sweepRuns(again.first, again.axes));
  ASSERT_EQ(runs->size(), 4u);
  EXPECT_THAT(runs->front().config.data.train.names(), ElementsAre("/runs/a.txt"));
  EXPECT_THAT(runs->back().config.data.train.names(), ElementsAre("/runs/b.txt", "/runs/c.txt"));
  EXPECT_EQ(runs->back().config.seed, 2);
}

TEST(AnchoredPathsTest, InATextOnlyTheNamesChange) {
  const std::string text =
      "# mine: text/*.txt is all there is\n"
      "seed: 7   # lucky\n"
      "data:\n"
      "  # \xc3\xa4lter\n"
      "  train: [text/*.txt, \"a \\\"b\\\".txt\", 'it''s.txt', /corpus/all.txt]  # three and one\n"
      "  eval:\n"
      "    - held/out.txt # one\n"
      "tokenizer.path: vocab\n";
  const auto anchored = makePathsAbsoluteInText(text, "/home/me");
  ASSERT_TRUE(anchored.has_value());
  EXPECT_EQ(
      *anchored,
      "# mine: text/*.txt is all there is\n"
      "seed: 7   # lucky\n"
      "data:\n"
      "  # \xc3\xa4lter\n"
      "  train: [\"/home/me/text/*.txt\", \"/home/me/a \\\"b\\\".txt\", \"/home/me/it's.txt\", /corpus/all.txt]  # "
      "three and one\n"
      "  eval:\n"
      "    - /home/me/held/out.txt # one\n"
      "tokenizer.path: /home/me/vocab\n");
  EXPECT_EQ(makePathsAbsoluteInText(*anchored, "/elsewhere"), anchored) << "absolute names stay";
}

TEST(AnchoredPathsTest, InATextSeveralValuesAndLaterDocumentsCount) {
  const auto anchored =
      makePathsAbsoluteInText("data: {train: [[a.txt], [b.txt]]}  # both\n---\ndata.eval: c.txt\n", "/runs");
  ASSERT_TRUE(anchored.has_value());
  EXPECT_EQ(*anchored, "data: {train: [[/runs/a.txt], [/runs/b.txt]]}  # both\n---\ndata.eval: /runs/c.txt\n");
}

TEST(AnchoredPathsTest, ATextWhoseNamesDoNotStandInOnePieceIsLeft) {
  EXPECT_EQ(makePathsAbsoluteInText("# c\ndata:\n  train: >-\n    a.txt\n", "/runs"), std::nullopt);
  EXPECT_EQ(makePathsAbsoluteInText("# c\ndata:\n  train: a\n    b.txt\n", "/runs"), std::nullopt);
}

TEST(AnchoredPathsTest, WithoutNamesNothingChanges) {
  SweepConfig read = parseSweep("seed: 3\n", "test", {});
  const TrainConfig before = read.first.config;
  EXPECT_FALSE(makePathsAbsolute(read.first.config, read.axes, "/runs"));
  EXPECT_EQ(read.first.config, before);
}

}  // namespace
}  // namespace batchwise
