// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of several stages where more than training straight on happens: resumes, stretches, roll-backs, forks, other
// masks.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/model/shape/training_cost.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::joined;
using test::SmallRuns;

// Global batches 1 to 5, then shorter sequences and more masks.
const std::vector<std::string> kTwoStages = {
    "stages=[{until: 5ba}, {until: 12ba, data.max_seq_len: 16, data.mlm_probability: 0.4}]", "max_duration=12ba",
    "scheduler={name: linear_with_warmup, t_warmup: 2ba}"};

std::int64_t stepsIn(const std::vector<MetricsRow>& rows) {
  return rows.empty() ? 0 : rows.back().at.step;
}

TEST(StagedRunTest, RowsAndCostKnowTheMasksOfEachStage) {
  const SmallRuns runs;
  const auto run = test::checked(runs.train(runs.fresh(kTwoStages)));
  ASSERT_EQ(run.log.rows.size(), 12u);
  for (const MetricsRow& row : run.log.rows) EXPECT_EQ(row.measured.mlmProbability, row.at.batch <= 5 ? 0.15 : 0.4);
  const TrainingCost cost = storedTrainingCost(runs.workspace()->findRun(run.run())->resolvedValues);
  EXPECT_EQ(cost.predictedShare, 0.15);
  EXPECT_GT(cost.operations(100, 10, 0.4), cost.operations(100, 10));
  const auto unstaged = test::checked(runs.train(runs.fresh()));
  EXPECT_EQ(unstaged.log.rows.front().measured.mlmProbability, std::nullopt);
}

TEST(StagedRunTest, DevicesShareEveryStage) {
  const SmallRuns runs;
  const auto one = runs.train(runs.fresh(kTwoStages));
  const auto two = runs.train(runs.fresh(joined(kTwoStages, {"devices.use=cpu:2"})));
  ASSERT_TRUE(one.end.ok()) << one.end.error().text();
  ASSERT_TRUE(two.end.ok()) << two.end.error().text();
  ASSERT_EQ(one.log.rows.size(), two.log.rows.size());
  for (std::size_t i = 0; i < one.log.rows.size(); ++i) {
    EXPECT_EQ(one.log.rows[i].at.token, two.log.rows[i].at.token);
    EXPECT_NEAR(one.log.rows[i].loss, two.log.rows[i].loss, 1e-3 * one.log.rows[i].loss) << i;
  }
}

TEST(StagedRunTest, AnEarlyStopAtTheEndOfAStageEndsTheRun) {
  const SmallRuns runs;
  const auto run = test::checked(runs.train(runs.fresh(
      joined(kTwoStages, {"eval.interval=[100ba]", "guard.early_stop={action: stop, patience: 1, min_delta: 1000}",
                          "stages=[{until: 3ba}, {until: 5ba, data.mlm_probability: 0.3}, {until: 12ba}]"}))));
  EXPECT_EQ(run.end->status, RunStatus::Finished);
  EXPECT_EQ(run.end->at.batch, 5) << run.end->reason;
}

TEST(StagedRunTest, ALaterStageKeepsTheMicrobatchOfAResume) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(kTwoStages), 2));
  const auto smaller = joined(kTwoStages, {"batch.device_train_microbatch_size=1"});
  const auto second = test::checked(runs.train(runs.resume(first.run(), smaller), 3));
  const auto third = test::checked(runs.train(runs.resume(first.run(), kTwoStages), 7));
  EXPECT_EQ(runs.newest(first.run()).loop.microbatchUnits, 1);
}

TEST(StagedRunTest, ARollBackCrossesTheBoundary) {
  const SmallRuns runs;
  // Next to no learning, and a limit that the small steps of the second stage break: back to the end of the first.
  const std::vector<std::string> still = {
      "stages=[{until: 5ba}, {until: 12ba, data.mlm_probability: 0.4, data.max_seq_len: 16, "
      "batch: {global_train_batch_size: 2, device_train_microbatch_size: 2}}]",
      "max_duration=12ba", "scheduler={name: constant}", "optimizer.lr=1e-7"};
  const auto plain = test::checked(runs.train(runs.fresh(still)));
  double most = 0;
  for (std::size_t i = 0; i < 5; ++i) most = std::max(most, plain.log.rows[i].gradNorm);
  const auto bad = std::find_if(plain.log.rows.begin() + 5, plain.log.rows.end(),
                                [&](const MetricsRow& row) { return row.gradNorm > most; });
  ASSERT_NE(bad, plain.log.rows.end()) << "few samples have larger gradients";
  const auto back = test::checked(runs.train(runs.fresh(
      joined(still, {"guard.grad_norm={action: roll_back, limit: " + std::to_string((most + bad->gradNorm) / 2) + "}",
                     "guard.roll_back_limit=20", "checkpoint.interval=100ba"}))));
  EXPECT_EQ(back.end->status, RunStatus::Finished) << back.end->reason;
  EXPECT_EQ(back.end->at.token, plain.end->at.token) << "what lies between counts as done";
  ASSERT_GE(back.log.started.size(), 2u);
  EXPECT_EQ(back.log.started[1].from.step, 5) << "the checkpoint between the two stages";
  const auto next = std::find_if(back.log.rows.begin(), back.log.rows.end(),
                                 [&](const MetricsRow& row) { return row.at.step == bad->at.step + 1; });
  if (bad->at.step < stepsIn(plain.log.rows)) {
    ASSERT_NE(next, back.log.rows.end());
    EXPECT_EQ(next->at.token, plain.log.rows[static_cast<std::size_t>(bad->at.step)].at.token);
    EXPECT_EQ(next->measured.mlmProbability, 0.4) << "goes on in the second stage";
  }
}

TEST(StagedRunTest, AStretchOfTheScheduleReachesEveryStageThatFollowsIt) {
  const SmallRuns runs;
  for (const std::int64_t stop : {3, 8}) {  // in the first stage and in the second
    const auto first = test::checked(runs.train(runs.fresh(kTwoStages), stop));
    LaunchRequest other = runs.resume(first.run(), joined(kTwoStages, {"scheduler={name: constant}"}));
    const auto refused = runs.train(other);
    ASSERT_FALSE(refused.end.ok());
    EXPECT_THAT(refused.end.error().text(), testing::HasSubstr("--stretch"));
    other.stretch = true;
    const auto stretched = test::checked(runs.train(other));
    EXPECT_EQ(stretched.end->at.batch, 12);
    EXPECT_EQ(stretched.log.rows.front().at.step, stop + 1);
    for (const MetricsRow& row : stretched.log.rows) {
      EXPECT_EQ(row.learningRate, stretched.log.rows.front().learningRate) << row.at.batch;
      EXPECT_EQ(row.measured.mlmProbability, row.at.batch <= 5 ? 0.15 : 0.4);
    }
  }
}

TEST(StagedRunTest, AnotherLengthOfAStagedRunNeedsAFork) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(kTwoStages), 8));
  LaunchRequest longer = runs.resume(first.run(), {"max_duration=16ba"});
  longer.stretch = true;
  const auto refused = runs.train(longer);
  ASSERT_FALSE(refused.end.ok());
  EXPECT_THAT(refused.end.error().text(), testing::HasSubstr("max_duration"));
  EXPECT_THAT(refused.end.error().text(), testing::HasSubstr("--fork"));
}

TEST(StagedRunTest, AForkOfAStagedRunKeepsItsStateWhileItsStagesStay) {
  const SmallRuns runs;
  const auto whole = test::checked(runs.train(runs.fresh(kTwoStages)));
  for (const std::int64_t stop : {3, 5, 8}) {
    const auto first = test::checked(runs.train(runs.fresh(kTwoStages), stop));
    std::vector<std::string> settings = kTwoStages;
    settings.push_back("name=fork" + std::to_string(stop));
    LaunchRequest fork = runs.resume(first.run(), settings);
    fork.fork = true;
    const auto second = test::checked(runs.train(fork));
    EXPECT_NE(second.run(), first.run());
    test::expectSameRows({whole.log.rows.begin() + stop, whole.log.rows.end()}, second.log.rows);
    test::expectSameState(runs.newest(whole.run()), runs.newest(second.run()));
  }
}

TEST(StagedRunTest, AForkWithOtherStagesStartsFromTheWeights) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(kTwoStages), 8));
  LaunchRequest fork = runs.resume(
      first.run(), {"stages=[{until: 2ba}, {until: 12ba, data.max_seq_len: 24, data.mlm_probability: 0.2}]"});
  fork.fork = true;
  const auto second = test::checked(runs.train(fork));
  EXPECT_EQ(second.log.rows.front().at.step, 1);
  EXPECT_EQ(second.end->at.batch, 12);
  EXPECT_TRUE(second.log.hasNote("starts from the weights of checkpoint"));
  for (const MetricsRow& row : second.log.rows) EXPECT_EQ(row.measured.mlmProbability, row.at.batch <= 2 ? 0.15 : 0.2);
}

}  // namespace
}  // namespace batchwise
