// SPDX-License-Identifier: GPL-3.0-or-later
// What a ramp changes in a real run of a tiny model, and what it must leave alone.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::SmallRuns;
using test::with;

using Changes = std::vector<std::string>;

SmallRuns::Outcome trained(const SmallRuns& runs, const Changes& changes) {
  SmallRuns::Outcome run = runs.train(runs.fresh(changes));
  EXPECT_TRUE(run.end.ok()) << run.end.error().text();
  return run;
}

void expectSameWeights(const RunCheckpoint& left, const RunCheckpoint& right) {
  ASSERT_EQ(left.state.tensors.size(), right.state.tensors.size());
  for (std::size_t i = 0; i < left.state.tensors.size(); ++i)
    EXPECT_TRUE(torch::equal(left.state.tensors[i].tensor, right.state.tensors[i].tensor))
        << left.state.tensors[i].name;
}

TEST(RampEffectTest, ARampThatStartsAtTheFullSizeIsThePlainRunBitForBit) {
  const SmallRuns runs;
  const auto plain = trained(runs, {});
  const Changes none[] = {
      {"batch.rampup={duration: 6ba, initial_global_train_batch_size: 16}"},
      {"batch.rampup.stages=[{at: 0ba, global_train_batch_size: 16}]"},
      {"lr_scaling={method: sqrt, applies_to: [tokens, growth, rampup]}"},
      {"batch.growth={increase_function: current_batch_size}"},
  };
  for (const Changes& changes : none) {
    SCOPED_TRACE(changes.front());
    const auto other = trained(runs, changes);
    test::expectSameRows(plain.log.rows, other.log.rows);
    expectSameWeights(runs.newest(plain.run()), runs.newest(other.run()));
  }
}

struct FirstStage {
  Changes ramp;
  Changes constant;
  std::int64_t size;  ///< of a step, in samples or packs
  std::size_t steps;  ///< of the first stage
};

TEST(RampEffectTest, TheFirstStageHasTheLossesOfTheConstantSmallerBatch) {
  const std::string packs = "batch.tokens={max_tokens: 80}";
  const FirstStage cases[] = {
      {{"batch.rampup={duration: 9ba, initial_global_train_batch_size: 2}"},
       {"batch.global_train_batch_size=2"},
       2,
       24},
      {{"batch.rampup={duration: 6ba, growth: linear, increment: 4, initial_global_train_batch_size: 4}"},
       {"batch.global_train_batch_size=4"},
       4,
       8},
      {{"batch.rampup.stages=[{at: 0ba, global_train_batch_size: 8}, {at: 3ba, global_train_batch_size: 16}]"},
       {"batch.global_train_batch_size=8"},
       8,
       6},
      {{packs, "batch.global_train_batch_size=8", "batch.device_train_microbatch_size=1",
        "batch.rampup={duration: 2ba, initial_global_train_batch_size: 4}"},
       {packs, "batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1"},
       0,
       4},
  };
  const SmallRuns runs;
  for (const FirstStage& one : cases) {
    SCOPED_TRACE(one.ramp.back());
    const Changes common = {"scheduler={name: constant}", "eval.interval=[]", "checkpoint.interval=[]"};
    const auto ramped = trained(runs, with(one.ramp, common)),
               plain = trained(runs, with(one.constant, with(common, {"max_duration=30ba"})));
    std::vector<MetricsRow> steps;
    for (const MetricsRow& row : ramped.log.rows)
      if (row.at.stepInBatch > 0) steps.push_back(row);
    ASSERT_GE(steps.size(), one.steps);
    std::vector<MetricsRow> expected;
    for (const MetricsRow& row : plain.log.rows)
      if (row.at.stepInBatch > 0 || row.parts == 1) expected.push_back(row);
    ASSERT_GE(expected.size(), one.steps);
    for (std::size_t i = 0; i < one.steps; ++i) {
      EXPECT_TRUE(one.size == 0 || steps[i].stepSamples == one.size) << steps[i].stepSamples;
      EXPECT_EQ(steps[i].loss, expected[i].loss) << "step " << i;
      EXPECT_EQ(steps[i].gradNorm, expected[i].gradNorm) << "step " << i;
    }
  }
}

// With a rate of 0 and no dropout the loss of a row depends on its samples and masks alone.
TEST(RampEffectTest, ARampToEightTimesTheSizeSeesTheSameSamplesAndLogsTheSameRows) {
  const SmallRuns runs;
  const Changes still = {"optimizer.lr=0", "model.hidden_dropout_prob=0", "log.every_step=false", "max_duration=3ep"};
  const Changes ramp = with(still, {"batch.rampup={duration: 2ep, initial_global_train_batch_size: 2}"});
  const auto plain = trained(runs, still), ramped = trained(runs, ramp);
  ASSERT_EQ(plain.log.rows.size(), ramped.log.rows.size());
  ASSERT_GT(ramped.end->at.step, plain.end->at.step);
  for (std::size_t i = 0; i < plain.log.rows.size(); ++i) {
    const MetricsRow &a = plain.log.rows[i], &b = ramped.log.rows[i];
    EXPECT_EQ(a.at.batch, b.at.batch);
    EXPECT_EQ(a.at.sample, b.at.sample);
    EXPECT_EQ(a.at.token, b.at.token);
    EXPECT_EQ(a.at.epoch, b.at.epoch);
    EXPECT_EQ(a.globalBatchSamples, b.globalBatchSamples);
    EXPECT_NEAR(a.loss, b.loss, 2e-6 * a.loss) << "row " << i;
    EXPECT_TRUE(i == 0 || plain.log.rows[i - 1].loss != a.loss);
  }
}

TEST(RampEffectTest, ARampFromTheScheduleHasItsRatesAndGoesOnExactly) {
  const SmallRuns runs;
  const Changes seesaw = {"max_duration=4ep",
                          "batch={global_train_batch_size: 4, device_train_microbatch_size: 4, rampup: {from_schedule: "
                          "{factor: 1.41, cap: 4x}}}",
                          "scheduler={name: linear, within_batch: interpolate}", "optimizer.weight_decay=0"};
  const auto whole = trained(runs, seesaw);
  std::int64_t largest = 0;
  double before = 2e-3;
  for (const MetricsRow& row : whole.log.rows) {
    if (row.parts > 1 && row.at.stepInBatch == 0) continue;  // of the whole global batch
    if (row.stepSamples < largest) continue;                 // the last of an epoch
    largest = row.stepSamples;
    const double scheduled = row.learningRate / std::sqrt(static_cast<double>(row.stepSamples) / 4.0);
    EXPECT_LE(scheduled, before * (1.0 + 1e-12)) << "step " << row.at.step;
    before = scheduled;
  }
  EXPECT_EQ(largest, 16);
  EXPECT_LT(whole.end->at.step, whole.end->at.sample / 4 * 7 / 10) << "over 30 % fewer steps";
  for (const std::int64_t stop : {3, 17, 40}) {
    SCOPED_TRACE(stop);
    const auto first = runs.train(runs.fresh(seesaw), stop), second = runs.train(runs.resume(first.run(), seesaw));
    ASSERT_TRUE(second.end.ok()) << second.end.error().text();
    test::expectSameRows(whole.log.rows, test::joined(first.log.rows, second.log.rows));
    expectSameWeights(runs.newest(whole.run()), runs.newest(second.run()));
  }
}

}  // namespace
}  // namespace batchwise
