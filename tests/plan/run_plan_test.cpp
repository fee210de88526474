// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/run_plan.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/config/config_file.h"
#include "core/plan/plan_report.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::ElementsAre;

TrainConfig planConfig(const std::string& yaml) {
  const LoadedConfig loaded = test::checked(parseConfig(
      "data: {train: [a.txt]}\nbatch: {global_train_batch_size: 8, device_train_microbatch_size: 4}\n" + yaml, "test",
      {}));
  return loaded.config;
}

/// 100 samples of 10 tokens, or fewer and longer ones where a stage has a longer limit.
Result<RunPlan::StageInput> inputOf(const RunStage& stage) {
  const std::int64_t longer = stage.config.data.maxSeqLen / 128;
  return RunPlan::StageInput{std::make_shared<EqualLengths>(100 / longer, static_cast<std::uint32_t>(10 * longer)), {}};
}

RunPlan planOf(const std::string& yaml) {
  return *test::checked(RunPlan::resolve(planConfig(yaml), inputOf));
}

/// What a run does, stage by stage, as the training loop goes through it.
struct WalkedRun {
  std::vector<std::int64_t> batches, stepSamples;
  std::vector<double> rates;
  std::vector<std::set<std::int64_t>> samples;  ///< of each stage
  Timestamp end;
};

WalkedRun walk(const RunPlan& run) {
  WalkedRun walked;
  Timestamp now;
  for (std::size_t i = 0; i < run.plans().size(); ++i) {
    now = stageStart(run.stages()[i], now);
    EXPECT_EQ(now, run.plans()[i].start()) << "stage " << i << " begins elsewhere than planned";
    const Plan plan = run.plans()[i].startingAt(now);
    walked.samples.emplace_back();
    while (!plan.finished(now)) {
      const auto batch = test::checked(plan.globalBatchAt(now));
      if (!batch.ok()) return walked;
      for (const OptimizerStep& step : batch->steps) {
        const auto units = plan.unitsOf(batch->epoch, step);
        for (const auto& unit : *units) walked.samples.back().insert(unit.begin(), unit.end());
        now = now.afterStep({step.samples, step.tokens, 0.0}, step.units);
        walked.stepSamples.push_back(step.samples);
        walked.rates.push_back(step.learningRate);
      }
      now = now.afterBatch();
      if (batch->endsEpoch) now = now.afterEpoch();
    }
    walked.batches.push_back(now.batch);
  }
  walked.end = now;
  return walked;
}

TEST(RunPlanTest, StagesFollowEachOtherOnOneClock) {
  const RunPlan run = planOf(
      "max_duration: 20ba\nscheduler: {name: constant}\n"
      "stages: [{until: 0.5dur}, {until: 1dur, data.max_seq_len: 256, batch: {global_train_batch_size: 4}}]\n");
  const WalkedRun walked = walk(run);
  EXPECT_THAT(walked.batches, ElementsAre(10, 20));
  EXPECT_EQ(walked.stepSamples.front(), 8);
  EXPECT_EQ(walked.stepSamples.back(), 4);
  EXPECT_EQ(run.totals().batches, 20);
  EXPECT_EQ(run.totals().samples, walked.end.sample);
  EXPECT_EQ(run.totals().tokens, walked.end.token);
  EXPECT_EQ(run.plans()[1].start().batch, 10);
  EXPECT_EQ(run.plans()[1].start().epoch, 1) << "an epoch that the end of a stage cuts counts as one";
}

TEST(RunPlanTest, EveryStageKnowsThatMasksChangeBetweenStages) {
  const std::string run = "max_duration: 20ba\nscheduler: {name: constant}\n";
  const RunPlan changing = planOf(run + "stages: [{until: 0.5dur}, {until: 1dur, data.mlm_probability: 0.3}]\n");
  for (const Plan& plan : changing.plans()) EXPECT_TRUE(plan.changesMaskProbability());
  const RunPlan constant = planOf(run + "stages: [{until: 0.5dur}, {until: 1dur, optimizer.lr: 0.1}]\n");
  for (const Plan& plan : constant.plans()) EXPECT_FALSE(plan.changesMaskProbability());
}

TEST(RunPlanTest, AStageThatReadsTheSameGoesOnWithThePass) {
  const std::string stages = "stages: [{until: 0.6dur}, {until: 1dur, data.mlm_probability: 0.3}]\n";
  const RunPlan run = planOf("max_duration: 1ep\nscheduler: {name: constant}\n" + stages);
  const WalkedRun walked = walk(run);
  EXPECT_EQ(walked.end.sample, 100);
  EXPECT_EQ(walked.end.epoch, 1);
  std::set<std::int64_t> all = walked.samples[0];
  all.insert(walked.samples[1].begin(), walked.samples[1].end());
  EXPECT_EQ(all.size(), 100U) << "every sample once";
  EXPECT_EQ(run.totals().epochs, 1.0);
  EXPECT_EQ(run.totals().batches, planOf("max_duration: 1ep\nscheduler: {name: constant}\n").totals().batches);
}

TEST(RunPlanTest, APassThatBeginsLaterGoesOnInItsOwnOrder) {
  const RunPlan run = planOf(
      "max_duration: 2ep\nstages: [{until: 1ep, data.max_seq_len: 256, scheduler: {name: constant}}, {until: 1.5ep, "
      "scheduler: {name: constant}}, {until: 2ep, data.mlm_probability: 0.3, scheduler: {name: constant}}]\n");
  const WalkedRun walked = walk(run);
  EXPECT_EQ(walked.end.epoch, 2);
  std::set<std::int64_t> all = walked.samples[1];
  all.insert(walked.samples[2].begin(), walked.samples[2].end());
  EXPECT_EQ(all.size(), 100U) << "every sample once";
}

TEST(RunPlanTest, APassEndsWithItsLastSampleWhateverTheSizesOfItsStages) {
  for (const char* size : {"3", "4", "5", "16"}) {
    const RunPlan run = planOf(
        "max_duration: 2ep\nscheduler: {name: constant}\nstages: [{until: 0.3dur, scheduler: {name: constant}}, "
        "{until: 1dur, scheduler: {name: constant}, batch: {global_train_batch_size: " +
        std::string(size) + ", device_train_microbatch_size: 1}}]\n");
    const WalkedRun walked = walk(run);
    EXPECT_EQ(walked.end.sample, 200) << size;
    EXPECT_EQ(walked.end.epoch, 2) << size;
    EXPECT_EQ(run.totals().samples, 200) << size;
  }
}

TEST(RunPlanTest, TheRatesOfAStageWithoutAScheduleAreThoseOfTheRun) {
  const std::string run = "max_duration: 20ba\nscheduler: {name: linear_with_warmup, t_warmup: 0.3dur}\n";
  const WalkedRun whole = walk(planOf(run));
  const WalkedRun staged = walk(planOf(run + "stages: [{until: 0.25dur}, {until: 0.7dur, data.mlm_probability: 0.3}, "
                                             "{until: 1dur, data.max_seq_len: 256}]\n"));
  EXPECT_EQ(whole.rates, staged.rates);
}

TEST(RunPlanTest, AScheduleOfAStageCountsFromItsBegin) {
  const RunPlan run = planOf(
      "max_duration: 20ba\nscheduler: {name: constant}\n"
      "stages: [{until: 0.5dur}, {until: 1dur, scheduler: {name: linear, alpha_f: 0}, optimizer.lr: 1}]\n");
  const WalkedRun walked = walk(run);
  EXPECT_EQ(walked.rates[9], TrainConfig{}.optimizer.lr);
  EXPECT_DOUBLE_EQ(walked.rates[10], 1.0);
  EXPECT_DOUBLE_EQ(walked.rates[15], 0.5);
  const auto point = test::checked(run.pointAt(Time::duration(0.75)));
  EXPECT_EQ(point->at.batch, 15);
  EXPECT_DOUBLE_EQ(point->learningRate, 0.5);
}

TEST(RunPlanTest, IsRestoredFromItsValues) {
  const TrainConfig config = planConfig(
      "max_duration: 300sp\nscheduler: {name: linear_with_warmup, t_warmup: 0.2dur}\n"
      "stages: [{until: 0.5dur}, {until: 0.9dur, batch: {rampup: {duration: 0.5dur, initial_global_train_batch_size: "
      "2}}}, {until: 1dur, data.max_seq_len: 256, scheduler: {name: linear}}]\n");
  const auto resolved = test::checked(RunPlan::resolve(config, inputOf));
  const auto restored = test::checked(RunPlan::restore(config, resolved->resolved(), inputOf));
  EXPECT_EQ(restored->resolved(), resolved->resolved());
  const WalkedRun first = walk(*resolved), second = walk(*restored);
  EXPECT_EQ(first.rates, second.rates);
  EXPECT_EQ(first.stepSamples, second.stepSamples);
  EXPECT_EQ(first.samples, second.samples);
  EXPECT_EQ(first.end.sample, 300);
  ResolvedValues lacking = resolved->resolved();
  lacking.erase("stages[2].batch.global_train_batch_size");
  EXPECT_FALSE(RunPlan::restore(config, lacking, inputOf).ok());
}

/// Stages of one pass: the first ends within its global batch. `until`: the end of the second.
std::string stagesOfOnePass(const std::string& until) {
  return "max_duration: 1ep\nscheduler: {name: constant}\n"
         "stages: [{until: 0.5dur, batch: {global_train_batch_size: 64}, scheduler: {name: constant}}, {until: " +
         until + ", optimizer.lr: 1, scheduler: {name: linear, alpha_f: 0}}" +
         (until == "1dur" ? "]\n" : ", {until: 1dur, scheduler: {name: constant}}]\n");
}

TEST(RunPlanTest, TheScheduleOfAStageEndsWhereTheStageEnds) {
  const RunPlan run = planOf(stagesOfOnePass("0.75dur"));
  EXPECT_EQ(run.resolved().at("stages[1].stage_end"), "25sp");
  EXPECT_EQ(run.resolved().at("stages[1].scheduler.t_max"), "25sp");
  const WalkedRun walked = walk(run);
  EXPECT_THAT(walked.batches, ElementsAre(1, 5, 9));
  EXPECT_DOUBLE_EQ(walked.rates[1], 1.0);
  EXPECT_DOUBLE_EQ(walked.rates[2], 1.0 - 8.0 / 25.0);
  EXPECT_EQ(walked.end.sample, 100);
  const std::string mixed = "{name: linear_with_warmup, t_warmup: 0.5dur, t_max: 0.4ep}";
  const RunPlan both = planOf(
      "max_duration: 2ep\nscheduler: {name: constant}\nstages: [{until: 0.25dur, scheduler: {name: constant}, batch: "
      "{global_train_batch_size: 64}}, {until: 1dur, scheduler: " +
      mixed + "}]\n");
  EXPECT_EQ(both.resolved().at("stages[1].stage_end"), "150sp");
  EXPECT_EQ(both.resolved().at("stages[1].scheduler.t_warmup"), "75sp");
  EXPECT_EQ(both.resolved().at("stages[1].scheduler.t_max"), "40sp");
}

TEST(RunPlanTest, TheEndOfAStageIsThatOfTheLaunch) {
  const TrainConfig config = planConfig(stagesOfOnePass("1dur"));
  const RunPlan launched = planOf(stagesOfOnePass("1dur"));
  const auto batchesOf = [&](const ResolvedValues& values) {
    const auto restored = test::checked(RunPlan::restore(config, values, inputOf));
    EXPECT_EQ(restored->resolved(), values) << "a resume adds no value";
    return restored->plans()[1].totals().batches;
  };
  ResolvedValues values = launched.resolved();
  EXPECT_EQ(values.at("stages[1].stage_end"), "50sp");
  EXPECT_EQ(batchesOf(values), 7);
  values["stages[1].stage_end"] = "20sp";
  EXPECT_EQ(batchesOf(values), 3);
  values["stages[1].stage_end"] = "0.5dur";
  EXPECT_FALSE(RunPlan::restore(config, values, inputOf).ok());
}

TEST(RunPlanTest, ThePreviewShowsAllStages) {
  const RunPlan run = planOf(
      "max_duration: 20ba\nscheduler: {name: constant}\n"
      "stages: [{until: 0.5dur}, {until: 1dur, data.max_seq_len: 256, batch: {global_train_batch_size: 4}}]\n");
  const auto preview = test::checked(previewJson(run, {Time::of(12, TimeUnit::Batch)}));
  EXPECT_EQ(preview->at("run_stages").size(), 2U);
  EXPECT_EQ(preview->at("run_stages")[1].at("from").at("ba"), 10);
  EXPECT_EQ(preview->at("run_stages")[1].at("changes")[0], "batch.global_train_batch_size: 4");
  EXPECT_EQ(preview->at("stages").size(), 2U);
  EXPECT_EQ(preview->at("stages")[1].at("from_ba"), 10);
  EXPECT_EQ(preview->at("stages")[0].at("global_batches"), 10);
  EXPECT_EQ(preview->at("points")[0].at("step_samples"), 4);
  EXPECT_EQ(preview->at("totals").at("ba"), 20);
  const auto text = test::checked(previewText(run));
  EXPECT_NE(text->find("Stage 2 of 2, from 10 ba to 1.0dur"), std::string::npos) << *text;
}

TEST(RunPlanTest, AWarmUpThatGoesOnInTheNextStageIsNotConvertedByTheFirst) {
  const auto resolve = [](const std::string& warmup) {
    return RunPlan::resolve(
        planConfig("max_duration: 4000sp\nscheduler: {name: linear_with_warmup, t_warmup: " + warmup +
                   "}\nstages: [{until: 40sp}, {until: 4000sp, batch: {global_train_batch_size: 4}}]\n"),
        inputOf);
  };
  EXPECT_EQ(test::checked(resolve("5ba"))->resolved().at("stages[0].scheduler.t_warmup"), "40sp");
  const auto beyond = resolve("10ba");
  ASSERT_FALSE(beyond.ok()) << beyond->resolved().at("stages[0].scheduler.t_warmup");
  EXPECT_THAT(beyond.error().text(), testing::HasSubstr("scheduler.t_warmup: "));
  // The only stage is the run.
  const auto whole =
      test::checked(RunPlan::resolve(planConfig("max_duration: 400sp\nscheduler: {name: linear_with_warmup, t_warmup: "
                                                "65ba}\nstages: [{until: 1dur}]\n"),
                                     inputOf));
  EXPECT_EQ(whole->resolved().at("stages[0].scheduler.t_warmup"), "500sp");
}

/// Stages of steps that do not fit their ends.
TrainConfig overshooting(const std::string& yaml, std::int64_t batch, std::optional<std::int64_t> maxTokens) {
  TrainConfig config = planConfig("scheduler: {name: constant}\n" + yaml);
  config.batch.globalTrainBatchSize = batch;
  config.batch.deviceTrainMicrobatchSize = 1;
  config.batch.tokens.maxTokens = maxTokens;
  return config;
}

TEST(RunPlanTest, AStageThatWouldEndBeforeItBeginsIsRefused) {
  const Error plan = test::refused(RunPlan::resolve(
      overshooting("max_duration: 1ep\nstages: [{until: 0.5dur}, {until: 0.53dur, data.mlm_probability: 0.3}, {until: "
                   "1dur, data.mlm_probability: 0.2}]\n",
                   1, 70),
      inputOf));
  EXPECT_EQ(plan.code, ErrorCode::Config);
  EXPECT_THAT(plan.text(), testing::StartsWith("stages[1].until: "));
  EXPECT_THAT(plan.text(), testing::AllOf(testing::HasSubstr("53sp"), testing::HasSubstr("56sp")));
}

TEST(RunPlanTest, APassOfPacksEndsWithItsLastSample) {
  const TrainConfig config =
      overshooting("max_duration: 2ep\nstages: [{until: 0.5ep}, {until: 2ep, data.mlm_probability: 0.3}]\n", 1, 70);
  const auto run = test::checked(RunPlan::resolve(config, inputOf));
  const WalkedRun walked = walk(*run);
  EXPECT_THAT(walked.batches, ElementsAre(8, 30)) << "of 7 samples each, 15 in an epoch";
  EXPECT_EQ(walked.end.sample, 200);
  EXPECT_EQ(walked.end.epoch, 2);
  EXPECT_EQ(run->totals().samples, 200);
  EXPECT_EQ(run->resolved().at("stages[1].stage_end"), "2ep");
  EXPECT_EQ(walk(*test::checked(RunPlan::restore(config, run->resolved(), inputOf))).end, walked.end);
  ResolvedValues wrong = run->resolved();
  wrong["stages[1].stage_end"] = "1.5ep";
  EXPECT_FALSE(RunPlan::restore(config, wrong, inputOf).ok());
}

TEST(RunPlanTest, AStageOfPacksThatEndsWithinAnEpochCountsFromTheActualBegin) {
  const auto run = test::checked(RunPlan::resolve(
      overshooting("max_duration: 1.6ep\nstages: [{until: 0.5ep}, {until: 1.6ep, data.mlm_probability: 0.3}]\n", 1, 70),
      inputOf));
  EXPECT_EQ(run->resolved().at("stages[1].stage_end"), "104sp") << "160 less 56";
  EXPECT_EQ(walk(*run).end.sample, 163);
}

TEST(RunPlanTest, TheStepsThatReachTheEndsOfStagesDoNotAddUp) {
  const std::string whole = "max_duration: 900tok\n";
  const std::string stages = "stages: [{until: 450tok}, {until: 900tok, data.mlm_probability: 0.3}]\n";
  const TrainConfig config = overshooting(whole + stages, 7, std::nullopt);
  const auto unstaged = RunPlan::resolve(overshooting(whole, 7, std::nullopt), inputOf);
  const auto run = test::checked(RunPlan::resolve(config, inputOf));
  const WalkedRun walked = walk(*run);
  EXPECT_THAT(walked.batches, ElementsAre(7, 13)) << "of 70 tokens each";
  EXPECT_EQ(walked.end.token, walk(*unstaged).end.token);
  EXPECT_EQ(run->resolved().at("stages[1].stage_end"), "410tok");
  EXPECT_FALSE(run->resolved().contains("stages[0].stage_end"));
  EXPECT_EQ(walk(*test::checked(RunPlan::restore(config, run->resolved(), inputOf))).end, walked.end);
  EXPECT_FALSE(RunPlan::resolve(overshooting("max_duration: 900tok\nstages: [{until: 450tok}, {until: 480tok, "
                                             "data.mlm_probability: 0.3}, {until: 900tok}]\n",
                                             7, std::nullopt),
                                inputOf)
                   .ok())
      << "the second stage would end before it begins";
}

TEST(RunPlanTest, ScaledStagesMustAddUpToTheRun) {
  const auto resolve = [](const std::string& run, const std::string& first, const std::string& last) {
    return RunPlan::resolve(planConfig(run + "\nscheduler: {name: constant}\nstages: [{until: " + first +
                                       "}, {until: " + last + ", data.mlm_probability: 0.3}]\n"),
                            inputOf);
  };
  const auto even = test::checked(resolve("max_duration: 30ba\nscale_schedule_ratio: 0.5", "10ba", "30ba"));
  EXPECT_THAT(walk(*even).batches, ElementsAre(5, 15));
  const auto odd = resolve("max_duration: 20ba\nscale_schedule_ratio: 0.25", "10ba", "20ba");
  ASSERT_FALSE(odd.ok()) << "2.5 and 5";
  EXPECT_THAT(odd.error().text(), testing::StartsWith("stages[1].until: scaled by 0.25, the stage begins at 2ba and "
                                                      "takes 2ba, but is to end at 5ba"));
  const auto alike = test::checked(resolve("max_duration: 25ba\nscale_schedule_ratio: 0.5", "10ba", "25ba"));
  EXPECT_THAT(walk(*alike).batches, ElementsAre(5, 12)) << "12.5 and 5 + 7.5";
  EXPECT_TRUE(resolve("max_duration: 200ba\nscale_schedule_ratio: 0.58", "50ba", "200ba").ok()) << "28.99.., 115.99..";
  EXPECT_TRUE(resolve("max_duration: 5ep\nscale_schedule_ratio: 0.5", "2ep", "5ep").ok()) << "2.5 and 1 + 1.5";
  const auto epochs = resolve("max_duration: 5ep\nscale_schedule_ratio: 0.5", "3ep", "5ep");
  ASSERT_FALSE(epochs.ok()) << "1 epoch, and then 1 from 1.5 on";
  EXPECT_THAT(epochs.error().text(), testing::StartsWith("stages[0].until: scaled by 0.5, the stage begins at 0ep and "
                                                         "takes 1ep, but is to end at 1.5ep"));
  const auto whole =
      planOf("max_duration: 5ep\nscale_schedule_ratio: 0.5\nscheduler: {name: constant}\nstages: [{until: 1dur}]\n");
  EXPECT_EQ(walk(whole).end.epoch, 2) << "the only stage is the run";
}

TEST(RunPlanTest, AnEpochIsFoundInTheStageItIsIn) {
  const std::string run = "max_duration: 40ba\nscheduler: {name: constant}\n";
  // 13 global batches an epoch, 7 and 11 of the second, then 25.
  const auto smaller =
      test::checked(planOf(run + "stages: [{until: 0.5dur}, {until: 1dur, batch: {global_train_batch_size: 4}}]\n")
                        .pointAt(Time::of(2, TimeUnit::Epoch)));
  EXPECT_EQ(smaller->at.batch, 31);
  EXPECT_EQ(smaller->at.epoch, 2);
  EXPECT_EQ(smaller->stepSamples, 4);
  // The third epoch begins with the second stage, of 7 global batches an epoch.
  const RunPlan longer = planOf(run + "stages: [{until: 0.5dur}, {until: 1dur, data.max_seq_len: 256}]\n");
  const auto first = longer.pointAt(Time::of(1, TimeUnit::Epoch)),
             second = longer.pointAt(Time::of(3, TimeUnit::Epoch));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->at.batch, 13);
  EXPECT_EQ(second->at.batch, 27);
  EXPECT_EQ(second->at.epoch, 3);
}

TEST(RunPlanTest, WithoutLengthsEpochZeroIsTheBeginOfTheRun) {
  const auto run = test::checked(
      RunPlan::resolve(planConfig("max_duration: 40ba\nscheduler: {name: constant}\n"
                                  "stages: [{until: 0.5dur}, {until: 1dur, batch: {global_train_batch_size: 4}}]\n"),
                       [](const RunStage&) -> Result<RunPlan::StageInput> { return RunPlan::StageInput{}; }));
  const auto point = test::checked(run->pointAt(Time::of(0, TimeUnit::Epoch)));
  EXPECT_EQ(point->at.batch, 0);
  EXPECT_EQ(point->stepSamples, 8);
}

TEST(RunPlanTest, APartOfAnEpochIsThatShareOfItsSamplesInEveryKindOfPlan) {
  const std::string run = "max_duration: 2.5ep\nscheduler: {name: linear_with_warmup}\n";
  const std::string stages = "stages: [{until: 0.7ep}, {until: 1.25ep, data.mlm_probability: 0.3}, {until: 2.5ep}]\n";
  for (const std::int64_t size : {4, 7, 8, 13, 64, 99, 100})
    for (const bool ramps : {false, true})
      for (const std::string& more : {std::string(), stages}) {
        TrainConfig config = planConfig(run + more);
        config.batch.globalTrainBatchSize = size;
        if (ramps) config.batch.rampup.duration = Time::duration(0.3);
        if (ramps) config.batch.rampup.initialGlobalTrainBatchSize = 3;
        const auto plan = test::checked(RunPlan::resolve(config, inputOf));
        EXPECT_EQ(plan->totals().samples, 250) << size << " " << ramps << " " << more;
        EXPECT_EQ(walk(*plan).end.sample, 250) << size << " " << ramps << " " << more;
      }
}

}  // namespace
}  // namespace batchwise
