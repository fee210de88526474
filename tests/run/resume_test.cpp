// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is stopped and resumed against one that is not: state and rows must be equal, bit for bit.
#include <gtest/gtest.h>

#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::SmallRuns;

struct Kind {
  const char* name;
  std::vector<std::string> changes;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

class ResumeTest : public testing::TestWithParam<Kind> {};

std::vector<MetricsRow> joined(const std::vector<MetricsRow>& first, const std::vector<MetricsRow>& second) {
  std::vector<MetricsRow> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

TEST_P(ResumeTest, ContinuesBitForBitFromEveryStep) {
  const SmallRuns runs;
  const SmallRuns::Outcome straight = runs.train(runs.fresh(GetParam().changes));
  ASSERT_TRUE(straight.end.ok()) << straight.end.error().text();
  ASSERT_EQ(straight.end->status, RunStatus::Finished) << straight.end->reason;
  const RunCheckpoint expected = runs.newest(straight.run());
  for (std::int64_t stop = 1; stop < expected.loop.now.step; ++stop) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    const SmallRuns::Outcome first = runs.train(runs.fresh(GetParam().changes), stop);
    ASSERT_TRUE(first.end.ok()) << first.end.error().text();
    ASSERT_EQ(first.end->status, RunStatus::Stopped);
    ASSERT_EQ(first.end->at.step, stop);
    const SmallRuns::Outcome second = runs.train(runs.resume(first.run(), GetParam().changes));
    ASSERT_TRUE(second.end.ok()) << second.end.error().text();
    ASSERT_EQ(second.end->status, RunStatus::Finished) << second.end->reason;
    EXPECT_TRUE(second.log.hasNote("bit for bit"));
    EXPECT_EQ(second.log.started.front().segment, 1);
    test::expectSameState(expected, runs.newest(first.run()));
    test::expectSameRows(straight.log.rows, joined(first.log.rows, second.log.rows));
    EXPECT_EQ(straight.log.evaluations.size(), first.log.evaluations.size() + second.log.evaluations.size());
    EXPECT_EQ(straight.log.evaluations.back().loss, second.log.evaluations.back().loss);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ResumeTest,
    testing::Values(Kind{"Plain", {}},
                    Kind{"Ramp", {"batch.rampup={duration: 6ba, initial_global_train_batch_size: 4}"}},
                    Kind{"TokenBudget",
                         {"batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1",
                          "batch.tokens={max_tokens: 100, sequence_picking_order: random}"}},
                    Kind{"Growth",
                         {"batch.global_train_batch_size=8", "max_duration=3ep", "scheduler={name: constant}",
                          "batch.growth={increase_function: 'loss < 100 ? current_batch_size * 2 : 8', bound: none}"}},
                    Kind{"NoiseScale", {"log.noise_scale=true", "max_duration=5ba"}},
                    Kind{"TwoDevices", {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"}}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(ResumeChainTest, TenResumesGiveWhatOneRunGives) {
  const SmallRuns runs;
  const SmallRuns::Outcome straight = runs.train(runs.fresh());
  ASSERT_TRUE(straight.end.ok());
  SmallRuns::Outcome part = runs.train(runs.fresh(), 1);
  const std::string run = part.run();
  std::vector<MetricsRow> rows = part.log.rows;
  for (std::int64_t stop = 2; stop <= 11; ++stop) {
    part = runs.train(runs.resume(run), stop);
    ASSERT_TRUE(part.end.ok()) << part.end.error().text();
    rows = joined(rows, part.log.rows);
  }
  part = runs.train(runs.resume(run));
  ASSERT_TRUE(part.end.ok()) << part.end.error().text();
  test::expectSameState(runs.newest(straight.run()), runs.newest(run));
  test::expectSameRows(straight.log.rows, joined(rows, part.log.rows));
}

TEST(ResumeChangesTest, RefusesWhatWouldMakeItAnotherRunAndNamesTheField) {
  const SmallRuns runs;
  const SmallRuns::Outcome first = runs.train(runs.fresh(), 3);
  ASSERT_TRUE(first.end.ok());
  for (const auto& [change, field] :
       std::vector<std::pair<std::string, std::string>>{{"seed=6", "seed"},
                                                        {"model.hidden_size=64", "model.hidden_size"},
                                                        {"data.max_seq_len=24", "data.max_seq_len"}}) {
    const SmallRuns::Outcome second = runs.train(runs.resume(first.run(), {change}));
    ASSERT_FALSE(second.end.ok());
    EXPECT_EQ(second.end.error().code, ErrorCode::Config);
    EXPECT_NE(second.end.error().message.find(field), std::string::npos) << second.end.error().message;
    EXPECT_NE(second.end.error().message.find("--fork"), std::string::npos);
    EXPECT_TRUE(second.log.started.empty());
  }
}

TEST(ResumeChangesTest, ALongerRunKeepsTheScheduleUnlessItIsStretched) {
  const SmallRuns runs;
  const SmallRuns::Outcome first = runs.train(runs.fresh());
  ASSERT_TRUE(first.end.ok());
  LaunchRequest longer = runs.resume(first.run(), {"max_duration=16ba"});
  const SmallRuns::Outcome kept = runs.train(longer);
  ASSERT_TRUE(kept.end.ok()) << kept.end.error().text();
  EXPECT_EQ(kept.end->at.batch, 16);
  EXPECT_EQ(kept.log.rows.front().learningRate, kept.log.rows.back().learningRate);
}

TEST(ResumeChangesTest, ALongerRunKeepsItsIntervals) {
  const SmallRuns runs;
  const std::vector<std::string> parts = {"eval.interval=0.25dur", "checkpoint.interval=0.5dur"};
  const SmallRuns::Outcome first = runs.train(runs.fresh(parts));
  ASSERT_TRUE(first.end.ok()) << first.end.error().text();
  ASSERT_EQ(first.log.evaluations.size(), 4u);
  std::vector<std::string> longer = parts;
  longer.push_back("max_duration=24ba");
  const SmallRuns::Outcome kept = runs.train(runs.resume(first.run(), longer));
  ASSERT_TRUE(kept.end.ok()) << kept.end.error().text();
  EXPECT_EQ(kept.log.evaluations.size(), 4u);  // every 3ba, as at launch, not every 6ba
  EXPECT_EQ(kept.log.evaluations.front().at.batch, 15);
  EXPECT_EQ(runs.newest(first.run()).facts.resolved.at("eval.interval"), "3ba");
  EXPECT_NE(runs.workspace()->findRun(first.run())->resolvedYaml.find("max_duration: 24ba"), std::string::npos);
}

TEST(ResumeChangesTest, AnEndThatIsOverAlreadyIsRefused) {
  const SmallRuns runs;
  const SmallRuns::Outcome first = runs.train(runs.fresh(), 9);
  ASSERT_TRUE(first.end.ok());
  const SmallRuns::Outcome shorter = runs.train(runs.resume(first.run(), {"max_duration=3ba"}));
  ASSERT_FALSE(shorter.end.ok());
  EXPECT_NE(shorter.end.error().message.find("3ba is over already"), std::string::npos) << shorter.end.error().text();
  EXPECT_NE(shorter.end.error().message.find("9ba"), std::string::npos);
  EXPECT_TRUE(shorter.log.started.empty());
  EXPECT_EQ(runs.workspace()->findRun(first.run())->segments.size(), 1u);
}

TEST(ResumeChangesTest, AForkIsANewRunThatGoesOnFromTheCheckpoint) {
  const SmallRuns runs;
  const SmallRuns::Outcome first = runs.train(runs.fresh(), 6);
  ASSERT_TRUE(first.end.ok());
  LaunchRequest fork = runs.resume(first.run());
  fork.fork = true;
  const SmallRuns::Outcome second = runs.train(fork);
  ASSERT_TRUE(second.end.ok()) << second.end.error().text();
  EXPECT_NE(second.run(), first.run());
  EXPECT_EQ(second.log.rows.front().at.step, 7);
  LaunchRequest other = runs.resume(first.run(), {"seed=6"});
  other.fork = true;
  const SmallRuns::Outcome third = runs.train(other);
  ASSERT_TRUE(third.end.ok()) << third.end.error().text();
  EXPECT_EQ(third.log.rows.front().at.step, 1);
  EXPECT_TRUE(third.log.hasNote("starts from the weights of checkpoint"));
}

}  // namespace
}  // namespace batchwise
