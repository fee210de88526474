// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is stopped and resumed against one that is not: state and rows must be equal, bit for bit.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/recording/run_writer.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using test::SmallRuns;

using test::joined;

struct Kind {
  const char* name;
  std::int64_t steps;  ///< optimizer steps of the run
  std::vector<std::string> changes;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

// Six global batches of 16 make an epoch whose last one is short; evaluations every 4ba, checkpoints every 5ba.
const std::vector<Kind> kKinds = {
    {"Plain", 12, {}},
    {"LongerThanThreeEpochs", 20, {"max_duration=20ba", "eval.interval=3ba", "checkpoint.interval=4ba"}},
    {"ActsInEveryGlobalBatch", 12, {"eval.interval=1ba", "checkpoint.interval=1ba"}},
    {"EndsInsideAGlobalBatch", 12, {"max_duration=165sp", "scheduler={name: cosine_annealing}"}},
    {"MeasuredInTokens",
     11,
     {"max_duration=4000tok", "scheduler={name: linear_with_warmup, t_warmup: 500tok}",
      "lr_scaling={method: sqrt, by: tokens, reference_batch_size: 300}"}},
    {"Ramp", 24, {"batch.rampup={duration: 6ba, initial_global_train_batch_size: 4}"}},
    {"LinearRamp",
     23,
     {"batch.rampup={duration: 100sp, growth: linear, increment: 3, initial_global_train_batch_size: 3}"}},
    {"TableOfStages",
     23,
     {"batch.rampup={stages: [{at: 0ba, global_train_batch_size: 5}, {at: 3ba, global_train_batch_size: 9}, {at: 8ba, "
      "global_train_batch_size: 16}]}"}},
    {"TokenBudget",
     12,
     {"batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1",
      "batch.tokens={max_tokens: 100, sequence_picking_order: random}"}},
    {"TokenBudgetBestFitAndRamp",
     24,
     {"batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1",
      "batch.tokens={max_tokens: 100, packing: best_fit}",
      "batch.rampup={duration: 6ba, initial_global_train_batch_size: 1}"}},
    {"Growth",
     27,
     {"batch.global_train_batch_size=8", "max_duration=3ep", "scheduler={name: constant}",
      "batch.growth={increase_function: 'loss < 100 ? current_batch_size * 2 : 8', bound: none}"}},
    {"GrowthAfterARamp",
     32,
     {"batch.global_train_batch_size=8", "max_duration=24ba", "scheduler={name: constant}",
      "batch.rampup={duration: 4ba, initial_global_train_batch_size: 2}",
      "batch.growth={every: 5ba, increase_function: 'current_batch_size + 3', bound: none}"}},
    {"NoiseScale", 12, {"log.noise_scale=true", "log.noise_half_life=4000tok"}},
    {"NoiseScaleOfExamples", 12, {"log.noise_scale=examples"}},
    {"HalfPrecision", 12, {"precision=fp16"}},  // its loss scale goes on, too
    {"BrainFloats", 12, {"precision=bf16"}},
    {"StableAdamW",
     12,
     {"optimizer.name=stable_adamw", "optimizer.decouple_lr=true", "optimizer.weight_decay=1e-3",
      "scheduler={name: warmup_stable_decay, t_warmup: 2ba, t_decay: 5ba, decay_schedule: 1-sqrt}"}},
    {"FallingShareOfMaskedWords",
     16,
     {"data.mlm_probability=0.5", "data.mlm_probability_end=0.1", "data.mask_unit=whole_words",
      "batch.rampup={duration: 4ba, initial_global_train_batch_size: 8}"}},
    {"JoinedDocuments", 12, {"data.join_documents=true", "data.max_seq_len=64"}},
    {"JoinedDocumentsWithoutSeparator",
     12,
     {"data.join_documents=true", "data.document_separator=false", "data.attention_across_documents=true"}},
    {"EvaluationSets", 12, {"eval.sets={own: [text.txt], general: {text: text.txt, weight: 0.5}}"}},
    {"TwoDevices", 12, {"devices.use=cpu:2", "batch.device_train_microbatch_size=3"}},
    {"NoGradientIsFinite",
     10,
     {"optimizer.lr=1e6", "optimizer.weight_decay=1000", "scheduler={name: constant}", "guard.non_finite=skip",
      "guard.non_finite_limit=8"}},
};

class ResumeTest : public testing::TestWithParam<Kind> {};

// Where something begins or ends, or a global batch is not complete: one stop of each sort.
std::set<std::int64_t> edges(const test::RunLog& log) {
  std::map<std::string, std::int64_t> found;
  for (std::size_t i = 0; i + 1 < log.rows.size(); ++i) {
    const MetricsRow& row = log.rows[i];
    const MetricsRow& next = log.rows[i + 1];
    if (row.at.stepInBatch > 0) found["part " + std::to_string(row.at.stepInBatch)] = row.at.step;
    if (row.at.epoch != next.at.epoch) found["before the last global batch of an epoch"] = row.at.step;
    if (row.at.batchInEpoch == 0 && row.at.stepInBatch == 0) found["end of an epoch"] = row.at.step;
    if (row.stepSamples < next.stepSamples) found["end of a stage"] = row.at.step;
  }
  for (const EvalResult& result : log.evaluations) found["evaluation"] = result.at.step;
  std::set<std::int64_t> steps = {1};
  for (const auto& [what, step] : found) steps.insert(step);
  return steps;
}

// All of them in the full tier.
std::set<std::int64_t> stopPoints(const test::RunLog& log, std::int64_t steps) {
  std::set<std::int64_t> stops = edges(log);
  if (test::isFullTier())
    for (std::int64_t stop = 1; stop < steps; ++stop) stops.insert(stop);
  stops.erase(steps);
  while (!test::isFullTier() && stops.size() > 3) stops.erase(std::next(stops.begin()));
  return stops;
}

// The next micro-batches after step `step` of a run that was not stopped, walking on from one step earlier.
std::vector<test::StepMicroBatch> nextMicroBatches(const SmallRuns& runs, const std::string& run, std::int64_t step,
                                                   std::int64_t device) {
  constexpr std::size_t kMostInAStep = 64;
  RunCheckpoint from = runs.takenAfter(run, std::max<std::int64_t>(1, step - 1));
  const RunCheckpoint here = runs.takenAfter(run, step);
  if (from.loop.growth.globalUnits != here.loop.growth.globalUnits) from = here;
  std::vector<test::StepMicroBatch> all = test::microBatchesAfter(runs, from, device, kMostInAStep);
  std::erase_if(all, [&](const test::StepMicroBatch& one) { return one.step < step; });
  return all;
}

void expectSameMicroBatchesAhead(const SmallRuns& runs, const std::string& straight, const std::string& stopped,
                                 std::int64_t step) {
  constexpr std::size_t kAhead = 8;
  const RunCheckpoint checkpoint = runs.newest(stopped);
  for (std::int64_t device = 0; device < std::stoll(checkpoint.facts.resolved.at("devices.count")); ++device) {
    std::vector<test::StepMicroBatch> expected = nextMicroBatches(runs, straight, step, device);
    if (expected.size() > kAhead) expected.erase(expected.begin() + kAhead, expected.end());
    test::expectSameMicroBatches(expected, test::microBatchesAfter(runs, checkpoint, device, kAhead));
  }
}

TEST_P(ResumeTest, ContinuesBitForBit) {
  const SmallRuns runs;
  const SmallRuns::Outcome straight = runs.trainSavingEachStep(runs.fresh(GetParam().changes));
  ASSERT_TRUE(straight.end.ok()) << straight.end.error().text();
  ASSERT_EQ(straight.end->at.step, GetParam().steps) << straight.end->reason;
  const RunCheckpoint expected = runs.newest(straight.run());
  for (const std::int64_t stop : stopPoints(straight.log, GetParam().steps)) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    const auto first = test::checked(runs.train(runs.fresh(GetParam().changes), stop));
    ASSERT_EQ(first.end->status, RunStatus::Stopped) << first.end->reason;
    ASSERT_EQ(first.end->at.step, stop);
    test::expectSameState(runs.takenAfter(straight.run(), stop), runs.newest(first.run()));
    expectSameMicroBatchesAhead(runs, straight.run(), first.run(), stop);
    const auto second = test::checked(runs.train(runs.resume(first.run(), GetParam().changes)));
    EXPECT_EQ(second.end->status, straight.end->status) << second.end->reason;
    EXPECT_EQ(second.end->reason, straight.end->reason);
    EXPECT_TRUE(second.log.hasNote("bit for bit"));
    EXPECT_EQ(second.log.started.front().segment, 1);
    test::expectSameState(expected, runs.newest(first.run()));
    test::expectSameRows(straight.log.rows, joined(first.log.rows, second.log.rows));
    EXPECT_EQ(second.log.started.front().from.seconds, first.end->at.seconds);
    EXPECT_EQ(test::evaluationsDifference(straight.log.evaluations,
                                          joined(first.log.evaluations, second.log.evaluations), test::kAnySeconds),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ResumeTest, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(ResumeCoverageTest, AFullPassStopsAtTwoHundredPoints) {
  std::int64_t points = 0;
  for (const Kind& kind : kKinds) points += kind.steps - 1;
  EXPECT_GE(points, 200);
}

// Stops a run after each of `stops` and resumes it each time, at last to its end.
void expectChainEqualsOneRun(const std::vector<std::string>& changes, const std::vector<std::int64_t>& stops) {
  const SmallRuns runs;
  const auto straight = test::checked(runs.train(runs.fresh(changes)));
  SmallRuns::Outcome part = runs.train(runs.fresh(changes), stops.front());
  const std::string run = part.run();
  std::vector<MetricsRow> rows = part.log.rows;
  std::vector<EvalResult> evaluations = part.log.evaluations;
  for (std::size_t i = 1; i <= stops.size(); ++i) {
    part = runs.train(runs.resume(run, changes), i < stops.size() ? std::optional(stops[i]) : std::nullopt);
    ASSERT_TRUE(part.end.ok()) << part.end.error().text();
    rows = joined(rows, part.log.rows);
    evaluations = joined(evaluations, part.log.evaluations);
  }
  EXPECT_EQ(part.log.started.front().segment, static_cast<std::int64_t>(stops.size()));
  const double apart = test::kSecondsOfAStop * static_cast<double>(stops.size());
  EXPECT_EQ(test::stateDifference(runs.newest(straight.run()), runs.newest(run), apart), "");
  EXPECT_EQ(test::rowsDifference(straight.log.rows, rows, apart), "");
  EXPECT_EQ(test::evaluationsDifference(straight.log.evaluations, evaluations, apart), "");
}

TEST(ResumeChainTest, TwoResumesGiveWhatOneRunGives) {
  expectChainEqualsOneRun({"batch.rampup={duration: 6ba, initial_global_train_batch_size: 4}"}, {5, 6});
}

TEST(ResumeChainTest, TenResumesGiveWhatOneRunGives) {
  expectChainEqualsOneRun(
      {"batch.tokens={max_tokens: 100}", "batch.global_train_batch_size=4", "batch.device_train_microbatch_size=1"},
      {1, 2, 3, 4, 5, 6, 7, 8, 10, 11});
}

TEST(ResumeChangesTest, RefusesWhatWouldMakeItAnotherRunAndNamesTheField) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(), 3));
  for (const auto& [change, field] :
       std::vector<std::pair<std::string, std::string>>{{"seed=6", "seed"},
                                                        {"model.hidden_size=64", "model.hidden_size"},
                                                        {"data.max_seq_len=24", "data.max_seq_len"}}) {
    const SmallRuns::Outcome second = runs.train(runs.resume(first.run(), {change}));
    ASSERT_FALSE(second.end.ok());
    EXPECT_EQ(second.end.error().code, ErrorCode::Config);
    EXPECT_THAT(second.end.error().message, testing::HasSubstr(field));
    EXPECT_THAT(second.end.error().message, testing::HasSubstr("--fork"));
    EXPECT_TRUE(second.log.started.empty());
  }
}

TEST(ResumeChangesTest, ALongerRunKeepsTheScheduleUnlessItIsStretched) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh()));
  LaunchRequest longer = runs.resume(first.run(), {"max_duration=16ba"});
  longer.resumeCheckpoint = first.run() + "-0-10";
  const auto kept = test::checked(runs.train(longer));
  EXPECT_EQ(kept.end->at.batch, 16);
  EXPECT_EQ(kept.log.rows[2].learningRate, kept.log.rows.back().learningRate);
  longer.stretch = true;
  const auto stretched = test::checked(runs.train(longer));
  EXPECT_EQ(stretched.end->at.batch, 16);
  EXPECT_GT(stretched.log.rows.front().learningRate, kept.log.rows.front().learningRate);
  EXPECT_GT(stretched.log.rows[2].learningRate, stretched.log.rows.back().learningRate);
  EXPECT_EQ(runs.newest(first.run()).facts.resolved.at("scheduler.t_max"), "16ba");
}

TEST(ResumeChangesTest, ALongerRunHoldsTheLastRateThroughFurtherResumes) {
  const SmallRuns runs;
  const std::vector<std::string> decays = {"scheduler={name: exponential, gamma: 0.5}", "max_duration=4ba"};
  const std::vector<std::string> longer = {"scheduler={name: exponential, gamma: 0.5}", "max_duration=9ba"};
  const auto first = test::checked(runs.train(runs.fresh(decays)));
  const auto second = test::checked(runs.train(runs.resume(first.run(), longer), 6));
  const auto third = test::checked(runs.train(runs.resume(first.run(), longer)));
  EXPECT_EQ(third.log.rows.back().at.batch, 9);
  EXPECT_EQ(third.log.rows.back().learningRate, second.log.rows.front().learningRate);
}

TEST(ResumeChangesTest, InsideAGlobalBatchARunIsNotStretched) {
  const SmallRuns runs;
  const std::vector<std::string> ramped = {"batch.rampup={duration: 0.5dur, initial_global_train_batch_size: 4}"};
  const auto first = test::checked(runs.train(runs.fresh(ramped), 6));
  ASSERT_GT(first.end->at.stepInBatch, 0);
  LaunchRequest stretched = runs.resume(first.run(), joined(ramped, {"max_duration=24ba"}));
  stretched.stretch = true;
  const SmallRuns::Outcome second = runs.train(stretched);
  ASSERT_FALSE(second.end.ok());
  EXPECT_THAT(second.end.error().message, testing::HasSubstr("inside a global batch")) << second.end.error().text();
}

TEST(ResumeChangesTest, AStretchGoesOnFromTheNewestCheckpointBetweenTwoGlobalBatches) {
  const SmallRuns runs;
  const std::vector<std::string> ramped = {"batch.rampup={duration: 0.5dur, initial_global_train_batch_size: 4}",
                                           "checkpoint.interval=1ba"};
  const auto first = test::checked(runs.train(runs.fresh(ramped), 6));
  ASSERT_GT(first.end->at.stepInBatch, 0);
  LaunchRequest stretched = runs.resume(first.run(), joined(ramped, {"max_duration=24ba"}));
  stretched.stretch = true;
  const auto second = test::checked(runs.train(stretched));
  EXPECT_TRUE(second.log.hasNote("the newest between two global batches, not from"));
  EXPECT_EQ(second.log.started.front().from.stepInBatch, 0);
  EXPECT_EQ(second.end->at.batch, 24);
}

TEST(ResumeChangesTest, ARunThatIsWrittenByAnotherIsRefusedAtOnce) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(), 6));
  const auto workspace = test::checked(Workspace::open(runs.folder() / "workspace"));
  const auto other =
      test::checked(RunWriter::open(*workspace, first.run(), {runs.newest(first.run()).record.at, "", "{}", {}}));
  const SmallRuns::Outcome second = runs.train(runs.resume(first.run()));
  ASSERT_FALSE(second.end.ok());
  EXPECT_EQ(second.end.error().code, ErrorCode::Busy) << second.end.error().text();
  EXPECT_FALSE(second.log.hasNote("waiting"));
}

TEST(ResumeChangesTest, ALongerRunIsAskedToGrowAtTheOldEnd) {
  const SmallRuns runs;
  const std::vector<std::string> grows = {
      "batch.global_train_batch_size=4", "scheduler={name: constant}",
      "batch.growth={every: 2ba, increase_function: 'current_batch_size + 2', bound: none}"};
  const auto straight = test::checked(runs.train(runs.fresh(joined(grows, {"max_duration=8ba"}))));
  const auto first = test::checked(runs.train(runs.fresh(joined(grows, {"max_duration=4ba"}))));
  const auto longer = test::checked(runs.train(runs.resume(first.run(), joined(grows, {"max_duration=8ba"}))));
  ASSERT_EQ(longer.log.rows.size(), 4U);
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_EQ(longer.log.rows[row].globalBatchSamples, straight.log.rows[row + 4].globalBatchSamples) << row;
}

TEST(ResumeChangesTest, WhereALaunchStopsGrowthIsAskedBeforeTheEvaluationThere) {
  const SmallRuns runs;
  std::vector<std::string> changes = {"scheduler={name: constant}"};
  const auto plain = test::checked(runs.train(runs.fresh(changes)));
  ASSERT_EQ(plain.log.evaluations.size(), 3U);
  const double known = plain.log.evaluations[0].loss, newest = plain.log.evaluations[1].loss;
  ASSERT_NE(known, newest);
  // Grows by the evaluation at 8ba, not by that at 4ba.
  changes.push_back("batch.growth={every: 4ba, bound: none, increase_function: 'eval_loss " +
                    std::string(newest < known ? "<" : ">") + " " + formatExact((known + newest) / 2) + " ? 32 : 16'}");
  const auto straight = test::checked(runs.train(runs.fresh(changes)));
  const auto first = test::checked(runs.train(runs.fresh(joined(changes, {"launch.stop_at=8ba"}))));
  ASSERT_EQ(first.end->at.batch, 8);
  const auto second = test::checked(runs.train(runs.resume(first.run(), joined(changes, {"launch.stop_at=none"}))));
  test::expectSameRows(straight.log.rows, joined(first.log.rows, second.log.rows));
  test::expectSameState(runs.newest(straight.run()), runs.newest(first.run()));
}

TEST(ResumeChangesTest, GrowthContinuesFromTheGlobalBatchOfAStretch) {
  const SmallRuns runs;
  const std::vector<std::string> grows = {
      "scheduler={name: constant}",
      "batch.growth={every: 4ba, increase_function: 'current_batch_size + 2', bound: none}"};
  const auto first = test::checked(runs.train(runs.fresh(joined(grows, {"batch.global_train_batch_size=4"})), 2));
  LaunchRequest larger = runs.resume(first.run(), joined(grows, {"batch.global_train_batch_size=8"}));
  larger.stretch = true;
  const auto second = test::checked(runs.train(larger, 5));
  ASSERT_EQ(second.log.rows.size(), 3U);
  EXPECT_EQ(second.log.rows[0].globalBatchSamples, 8);
  EXPECT_EQ(second.log.rows[2].globalBatchSamples, 10);
}

TEST(ResumeChangesTest, ARequestThatEachJobOfAChainMakesStretchesOnce) {
  const std::vector<std::string> ramped = {"batch.rampup={duration: 0.5dur, initial_global_train_batch_size: 4}"};
  const auto longerThan = [&ramped](const SmallRuns& runs, const SmallRuns::Outcome& first) {
    LaunchRequest longer = runs.resume(first.run(), joined(ramped, {"max_duration=16ba"}));
    longer.stretch = true;
    longer.firstSegment = 1;
    return longer;
  };
  const SmallRuns straight, chained;
  const SmallRuns::Outcome one = straight.train(straight.fresh(ramped), 4);
  const auto whole = test::checked(straight.train(longerThan(straight, one)));

  const auto first = test::checked(chained.train(chained.fresh(ramped), 4));
  ASSERT_EQ(first.end->at.stepInBatch, 0);
  const LaunchRequest longer = longerThan(chained, first);
  const auto second = test::checked(chained.train(longer, 6));
  ASSERT_GT(second.end->at.stepInBatch, 0) << "here a run cannot be stretched";
  const auto third = test::checked(chained.train(longer));
  EXPECT_TRUE(third.log.hasNote("bit for bit"));
  test::expectSameRows(joined(second.log.rows, third.log.rows), whole.log.rows);
}

TEST(ResumeChangesTest, AnotherMicroBatchLeavesTheBoundOfGrowthAlone) {
  const SmallRuns runs;
  const std::vector<std::string> grows = {
      "batch.global_train_batch_size=4", "max_duration=6ba", "scheduler={name: constant}",
      "batch.growth={every: 2ba, increase_function: 'current_batch_size * 8', bound: device_maximum}"};
  const auto straight = test::checked(runs.train(runs.fresh(grows)));
  const auto first = test::checked(runs.train(runs.fresh(grows), 1));
  const auto second =
      test::checked(runs.train(runs.resume(first.run(), joined(grows, {"batch.device_train_microbatch_size=3"}))));
  EXPECT_TRUE(second.log.hasNote("numbers that may differ in the last bits (another micro-batch)"));
  EXPECT_EQ(straight.log.rows.back().stepSamples, 6);
  EXPECT_EQ(second.log.rows.back().stepSamples, 6);
}

TEST(ResumeChangesTest, OtherDevicesAreTold) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(), 4));
  const auto two = test::checked(runs.train(runs.resume(first.run(), {"devices.use=cpu:2"}), 8));
  EXPECT_TRUE(two.log.hasNote("same samples and masks, numbers that may differ in the last bits (other devices)"));
  const auto four = test::checked(runs.train(runs.resume(first.run(), {"devices.use=cpu:4"})));
  EXPECT_TRUE(four.log.hasNote("may differ in the last bits (other devices)"));
}

TEST(ResumeChangesTest, ATextUnderAnotherNameIsKnownByItsContent) {
  const SmallRuns runs;
  const auto straight = test::checked(runs.train(runs.fresh()));
  const auto first = test::checked(runs.train(runs.fresh(), 7));
  std::filesystem::rename(runs.folder() / "text.txt", runs.folder() / "moved.txt");
  const auto second = test::checked(runs.train(runs.resume(first.run(), {"data.train=[moved.txt]"})));
  EXPECT_TRUE(second.log.hasNote("bit for bit"));
  test::expectSameState(runs.newest(straight.run()), runs.newest(first.run()));
}

/// A sequence as the model sees it, by its place in the step: what must not depend on devices and micro-batches.
struct SeenSequence {
  std::int64_t sample = 0;
  std::vector<std::int32_t> tokens;
  std::vector<std::pair<std::int32_t, std::int32_t>> hidden;  ///< position in the sequence and label
  bool operator==(const SeenSequence&) const = default;
};
using SeenSteps = std::map<std::pair<std::int64_t, std::int32_t>, SeenSequence>;

void addSequences(const test::StepMicroBatch& one, SeenSteps& seen) {
  const MicroBatch& batch = one.batch;
  for (std::size_t i = 0; i < batch.sampleIds.size(); ++i) {
    const auto begin = batch.sequenceStarts[i];
    const auto end = batch.sequenceStarts[i + 1];
    SeenSequence sequence{batch.sampleIds[i], {batch.tokenIds.begin() + begin, batch.tokenIds.begin() + end}, {}};
    for (std::size_t p = 0; p < batch.predictedPositions.size(); ++p)
      if (batch.predictedPositions[p] >= begin && batch.predictedPositions[p] < end)
        sequence.hidden.emplace_back(batch.predictedPositions[p] - begin, batch.labels[p]);
    EXPECT_TRUE(seen.emplace(std::pair(one.step, batch.indicesInStep[i]), std::move(sequence)).second);
  }
}

TEST(LayoutTest, DevicesAndMicroBatchesSeeTheSameSamplesAndMasksInEachStep) {
  std::optional<SeenSteps> expected;
  double loss = 0;
  for (const char* devices : {"cpu", "cpu:2", "cpu:4"})
    for (const char* units : {"6", "3", "12"}) {
      SCOPED_TRACE(std::string(devices) + ", micro-batch " + units);
      const SmallRuns runs;
      const auto run =
          test::checked(runs.train(runs.fresh({"batch.rampup={duration: 4ba, initial_global_train_batch_size: 4}",
                                               "max_duration=8ba", std::string("devices.use=") + devices,
                                               std::string("batch.device_train_microbatch_size=") + units}),
                                   1));
      const RunCheckpoint checkpoint = runs.newest(run.run());
      SeenSteps seen;
      for (std::int64_t device = 0; device < std::stoll(checkpoint.facts.resolved.at("devices.count")); ++device)
        for (const test::StepMicroBatch& one : test::microBatchesAfter(runs, checkpoint, device, 10'000))
          addSequences(one, seen);
      if (!expected) {
        expected = seen;
        loss = run.log.rows.front().loss;
      }
      EXPECT_GT(seen.size(), 100u);
      EXPECT_TRUE(seen == *expected);
      EXPECT_NEAR(run.log.rows.front().loss, loss, 1e-5 * loss);
    }
}

TEST(ResumeChangesTest, ALongerRunKeepsItsIntervals) {
  const SmallRuns runs;
  const std::vector<std::string> parts = {"eval.interval=0.25dur", "checkpoint.interval=0.5dur"};
  const auto first = test::checked(runs.train(runs.fresh(parts)));
  ASSERT_EQ(first.log.evaluations.size(), 4u);
  std::vector<std::string> longer = parts;
  longer.push_back("max_duration=24ba");
  const auto kept = test::checked(runs.train(runs.resume(first.run(), longer)));
  EXPECT_EQ(kept.log.evaluations.size(), 4u);  // every 3ba, as at launch, not every 6ba
  EXPECT_EQ(kept.log.evaluations.front().at.batch, 15);
  EXPECT_EQ(runs.newest(first.run()).facts.resolved.at("eval.interval"), "3ba");
  EXPECT_THAT(runs.workspace()->findRun(first.run())->resolvedYaml, testing::HasSubstr("max_duration: 24ba"));
}

TEST(ResumeChangesTest, AnEndThatIsOverAlreadyIsRefused) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(), 9));
  const SmallRuns::Outcome shorter = runs.train(runs.resume(first.run(), {"max_duration=3ba"}));
  ASSERT_FALSE(shorter.end.ok());
  EXPECT_THAT(shorter.end.error().message, testing::HasSubstr("so nothing is left to train up to 3ba"))
      << shorter.end.error().text();
  EXPECT_THAT(shorter.end.error().message, testing::HasSubstr("9ba"));
  EXPECT_TRUE(shorter.log.started.empty());
  EXPECT_EQ(runs.workspace()->findRun(first.run())->segments.size(), 1u);
}

TEST(ResumeChangesTest, AForkIsANewRunThatGoesOnFromTheCheckpoint) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh(), 6));
  LaunchRequest fork = runs.resume(first.run(), {"name=mine"});
  fork.fork = true;
  const auto second = test::checked(runs.train(fork));
  EXPECT_NE(second.run(), first.run());
  EXPECT_EQ(runs.workspace()->findRun(second.run())->summary.name, "mine");
  EXPECT_EQ(second.log.rows.front().at.step, 7) << "another name alone makes no other experiment";
  LaunchRequest other = runs.resume(first.run(), {"seed=6"});
  other.fork = true;
  const auto third = test::checked(runs.train(other));
  EXPECT_EQ(third.log.rows.front().at.step, 1);
  EXPECT_TRUE(third.log.hasNote("starts from the weights of checkpoint"));
}

TEST(ResumedVocabularyTest, GoesOnInItsCaseWhateverTheFilesBesideItSayNow) {
  const SmallRuns runs;
  std::string pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (const char* prefix : {"", "##"})
    for (const char first : {'a', 'A'})
      for (int i = 0; i < 26; ++i) pieces += prefix + std::string(1, static_cast<char>(first + i)) + "\n";
  const std::filesystem::path folder = runs.folder() / "pieces", beside = folder / "tokenizer_config.json";
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(writeFileAtomically(folder / "vocab.txt", pieces).ok());
  const std::vector<std::string> changes = {"tokenizer.path=pieces"};
  for (const bool saidAtLaunch : {false, true}) {
    const auto say = [&](bool cased) {
      std::filesystem::remove(beside);
      if (cased) {
        EXPECT_TRUE(writeFileAtomically(beside, "{\"do_lower_case\": false}").ok());
      }
    };
    say(saidAtLaunch);
    const SmallRuns::Outcome whole = runs.train(runs.fresh(changes)), first = runs.train(runs.fresh(changes), 4);
    say(!saidAtLaunch);
    const auto second = test::checked(runs.train(runs.resume(first.run(), changes)));
    test::expectSameRows(whole.log.rows, joined(first.log.rows, second.log.rows));
  }
}

}  // namespace
}  // namespace batchwise
