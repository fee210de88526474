// SPDX-License-Identifier: GPL-3.0-or-later
// Guards in whole runs: what fires is told, does what was asked, and is remembered by a checkpoint.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/store/checkpoints/checkpoint_selection.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using test::RunLog;
using test::SmallRuns;

std::vector<std::int64_t> stepsNamed(const RunLog& log, const std::string& before, const std::string& after = "") {
  std::vector<std::int64_t> steps;
  for (const RunNote& note : log.notes) {
    const auto at = note.text.find(before);
    if (at == std::string::npos || note.text.find(after) == std::string::npos) continue;
    steps.push_back(std::stoll(note.text.substr(at + before.size())));
  }
  return steps;
}

// The step that first has a larger gradient norm than all before it, not before step 3, with a limit just below.
struct Record {
  std::int64_t step = 0;
  double limit = 0;
};
Record recordNorm(const std::vector<MetricsRow>& rows) {
  double largest = std::max(rows[0].gradNorm, rows[1].gradNorm);
  for (std::size_t i = 2; i < rows.size(); ++i) {
    if (rows[i].gradNorm > largest) return {rows[i].at.step, (rows[i].gradNorm + largest) / 2};
    largest = std::max(largest, rows[i].gradNorm);
  }
  return {};
}

// std::to_string knows no small numbers.
std::string limitDigits(double limit) {
  std::ostringstream text;
  text.precision(17);
  text << limit;
  return text.str();
}

std::string limitText(const char* guard, double limit, const char* action) {
  return std::string("guard.") + guard + "={action: " + action + ", limit: " + limitDigits(limit) + "}";
}

TEST(GuardRunTest, NotesNameStepValueAndLimitAndLeaveTheTrainingAlone) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  auto noted = test::checked(runs.train(
      runs.fresh({limitText("grad_norm", 1e-3, "note"), limitText("update_ratio", 1e-5, "note"),
                  limitText("attention_logit", 1e-3, "note"), "guard.plateau={action: note, window: 4, min_delta: 100}",
                  "guard.early_stop={action: note, patience: 1, min_delta: 100}",
                  "guard.loss_spike={action: note, sigma: 0.01, window: 4}"})));
  EXPECT_EQ(noted.end->status, RunStatus::Finished);
  for (MetricsRow& row : noted.log.rows) {
    EXPECT_TRUE(row.measured.attentionLogit && row.measured.updateRatio) << row.at.batch;
    row.measured.attentionLogit.reset();
    row.measured.updateRatio.reset();
  }
  test::expectSameRows(noted.log.rows, plain.log.rows);
  for (const char* what :
       {"guard.grad_norm: the gradient norm of step ", "guard.attention_logit: the largest attention logit of step ",
        "guard.update_ratio: the largest update-to-weight ratio of step "})
    EXPECT_EQ(stepsNamed(noted.log, what).size(), 8u) << what;  // then at the 16th time, which this run does not reach
  EXPECT_TRUE(noted.log.hasNote("it has fired 8 times since step 1"));
  EXPECT_TRUE(noted.log.hasNote("guard.grad_norm fired 12 times from step 1 to step 12"));
  EXPECT_TRUE(noted.log.hasNote("guard.plateau: over the last 4 global batches up to step 4"));
  EXPECT_TRUE(noted.log.hasNote("guard.early_stop: eval.loss is"));
  EXPECT_TRUE(noted.log.hasNote("above the limit of 0.001"));
  EXPECT_FALSE(plain.log.hasNote("guard."));
  const auto alert = std::ranges::find(noted.log.notes, NoteKind::Plateau, &RunNote::kind);
  ASSERT_NE(alert, noted.log.notes.end());
  EXPECT_TRUE(alert->text.starts_with("guard.plateau") && alert->value && alert->reference) << alert->text;
}

// Next to no learning, then a jump.
const std::vector<std::string> kSpike = {
    "max_duration=76ba",
    "scheduler={name: chain, parts: [{name: constant, duration: 72ba, alpha: 1e-4}, {name: constant, duration: rest, "
    "alpha: 1000}]}"};

TEST(GuardRunTest, AlertsKnowWhatWasBeforeARollBack) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh(kSpike)));
  std::vector<MetricsRow> still(plain.log.rows.begin(), plain.log.rows.begin() + 72);
  std::ranges::sort(still, {}, &MetricsRow::gradNorm);
  ASSERT_GT(still.back().at.step, 10) << "too few rows are left behind it for a limit of their own";
  const double limit = (still[70].gradNorm + still[71].gradNorm) / 2;
  const auto back = runs.train(runs.fresh(test::with(
      kSpike, {limitText("grad_norm", limit, "roll_back"), "checkpoint.interval=2ba", "guard.roll_back_limit=1"})));
  ASSERT_TRUE(back.log.hasNote("rolled back to checkpoint"));
  EXPECT_NE(std::ranges::find(back.log.notes, NoteKind::Spike, &RunNote::kind), back.log.notes.end());
}

TEST(GuardRunTest, AnAlertComesWithTheRowThatRaisesIt) {
  const SmallRuns runs;
  const auto run = test::checked(runs.train(runs.fresh(kSpike)));
  const auto alert = std::ranges::find(run.log.notes, NoteKind::Spike, &RunNote::kind);
  ASSERT_NE(alert, run.log.notes.end());
  EXPECT_GT(alert->at.batch, 72);
  EXPECT_EQ(alert->value, run.log.rows[static_cast<std::size_t>(alert->at.batch - 1)].loss);
  EXPECT_GT(*alert->value, *alert->reference);
}

TEST(GuardRunTest, ASkippedStepChangesNothingOnAnyNumberOfDevices) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  const Record record = recordNorm(plain.log.rows);
  ASSERT_GT(record.step, 0);
  for (const char* devices : {"cpu", "cpu:2"}) {
    const auto skipped =
        test::checked(runs.train(runs.fresh({limitText("grad_norm", record.limit, "skip"),
                                             std::string("devices.use=") + devices, "checkpoint.interval=1ba"})));
    EXPECT_EQ(skipped.end->status, RunStatus::Finished);
    const auto steps = stepsNamed(skipped.log, "guard.grad_norm: the gradient norm of step ", "; the step was skipped");
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front(), record.step);
    const auto workspace = runs.workspace();
    const auto all = test::checked(workspace->checkpoints(skipped.run()));
    std::map<std::int64_t, CheckpointState> at;
    for (const CheckpointRecord& one : *all)
      if (one.at.step == record.step || one.at.step == record.step - 1)
        at[one.at.step] = *readCheckpoint(workspace->folder() / one.file);
    ASSERT_EQ(at.size(), 2u);
    const auto& before = at.begin()->second.tensors;
    const auto& after = at.rbegin()->second.tensors;
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_TRUE(torch::equal(before[i].tensor, after[i].tensor)) << before[i].name;
  }
}

TEST(GuardRunTest, AStopAskedForInAStepThatRollsBackIsObeyedByTheNextSegment) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  const Record record = recordNorm(plain.log.rows);
  const auto stopped = test::checked(runs.train(
      runs.fresh({limitText("grad_norm", record.limit, "roll_back"), "checkpoint.interval=1ba"}), record.step));
  ASSERT_TRUE(stopped.log.hasNote("rolled back to checkpoint"));
  EXPECT_EQ(stopped.end->status, RunStatus::Stopped) << stopped.end->reason;
  EXPECT_EQ(stopped.end->at.step, record.step + 1);
}

TEST(GuardRunTest, AGuardStopsWithACheckpointFromWhichAResumeGoesOn) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  const Record record = recordNorm(plain.log.rows);
  const auto stopped = test::checked(runs.train(runs.fresh({limitText("grad_norm", record.limit, "stop")})));
  EXPECT_EQ(stopped.end->status, RunStatus::Failed);
  EXPECT_EQ(stopped.end->at.step, record.step);
  EXPECT_THAT(stopped.end->reason, testing::HasSubstr("guard.grad_norm"));
  EXPECT_FALSE(stopped.end->lastCheckpoint.empty());
  const auto resumed =
      test::checked(runs.train(runs.resume(stopped.run(), {limitText("grad_norm", record.limit, "note")})));
  EXPECT_EQ(resumed.end->status, RunStatus::Finished);
  test::expectSameState(runs.newest(plain.run()), runs.newest(stopped.run()));
}

TEST(GuardRunTest, ALossSpikeThatEndsARunIsItsCause) {
  const SmallRuns runs;
  const auto stopped = test::checked(runs.train(
      runs.fresh({"max_duration=30ba", "optimizer.lr=1e-7", "guard.loss_spike={action: stop, sigma: 1, window: 4}"})));
  EXPECT_EQ(stopped.end->status, RunStatus::Failed);
  EXPECT_EQ(stopped.end->cause, FailureCause::LossSpike) << stopped.end->reason;
  const auto noted = runs.train(
      runs.fresh({"max_duration=30ba", "optimizer.lr=1e-7", "guard.loss_spike={action: note, sigma: 1, window: 4}"}));
  const auto alert = std::ranges::find(noted.log.notes, NoteKind::Spike, &RunNote::kind);
  ASSERT_NE(alert, noted.log.notes.end());
  EXPECT_GT(alert->value, alert->reference);
}

TEST(GuardRunTest, PlateauAndEarlyStopEndTheRunAsFinished) {
  const SmallRuns runs;
  const auto flat = test::checked(runs.train(runs.fresh({"guard.plateau={action: stop, window: 4, min_delta: 100}"})));
  EXPECT_EQ(flat.end->status, RunStatus::Finished);
  EXPECT_EQ(flat.end->at.batch, 4);
  EXPECT_THAT(flat.end->reason, testing::HasSubstr("guard.plateau"));
  const auto early = test::checked(
      runs.train(runs.fresh({"eval.interval=2ba", "guard.early_stop={action: stop, patience: 2, min_delta: 100}"})));
  EXPECT_EQ(early.end->status, RunStatus::Finished);
  EXPECT_EQ(early.end->at.batch, 6);  // the first evaluation is the best, two more do not beat it by 100
  EXPECT_THAT(early.end->reason, testing::HasSubstr("guard.early_stop: eval.loss is"));
  EXPECT_EQ(early.log.checkpoints.back().at.batch, 6);
}

TEST(GuardRunTest, ARollBackGoesOnBehindTheBadDataFromTheLastGoodCheckpoint) {
  const SmallRuns runs;
  const auto plain = test::checked(runs.train(runs.fresh()));
  const Record record = recordNorm(plain.log.rows);
  ASSERT_GE(record.step, 3);
  const auto back = test::checked(runs.train(runs.fresh(
      {limitText("grad_norm", record.limit, "roll_back"), "checkpoint.interval=2ba", "guard.roll_back_limit=9"})));
  EXPECT_EQ(back.end->status, RunStatus::Finished) << back.end->reason;
  ASSERT_GE(back.log.started.size(), 2u);
  const std::int64_t good = (record.step - 1) / 2 * 2;
  EXPECT_EQ(back.log.started[1].segment, 1);
  EXPECT_EQ(back.log.started[1].from.step, good);
  EXPECT_TRUE(back.log.hasNote("rolled back to checkpoint " + back.run() + "-0-" + std::to_string(good)));
  // The row after it is the one behind the bad step: what lies between counts as done.
  const auto row = std::find_if(back.log.rows.begin(), back.log.rows.end(),
                                [&](const MetricsRow& one) { return one.at.step == record.step + 1; });
  ASSERT_NE(row, back.log.rows.end());
  EXPECT_EQ(row->at.sample, plain.log.rows[static_cast<std::size_t>(record.step)].at.sample);
  EXPECT_EQ(row->learningRate, plain.log.rows[static_cast<std::size_t>(record.step)].learningRate);
  const RunCheckpoint last = runs.newest(back.run());
  ASSERT_FALSE(last.loop.guards.skippedRanges.empty());
  const SkippedRange& passed = last.loop.guards.skippedRanges.front();
  EXPECT_EQ(passed.fromStep, good);
  EXPECT_EQ(passed.toStep, record.step);
  const auto detail = test::checked(runs.workspace()->findRun(back.run()));
  ASSERT_EQ(detail->segments.size(), back.log.started.size());
  EXPECT_THAT(detail->segments[1].environment, testing::HasSubstr("\"skipped_range\""));
  const auto losses = test::checked(runs.workspace()->series(back.run(), "loss"));
  EXPECT_TRUE(std::none_of(losses->begin(), losses->end(),
                           [&](const SeriesPoint& point) { return point.batch == record.step; }));
}

TEST(GuardRunTest, ARunWhoseLastStepIsRolledBackEndsWithAnEvaluationAndACheckpoint) {
  const SmallRuns runs;
  // A rate that is far too high, in the twelfth step only.
  const auto run = test::checked(runs.train(runs.fresh(
      {"scheduler={name: chain, parts: [{name: constant, duration: 11ba, alpha: 1e-4}, {name: constant, duration: "
       "rest, alpha: 1000}]}",
       "guard.update_ratio={action: roll_back, limit: 0.1}"})));
  EXPECT_EQ(run.end->status, RunStatus::Finished) << run.end->reason;
  ASSERT_TRUE(run.log.hasNote("rolled back to checkpoint " + run.run() + "-0-10"));
  EXPECT_EQ(run.log.evaluations.back().at.batch, 12);
  const RunCheckpoint last = runs.newest(run.run());
  EXPECT_EQ(last.record.id, run.end->lastCheckpoint);
  EXPECT_EQ(last.record.at.batch, 12);
  ASSERT_EQ(last.loop.guards.skippedRanges.size(), 1U);
  EXPECT_EQ(last.loop.guards.skippedRanges.front().toStep, 12);
}

TEST(GuardRunTest, BeforeTheFirstCheckpointOfItsIntervalARunGoesBackToItsStart) {
  const SmallRuns runs;
  const auto back =
      test::checked(runs.train(runs.fresh({limitText("update_ratio", 1e-7, "roll_back"), "checkpoint.interval=5ba",
                                           "guard.roll_back_limit=2", "scheduler={name: constant}"})));
  ASSERT_FALSE(back.log.checkpoints.empty());
  EXPECT_EQ(back.log.checkpoints.front().at.step, 0);
  EXPECT_EQ(back.log.checkpoints.front().reason, CheckpointReason::Start);
  EXPECT_TRUE(back.log.hasNote("rolled back to checkpoint " + back.run() + "-0-0 (step 0)"));
  ASSERT_EQ(back.log.started.size(), 3u);  // back twice, as often as allowed
  EXPECT_EQ(back.log.started[2].from.step, 0);
  EXPECT_EQ(back.end->status, RunStatus::Failed);
  EXPECT_EQ(back.end->at.step, 3);
  EXPECT_THAT(back.end->reason, testing::HasSubstr("guard.roll_back_limit"));
  // The weights of the last segment are those of the start and one step, on the data behind what was passed over.
  const auto plain = test::checked(runs.train(runs.fresh({"scheduler={name: constant}"})));
  EXPECT_EQ(back.log.rows.front().loss, plain.log.rows.front().loss);
  EXPECT_EQ(back.log.rows.back().at.sample, plain.log.rows[2].at.sample);
}

TEST(GuardRunTest, AForkThatMayRollBackHasACheckpointOfItsOwnToGoBackTo) {
  const SmallRuns runs;
  const auto first = test::checked(runs.train(runs.fresh({"scheduler={name: constant}"}), 2));
  LaunchRequest fork = runs.resume(
      first.run(),
      {"scheduler={name: constant}", limitText("update_ratio", 1e-7, "roll_back"), "guard.roll_back_limit=1"});
  fork.fork = true;
  const auto second = test::checked(runs.train(fork));
  EXPECT_NE(second.run(), first.run());
  ASSERT_EQ(second.log.started.size(), 2u);
  EXPECT_TRUE(second.log.hasNote("rolled back to checkpoint " + second.run() + "-0-2 (step 2)"));
  EXPECT_THAT(second.end->reason, testing::HasSubstr("guard.roll_back_limit"));
}

// Where the weights of a run were taken back to is said by step: the ids of two runs differ.
RunCheckpoint endOf(const SmallRuns& runs, const std::string& run) {
  RunCheckpoint end = runs.newest(run);
  for (SkippedRange& passed : end.loop.guards.skippedRanges)
    passed.checkpoint = passed.checkpoint.substr(passed.checkpoint.rfind('-'));
  return end;
}

std::vector<std::pair<std::int64_t, double>> lossesOf(const SmallRuns& runs, const std::string& run) {
  const auto points = test::checked(runs.workspace()->series(run, "loss"));
  std::vector<std::pair<std::int64_t, double>> losses;
  for (const SeriesPoint& point : *points) losses.emplace_back(point.batch, point.value);
  return losses;
}

TEST(GuardRunTest, ARunThatWasStoppedGoesBackToWhereAStraightRunDoes) {
  const SmallRuns runs;
  // Next to no learning: the losses go up and down, and some count as spikes.
  const std::vector<std::string> guarded = {"max_duration=30ba", "optimizer.lr=1e-7",
                                            "guard.loss_spike={action: roll_back, sigma: 1, window: 4}",
                                            "guard.roll_back_limit=3", "checkpoint={interval: 7ba, keep_last: 1}"};
  const auto straight = test::checked(runs.train(runs.fresh(guarded)));
  const RunCheckpoint wanted = endOf(runs, straight.run());
  ASSERT_FALSE(wanted.loop.guards.skippedRanges.empty());
  const auto length = [](const SkippedRange& one) { return one.toStep - one.fromStep; };
  const SkippedRange passed = std::ranges::max(wanted.loop.guards.skippedRanges, {}, length);
  ASSERT_GT(passed.toStep - passed.fromStep, 1) << "a stop has its place between the two";
  const std::int64_t between = passed.toStep - 1;
  for (std::int64_t stop = 1; stop < straight.end->at.step; ++stop) {
    if (!test::isFullTier() && stop % 5 != 0 && stop != between) continue;
    SCOPED_TRACE("stopped after step " + std::to_string(stop));
    const auto first = test::checked(runs.train(runs.fresh(guarded), stop));
    if (first.end->status != RunStatus::Stopped) {  // the stop was heard of behind the step that ends the run
      EXPECT_EQ(stop, straight.end->at.step - 1) << first.end->reason;
      EXPECT_EQ(first.end->at.step, straight.end->at.step);
      continue;
    }
    const auto second = test::checked(runs.train(runs.resume(first.run(), guarded)));
    EXPECT_EQ(second.end->status, straight.end->status);
    EXPECT_EQ(second.end->at.step, straight.end->at.step) << second.end->reason;
    EXPECT_EQ(lossesOf(runs, first.run()), lossesOf(runs, straight.run()));
    test::expectSameState(wanted, endOf(runs, first.run()));
  }
}

TEST(GuardRunTest, RollingBackEndsAtItsLimit) {
  const SmallRuns runs;
  const auto first = runs.train(runs.fresh({"scheduler={name: constant}"}), 2);
  const auto second = test::checked(
      runs.train(runs.resume(first.run(), {"scheduler={name: constant}", limitText("update_ratio", 1e-7, "roll_back"),
                                           "guard.roll_back_limit=2"})));
  EXPECT_EQ(second.log.started.size(), 3u);
  EXPECT_EQ(second.end->status, RunStatus::Failed);
  EXPECT_EQ(second.end->at.step, 5);
  EXPECT_THAT(second.end->reason, testing::HasSubstr("guard.roll_back_limit"));
}

TEST(GuardRunTest, DetectorsGoOnBitForBitAfterAStopAtEveryStep) {
  const SmallRuns runs;
  // Next to no learning: the losses go up and down, and some count as spikes.
  const std::vector<std::string> guarded = {
      "optimizer.lr=1e-7", "guard.loss_spike={action: skip, sigma: 0.2, window: 4}",
      "guard.plateau={action: note, window: 6, min_delta: 1}",
      "guard.early_stop={action: note, patience: 2, min_delta: 0.5}", "eval.interval=2ba"};
  const auto straight = test::checked(runs.train(runs.fresh(guarded)));
  ASSERT_TRUE(straight.log.hasNote("; the step was skipped"));
  const RunCheckpoint wanted = runs.newest(straight.run());
  for (std::int64_t stop = 1; stop < 12; stop += test::isFullTier() ? 1 : 4) {
    const auto first = test::checked(runs.train(runs.fresh(guarded), stop));
    const auto second = test::checked(runs.train(runs.resume(first.run(), guarded)));
    test::expectSameState(wanted, runs.newest(first.run()));
    auto notes = stepsNamed(first.log, "guard.loss_spike: the loss of step ");
    const auto more = stepsNamed(second.log, "guard.loss_spike: the loss of step ");
    notes.insert(notes.end(), more.begin(), more.end());
    EXPECT_EQ(notes, stepsNamed(straight.log, "guard.loss_spike: the loss of step ")) << "stopped after " << stop;
  }
}

TEST(GuardRunTest, TheEvaluationWhereALaunchStopsDecidesNothing) {
  const SmallRuns runs;
  // Next to no learning: each evaluation counts as one without improvement.
  const std::vector<std::string> guarded = {
      "optimizer.lr=1e-7", "guard.early_stop={action: note, patience: 2, min_delta: 0.5}", "eval.interval=2ba"};
  auto until = guarded;
  until.emplace_back("launch.stop_at=7ba");
  const auto straight = test::checked(runs.train(runs.fresh(guarded)));
  const auto first = test::checked(runs.train(runs.fresh(until)));
  EXPECT_EQ(first.end->at.batch, 7);
  EXPECT_EQ(first.log.evaluations.back().at.batch, 7);
  const auto again = test::checked(runs.train(runs.resume(first.run(), until)));
  EXPECT_THAT(again.end->reason, testing::HasSubstr("had already reached launch.stop_at"));
  until.back() = "launch.stop_at=none";
  test::checked(runs.train(runs.resume(first.run(), until)));
  test::expectSameState(runs.newest(straight.run()), runs.newest(first.run()));
}

TEST(GuardRunTest, WeightsThatAreNotFiniteAreNeverOfferedForAResume) {
  const SmallRuns runs;
  LaunchRequest wild = runs.fresh({"checkpoint.interval=1ba", "guard.non_finite=skip"});
  wild.config.config.optimizer.lr =
      1e300;  // more than a weight can hold: from the second step on (the first has a rate of 0)
  const auto ended = test::checked(runs.train(wild));
  const auto all = test::checked(runs.workspace()->checkpoints(ended.run()));
  const auto bad = std::find_if(all->begin(), all->end(), [](const CheckpointRecord& one) { return !one.finite; });
  ASSERT_NE(bad, all->end());
  EXPECT_TRUE(ended.log.hasNote("checkpoint " + bad->id + " holds numbers that are not finite"));
  EXPECT_NE(ended.end->lastCheckpoint, bad->id);
  for (const CheckpointSaved& saved : ended.log.checkpoints) EXPECT_NE(saved.id, bad->id);
  EXPECT_EQ(test::refused(openCheckpoint(*runs.workspace(), ended.run(), bad->id)).code, ErrorCode::DamagedCheckpoint);
  const auto detail = test::checked(runs.workspace()->findRun(ended.run()));
  const auto offered = resumeOrder(detail->segments, *all);
  ASSERT_EQ(offered.size(), 1u);
  EXPECT_EQ(offered.front().at.step, 1);
}

}  // namespace
}  // namespace batchwise
