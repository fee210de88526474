// SPDX-License-Identifier: GPL-3.0-or-later
// What preview shows before launch against what a real run of a tiny model then logs, row by row.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/config/default_values.h"
#include "core/plan/plan_report.h"
#include "core/run/launch/launch_data.h"
#include "core/store/workspace.h"
#include "core/train/step_stream.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"
#include "tests/support/run_plan.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::SmallRuns;
using test::with;

struct Kind {
  const char* name;
  std::vector<std::string> changes;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

PreparedData prepared(const SmallRuns& runs, const LoadedConfig& config) {
  const auto workspace = Workspace::open(runs.folder() / "workspace");
  EXPECT_TRUE(workspace.ok());
  NullSink nobody;
  CommandMailbox commands;
  auto data = prepareLaunchData(config, (*workspace)->cacheFolder(), nobody, commands);
  EXPECT_TRUE(data.ok());
  return std::move(*data);
}

/// The plan as the command preview makes it: from the configuration and the lengths of its text alone.
RunPlan previewPlan(const SmallRuns& runs, const LoadedConfig& config) {
  DeviceShape shape;
  shape.devices = namedDeviceCount(config.config.devices.use).value_or(1);
  const auto lengths = std::make_shared<DatasetLengths>(prepared(runs, config).train);
  return test::runPlanOf(config.config, lengths, shape);
}

/// The preview with a point for each global batch.
json previewOf(const RunPlan& plan) {
  std::vector<Time> points;
  for (std::int64_t batch = 0; batch < *plan.totals().batches; ++batch)
    points.push_back(Time::of(batch, TimeUnit::Batch));
  const auto preview = previewJson(plan, points);
  EXPECT_TRUE(preview.ok()) << preview.error().text();
  return *preview;
}

json stageOf(const json& preview, std::int64_t batch) {
  json found;
  for (const json& stage : preview["stages"])
    if (stage["reached"].get<bool>() && stage["from_ba"] <= batch) found = stage;
  return found;
}

void expectRow(const MetricsRow& row, const json& preview, std::size_t index) {
  const json& before = preview["points"][index];
  // The point at the end is where a longer run would go on, so a last global batch that max_duration cuts ends
  // elsewhere.
  const bool last = preview["totals"]["ba"] == row.at.batch;
  const json& after = last ? preview["totals"] : preview["points"][index + 1];
  EXPECT_EQ(before["ba"], row.at.batch - 1);
  EXPECT_EQ(before["lr"].get<double>(), row.learningRate);
  EXPECT_EQ(before["step_samples"], row.stepSamples);
  EXPECT_EQ(before["global_batch_samples"], row.globalBatchSamples);
  EXPECT_EQ(after["sp"], row.at.sample);
  EXPECT_EQ(after["tok"], row.at.token);
  EXPECT_TRUE(last || after["ep"] == row.at.epoch);
  const json stage = stageOf(preview, row.at.batch - 1);
  ASSERT_FALSE(stage.is_null());
  const bool shortOne = row.at.batchInEpoch == 0;  // the last global batch of an epoch
  if (shortOne)
    EXPECT_GE(stage["parts"], row.parts);
  else
    EXPECT_EQ(stage["parts"], row.parts);
}

/// Passes of a device as the training loop takes them, of the steps that have the size of their stage.
void expectPasses(const Plan& stored, const PreparedData& data, const json& preview) {
  const MaskSpec masks = MaskSpec::of(data.tokenizer.vocabulary(), 0.15);
  StepStream stream(stored, {data.train, masks, 0, 0, {}}, 0, {}, stored.initialGrowth());
  std::int64_t compared = 0;
  Timestamp now;
  while (true) {
    const auto next = test::checked(stream.next());
    if (!*next) break;
    const PlannedStep& step = *(*next)->step;
    now.epoch = step.batch->epoch;
    if (stored.growthDue(now, stored.initialGrowth())) break;  // the loop starts a new stream there
    const json stage = stageOf(preview, step.batch->batch);
    if ((*next)->index > 0 || step.counts().units != stage["step_samples"]) continue;
    EXPECT_EQ(stage["micro_batches_per_step"], step.microBatches) << "global batch " << step.batch->batch;
    ++compared;
  }
  EXPECT_GT(compared, 4);
}

/// Over the rows of the first epoch: tokens, and the places that they say these took.
double fillOfFirstEpoch(const std::vector<MetricsRow>& rows) {
  double tokens = 0;
  double places = 0;
  for (const MetricsRow& row : rows) {
    const double own = static_cast<double>(row.at.token) - tokens;
    tokens += own;
    places += own / row.fill;
    if (row.at.batchInEpoch == 0) break;
  }
  return tokens / places;
}

class PreviewMatchesRunTest : public testing::TestWithParam<Kind> {};

TEST_P(PreviewMatchesRunTest, RowByRow) {
  const SmallRuns runs;
  std::vector<std::string> changes = GetParam().changes;
  changes.push_back("log.every_step=false");
  const RunPlan plan = previewPlan(runs, runs.config(changes));
  const json preview = previewOf(plan);
  const SmallRuns::Outcome run = runs.train(runs.fresh(changes));
  ASSERT_TRUE(run.end.ok()) << run.end.error().text();
  ASSERT_EQ(run.end->status, RunStatus::Finished) << run.end->reason;
  ASSERT_EQ(preview["totals"]["ba"], run.log.rows.size());
  ASSERT_GT(run.log.rows.size(), 4u);
  for (std::size_t i = 0; i < run.log.rows.size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i));
    expectRow(run.log.rows[i], preview, i);
  }
  const Timestamp& end = run.end->at;
  EXPECT_EQ(preview["totals"]["steps"], end.step);
  EXPECT_EQ(preview["totals"]["sp"], end.sample);
  EXPECT_EQ(preview["totals"]["tok"], end.token);
  EXPECT_EQ(run.log.started.front().plannedBatches, *plan.totals().batches);
  const Result<RunDetail> stored = test::checked(runs.workspace()->findRun(run.run()));
  for (const auto& [name, value] : plan.resolved()) EXPECT_EQ(stored->resolvedValues.at(name), value) << name;
  if (!plan.first().countsPacks() && run.end->at.epoch > 0) {
    EXPECT_NEAR(preview["fill"].get<double>(), fillOfFirstEpoch(run.log.rows), 1e-9);
  }
}

TEST_P(PreviewMatchesRunTest, PassByPass) {
  const SmallRuns runs;
  const LoadedConfig config = runs.config(GetParam().changes);
  const json preview = previewOf(previewPlan(runs, config));
  const SmallRuns::Outcome run = runs.train(runs.fresh(GetParam().changes), 1);
  ASSERT_TRUE(run.end.ok()) << run.end.error().text();
  const Result<RunDetail> stored = test::checked(runs.workspace()->findRun(run.run()));
  DeviceShape shape;
  shape.devices = namedDeviceCount(config.config.devices.use).value_or(1);
  const PreparedData data = prepared(runs, config);
  const auto plan = test::checked(
      Plan::restore(config.config, stored->resolvedValues, std::make_shared<DatasetLengths>(data.train), shape));
  expectPasses(*plan, data, preview);
}

const std::vector<std::string> kPacks = {"batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1"};

// A ramp over packs, the rate following with the root of the size, on two devices, and growth at epoch 3.
const std::vector<std::string> kComposition = {
    "batch.global_train_batch_size=8",
    "batch.device_train_microbatch_size=1",
    "devices.use=cpu:2",
    "max_duration=5ep",
    "batch.tokens={max_tokens: 80, sequence_picking_order: random, packing: best_fit}",
    "batch.rampup={duration: 1ep, initial_global_train_batch_size: 2}",
    "batch.growth={increase_function: 'epoch == 3 ? current_batch_size * 2 : current_batch_size', bound: none}",
    "lr_scaling={method: sqrt, reference_batch_size: 16, applies_to: [tokens, growth, rampup, last]}",
    "scheduler={name: cosine_annealing_with_warmup, t_warmup: 0.1dur, alpha_f: 0.1}",
    "eval.interval=[]",
    "checkpoint.interval=[]"};

INSTANTIATE_TEST_SUITE_P(
    Kinds, PreviewMatchesRunTest,
    testing::Values(
        Kind{"Constant", {}}, Kind{"ConstantOverSamples", {"max_duration=150sp", "scheduler.t_warmup=30sp"}},
        Kind{"DoublingRamp", {"batch.rampup={duration: 6ba, initial_global_train_batch_size: 2}"}},
        Kind{"LinearRamp",
             {"batch.rampup={duration: 100sp, growth: linear, increment: 5, initial_global_train_batch_size: 4}"}},
        Kind{"RampTable",
             {"batch.rampup.stages=[{at: 0ba, global_train_batch_size: 3}, {at: 2ba, global_train_batch_size: 7}, "
              "{at: 5ba, global_train_batch_size: 16}]"}},
        Kind{"TokensInOrder", with(kPacks, {"batch.tokens={max_tokens: 100}"})},
        Kind{"TokensBestFit",
             with(kPacks, {"batch.tokens={max_tokens: 100, packing: best_fit, sequence_picking_order: seqlen}"})},
        Kind{"Growth",
             {"max_duration=3ep", "scheduler.t_warmup=0.2dur", "batch.global_train_batch_size=8",
              "batch.growth={increase_function: 'epoch % 2 == 1 ? current_batch_size * 2 : current_batch_size', "
              "bound: none}"}},
        Kind{"SqrtScaling",
             {"batch.rampup={duration: 6ba, initial_global_train_batch_size: 2}",
              "lr_scaling={method: sqrt, applies_to: [rampup, last]}"}},
        Kind{"Composition", kComposition}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(PreviewOfCompositionTest, ShowsTheRampAndTheGrownSize) {
  const SmallRuns runs;
  const RunPlan plan = previewPlan(runs, runs.config(kComposition));
  std::vector<std::int64_t> packsPerStep;
  for (const PlannedRange& stage : plan.plannedRanges())
    if (stage.reached) packsPerStep.push_back(stage.stepUnits);
  EXPECT_EQ(packsPerStep, (std::vector<std::int64_t>{2, 4, 8, 16}));
}

TEST(PreviewMatchesResumeTest, TheCompositionResumesInEveryOfItsPhases) {
  const SmallRuns runs;
  const SmallRuns::Outcome straight = runs.train(runs.fresh(kComposition));
  ASSERT_TRUE(straight.end.ok()) << straight.end.error().text();
  const std::int64_t steps = straight.end->at.step;
  for (const std::int64_t stop : {std::int64_t{3}, steps / 2, steps - 2}) {  // in the ramp, after it, after growth
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    const SmallRuns::Outcome first = runs.train(runs.fresh(kComposition), stop);
    ASSERT_TRUE(first.end.ok()) << first.end.error().text();
    ASSERT_EQ(first.end->at.step, stop);
    const SmallRuns::Outcome second = runs.train(runs.resume(first.run(), kComposition));
    ASSERT_TRUE(second.end.ok()) << second.end.error().text();
    test::expectSameRows(straight.log.rows, test::joined(first.log.rows, second.log.rows));
    test::expectSameState(runs.newest(straight.run()), runs.newest(first.run()));
  }
}

}  // namespace
}  // namespace batchwise
