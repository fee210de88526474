// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_session.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/run/launch/launch_data.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_sink.h"
#include "core/store/records.h"
#include "core/store/workspace.h"
#include "core/text/masking.h"
#include "core/train/device_memory.h"
#include "core/train/devices.h"
#include "core/train/evaluation.h"
#include "core/train/train_loop.h"
#include "tests/run/controller_test_support.h"
#include "tests/run/small_run.h"
#include "tests/support/checked.h"
#include "tests/support/token_dataset.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;

/// Takes events, counted or passed on, and stores nothing.
class IdleRecorder : public RunRecorder {
 public:
  void publish(const RunEvent&) override { ++events; }
  std::int64_t segment() const override { return 0; }
  Result<void> addCheckpoint(const CheckpointRecord&) override { return {}; }
  Result<std::vector<CheckpointRecord>> checkpoints() const override { return std::vector<CheckpointRecord>(); }
  Result<void> removeCheckpoint(const CheckpointRecord&) override { return {}; }
  Result<void> flush() override { return {}; }
  std::int64_t storedBatch() const override { return 0; }
  std::optional<Error> writeError() const override { return {}; }
  int events = 0;
};

TEST(RunSinkTest, NothingGoesToARecorderAnyMoreWhoseSegmentWasLeftByAnException) {
  NullSink listener;
  RunSink sink(listener);
  IdleRecorder recorder;
  try {
    const RunSink::Recording recording(sink, recorder);
    sink.publish(RunNote{NoteLevel::Info, "from the thread that trains", {}});
    throw std::runtime_error("no weights to copy");
  } catch (const std::runtime_error&) {
    sink.publishNote(NoteLevel::Error, "from the thread that watches");
  }
  EXPECT_EQ(recorder.events, 1);
}

TEST(RunSessionTest, TrainsToTheEndAndLeavesRowsEvaluationsAndCheckpointsInTheStore) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh()));
  EXPECT_EQ(outcome.end->status, RunStatus::Finished);
  EXPECT_EQ(outcome.end->reason, "reached its planned length");
  EXPECT_EQ(outcome.end->at.batch, 12);
  EXPECT_EQ(outcome.log.rows.size(), 12u);
  EXPECT_LT(outcome.log.rows.back().loss, outcome.log.rows.front().loss);
  EXPECT_EQ(outcome.log.evaluations.size(), 3u);
  EXPECT_EQ(outcome.log.evaluations.back().at.batch, 12);
  const auto workspace = runs.workspace();
  const Result<RunDetail> detail = checked(workspace->findRun(outcome.run()));
  EXPECT_EQ(detail->summary.status, RunStatus::Finished);
  EXPECT_GT(detail->references.at("unigram_entropy"), 1.0);
  const auto loss = checked(workspace->series(outcome.run(), "loss"));
  ASSERT_EQ(loss->size(), 12u);
  EXPECT_EQ(loss->back().value, outcome.log.rows.back().loss);
  const auto checkpoints = checked(workspace->checkpoints(outcome.run()));
  ASSERT_EQ(checkpoints->size(), 3u);  // 5ba, 10ba, the end
  EXPECT_EQ(outcome.end->lastCheckpoint, checkpoints->back().id);
  EXPECT_TRUE(checkpoints->back().verified && checkpoints->back().finite);
  EXPECT_EQ(checkpoints->back().metric, outcome.log.evaluations.back().loss);
}

TEST(RunSessionTest, ARowSaysWhatTheGlobalBatchWas) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(
      runs.fresh({"batch.rampup={duration: 4ba, initial_global_train_batch_size: 4}", "log.every_step=false"})));
  const MetricsRow& ramped = outcome.log.rows.front();
  EXPECT_EQ(ramped.parts, 4);
  EXPECT_EQ(ramped.stepSamples, 4);
  EXPECT_EQ(ramped.globalBatchSamples, 16);
  EXPECT_EQ(ramped.at.batch, 1);
  EXPECT_EQ(ramped.at.step, 4);
  EXPECT_EQ(ramped.at.stepInBatch, 0);
  EXPECT_GT(ramped.fill, 0.0);
  EXPECT_LE(ramped.fill, 1.0);
  ASSERT_EQ(ramped.devices.size(), 1u);
  EXPECT_GT(ramped.devices.front().allocated, 0);
  EXPECT_EQ(outcome.log.rows.size(), 12u);
}

TEST(RunSessionTest, EveryStepHasARowWhateverTheInterval) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh({"log.interval=5ba"})));
  ASSERT_EQ(outcome.log.steps.size(), 12u);
  for (std::size_t step = 0; step < 12; ++step)
    EXPECT_EQ(outcome.log.steps[step].at.step, static_cast<std::int64_t>(step) + 1);
  const auto workspace = runs.workspace();
  EXPECT_EQ(workspace->series(outcome.run(), "step.loss")->size(), 12u);
  EXPECT_EQ(workspace->series(outcome.run(), "loss")->size(), 3u);  // 5ba, 10ba, the end
}

TEST(RunSessionTest, TheFirstStageOfARampFollowsTheRunOfThatBatchSize) {
  const SmallRuns runs;
  const auto ramped = checked(runs.train(
      runs.fresh({"batch.rampup={duration: 6ba, initial_global_train_batch_size: 8}", "scheduler={name: constant}"})));
  const auto constant =
      checked(runs.train(runs.fresh({"batch.global_train_batch_size=8", "scheduler={name: constant}"})));
  std::vector<double> parts;
  for (const MetricsRow& row : ramped.log.rows)
    if (row.at.stepInBatch > 0 && row.stepSamples == 8) parts.push_back(row.loss);
  ASSERT_GE(parts.size(), 6u);
  for (std::size_t step = 0; step < 6; ++step) EXPECT_EQ(parts[step], constant.log.rows[step].loss) << "step " << step;
}

TEST(RunSessionTest, DevicesAndMicroBatchesChangeTheNumbersOnlyByRounding) {
  const SmallRuns runs;
  const auto whole = checked(runs.train(runs.fresh({"batch.device_train_microbatch_size=16"})));
  const auto cut = checked(runs.train(runs.fresh({"batch.device_train_microbatch_size=3"})));
  const auto two = checked(runs.train(runs.fresh({"devices.use=cpu:2", "batch.device_train_microbatch_size=5"})));
  const auto four = checked(runs.train(runs.fresh({"devices.use=cpu:4"})));
  for (const auto* other : {&cut, &two, &four}) {
    ASSERT_EQ(other->log.rows.size(), whole.log.rows.size());
    EXPECT_NEAR(other->log.rows[0].loss, whole.log.rows[0].loss, 1e-5 * whole.log.rows[0].loss);
    EXPECT_NEAR(other->log.rows[0].gradNorm, whole.log.rows[0].gradNorm, 1e-4 * whole.log.rows[0].gradNorm);
    EXPECT_NEAR(other->log.rows[11].loss, whole.log.rows[11].loss, 1e-3 * whole.log.rows[11].loss);
    EXPECT_NEAR(other->log.evaluations[0].loss, whole.log.evaluations[0].loss, 1e-4);
    EXPECT_EQ(other->log.evaluations[0].tokens, whole.log.evaluations[0].tokens);
  }
}

TEST(RunSessionTest, ARunMeasuredInSecondsEndsWithAWholeGlobalBatchAndACheckpoint) {
  const SmallRuns runs;
  const auto outcome =
      checked(runs.train(runs.fresh({"max_duration=1sec", "scheduler={name: constant}", "eval.interval=4ba",
                                     "batch.rampup={duration: 1000ba, initial_global_train_batch_size: 2}"})));
  EXPECT_EQ(outcome.end->status, RunStatus::Finished);
  EXPECT_GE(outcome.end->at.seconds, 1.0);
  EXPECT_EQ(outcome.end->at.stepInBatch, 0);
  EXPECT_EQ(outcome.log.rows.back().at, outcome.end->at);
  EXPECT_EQ(outcome.log.checkpoints.back().at, outcome.end->at);
  EXPECT_EQ(outcome.log.evaluations.back().at, outcome.end->at);
}

TEST(RunSessionTest, TheNoiseScaleIsMeasuredOnRequestAndChangesNothing) {
  const SmallRuns runs;
  const auto plain = checked(runs.train(runs.fresh()));
  EXPECT_FALSE(plain.log.rows.back().noiseScale);
  for (const std::string mode : {"microbatches", "examples"}) {
    auto measured = checked(runs.train(runs.fresh({"log.noise_scale=" + mode})));
    const NoiseEstimator noise = runs.newest(measured.run()).loop.noise;
    EXPECT_FALSE(noise.blocks.empty()) << mode;
    for (MetricsRow& row : measured.log.rows) {
      EXPECT_EQ(row.noiseScale.has_value(), row.noiseScaleTokens.has_value());
      if (row.noiseScale) {
        EXPECT_LE(row.noiseScaleLow, row.noiseScale);
        EXPECT_GE(row.noiseScaleHigh, row.noiseScale);
        EXPECT_GT(row.noiseScaleTokens, row.noiseScale) << "samples have several tokens";
      }
      row.noiseScale.reset();
      row.noiseScaleTokens.reset();
      row.noiseScaleLow.reset();
      row.noiseScaleHigh.reset();
    }
    test::expectSameRows(measured.log.rows, plain.log.rows);
  }
}

TEST(RunSessionTest, AHalfLifeBelowTenStepsIsWarnedAboutOnce) {
  const SmallRuns runs;
  const auto run =
      checked(runs.train(runs.fresh({"log.noise_scale=true", "log.noise_half_life=10tok", "max_duration=3ba"})));
  EXPECT_EQ(std::ranges::count_if(
                run.log.notes,
                [](const RunNote& note) { return note.text.find("fewer than ten steps") != std::string::npos; }),
            1);
}

TEST(RunSessionTest, StepsOfOneSampleAreSaidToHaveNoNoiseScale) {
  const SmallRuns runs;
  for (const std::string size : {"1", "2"}) {
    const auto run = checked(runs.train(
        runs.fresh({"log.noise_scale=examples", "batch.global_train_batch_size=" + size, "max_duration=2ba"})));
    EXPECT_EQ(run.log.hasNote("steps of a single sample say nothing of the noise"), size == "1");
  }
}

TEST(RunSessionTest, TheNoiseOfACheckpointIsMeasuredOnTheDataOfItsRun) {
  const SmallRuns runs;
  const auto run = checked(runs.train(runs.fresh({"max_duration=4ba"})));
  NoiseRequest request;
  request.workspace = runs.folder() / "workspace";
  request.run = run.run();
  request.batches = 8;
  request.batchSamples = 8;
  request.device = "cpu";
  NullSink events;
  const auto found = checked(measureNoise(request, events, SystemClock()));
  EXPECT_EQ(found->samples, 64);
  EXPECT_GT(found->tokens, 64);
  EXPECT_TRUE(found->seenBefore) << "nothing is left of the run";
  ASSERT_TRUE(found->trace);
  EXPECT_GT(*found->trace, 0);
  if (found->scale) {
    EXPECT_LE(found->scale->low, found->scale->samples);
    EXPECT_GE(found->scale->high, found->scale->samples);
  }
  EXPECT_EQ(checked(measureNoise(request, events, SystemClock()))->trace, found->trace);
  request.batches = 1000;
  EXPECT_THAT(refused(measureNoise(request, events, SystemClock())).message, testing::HasSubstr("lower --batches"));
}

TEST(RunSessionTest, WhatIsMeasuredOnRequestIsInEveryRow) {
  const SmallRuns runs;
  const auto plain = checked(runs.train(runs.fresh()));
  const auto measured =
      checked(runs.train(runs.fresh({"guard.attention_logit.action=note", "guard.update_ratio.action=note"})));
  for (const MetricsRow& row : measured.log.rows)
    EXPECT_TRUE(row.measured.attentionLogit > 0.0 && row.measured.updateRatio >= 0.0);
  EXPECT_GT(measured.log.rows.back().measured.updateRatio, 0.0) << "0 only while the learning rate is";
  for (const MetricsRow& row : plain.log.rows) {
    EXPECT_FALSE(row.measured.attentionLogit || row.measured.updateRatio || row.measured.lossScale);
    EXPECT_LE(row.gradNormMean, row.gradNorm);
  }
}

TEST(RunSessionTest, EvaluationMasksFollowTheTextAndTheirOwnSeedAlone) {
  const SmallRuns runs;
  ASSERT_TRUE(runs.train(runs.fresh({"max_duration=1ba"})).end.ok()) << "which makes the workspace";
  const auto maskedLike = [&](const std::vector<std::string>& changes) {
    const LoadedConfig config = runs.config(changes);
    NullSink nobody;
    CommandMailbox commands;
    const auto data = prepareLaunchData(config, runs.workspace()->cacheFolder(), nobody, commands);
    EXPECT_TRUE(data.ok() && data->eval) << data.error().text();
    const TrainingData samples = evaluationSets(config.config, *data).front().data;
    const std::vector<std::int64_t> first = {0};
    return buildMicroBatch(samples.samples, first, 0, MaskingKey{samples.seed, 0}, samples.masks).tokenIds;
  };
  const auto base = maskedLike({});
  EXPECT_EQ(maskedLike({"seed=5", "data.mlm_probability=0.4", "optimizer.lr=0.1"}), base);
  EXPECT_NE(maskedLike({"eval.seed=5"}), base);
  EXPECT_NE(maskedLike({"eval.mlm_probability=0.4"}), base);
}

TEST(RunSessionTest, EvaluationLeavesTheWeightsAlone) {
  const SmallRuns runs;
  const auto often = checked(runs.train(runs.fresh({"eval.interval=1ba"})));
  const auto seldom = checked(runs.train(runs.fresh({"eval.interval=12ba"})));
  EXPECT_EQ(often.log.evaluations.size(), 12u);
  test::expectSameRows(often.log.rows, seldom.log.rows);
}

TEST(RunSessionTest, WhatWasLeftOutIsChosenToldStoredAndKept) {
  const SmallRuns runs;
  const std::vector<std::string> said = {"scheduler.t_warmup=auto", "eval.interval=auto", "checkpoint.interval=auto",
                                         "max_duration=40ba"};
  const auto outcome = checked(runs.train(runs.fresh(said)));
  EXPECT_EQ(outcome.log.evaluations.size(), 10u);
  const auto notes = outcome.log.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const RunNote& note) {
    return note.text ==
           "chosen where nothing was specified: scheduler.t_warmup: 0.06dur, precision: fp32, model.layer_norm_eps: "
           "1e-12, eval.interval: [0.1dur], checkpoint.interval: [600sec]";
  }));
  const RunCheckpoint end = runs.newest(outcome.run());
  EXPECT_EQ(end.facts.config.scheduler.tWarmup, Time::duration(0.06));
  EXPECT_EQ(end.facts.config.precision, Precision::Fp32);
  EXPECT_EQ(end.facts.resolved.at("scheduler.t_warmup"), "2ba");
  EXPECT_EQ(end.facts.resolved.at("eval.interval"), "4ba");
  EXPECT_EQ(end.facts.resolved.at("checkpoint.interval"), "600sec");
  auto asked = said;
  asked.back() = "max_duration=44ba";
  const auto longer = checked(runs.train(runs.resume(outcome.run(), asked)));
  EXPECT_EQ(runs.newest(outcome.run()).facts.resolved.at("scheduler.t_warmup"), "2ba");
}

TEST(RunSessionTest, AnAbortTakesNoCheckpointAndACommandTakesOne) {
  const SmallRuns runs;
  const auto aborted = checked(runs.train(runs.fresh(), 3, RunCommand::Abort));
  EXPECT_EQ(aborted.end->status, RunStatus::Stopped);
  EXPECT_EQ(aborted.end->lastCheckpoint, "");
  const auto unneeded = checked(runs.train(runs.fresh(), 3, RunCommand::StopUnneeded));
  EXPECT_EQ(unneeded.end->cause, FailureCause::Unneeded);
  EXPECT_EQ(unneeded.end->lastCheckpoint, "");
  const auto saved = checked(runs.train(runs.fresh(), 3, RunCommand::SaveCheckpoint));
  EXPECT_EQ(saved.end->status, RunStatus::Finished);
  EXPECT_EQ(saved.log.checkpoints.size(), 4u);
  EXPECT_EQ(saved.log.checkpoints.front().at.step, 3);
}

/// Pauses a run after its first global batch and then does what it is given, once for each beginning of a pause.
class PausedRun final : public EventSink {
 public:
  explicit PausedRun(std::vector<RunCommand> inPauses) : inPauses_(std::move(inPauses)) {}

  void publish(const RunEvent& event) override {
    if (std::holds_alternative<MetricsRow>(event) && !std::exchange(asked_, true)) commands.post(RunCommand::Pause);
    if (std::holds_alternative<CheckpointSaved>(event) && paused_) {
      savedInAPause = true;
      commands.post(RunCommand::Continue);
    }
    const auto* note = std::get_if<RunNote>(&event);
    if (note == nullptr || !note->paused) return;
    paused_ = *note->paused;
    if (paused_ && next_ < inPauses_.size()) commands.post(inPauses_[next_++]);
  }

  CommandMailbox commands;
  bool savedInAPause = false;

 private:
  const std::vector<RunCommand> inPauses_;
  std::size_t next_ = 0;
  bool asked_ = false;
  bool paused_ = false;
};

TEST(RunSessionTest, ACheckpointAskedForInAPauseIsToldInThePause) {
  const SmallRuns runs;
  PausedRun paused({RunCommand::SaveCheckpoint});
  const std::jthread rescue([&paused](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any sleep;
    std::unique_lock lock(mutex);
    if (!sleep.wait_for(lock, stop, std::chrono::seconds(60), [] { return false; }) && !stop.stop_requested())
      paused.commands.post(RunCommand::Abort);
  });
  const SystemClock clock;
  const auto end = checked(trainRun(runs.fresh(), paused, paused.commands, clock));
  EXPECT_EQ(end->status, RunStatus::Finished) << end->reason;
  EXPECT_TRUE(paused.savedInAPause);
}

TEST(RunSessionTest, APausedRunStopsBeforeItsTimeLimit) {
  const SmallRuns runs;
  PausedRun paused({});
  const SystemClock clock;
  const auto end = checked(trainRun(runs.fresh({"launch.time_limit=6sec"}), paused, paused.commands, clock));
  EXPECT_EQ(end->status, RunStatus::Stopped);
  EXPECT_EQ(end->reason, "the time limit is near");
  EXPECT_FALSE(end->lastCheckpoint.empty());
}

TEST(RunSessionTest, KeepsTheCheckpointsThatTheConfigurationAsksFor) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh({"checkpoint={interval: 1ba, keep_last: 2, keep_best: 0}"})));
  EXPECT_EQ(outcome.log.checkpoints.size(), 12u);
  EXPECT_EQ(runs.workspace()->checkpoints(outcome.run())->size(), 2u);
}

TEST(RunSessionTest, WhereNoCheckpointIsKeptNoneIsTakenAtThePlannedEndButWhereItStopsEarlier) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh({"checkpoint={interval: 5ba, keep_last: 0, keep_best: 0}"})));
  const auto left = *runs.workspace()->checkpoints(outcome.run());
  ASSERT_EQ(left.size(), 1u) << "while it trained, a resume had the newest one";
  EXPECT_EQ(left[0].at.batch, 10);
  const auto stopped =
      checked(runs.train(runs.fresh({"checkpoint={interval: 5ba, keep_last: 0, keep_best: 0}", "launch.stop_at=7ba"})));
  EXPECT_EQ(runs.workspace()->checkpoints(stopped.run())->back().at.batch, 7);
}

TEST(RunSessionTest, ACorpusTooSmallForAGlobalBatchSaysSoBeforeARunExists) {
  const SmallRuns runs;
  const auto outcome = runs.train(runs.fresh({"batch.global_train_batch_size=4096"}));
  ASSERT_FALSE(outcome.end.ok());
  EXPECT_EQ(outcome.end.error().code, ErrorCode::Config);
  EXPECT_THAT(outcome.end.error().message, testing::HasSubstr("fewer than one global batch of 4,096"));
  EXPECT_TRUE(outcome.log.started.empty());
  EXPECT_TRUE(runs.workspace()->listRuns()->empty());
}

TEST(RunSessionTest, ATableOfRampStagesNamesTheGlobalBatch) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh(
      {"batch.global_train_batch_size=4096", "max_duration=3ba",
       "batch.rampup.stages=[{at: 0ba, global_train_batch_size: 2}, {at: 2ba, global_train_batch_size: 4}]"})));
  EXPECT_EQ(outcome.end->at.batch, 3);
}

TEST(RunSessionTest, AMicroBatchThatDoesNotFitIsHalvedAndTheGlobalBatchStays) {
  const SmallRuns runs;
  const SystemClock clock;
  NullSink nobody;
  const auto found =
      checked(findMicrobatch(runs.config({"batch.device_train_microbatch_size=auto", "devices.memory_limit=1GiB"}),
                             runs.folder() / "workspace", nobody, clock));
  ASSERT_EQ(found->microbatchUnits, 16);
  // A little less than a step of 16 sequences of the longest length takes: some step of the run will not fit.
  const auto free = runs.train(runs.fresh({"batch.device_train_microbatch_size=16"}));
  SmallRuns::Outcome tight = free;
  std::int64_t limit = found->probes.back().peakBytes;
  while (!tight.log.hasNote("out of memory") && (limit -= 64 << 10) > 0)
    tight = runs.train(
        runs.fresh({"batch.device_train_microbatch_size=16", "devices.memory_limit=" + std::to_string(limit)}));
  ASSERT_TRUE(tight.end.ok()) << tight.end.error().text();
  ASSERT_EQ(tight.end->status, RunStatus::Finished) << tight.end->reason;
  EXPECT_TRUE(tight.log.hasNote("out of memory: the micro-batch goes from 16 to 8"));
  ASSERT_EQ(tight.log.rows.size(), free.log.rows.size());
  for (std::size_t i = 0; i < free.log.rows.size(); ++i) {
    EXPECT_EQ(tight.log.rows[i].at.sample, free.log.rows[i].at.sample);
    EXPECT_EQ(tight.log.rows[i].globalBatchSamples, free.log.rows[i].globalBatchSamples);
    EXPECT_NEAR(tight.log.rows[i].loss, free.log.rows[i].loss, 1e-3 * free.log.rows[i].loss);
  }
}

// Packs of many short sequences need more than those of a few long ones: each sequence predicts a token at least.
TEST(RunSessionTest, EveryPackFitsIntoWhatWasProbedForOne) {
  const SmallRuns runs;
  std::string text;
  for (int line = 0; line < 300; ++line) {
    for (int word = 0; word < (line % 10 == 0 ? 12 : 1); ++word) {
      for (const int letter : {line, word, line / 7}) text += static_cast<char>('a' + letter % 26);
      text += ' ';
    }
    text += '\n';
  }
  ASSERT_TRUE(writeFileAtomically(runs.folder() / "lines.txt", text).ok());
  const std::vector<std::string> packed = {"data={train: [lines.txt], format: lines, max_seq_len: 32, holdout: 0.05}",
                                           "batch.tokens={max_tokens: 200, sequence_picking_order: seqlen}",
                                           "batch.global_train_batch_size=2", "max_duration=6ba"};
  const auto with = [&packed](std::vector<std::string> more) {
    more.insert(more.begin(), packed.begin(), packed.end());
    return more;
  };
  const SystemClock clock;
  NullSink nobody;
  const auto found = checked(
      findMicrobatch(runs.config(with({"batch.device_train_microbatch_size=auto", "devices.memory_limit=1GiB"})),
                     runs.folder() / "workspace", nobody, clock));
  constexpr std::int64_t kSums = 16 << 10;  // that the loop has beside a step
  const auto trained = checked(runs.train(
      runs.fresh(with({"batch.device_train_microbatch_size=1",
                       "devices.memory_limit=" + std::to_string(found->probes.front().peakBytes + kSums)}))));
  EXPECT_EQ(trained.end->status, RunStatus::Finished) << trained.end->reason;
  EXPECT_FALSE(trained.log.hasNote("out of memory"));
}

TEST(RunSessionTest, APackThatDoesNotFitIsCutAndARunThatGoesOnCutsItToo) {
  const SmallRuns runs;
  const std::vector<std::string> packed = {"batch.tokens={max_tokens: 400}", "batch.global_train_batch_size=2",
                                           "batch.device_train_microbatch_size=1", "max_duration=8ba"};
  const auto withLimit = [&](std::int64_t kib) {
    std::vector<std::string> changes = packed;
    changes.push_back("devices.memory_limit=" + std::to_string(kib) + "KiB");
    return changes;
  };
  const auto free = checked(runs.train(runs.fresh(packed)));
  SmallRuns::Outcome tight = free;
  std::int64_t limit = 64 << 10;
  while (!tight.log.hasNote("out of memory") && limit > 64)
    tight = runs.train(runs.fresh(withLimit(limit = limit * 7 / 8)));
  ASSERT_TRUE(tight.end.ok()) << tight.end.error().text();
  ASSERT_EQ(tight.end->status, RunStatus::Finished) << tight.end->reason;
  EXPECT_TRUE(tight.log.hasNote("a pack is computed in 2 passes"));
  ASSERT_EQ(tight.log.rows.size(), free.log.rows.size());
  for (std::size_t i = 0; i < free.log.rows.size(); ++i) {
    EXPECT_EQ(tight.log.rows[i].at.sample, free.log.rows[i].at.sample);
    EXPECT_NEAR(tight.log.rows[i].loss, free.log.rows[i].loss, 1e-3 * free.log.rows[i].loss);
  }
  // Far too little: not even one sequence fits.
  const auto none = runs.train(runs.fresh(withLimit(std::max<std::int64_t>(64, limit / 16))));
  EXPECT_FALSE(none.end.ok() && none.end->status == RunStatus::Finished);
  // One that is stopped and goes on has learned it.
  const auto stopped = runs.train(runs.fresh(withLimit(limit)), 6);
  ASSERT_TRUE(stopped.log.hasNote("a pack is computed in 2 passes"));
  const auto resumed = checked(runs.train(runs.resume(stopped.run(), withLimit(limit))));
  EXPECT_TRUE(resumed.log.hasNote("bit for bit"));
  EXPECT_FALSE(resumed.log.hasNote("out of memory"));
  EXPECT_EQ(resumed.log.rows.back().loss, tight.log.rows.back().loss);
}

TEST(RunSessionTest, AutoFindsAMicroBatchWithinTheMemoryLimit) {
  const SmallRuns runs;
  const auto outcome =
      checked(runs.train(runs.fresh({"batch.device_train_microbatch_size=auto", "devices.memory_limit=3MiB"})));
  EXPECT_EQ(outcome.end->status, RunStatus::Finished) << outcome.end->reason;
  EXPECT_TRUE(outcome.log.hasNote("device_train_microbatch_size: auto is"));
  EXPECT_TRUE(outcome.log.hasPhase("searching for the largest micro-batch", "probes"));
  EXPECT_FALSE(outcome.log.hasNote("out of memory"));
}

TEST(RunSessionTest, AGradientThatIsNotFiniteIsSkippedAndStopsTheRun) {
  const SmallRuns runs;
  LaunchRequest wild = runs.fresh();
  wild.config.config.model.initializerRange = 1e30;  // what no configuration may say: squares overflow
  const auto stopped = checked(runs.train(wild));
  EXPECT_EQ(stopped.end->status, RunStatus::Failed);
  EXPECT_THAT(stopped.end->reason, testing::HasSubstr("the gradient of step 1 is not finite"));
  EXPECT_EQ(stopped.end->cause, FailureCause::NonFinite);
  EXPECT_EQ(stopped.end->at.step, 1);
  EXPECT_EQ(stopped.log.checkpoints.size(), 1u);
  wild.config.config.guard.nonFinite = GuardAction::Skip;
  wild.config.config.guard.nonFiniteLimit = 3;
  const auto skipped = checked(runs.train(wild));
  EXPECT_EQ(skipped.end->status, RunStatus::Failed);
  EXPECT_EQ(skipped.end->at.step, 3);
  const auto saved = checked(runs.workspace()->findCheckpoint(skipped.end->lastCheckpoint));
  const auto after = checked(readCheckpoint(runs.folder() / "workspace" / saved->file));
  for (const NamedTensor& tensor : tensorsUnder(*after, "optimizer/"))
    EXPECT_EQ(tensor.tensor.abs().sum().item<float>(), 0.0f) << tensor.name << " was changed by a skipped step";
}

TEST(RunSessionTest, TheResultCanBeTriedAndExported) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh()));
  const SystemClock clock;
  const auto filled =
      checked(fillMasks(runs.folder() / "workspace", outcome.run(), "", "the [MASK] and the [MASK] .", 3, clock));
  ASSERT_EQ(filled->masks.size(), 2u);
  ASSERT_EQ(filled->masks.front().size(), 3u);
  EXPECT_GE(filled->masks.front()[0].probability, filled->masks.front()[1].probability);
  EXPECT_EQ(filled->checkpoint.id, runs.newest(outcome.run()).record.id);
  EXPECT_TRUE(filled->checkpoint.notes.empty());
  EXPECT_EQ(refused(fillMasks(runs.folder() / "workspace", outcome.run(), "", "no mask here", 3, clock)).code,
            ErrorCode::Config);
  ASSERT_TRUE(
      exportModel(runs.folder() / "workspace", outcome.run(), "", runs.folder() / "hf", Replaces::Nothing, clock).ok());
  for (const char* name : {"config.json", "model.safetensors", "vocab.txt"})
    EXPECT_TRUE(std::filesystem::exists(runs.folder() / "hf" / name)) << name;
  const auto from = checked(runs.train(runs.fresh({"model={preset: tiny, init_from: hf}", "tokenizer={path: hf}"})));
  EXPECT_LT(from.log.rows.front().loss, outcome.log.rows.front().loss);
  const auto tokenizerOf = [&](const std::string& run) {
    return runs.workspace()->findRun(run)->resolvedValues.at(resolved_names::kTokenizerIdentity);
  };
  EXPECT_EQ(tokenizerOf(from.run()), tokenizerOf(outcome.run())) << "so that their losses are known to be comparable";
  const auto summaryOf = [&](const std::string& run) { return runs.workspace()->findRun(run)->summary; };
  EXPECT_EQ(summaryOf(outcome.run()).evaluationSet.size(), 6U);
  EXPECT_EQ(summaryOf(from.run()).evaluationSet, summaryOf(outcome.run()).evaluationSet);
  ASSERT_FALSE(from.log.evaluations.empty());
  const EvalResult& asGiven = from.log.evaluations.front();
  EXPECT_EQ(asGiven.at, Timestamp()) << "evaluated before its first step";
  EXPECT_NEAR(asGiven.loss, outcome.log.evaluations.back().loss, 1e-5);
  EXPECT_GT(outcome.log.evaluations.front().at.batch, 0) << "fresh weights are not";
}

TEST(RunSessionTest, MasksOfAnyVocabularyAreWrittenAsMaskOrAsItsOwnToken) {
  const SmallRuns runs;
  const std::string tokenizer = test::sourceRoot() / "tests/vectors/cases/fill-mask-other-mask-token/tokenizer.json";
  const auto outcome = checked(runs.train(runs.fresh(
      {"model={family: roberta, preset: tiny}", "max_duration=1ba", "tokenizer={path: " + tokenizer + "}"})));
  const SystemClock clock;
  const auto fill = [&](const char* text, int candidates) {
    return fillMasks(runs.folder() / "workspace", outcome.run(), "", text, candidates, clock);
  };
  const auto filled = checked(fill("the [MASK] dog and a<mask> dog", 10'000));
  EXPECT_EQ(filled->maskToken, "<mask>");
  ASSERT_EQ(filled->masks.size(), 2u);
  for (const MaskCandidate& candidate : filled->masks[0]) {
    EXPECT_THAT((std::vector<std::string>{"<s>", "</s>", "<unk>", "<mask>"}),
                testing::Not(testing::Contains(candidate.token)));
    EXPECT_GE(candidate.probability, 0);
  }
  const auto own = checked(fill("the <mask> dog and a<mask> dog", 1));
  EXPECT_EQ(own->masks[0][0].probability, filled->masks[0][0].probability);
  EXPECT_THAT(refused(fill("the dog", 1)).text(), testing::HasSubstr("write [MASK] or <mask>"));
}

TEST(RunSessionTest, AModelWhoseWeightsAreNoNumbersPredictsNothing) {
  const SmallRuns runs;
  const auto outcome =
      runs.train(runs.fresh({"optimizer.lr=1e6", "optimizer.weight_decay=1000", "scheduler={name: constant}"}));
  ASSERT_FALSE(outcome.run().empty()) << outcome.end.error().text();
  const SystemClock clock;
  const Error filled = refused(fillMasks(runs.folder() / "workspace", outcome.run(), "", "the [MASK] .", 3, clock));
  EXPECT_EQ(filled.code, ErrorCode::Config);
  EXPECT_THAT(filled.text(), testing::HasSubstr("use an earlier checkpoint"));
}

TEST(RunSessionTest, WhoeverGetsAnOlderCheckpointThanTheNewestIsToldWhy) {
  const SmallRuns runs;
  const auto outcome = checked(runs.train(runs.fresh({"checkpoint.interval=4ba", "checkpoint.keep_last=3"})));
  const RunCheckpoint newest = runs.newest(outcome.run());
  const fs::path workspace = runs.folder() / "workspace";
  const fs::path file = workspace / newest.record.file;
  fs::resize_file(file, fs::file_size(file) / 2);
  const SystemClock clock;
  const auto filled = checked(fillMasks(workspace, outcome.run(), "", "the [MASK] .", 3, clock));
  EXPECT_NE(filled->checkpoint.id, newest.record.id);
  ASSERT_EQ(filled->checkpoint.notes.size(), 1u);
  EXPECT_THAT(filled->checkpoint.notes[0], testing::HasSubstr(newest.record.id + " cannot be used"));
  const auto written =
      checked(exportModel(workspace, outcome.run(), "", runs.folder() / "hf", Replaces::Nothing, clock));
  EXPECT_EQ(written->id, filled->checkpoint.id);
  EXPECT_EQ(written->notes, filled->checkpoint.notes);
  const auto goneOn = checked(runs.train(runs.resume(outcome.run(), {"max_duration=13ba"})));
  EXPECT_TRUE(std::any_of(goneOn.log.notes.begin(), goneOn.log.notes.end(), [](const RunNote& note) {
    return note.level == NoteLevel::Warning && note.text.find("cannot be used") != std::string::npos;
  }));
}

TEST(ChooseDevicesTest, ReadsEveryFormAndRefusesWhatIsNotThere) {
  DevicesConfig config;
  EXPECT_TRUE(chooseDevices(config, 0, 4)->devices.front().is_cpu());
  EXPECT_TRUE(chooseDevices(config, 1, 4)->onGpu());
  config.use = "cpu:3";
  EXPECT_EQ(chooseDevices(config, 1, 7)->devices.size(), 3u);
  EXPECT_EQ(chooseDevices(config, 1, 7)->threadsPerDevice, 2);
  EXPECT_EQ(chooseDevices(config, 1, 2)->threadsPerDevice, 1);
  config.use = "cuda";
  EXPECT_EQ(refused(chooseDevices(config, 0, 4)).code, ErrorCode::Unsupported);
  EXPECT_EQ(chooseDevices(config, 2, 4)->devices.size(), 2u);
  config.use = "cuda:2,0";
  EXPECT_EQ(chooseDevices(config, 3, 4)->devices.back().index(), 0);
  EXPECT_EQ(chooseDevices(config, 2, 4).error().code, ErrorCode::Unsupported);
  for (const char* bad : {"gpu", "cpu:0", "cpu:x", "cpu:1000", "cuda:-1"}) {
    config.use = bad;
    ASSERT_FALSE(chooseDevices(config, 1, 4).ok()) << bad;
    EXPECT_EQ(chooseDevices(config, 1, 4).error().code, ErrorCode::Config) << bad;
  }
}

TEST(ChooseDevicesTest, OneProcessOfSeveralGetsOneDevice) {
  DevicesConfig config;
  const ProcessShare share{/*rank=*/5, /*processes=*/8, /*localRank=*/1, /*sharingCores=*/4};
  config.use = "cpu";
  const auto cpu = chooseDevices(config, 0, 8, share);
  EXPECT_EQ(cpu->devices.size(), 1u);
  EXPECT_EQ(cpu->count(), 8);
  EXPECT_EQ(cpu->threadsPerDevice, 2);
  EXPECT_EQ(deviceMemory(*cpu).front().name, "cpu:5");
  config.use = "cpu:8";
  EXPECT_TRUE(chooseDevices(config, 0, 8, share).ok());
  config.use = "cpu:2";
  EXPECT_EQ(chooseDevices(config, 0, 8, share).error().code, ErrorCode::Config);
  config.use = "cuda";
  EXPECT_EQ(chooseDevices(config, 4, 8, share)->devices.front().index(), 1);
  EXPECT_EQ(chooseDevices(config, 1, 8, share)->devices.front().index(), 0) << "a launcher shows each process its own";
  config.use = "cuda:2,3";
  EXPECT_EQ(chooseDevices(config, 4, 8, share)->devices.front().index(), 3);
  EXPECT_EQ(chooseDevices(config, 4, 8, {7, 8, 2, 4}).error().code, ErrorCode::Config);
}

/// Takes no events until it is released, as a writer does whose queue is full.
class StuckRecorder final : public IdleRecorder {
 public:
  void publish(const RunEvent& event) override {
    if (std::holds_alternative<MetricsRow>(event)) {
      reached.count_down();
      released.wait();
    }
    taken.publish(event);
  }

  std::latch reached{1}, released{1};
  EventRecorder taken;
};

TEST(RunSinkTest, AStoreThatTakesNoEventsKeepsNobodyFromTellingOfIt) {
  EventRecorder listener;
  RunSink sink(listener);
  StuckRecorder recorder;
  std::future<RunFinished> told;
  {
    const RunSink::Recording recording(sink, recorder);
    std::jthread training([&] { sink.publish(MetricsRow{}); });
    recorder.reached.wait();
    told = std::async(std::launch::async, [&] {
      sink.publishNote(NoteLevel::Warning, "the training is late");
      return sink.endFromMonitor(RunStatus::Failed, "the training hangs");
    });
    const bool inTime = told.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
    recorder.released.count_down();
    EXPECT_TRUE(inTime);
    training.join();
    const RunFinished reported =
        sink.finishFromTraining(RunFinished{RunStatus::Finished, "done", {}, {}}, [] { return Result<void>(); });
    EXPECT_EQ(reported.reason, "the training hangs");
  }
  ASSERT_EQ(recorder.taken.of<RunFinished>().size(), 1U) << "once it takes events again";
  EXPECT_EQ(recorder.taken.of<RunFinished>().front().reason, "the training hangs");
  EXPECT_EQ(told.get().reason, "the training hangs");
  EXPECT_EQ(listener.of<MetricsRow>().size(), 1U);
  ASSERT_EQ(listener.of<RunNote>().size(), 2U);
  EXPECT_EQ(listener.of<RunNote>().front().text, "the training is late");
  EXPECT_EQ(listener.of<RunNote>().back().text, "the end of the run is not in the store: it takes no events");
  EXPECT_EQ(listener.of<RunFinished>().size(), 1U);
}

// Evaluation where memory is short (the limit on host tensors plays a small device), and of no data.

class EvaluationMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    NullSink silence;
    CommandMailbox commands;
    const LoadedConfig config = runs_.config({"precision=fp32"});
    auto data = checked(prepareLaunchData(config, runs_.folder() / "cache", silence, commands));
    const auto devices = checked(useDevices(config.config.devices));
    const auto model = checked(launchModel(config, data->tokenizer.vocabulary()));
    replicas_ = *checked(makeReplicas(*model, config.config, *devices));
    masks_.emplace(MaskSpec::of(data->tokenizer.vocabulary(), 0.15));
    samples_.emplace(std::move(data->train));
    tokenizer_.emplace(data->tokenizer);
  }
  void TearDown() override { setHostTensorLimit(0); }

  struct Evaluated {
    Result<EvalResult> result;
    std::int64_t firstPass = 0;  // samples
    std::int64_t peakBytes = 0;  // above what was in use before
  };
  Evaluation by(std::int64_t samplesPerPass) { return {{*samples_, *masks_, 5, 0}, samplesPerPass}; }
  Evaluated run(Evaluation& evaluation, const FreeMemory& freeMemory = {}) {
    SingleCommunicator alone;
    const std::int64_t before = hostTensorBytes().inUse;
    resetHostTensorPeak();
    std::int64_t firstPass = 0;
    const auto progress = [&](std::int64_t done, std::int64_t) { firstPass = firstPass == 0 ? done : firstPass; };
    auto result = evaluation.run(replicas_.front().model, alone, progress, freeMemory);
    return {std::move(result), firstPass, hostTensorBytes().peak - before};
  }
  Evaluated evaluateBy(std::int64_t samplesPerPass) {
    Evaluation evaluation = by(samplesPerPass);
    return run(evaluation);
  }

  SmallRuns runs_;
  std::vector<Replica> replicas_;
  std::optional<MaskSpec> masks_;
  std::optional<TokenDataset> samples_;
  std::optional<Tokenizer> tokenizer_;
};

TEST_F(EvaluationMemoryTest, APassThatDoesNotFitIsHalvedAndTheResultStays) {
  const Evaluated whole = evaluateBy(64);
  const Evaluated quarter = evaluateBy(16);
  ASSERT_TRUE(whole.result.ok()) << whole.result.error().text();
  ASSERT_EQ(whole.firstPass, 64);
  ASSERT_LT(quarter.peakBytes, whole.peakBytes / 2);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  const Evaluated halved = evaluateBy(64);
  ASSERT_TRUE(halved.result.ok()) << halved.result.error().text();
  EXPECT_LT(halved.firstPass, 64);
  EXPECT_GE(halved.firstPass, 16);
  EXPECT_LE(halved.peakBytes, whole.peakBytes / 2);
  EXPECT_NEAR(halved.result->loss, whole.result->loss, 1e-5 * whole.result->loss);
  EXPECT_EQ(halved.result->accuracy, whole.result->accuracy);
  EXPECT_EQ(halved.result->samples, whole.result->samples);
  EXPECT_EQ(halved.result->tokens, whole.result->tokens);
}

TEST_F(EvaluationMemoryTest, TheNextEvaluationIsThatOfARunResumedBetweenThem) {
  const Evaluated whole = evaluateBy(64);
  Evaluation evaluation = by(64);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  const Evaluated first = run(evaluation);
  setHostTensorLimit(0);
  const Evaluated second = run(evaluation);
  ASSERT_TRUE(first.result.ok() && second.result.ok());
  EXPECT_LT(first.firstPass, 64);
  EXPECT_EQ(second.firstPass, 64);
  EXPECT_EQ(second.result->loss, whole.result->loss);
}

TEST_F(EvaluationMemoryTest, APassIsTriedAgainAsItIsWhereRoomWasMade) {
  const Evaluated whole = evaluateBy(64);
  Evaluation evaluation = by(64);
  setHostTensorLimit(hostTensorBytes().inUse + whole.peakBytes / 2);
  int asked = 0;
  const Evaluated again = run(evaluation, [&asked] {
    setHostTensorLimit(0);
    ++asked;
    return true;
  });
  ASSERT_TRUE(again.result.ok()) << again.result.error().text();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(again.firstPass, 64);
  EXPECT_EQ(again.result->loss, whole.result->loss);
}

TEST_F(EvaluationMemoryTest, SeveralDrawsOfMasksHaveAMeanAndItsNoise) {
  const Evaluated once = evaluateBy(64);
  ASSERT_TRUE(once.result.ok()) << once.result.error().text();
  EXPECT_FALSE(once.result->drawError);
  Evaluation first({*samples_, *masks_, 5, 0}, 64, 1), both({*samples_, *masks_, 5, 0}, 64, 2);
  EXPECT_EQ(run(first).result->loss, once.result->loss);
  const auto twice = checked(run(both).result);
  EXPECT_EQ(twice->predicted, 2 * once.result->predicted);
  EXPECT_EQ(twice->tokens, once.result->tokens);
  EXPECT_NE(twice->loss, once.result->loss);
  ASSERT_TRUE(twice->drawError);
  EXPECT_NEAR(*twice->drawError, std::abs(once.result->loss - twice->loss), 1e-9);  // of two values
}

TEST_F(EvaluationMemoryTest, BitsPerByteAreTheNatsByTheBytesUnderThePredictedTokens) {
  TrainingData data{*samples_, *masks_, 5, 0};
  EXPECT_FALSE(evaluateBy(64).result->bitsPerByte);
  data.bytes = std::make_shared<const TextBytes>(*tokenizer_, *samples_);
  Evaluation evaluation(data, 64);
  const auto result = checked(run(evaluation).result);
  ASSERT_TRUE(result->bitsPerByte);
  EXPECT_NEAR(
      *result->bitsPerByte,
      result->loss * static_cast<double>(result->predicted) / std::log(2.0) / static_cast<double>(result->bytes),
      1e-3 * *result->bitsPerByte);  // bytes are rounded
  const DatasetStatistics& all = samples_->statistics();
  EXPECT_NEAR(static_cast<double>(result->bytes) / static_cast<double>(all.text.textBytes),
              static_cast<double>(result->predicted) / static_cast<double>(all.tokens - 2 * all.sequences), 0.03);
}

TEST_F(EvaluationMemoryTest, PseudoPerplexityHidesEachTokenWithTheRestOfItsWord) {
  const WordTable words = WordTable::of(tokenizer_->vocabulary());
  std::int64_t progress = 0;
  const auto found = checked(pseudoPerplexity(replicas_.front().model, {*samples_, *masks_, 5, 0}, words, 3,
                                              [&progress](std::int64_t done, std::int64_t) { progress = done; }));
  std::int64_t tokens = 0, starts = 0;
  for (std::int64_t sample = 0; sample < 3; ++sample) {
    const std::vector<std::int32_t> ids = samples_->tokens(sample);
    for (std::size_t i = 1; i + 1 < ids.size(); ++i, ++tokens) starts += i == 1 || !words.continues(ids[i]) ? 1 : 0;
  }
  EXPECT_EQ(found->samples, 3);
  EXPECT_EQ(progress, 3);
  EXPECT_EQ(found->tokens, tokens);
  EXPECT_EQ(found->words, starts);
  // An untrained model gives each token about the same probability.
  const double perToken = std::log(found->value) * static_cast<double>(starts) / static_cast<double>(tokens);
  EXPECT_NEAR(perToken, std::log(tokenizer_->vocabulary().size()), 0.3);
}

TEST_F(EvaluationMemoryTest, DataWithoutATokenToPredictHasNoLoss) {
  Evaluation evaluation({test::datasetOf({}, {0, 1, 2, 3, 4}, 10), *masks_, 5, 0}, 64);
  const auto result = run(evaluation).result;
  ASSERT_FALSE(result.ok()) << "a mean over nothing: " << result->loss;
  EXPECT_EQ(result.error().code, ErrorCode::Config);
}

TEST_F(EvaluationMemoryTest, WhereNotEvenOneSampleFitsItSaysSo) {
  setHostTensorLimit(hostTensorBytes().inUse + 1024);
  const Evaluated none = evaluateBy(64);
  ASSERT_FALSE(none.result.ok());
  EXPECT_EQ(none.result.error().code, ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace batchwise::test
