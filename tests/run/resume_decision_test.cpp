// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_decision.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "core/config/config_file.h"
#include "core/config/schema.h"

namespace batchwise {
namespace {

using Kind = ResumeDecision::Kind;
using Reason = ResumeRefusal::Reason;

ResumeDecision decisionOn(const std::string& changed, bool fork = false, bool stretch = false, std::int64_t part = 0) {
  RunDetail run;
  run.configYaml = "max_duration: 9ba\n";
  run.summary.at.batch = 7;
  CheckpointRecord from;
  from.id = "ab12";
  from.at.batch = 5;
  from.at.stepInBatch = part;
  LaunchRequest request;
  request.config = parseConfig(run.configYaml + changed, "draft", {});
  for (const auto& [field, place] : parseConfig(changed, "draft", {}).locations) request.config.assigned.insert(field);
  request.fork = fork;
  request.stretch = stretch;
  return decideResume(request, run, from, parseConfig(run.configYaml, "draft", {}).config);
}

TEST(ResumeDecisionTest, AnUnchangedRunGoesOnAndRepeatsWhatCameAfterTheCheckpoint) {
  const ResumeDecision decision = decisionOn("");
  EXPECT_EQ(decision.kind, Kind::Continue);
  EXPECT_EQ(decision.repeatedBatches, 2);
  EXPECT_TRUE(decision.changes.empty());
}

TEST(ResumeDecisionTest, AChangeIsAcceptedOrNeedsAForkOrAStretch) {
  const struct {
    const char* changed;
    bool fork, stretch;
    Kind kind;
    std::optional<Reason> reason;
  } cases[] = {
      {"checkpoint: {keep_last: 7}\n", false, false, Kind::Continue, {}},
      {"name: other\n", false, false, Kind::Refused, Reason::Rename},
      {"name: other\n", true, false, Kind::ForkFromState, {}},
      {"seed: 4\n", false, false, Kind::Refused, Reason::ForkRequired},
      {"seed: 4\n", true, false, Kind::ForkFromWeights, {}},
      {"scheduler: {name: constant}\n", false, false, Kind::Refused, Reason::StretchRequired},
      {"scheduler: {name: constant}\n", false, true, Kind::Continue, {}},
      {"scheduler: {name: constant}\n", true, false, Kind::ForkFromWeights, {}},
  };
  for (const auto& each : cases) {
    const ResumeDecision decision = decisionOn(each.changed, each.fork, each.stretch);
    EXPECT_EQ(decision.kind, each.kind) << each.changed;
    EXPECT_EQ(decision.possibleAsFork(), each.reason.has_value()) << each.changed;
    if (each.reason && !decision.refusals.empty()) {
      EXPECT_EQ(decision.refusals.front().reason, *each.reason);
    }
  }
}

TEST(ResumeDecisionTest, AForkThatChangesSamplesOrMasksGoesOnFromTheStateAsAFurtherStage) {
  const ResumeDecision decision = decisionOn("data: {mlm_probability: 0.3, max_seq_len: 64}\n", true);
  EXPECT_EQ(decision.kind, Kind::ForkFromState);
  EXPECT_TRUE(decision.addsStage);
  EXPECT_EQ(decision.forkChanges.size(), 2U);
  EXPECT_EQ(decision.config.data.mlmProbability, 0.15) << "up to the checkpoint";
  ASSERT_EQ(decision.config.stages.size(), 2U);
  EXPECT_EQ(decision.config.stages[0].until.text(), "5ba");
  EXPECT_EQ(decision.config.stages[1].until.text(), "1.0dur");
  EXPECT_EQ(decision.config.stages[1].settings, (std::vector<std::pair<std::string, std::string>>{
                                                    {"data.max_seq_len", "64"}, {"data.mlm_probability", "0.3"}}));
  EXPECT_TRUE(checkRules(decision.config).empty());
}

TEST(ResumeDecisionTest, AForkWithAnotherPrecisionKeepsTheState) {
  const ResumeDecision decision = decisionOn("precision: bf16\n", true);
  EXPECT_EQ(decision.kind, Kind::ForkFromState);
  EXPECT_FALSE(decision.addsStage);
  EXPECT_EQ(decision.config.precision, Precision::Bf16);
}

TEST(ResumeDecisionTest, AForkThatChangesMoreOrLiesInsideAGlobalBatchStartsFromTheWeights) {
  EXPECT_EQ(decisionOn("data: {mlm_probability: 0.3}\nscheduler: {name: constant}\n", true).kind,
            Kind::ForkFromWeights);
  EXPECT_EQ(decisionOn("data: {mlm_probability: 0.3}\nseed: 4\n", true).kind, Kind::ForkFromWeights);
  EXPECT_EQ(decisionOn("data: {mlm_probability: 0.3}\n", true, false, 1).kind, Kind::ForkFromWeights);
}

/// A fork of a run of 60 global batches of 16 samples from its 20th.
ResumeDecision forkOf(const std::string& scheduler, const std::map<std::string, std::string>& times,
                      const std::vector<std::string>& changes, const std::string& length = "60ba") {
  RunDetail run;
  run.configYaml = "max_duration: " + length + "\nbatch: {global_train_batch_size: 16}\nscheduler: " + scheduler + "\n";
  run.resolvedYaml = run.configYaml;
  run.resolvedValues = times;
  run.resolvedValues["data.samples_per_epoch"] = "500";
  CheckpointRecord from;
  from.at.batch = 20;
  from.at.sample = 320;
  from.at.token = 7000;
  LaunchRequest request;
  request.fork = true;
  request.config = parseConfig(run.configYaml, "draft", {}, changes);
  EXPECT_TRUE(request.config.ok()) << request.config.errorText();
  return decideResume(request, run, from, parseConfig(run.configYaml, "draft", {}).config);
}

TEST(ResumeDecisionTest, AForkWithAnotherBatchSizeKeepsTheStateAndTheRateAtEachSample) {
  const ResumeDecision decision =
      forkOf("{name: linear_with_warmup}", {{"scheduler.t_warmup", "4ba"}, {"scheduler.t_max", "60ba"}},
             {"batch.global_train_batch_size=64", "optimizer.lr=1e-3"});
  EXPECT_EQ(decision.kind, Kind::ForkFromState);
  EXPECT_TRUE(decision.addsStage);
  EXPECT_FALSE(decision.keepsSchedule);
  EXPECT_EQ(decision.config.batch.globalTrainBatchSize, 16) << "up to the checkpoint";
  EXPECT_EQ(decision.config.maxDuration.text(), "960sp");
  EXPECT_EQ(decision.config.scheduler.tWarmup->text(), "64sp");
  EXPECT_EQ(decision.config.scheduler.tMax->text(), "960sp");
  ASSERT_EQ(decision.config.stages.size(), 2U);
  EXPECT_EQ(decision.config.stages[0].until.text(), "320sp");
  EXPECT_EQ(decision.config.stages[1].settings,
            (std::vector<std::pair<std::string, std::string>>{{"batch.global_train_batch_size", "64"},
                                                              {"optimizer.lr", "0.001"}}));
  EXPECT_TRUE(checkRules(decision.config).empty());
  EXPECT_THAT(decision.changes, testing::Contains(testing::HasSubstr("t_max 60ba as 960sp")));
}

TEST(ResumeDecisionTest, AForkWithAnotherBatchSizeKeepsTimesThatCountNoBatches) {
  const std::vector<std::string> changes = {"batch.global_train_batch_size=8"};
  const ResumeDecision tokens =
      forkOf("{name: cosine_annealing}", {{"scheduler.t_max", "20000tok"}}, changes, "20000tok");
  EXPECT_EQ(tokens.config.maxDuration.text(), "20000tok");
  EXPECT_EQ(tokens.config.stages.at(0).until.text(), "7000tok");
  EXPECT_EQ(tokens.config.scheduler.tMax->text(), "20000tok");
  EXPECT_EQ(forkOf("{name: constant}", {}, changes, "2ep").config.maxDuration.text(), "1000sp");
  EXPECT_EQ(forkOf("{name: constant}", {}, changes, "1h").kind, Kind::ForkFromWeights);
  EXPECT_EQ(
      forkOf("{name: expression, expression: 1/(1+ba), t_max: 60ba}", {{"scheduler.t_max", "60ba"}}, changes).kind,
      Kind::ForkFromWeights);
  const ResumeDecision chain =
      forkOf("{name: chain, parts: [{name: constant, duration: 30ba}, {name: linear, duration: rest}]}",
             {{"scheduler.parts[0].duration", "30ba"},
              {"scheduler.parts[1].duration", "30ba"},
              {"scheduler.parts[1].t_max", "30ba"}},
             changes);
  ASSERT_EQ(chain.kind, Kind::ForkFromState);
  EXPECT_EQ(chain.config.scheduler.parts.at(1).length->text(), "480sp");
  EXPECT_EQ(parseConfig(configToYaml(chain.config, YamlScope::Everything), "", {}).config.scheduler,
            chain.config.scheduler);
}

TEST(ResumeDecisionTest, AForkWithMoreStagesGoesOnInThem) {
  const std::vector<std::string> stages = {
      "max_duration=960sp",
      "stages=[{until: 320sp}, {until: 800sp, seed: 5}, {until: 960sp, scheduler: {name: constant}}]"};
  EXPECT_EQ(forkOf("{name: constant}", {}, stages).kind, Kind::ForkFromState);
  EXPECT_TRUE(forkOf("{name: constant}", {}, stages).addsStage);
  EXPECT_EQ(
      forkOf("{name: constant}", {}, {"max_duration=960sp", "stages=[{until: 319sp}, {until: 960sp, seed: 5}]"}).kind,
      Kind::ForkFromWeights);
}

TEST(ResumeDecisionTest, AFieldCanBeSetBackToItsValueAtLaunch) {
  RunDetail run;
  run.configYaml = "max_duration: 9ba\n";
  const TrainConfig extended = parseConfig("max_duration: 20ba\n", "draft", {}).config;
  LaunchRequest request;
  request.config = parseConfig(run.configYaml, "draft", {}, {"max_duration=9ba"});
  EXPECT_EQ(decideResume(request, run, {}, extended).config.maxDuration, Time::of(9, TimeUnit::Batch));
  request.config = parseConfig(run.configYaml, "draft", {});
  EXPECT_EQ(decideResume(request, run, {}, extended).config.maxDuration, Time::of(20, TimeUnit::Batch));
  request.config = parseConfig("{max_duration: 9ba}  # written otherwise\n", "draft", {}, {"max_duration=9ba"});
  EXPECT_EQ(decideResume(request, run, {}, extended).config.maxDuration, Time::of(9, TimeUnit::Batch));
}

TEST(ResumeDecisionTest, AForkOfAStagedRunWithAnotherLengthStartsFromTheWeights) {
  RunDetail run;
  run.configYaml = "max_duration: 10ba\nstages: [{until: 0.5dur}, {until: 1dur, data.mlm_probability: 0.3}]\n";
  LaunchRequest request;
  request.fork = true;
  request.config = parseConfig(run.configYaml, "draft", {}, {"max_duration=20ba"});
  CheckpointRecord from;
  from.at.batch = 8;
  EXPECT_EQ(decideResume(request, run, from, parseConfig(run.configYaml, "draft", {}).config).kind,
            Kind::ForkFromWeights);
}

TEST(ResumeDecisionTest, AForkFromACheckpointBeforeAnExtensionDoesNotTakeItsEnd) {
  RunDetail run;
  run.configYaml = "max_duration: 5ep\n";
  run.resolvedYaml = "max_duration: 10ep\n";
  run.summary.plannedBatches = 100;
  LaunchRequest request;
  request.fork = true;
  request.config = parseConfig(run.configYaml, "draft", {}, {"data.mlm_probability=0.3"});
  CheckpointRecord from;
  from.at.batch = 30;
  const TrainConfig before = parseConfig(run.configYaml, "draft", {}).config;
  EXPECT_EQ(decideResume(request, run, from, before).config.maxDuration.text(), "5ep");
  run.resolvedYaml = run.configYaml;
  run.summary.plannedBatches = 50;
  EXPECT_EQ(decideResume(request, run, from, before).config.maxDuration.text(), "50ba");
}

TEST(ResumeDecisionTest, StagesChangeInAForkOnly) {
  const ResumeDecision decision = decisionOn("stages: [{until: 0.5dur}, {until: 1dur, data.max_seq_len: 64}]\n");
  EXPECT_EQ(decision.kind, Kind::Refused);
  EXPECT_TRUE(decision.possibleAsFork());
}

TEST(ResumeDecisionTest, AStretchInsideAGlobalBatchIsRefused) {
  const ResumeDecision decision = decisionOn("", false, true, 1);
  EXPECT_EQ(decision.kind, Kind::Refused);
  EXPECT_FALSE(decision.possibleAsFork());
  EXPECT_THAT(decision.refusals.front().text(),
              testing::HasSubstr("was taken inside a global batch, which a schedule resolved again"));
}

TEST(ResumeDecisionTest, WhatChangesFollowsFromTheFields) {
  using enum ChangeEffect;
  const struct {
    const char* changed;
    bool fork, stretch;
    ChangeEffect effect;
    std::vector<std::string> fields;
  } cases[] = {
      {"", false, false, None, {}},
      {"checkpoint: {keep_last: 7}\neval: {interval: 3ba}\nlog: {every_step: true}\n", false, false, None, {}},
      {"devices: {activation_checkpointing: true}\n", false, false, None, {}},
      {"name: other\n", true, false, None, {}},
      {"devices: {use: cpu:2}\n", false, false, Rounding, {"devices.use"}},
      {"batch: {device_train_microbatch_size: 3}\n", false, false, Rounding, {"batch.device_train_microbatch_size"}},
      {"precision: bf16\n", true, false, Numbers, {"precision"}},
      {"optimizer: {lr: 1e-5}\ndevices: {use: cpu:2}\n", false, false, Numbers, {"optimizer.lr"}},
      {"scheduler: {name: constant}\n", false, true, Numbers, {"scheduler.name"}},
      {"guard: {loss_spike: {sigma: 9}}\n", false, false, Numbers, {"guard.loss_spike.sigma"}},
      {"guard: {non_finite: roll_back, grad_norm: {limit: 9}}\n",
       false,
       false,
       Numbers,
       {"guard.non_finite", "guard.grad_norm.limit"}},
      {"guard: {plateau: {window: 9}, early_stop: {patience: 9}, roll_back_limit: 9}\n", false, false, None, {}},
      {"max_duration: 20ba\n", false, true, Numbers, {}},
      {"data: {mlm_probability: 0.3}\n", true, false, Masks, {"data.mlm_probability"}},
      {"batch: {global_train_batch_size: 48}\n", true, true, Samples, {"batch.global_train_batch_size"}},
      {"seed: 4\nprecision: bf16\n", true, false, Samples, {"seed"}},
  };
  for (const auto& each : cases) {
    const ResumeDecision decision = decisionOn(each.changed, each.fork, each.stretch);
    EXPECT_EQ(decision.effect, each.effect) << each.changed;
    EXPECT_EQ(decision.effectiveFields, each.fields) << each.changed;
  }
}

TEST(ResumeDecisionTest, EveryFieldHasAnEffectOrIsOfThoseThatHaveNone) {
  const std::vector<std::string> without = {"version", "name",       "experiment", "variant", "zip",          "eval",
                                            "launch",  "checkpoint", "log",        "guard",   "max_duration", "tasks"};
  for (const Field& field : configSchema()) {
    if (effectOfChange(field.path) != ChangeEffect::None) continue;
    const bool known = std::ranges::any_of(
        without, [&](const std::string& path) { return field.path == path || field.path.starts_with(path + "."); });
    const bool named = field.path == "tokenizer.path" || field.path == "model.init_from" ||
                       field.path == "data.train" || field.path == "data.eval" || field.path == "batch.reserve" ||
                       field.path == "batch.round" || field.path == "batch.tokens.metrics_path" ||
                       field.path == "devices.memory_limit" || field.path == "devices.activation_checkpointing";
    EXPECT_TRUE(known || named) << field.path;
  }
}

/// A finished run of 6 global batches with this schedule, made longer.
ResumeDecision longer(const std::string& scheduler, const std::string& tMax, bool stretch = false) {
  RunDetail run;
  run.configYaml = "max_duration: 6ba\nscheduler: " + scheduler + "\n";
  run.resolvedYaml = run.configYaml;
  run.resolvedValues = {{"scheduler.t_warmup", "0ba"}};
  if (!tMax.empty()) run.resolvedValues["scheduler.t_max"] = tMax;
  run.summary.status = RunStatus::Finished;
  run.summary.plannedBatches = 6;
  run.summary.at.batch = 6;
  CheckpointRecord from;
  from.at.batch = 6;
  LaunchRequest request;
  request.stretch = stretch;
  request.config = parseConfig(run.configYaml, "draft", {}, {"max_duration=12ba"});
  return decideResume(request, run, from, parseConfig(run.configYaml, "draft", {}).config);
}

TEST(ResumeDecisionTest, ALongerRunAfterAScheduleThatEndsAtZeroLearnsNothing) {
  EXPECT_TRUE(longer("{name: linear_with_warmup}", "6ba").restAtZeroRate);
  EXPECT_TRUE(longer("{name: cosine_with_warmup, alpha_f: 0}", "6ba").restAtZeroRate);
  EXPECT_FALSE(longer("{name: linear_with_warmup, alpha_f: 0.1}", "6ba").restAtZeroRate);
  EXPECT_FALSE(longer("{name: linear_with_warmup}", "6ba", /*stretch=*/true).restAtZeroRate);
  EXPECT_FALSE(longer("{name: constant}", "").restAtZeroRate);
}

}  // namespace
}  // namespace batchwise
