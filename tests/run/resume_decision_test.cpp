// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_decision.h"

#include <gtest/gtest.h>

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
  from.at.partInBatch = part;
  LaunchRequest request;
  request.config = parseConfig(run.configYaml + changed, "draft", {});
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

TEST(ResumeDecisionTest, AFieldCanBeSetBackToItsValueAtLaunch) {
  RunDetail run;
  run.configYaml = "max_duration: 9ba\n";
  const TrainConfig extended = parseConfig("max_duration: 20ba\n", "draft", {}).config;
  LaunchRequest request;
  request.config = parseConfig(run.configYaml, "draft", {}, {"max_duration=9ba"});
  EXPECT_EQ(decideResume(request, run, {}, extended).config.maxDuration, Time::of(9, TimeUnit::Batch));
  request.config = parseConfig(run.configYaml, "draft", {});
  EXPECT_EQ(decideResume(request, run, {}, extended).config.maxDuration, Time::of(20, TimeUnit::Batch));
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
  EXPECT_EQ(decision.refusals.front().text().id(), "run.stretch_needs_batch_boundary");
}

}  // namespace
}  // namespace batchwise
