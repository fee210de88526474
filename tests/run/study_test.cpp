// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/study.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/format.h"
#include "core/config/schema.h"
#include "core/plan/run_plan.h"
#include "core/run/launch/resume_decision.h"
#include "core/run/launch/run_store.h"
#include "core/store/recording/run_writer.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kBatch = 16, kSamples = 3000;

/// Lengths that differ from sample to sample.
class StudyLengths final : public Lengths {
 public:
  StudyLengths() {
    for (std::int64_t sample = 0; sample < kSamples; ++sample) total_ += at(sample);
  }
  std::int64_t size() const override { return kSamples; }
  std::uint32_t at(std::int64_t sample) const override { return static_cast<std::uint32_t>(20 + sample % 13); }
  std::int64_t totalTokens() const override { return total_; }
  std::uint32_t longest() const override { return 32; }

 private:
  std::int64_t total_ = 0;
};

RunPlan planOfRun(const TrainConfig& config) {
  auto plan = test::checked(RunPlan::resolve(config, [](const RunStage&) -> Result<RunPlan::StageInput> {
    return RunPlan::StageInput{std::make_shared<const StudyLengths>(), {1, 4, 0}};
  }));
  return *std::move(plan);
}

/// Ids and rates of the samples in the order in which a run reads them, from a place on.
struct Reading {
  std::vector<std::int64_t> ids;
  std::vector<double> rates;
  std::vector<std::int64_t> sizes;
};
Reading readingOf(const TrainConfig& config, std::int64_t fromSample) {
  const RunPlan run = planOfRun(config);
  Reading read;
  Timestamp now;
  for (std::size_t stage = 0; stage < run.plans().size(); ++stage) {
    const Plan plan = run.plans()[stage].startingAt(stage == 0 ? now : stageStart(run.stages()[stage], now));
    if (stage > 0) now = stageStart(run.stages()[stage], now);
    while (!plan.finished(now)) {
      const auto batch = test::checked(plan.globalBatchAt(now, plan.initialGrowth()));
      for (const OptimizerStep& step : batch->steps) {
        const auto units = test::checked(plan.unitsOf(batch->epoch, step));
        for (const auto& unit : *units)
          if (now.sample >= fromSample) {
            read.ids.push_back(unit.front());
            read.rates.push_back(step.learningRate);
          }
        if (now.sample >= fromSample) read.sizes.push_back(step.units);
        now = now.afterStep({step.samples, step.tokens, 0.1}, step.units);
      }
      now = batch->endsEpoch ? now.afterBatch().afterEpoch() : now.afterBatch();
    }
  }
  return read;
}

class StudyTest : public testing::Test {
 protected:
  /// A run of 160 global batches with a checkpoint after each 20, entered without training it.
  std::string store(const std::string& more = "scheduler: {name: linear_with_warmup, t_warmup: 10ba}\n",
                    bool saves = true, std::int64_t batches = 160) {
    const std::string yaml = "name: base\nmax_duration: " + std::to_string(batches) + "ba\n" +
                             (more.find("optimizer:") == more.npos ? "optimizer: {lr: 1e-3}\n" : "") +
                             "batch: {global_train_batch_size: " + std::to_string(kBatch) + "}\n" + more;
    const LoadedConfig loaded = test::checked(parseConfig(yaml, "base", {}));
    const Plan plan = planOfRun(loaded.config).first();
    NewRun run;
    run.name = "base";
    run.configYaml = yaml;
    run.resolvedYaml = configToYaml(loaded.config, YamlScope::Everything);
    run.resolvedValues = plan.resolved();
    run.resolvedValues[resolved_names::kEvaluationText] = "text";
    const std::string id = *workspace_->createRun(run);
    const auto writer = *RunWriter::open(workspace_, id, {});
    for (Timestamp now; !plan.finished(now);) {
      const GlobalBatch batch = *plan.globalBatchAt(now);
      for (const OptimizerStep& step : batch.steps) now = now.afterStep({step.samples, step.tokens, 0.1}, step.units);
      now = batch.endsEpoch ? now.afterBatch().afterEpoch() : now.afterBatch();
      MetricsRow row;
      row.at = now;
      row.loss = 5;
      row.learningRate = batch.steps.back().learningRate;
      row.stepSamples = kBatch;
      writer->publish(row);
      if (now.batch % 20 != 0) continue;
      EvalResult evaluation;
      evaluation.at = now;
      evaluation.loss = 8 - 0.3 * std::log(static_cast<double>(now.token));
      evaluation.drawError = 0.002;
      writer->publish(evaluation);
      if (saves) save(*writer, id + "-" + std::to_string(now.batch), now);
    }
    EXPECT_TRUE(writer->flush().ok());
    return id;
  }
  void save(RunWriter& writer, const std::string& id, const Timestamp& at) const {
    CheckpointRecord record;
    record.id = id;
    record.at = at;
    record.reason = CheckpointReason::Interval;
    record.file = "checkpoints/" + id + ".sqlite";
    std::ofstream(workspace_->folder() / record.file) << "weights";
    ASSERT_TRUE(writer.addCheckpoint(record).ok());
  }
  StudyRequest request(std::vector<double> factors = {1, 2, 4}, std::int64_t tokens = 17000) const {
    StudyRequest asked;
    asked.options.factors = std::move(factors);
    asked.options.deltaTokens = tokens;
    asked.coolsDown = false;
    asked.positions = {(*workspace_->checkpoints((*workspace_->findRun("base")).summary.id)).at(1).at.token};
    return asked;
  }
  std::string problemOf(const StudyRequest& asked) {
    const auto study = planStudy(workspace_, "base", asked);
    return study.ok() ? "" : study.error().text();
  }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = *Workspace::open(folder_ / "workspace");
};

TEST_F(StudyTest, EveryBranchReadsTheSamplesThatTheRunReadsAtItsRateTimesTheRootOfTheFactor) {
  store();
  const auto study = test::checked(planStudy(workspace_, "base", request({0.5, 1, 2, 4})));
  const StudyPlace& place = study->places.at(0);
  const std::int64_t from = place.checkpoint.at.sample, length = place.end - from;
  EXPECT_EQ(from, 40 * kBatch);
  const Reading whole = readingOf(parseConfig(study->run.configYaml, "", {}).config, from);
  for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
    const LoadedConfig config = test::checked(branchConfig(*study, {place.checkpoint.at.token, factor, 0}));
    EXPECT_EQ(config.config.stages.empty(), factor == 1);
    if (factor == 1) continue;  // the run itself with an earlier end
    const Reading read = readingOf(config.config, from);
    ASSERT_EQ(std::ssize(read.ids), length) << factor;
    for (const std::int64_t size : read.sizes) EXPECT_EQ(size, std::llround(kBatch * factor));
    const std::int64_t step = std::llround(kBatch * std::max(1.0, factor));
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(read.ids[at], whole.ids[at]) << factor << " at " << i;
      if (i % step == 0) {
        ASSERT_NEAR(read.rates[at], whole.rates[at] * std::sqrt(factor), 1e-12) << factor << " at " << i;
      }
    }
  }
}

TEST_F(StudyTest, ReplicatesReadOtherSamplesAlikeForAllFactors) {
  store();
  const auto study = test::checked(planStudy(workspace_, "base", request()));
  const StudyPlace& place = study->places.at(0);
  const auto read = [&](double factor, int replicate) {
    return readingOf(branchConfig(*study, {place.checkpoint.at.token, factor, replicate}).config,
                     place.checkpoint.at.sample);
  };
  const Reading one = read(1, 1), four = read(4, 1), other = read(1, 2);
  EXPECT_EQ(one.ids, four.ids);
  EXPECT_NE(one.ids, other.ids);
  EXPECT_NE(one.ids, read(1, 0).ids);
}

TEST_F(StudyTest, ACoolDownFollowsTheBranchFromItsRateToZero) {
  store();
  StudyRequest asked = request();
  asked.coolsDown = true;
  const auto study = test::checked(planStudy(workspace_, "base", asked));
  const StudyPlace& place = study->places.at(0);
  EXPECT_NEAR(static_cast<double>(place.cooledEnd - place.end), 0.2 * static_cast<double>(place.end - 640), kBatch);
  for (const double factor : {1.0, 4.0}) {
    const TrainConfig config = branchConfig(*study, {place.checkpoint.at.token, factor, 0}).config;
    EXPECT_TRUE(checkRules(config).empty());
    const Reading read = readingOf(config, place.checkpoint.at.sample);
    EXPECT_EQ(std::ssize(read.ids), place.cooledEnd - place.checkpoint.at.sample);
    const auto end = static_cast<std::size_t>(place.end - place.checkpoint.at.sample);
    EXPECT_NEAR(read.rates[end], read.rates[end - 1], 0.1 * read.rates[end]) << "no jump";
    EXPECT_LT(read.rates.back(), 0.51 * read.rates[end]);
  }
}

TEST_F(StudyTest, BranchesGoOnFromTheState) {
  store();
  StudyRequest asked = request();
  for (const bool cools : {false, true})
    for (const int replicate : {0, 1})
      for (const double factor : {1.0, 2.0}) {
        asked.coolsDown = cools;
        const auto study = test::checked(planStudy(workspace_, "base", asked));
        const Branch branch{study->checkpoints.at(0).position, factor, replicate};
        const auto launch = test::checked(studyBranch(*workspace_, *study, branch));
        EXPECT_TRUE(launch->fork);
        EXPECT_EQ(launch->resumeCheckpoint, study->places.at(0).checkpoint.id);
        const TrainConfig trained = parseConfig(study->run.resolvedYaml, "", {}).config;
        const auto decision = decideResume(*launch, study->run, study->places.at(0).checkpoint, trained);
        EXPECT_EQ(decision.kind, ResumeDecision::Kind::ForkFromState) << cools << replicate << factor;
        EXPECT_EQ(decision.addsStage, cools || replicate > 0 || factor != 1);
        EXPECT_EQ(decision.config.stages, launch->config.config.stages);
      }
}

TEST_F(StudyTest, TheRunIsItsOwnBranchWhereItWasEvaluated) {
  store();
  // 40 batches of 16 samples of 26 tokens: 20 and 30 are evaluated, too, but not 35.
  const auto study = test::checked(planStudy(workspace_, "base", request({1, 2, 4}, 16500)));
  ASSERT_EQ(study->places.at(0).end, 80 * kBatch);
  const StudyBranch* itself = study->find({study->checkpoints.at(0).position, 1, 0});
  ASSERT_NE(itself, nullptr);
  EXPECT_TRUE(itself->isRunItself);
  EXPECT_TRUE(itself->result.atEnd && itself->result.atHalf);
  EXPECT_FALSE(study->next.empty());
  EXPECT_EQ(study->cost.branches, 4 * 3 - 1);
  EXPECT_TRUE(study->tokensPerSec && study->resolvable);
  EXPECT_THAT(study->deviationSource, HasSubstr("eval.draw_error"));
}

TEST_F(StudyTest, QueuedBranchesBeginAtTheCheckpointAndAreReadAsBranches) {
  store();
  const auto study = test::checked(planStudy(workspace_, "base", request()));
  EXPECT_EQ(*queueBranches(workspace_, *study), std::ssize(study->next));
  RunQueue queue(workspace_);
  const auto turn = *queue.takeNext();
  ASSERT_TRUE(turn.run);
  const LaunchRequest first = requestOf(turn, workspace_->folder());
  EXPECT_TRUE(first.fork);
  EXPECT_EQ(first.resumeRun, study->run.summary.id);
  EXPECT_EQ(first.resumeCheckpoint, study->places.at(0).checkpoint.id);
  EXPECT_EQ(first.runId, turn.run->summary.id);
  const TrainConfig trained = parseConfig(study->run.resolvedYaml, "", {}).config;
  const auto decision = decideResume(first, study->run, study->places.at(0).checkpoint, trained);
  EXPECT_EQ(decision.kind, ResumeDecision::Kind::ForkFromState);
  EXPECT_EQ(decision.config.maxDuration, Time::of(study->places.at(0).end, TimeUnit::Sample));

  const auto again = test::checked(planStudy(workspace_, "base", request()));
  EXPECT_EQ(again->branches.size(), study->next.size() + 1) << "with the run itself";
  EXPECT_EQ(*queueBranches(workspace_, *again), 0) << "each once";
  const std::string failed = again->find(again->next.front())->run;
  ASSERT_TRUE(queue.ended(failed, RunStatus::Failed, "no memory").ok());
  const auto after = planStudy(workspace_, "base", request());
  EXPECT_EQ(*queueBranches(workspace_, *after), 0) << "not by itself, as it would fail over and over";
  EXPECT_EQ(*queueBranches(workspace_, *after, EndedEarly::GoOn), 1);
  EXPECT_EQ(workspace_->findRun(failed)->summary.status, RunStatus::Queued);
  EXPECT_FALSE(again->branches.front().hasCheckpoint);
  EXPECT_EQ(studyBranch(*workspace_, *again, again->next.front())->runId, again->find(again->next.front())->run);
  // Whatever the factor: 22.5 samples are 23, and 16 times its first four digits would be 22.
  const auto uneven = test::checked(planStudy(workspace_, "base", request({1, 1.40625}, 24000)));
  EXPECT_EQ(*queueBranches(workspace_, *uneven), std::ssize(uneven->next));
  EXPECT_EQ(*queueBranches(workspace_, *planStudy(workspace_, "base", request({1, 1.40625}, 24000))), 0);
  // Of another length it is another study.
  EXPECT_EQ(planStudy(workspace_, "base", request({1, 2, 4}, 20000))->branches.size(), 0U);
}

TEST_F(StudyTest, EvaluationsOfBranchesDecideAndTheStudyIsReadAgain) {
  store();
  StudyRequest asked = request({1, 4});
  asked.options.replicates = 2;
  ASSERT_TRUE(rememberStudy(*workspace_, *test::checked(planStudy(workspace_, "base", asked))).ok());
  for (int rounds = 0; rounds < 20; ++rounds) {
    const auto study = **readStudy(workspace_, "base");
    if (study.next.empty()) break;
    const Branch branch = study.next.front();
    const LoadedConfig config = branchConfig(study, branch);
    EXPECT_TRUE(config.config.name.ends_with(formatText("replicate {}", branch.replicate + 1))) << config.config.name;
    const StudyCost left = costLeft(study);
    EXPECT_LE(left.branches, study.cost.branches - rounds);
    EXPECT_GE(left.branches, std::ssize(study.next));
    EXPECT_NEAR(left.tokens / static_cast<double>(left.branches),
                study.cost.tokens / static_cast<double>(study.cost.branches), 1);
    NewRun run;
    run.name = config.config.name;
    run.configYaml = config.yaml;
    run.resolvedYaml = config.yaml;
    run.parent = study.run.summary.id;
    const auto writer =
        *RunWriter::open(workspace_, *workspace_->createRun(run), {study.places[0].checkpoint.at, "", "{}", ""});
    EvalResult evaluation;
    evaluation.at = study.places[0].checkpoint.at;
    evaluation.at.sample = study.places[0].end;
    evaluation.at.batch += 1;
    evaluation.loss = 4 + (branch.factor > 3 ? 0.5 : 0.0) + 0.001 * branch.replicate;
    writer->publish(evaluation);
    writer->publish(RunFinished{RunStatus::Finished, "", evaluation.at, ""});
    ASSERT_TRUE(writer->flush().ok());
  }
  const auto study = **readStudy(workspace_, "base");
  EXPECT_TRUE(study.next.empty());
  EXPECT_EQ(costLeft(study).branches, 0) << "although more were possible";
  EvalResult half;
  half.at.sample = study.places[0].half;
  half.loss = 4;
  EXPECT_FALSE(isStillNeeded(workspace_, study.branches.front().run, half))
      << "a program that trains its queue stops it";
  EXPECT_TRUE(isStillNeeded(workspace_, study.run.summary.id, half)) << "no branch";
  EXPECT_TRUE(unneededRuns(study).empty()) << "all have ended";
  EXPECT_THAT(test::refused(planStudy(workspace_, study.branches.front().run, {})).text(),
              HasSubstr("it is a branch of a study; study run base"));
  EXPECT_EQ(study.decisions.at(0).deciding().high.value_or(0) > 1, true);
  EXPECT_FALSE(study.law);
  EXPECT_NE(study.whyNoLaw, "");
}

TEST_F(StudyTest, WhatCannotBeStudiedIsRefusedWithTheReason) {
  store();
  EXPECT_EQ(problemOf(request()), "");
  EXPECT_THAT(problemOf(request({0.01, 1})), HasSubstr("is less than one sample"));
  EXPECT_THAT(problemOf(request({0.07, 0.09, 1})),
              HasSubstr("0.07 and 0.09 times the batch of 16 samples are the same"));
  EXPECT_THAT(problemOf(request({1, 4}, 100'000)), HasSubstr("after the planned end of run base"));
  EXPECT_GT(*lengthOfBranches(workspace_, "base", request({1, 4}, 0)), 0) << "even where none would fit";
  EXPECT_THAT(problemOf(request({1, 64}, 10'000)), HasSubstr("is shorter than one step of 64 times the batch"));
  StudyRequest elsewhere = request();
  elsewhere.positions = {1};
  EXPECT_THAT(problemOf(elsewhere), HasSubstr("has no checkpoint near 1 tokens; there are some at"));
  StudyRequest anywhere = request();
  anywhere.positions.clear();
  EXPECT_EQ(problemOf(anywhere), "");
  anywhere.options.deltaTokens = 100'000;
  EXPECT_THAT(problemOf(anywhere), HasSubstr("leaves room for a branch of 100k before its planned end at"));
  const auto steps = test::checked(planStudy(workspace_, "base", request({1, 16})));
  EXPECT_THAT(steps->warnings, ElementsAre(HasSubstr("steps only")));
  StudyRequest both = request({1, 16});
  both.positions.push_back((*workspace_->checkpoints((*workspace_->findRun("base")).summary.id)).at(2).at.token);
  const auto two = test::checked(planStudy(workspace_, "base", both));
  const auto place = [&](std::size_t i) { return " from " + formatInteger(both.positions[i]) + " tokens on"; };
  EXPECT_THAT(two->warnings, ElementsAre(testing::AllOf(HasSubstr(place(0)), HasSubstr(place(1)))));
}

TEST_F(StudyTest, TheLengthOfBranchesFollowsTheHalfLifeOfTheSecondMoment) {
  store("scheduler: {name: constant}\noptimizer: {lr: 1e-3, betas: [0.9, 0.999]}\n");
  const auto byBeta = *lengthOfBranches(workspace_, "base", request({1, 4}, 0));
  workspace_ = *Workspace::open(folder_ / "other");
  store("scheduler: {name: constant}\noptimizer: {lr: 1e-3, betas: [0.9, 0.999], beta2_half_life: 1000tok}\n");
  const auto byHalfLife = *lengthOfBranches(workspace_, "base", request({1, 4}, 0));
  EXPECT_NEAR(static_cast<double>(byBeta) / static_cast<double>(byHalfLife), 3000.0 / 50, 0.1);
}

TEST_F(StudyTest, ARunWithoutCheckpointsOrWithAScheduleThatCountsBatchesCannotBeStudied) {
  const struct {
    const char* more;
    bool saves;
    const char* says;
  } cases[] = {{"", false, "has no checkpoint between two global batches"},
               {"scheduler: {name: expression, expression: 1/(1+ba)}\n", true, "must be written in tok or frac"},
               {"stages: [{until: 0.5dur}, {until: 1dur, optimizer.lr: 1e-4}]\n", true, "it has stages of its own"},
               {"data: {mlm_probability_end: 0.3}\n", true, "data.mlm_probability_end"}};
  for (const auto& each : cases) {
    const std::string id = store(each.more, each.saves);
    StudyRequest asked;
    asked.options.factors = {1, 2};
    asked.options.deltaTokens = 9000;
    const auto study = planStudy(workspace_, id, asked);
    ASSERT_FALSE(study.ok()) << each.more;
    EXPECT_THAT(study.error().text(), HasSubstr(each.says));
  }
}

TEST_F(StudyTest, APackedRunWithARampCannotBeStudied) {
  NewRun run;
  run.name = "packed";
  run.configYaml = run.resolvedYaml = "batch: {tokens: {max_tokens: 4096}, rampup: {duration: 10ba}}\n";
  ASSERT_TRUE(workspace_->createRun(run).ok());
  EXPECT_THAT(planStudy(workspace_, "packed", {}).error().text(), HasSubstr("its ramp is in packs"));
}

TEST_F(StudyTest, NoGuardChangesTheSamplesOfOneBranchAlone) {
  store("checkpoint: {interval: 20ba}\nguard: {non_finite: skip, loss_spike: {action: roll_back}}\n");
  const auto study = test::checked(planStudy(workspace_, "base", request({1, 2, 4}, 16500)));
  EXPECT_THAT(study->warnings, testing::Contains(HasSubstr("guards of the run")));
  EXPECT_TRUE(study->branches.empty()) << "the run is no branch";
  const GuardConfig guard = branchConfig(*study, {study->checkpoints.at(0).position, 1, 0}).config.guard;
  EXPECT_EQ(guard.nonFinite, GuardAction::Stop);
  EXPECT_EQ(guard.lossSpike.action, GuardAction::Off);
}

TEST_F(StudyTest, TheRampIsPrintedWithAllThatItChanges) {
  store("lr_scaling: {method: sqrt, reference_batch_size: 4}\n");
  auto study = test::checked(planStudy(workspace_, "base", request()));
  study->ramp.emplace();
  study->ramp->stages = {{Time::of(0, TimeUnit::Token), 16}, {Time::of(30000, TimeUnit::Token), 32}};
  study->ramp->lrScaling.method = LrScalingMethod::Sqrt;
  study->ramp->lrScaling.referenceBatchSize = 16;
  const LoadedConfig printed =
      test::checked(parseConfig(study->run.configYaml + "---\n" + studyRampYaml(*study), "", {}));
  EXPECT_EQ(printed.config, withStudyRamp(*study).config);
  EXPECT_NEAR(printed.config.optimizer.lr, 2e-3, 1e-12);
  EXPECT_EQ(printed.config.maxDuration.unit(), TimeUnit::Sample);
}

TEST_F(StudyTest, TextThatIsReadAgainIsWarnedAbout) {
  store("scheduler: {name: constant}\n", true, 240);
  StudyRequest asked = request({1, 2}, 9000);
  EXPECT_THAT(planStudy(workspace_, "base", asked)->warnings,
              testing::Not(testing::Contains(HasSubstr("trained on before"))));
  asked.positions = {(*workspace_->checkpoints((*workspace_->findRun("base")).summary.id)).at(9).at.token};
  const auto study = test::checked(planStudy(workspace_, "base", asked));
  EXPECT_THAT(study->warnings, testing::Contains(HasSubstr("trained on before")));
}

}  // namespace
}  // namespace batchwise
