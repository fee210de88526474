// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

using nlohmann::json;

Timestamp someTime(std::mt19937_64& random) {
  const auto count = [&random] { return static_cast<std::int64_t>(random() >> 1); };
  return {count(), count(), count(), count(), count(), 0.1 * static_cast<double>(count()),
          count(), count(), count(), count(), count()};
}

double someNumber(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(-1e9, 1e9)(random) *
         std::pow(10.0, static_cast<double>(random() % 40) - 20);
}

std::vector<RunEvent> someEvents(std::mt19937_64& random) {
  MetricsRow row{.at = someTime(random),
                 .loss = someNumber(random),
                 .learningRate = someNumber(random),
                 .stepSamples = 256,
                 .parts = 4,
                 .globalBatchSamples = 1024,
                 .gradNorm = someNumber(random),
                 .samplesPerSec = someNumber(random),
                 .tokensPerSec = someNumber(random),
                 .stepSec = someNumber(random),
                 .fill = someNumber(random),
                 .noiseScale = {},
                 .gradNormMean = {},
                 .measured = {},
                 .devices = {{"cpu:0", 1, 2, 3, 4}, {"cuda:1", 5, 6, 7, std::numeric_limits<std::int64_t>::max()}}};
  for (auto* measured :
       {&row.noiseScale, &row.noiseScaleTokens, &row.noiseScaleLow, &row.noiseScaleHigh, &row.gradNormMean,
        &row.measured.attentionLogit, &row.measured.updateRatio, &row.measured.lossScale, &row.measured.mlmProbability,
        &row.measured.beta2, &row.measured.weightDecay, &row.measured.clippedShare})
    if (random() % 2) *measured = someNumber(random);
  return {
      RunStarted{"r1", "größe \"quoted\"\n", 2, someTime(random), 17},
      PhaseProgress{"reading text", someNumber(random), someNumber(random), "bytes"},
      row,
      EvalResult{someTime(random), someNumber(random), someNumber(random), someNumber(random), 5, 6,
                 someNumber(random)},
      EvalResult{someTime(random),
                 1.0,
                 2.0,
                 0.5,
                 5,
                 6,
                 0.1,
                 {{"own", someNumber(random), 2.0, 0.25, 2, 3, someNumber(random), someNumber(random)},
                  {"general", 1.5, someNumber(random), 0.75, 3, 3}},
                 someNumber(random),
                 someNumber(random),
                 700,
                 3100,
                 {{"movies.accuracy", someNumber(random)}}},
      CheckpointSaved{"c1", someTime(random), 1234, someNumber(random), someNumber(random), CheckpointReason::Interval},
      RunNote{NoteLevel::Warning, "halved", someTime(random)},
      RunNote{NoteLevel::Info, "paused", someTime(random), true},
      RunNote{NoteLevel::Info, "going on", someTime(random), false},
      RunNote{NoteLevel::Warning, "loss spike", someTime(random), {}, NoteKind::Spike, 9.5, 4.25},
      RunFinished{RunStatus::Stopped, "at the user's request", someTime(random), "c1"}};
}

MetricsRow rowWithDevice() {
  MetricsRow row;
  row.devices = {{"cpu:0", 1, 2, 3, 4}};
  return row;
}

TEST(RunEventTest, EveryEventReadsBackEqualThroughText) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    for (const RunEvent& event : someEvents(random)) {
      EXPECT_EQ(*test::checked(eventFromJson(json::parse(eventToLine(event)))), event) << eventToLine(event);
    }
  }
}

TEST(RunEventTest, MetricsKeepTheNamesOfTheContract) {
  const json object = eventToJson(rowWithDevice());
  EXPECT_EQ(object.at("event"), "metrics");
  for (const char* key :
       {"ba", "steps", "sp", "tok", "ep", "sec", "loss", "lr", "step_samples", "parts", "global_batch_samples",
        "grad_norm", "samples_per_sec", "tokens_per_sec", "step_sec", "fill", "devices"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_FALSE(object.contains("noise_scale"));
  EXPECT_EQ(object.at("devices").at(0),
            (json{{"name", "cpu:0"}, {"allocated", 1}, {"reserved", 2}, {"peak", 3}, {"total", 4}}));
}

TEST(RunEventTest, WhatTheDriverSaysOfADeviceIsToldWhereItSaysSomething) {
  MetricsRow row = rowWithDevice();
  row.devices.push_back({"cuda:1", 1, 2, 3, 4, 5});
  const json object = eventToJson(row);
  EXPECT_FALSE(object.at("devices").at(0).contains("driver_used"));
  EXPECT_EQ(object.at("devices").at(1).at("driver_used"), 5);
  EXPECT_EQ(std::get<MetricsRow>(*eventFromJson(object)).devices, row.devices);
}

TEST(RunEventTest, NamesOfTheOtherEvents) {
  EXPECT_EQ(eventToJson(RunStarted{}).at("event"), "run_started");
  EXPECT_EQ(eventToJson(EvalResult{}).at("event"), "eval");
  EXPECT_EQ(eventToJson(CheckpointSaved{}).at("event"), "checkpoint_saved");
  EXPECT_EQ(eventToJson(RunNote{}).at("event"), "note");
  const json alert = eventToJson(RunNote{NoteLevel::Warning, "", {}, {}, NoteKind::NonFinite, std::nan(""), 2});
  EXPECT_EQ(alert.at("code"), "non_finite");
  EXPECT_EQ(alert.at("value"), "nan");
  EXPECT_EQ(alert.at("reference"), 2);
  EXPECT_FALSE(eventToJson(RunNote{}).contains("value"));
  const json finished = eventToJson(RunFinished{RunStatus::Finished, "max_duration reached", {}, ""});
  EXPECT_EQ(finished.at("event"), "run_finished");
  EXPECT_EQ(finished.at("status"), "finished");
  EXPECT_EQ(finished.at("reason"), "max_duration reached");
}

TEST(RunEventTest, NumbersThatAreNotFiniteTravelAsText) {
  MetricsRow row;
  row.loss = std::nan("");
  row.learningRate = -0.0;
  row.gradNorm = std::numeric_limits<double>::infinity();
  row.samplesPerSec = -row.gradNorm;
  const json object = eventToJson(row);
  EXPECT_EQ(object.at("loss"), "nan");
  EXPECT_EQ(object.at("grad_norm"), "inf");
  EXPECT_EQ(object.at("samples_per_sec"), "-inf");
  const auto back = test::checked(eventFromJson(json::parse(object.dump())));
  const auto& read = std::get<MetricsRow>(*back);
  EXPECT_TRUE(std::isnan(read.loss));
  EXPECT_EQ(read.gradNorm, row.gradNorm);
  EXPECT_EQ(read.samplesPerSec, row.samplesPerSec);
  EXPECT_TRUE(std::signbit(read.learningRate));
}

TEST(RunEventTest, TextThatIsNoUtf8IsReplacedAndDoesNotThrow) {
  const std::string line = eventToLine(RunNote{NoteLevel::Info, "file \xff\xfe name", {}});
  EXPECT_EQ(json::parse(line).at("text"), "file \uFFFD\uFFFD name");
}

TEST(RunEventTest, AMissingFieldIsNamed) {
  std::mt19937_64 random(2);
  for (const RunEvent& event : someEvents(random)) {
    const json whole = eventToJson(event);
    for (const auto& [key, value] : whole.items()) {
      constexpr std::array<std::string_view, 22> kOptional = {"noise_scale",     "noise_scale_tokens",
                                                              "noise_scale_low", "noise_scale_high",
                                                              "grad_norm_mean",  "attention_logit",
                                                              "update_ratio",    "loss_scale",
                                                              "mlm_probability", "sets",
                                                              "paused",          "code",
                                                              "value",           "reference",
                                                              "bits_per_byte",   "draw_error",
                                                              "eval_predicted",  "eval_bytes",
                                                              "tasks",           "beta2",
                                                              "weight_decay",    "clipped_share"};
      const bool mayBeMissing = std::ranges::find(kOptional, key) != kOptional.end();
      json partial = whole;
      partial.erase(key);
      const Result<RunEvent> back = eventFromJson(partial);
      ASSERT_EQ(back.ok(), mayBeMissing) << key;
      if (back.ok()) continue;
      EXPECT_EQ(back.error().code, ErrorCode::Corrupt);
      EXPECT_THAT(back.error().message, testing::HasSubstr("'" + key + "'"));
    }
  }
}

TEST(RunEventTest, WrongTypesAreCorruptAndNamed) {
  const json good = eventToJson(rowWithDevice());
  const std::vector<std::pair<json, std::string>> cases = {{{{"ba", 1.5}}, "'ba'"},
                                                           {{{"ba", "1"}}, "'ba'"},
                                                           {{{"ba", 18446744073709551615ULL}}, "'ba'"},
                                                           {{{"loss", "NaN"}}, "'loss'"},
                                                           {{{"loss", nullptr}}, "'loss'"},
                                                           {{{"devices", 3}}, "'devices'"},
                                                           {{{"devices", {1}}}, "devices: "},
                                                           {{{"event", "metric"}}, "'metric'"},
                                                           {{{"event", 4}}, "'event'"}};
  for (const auto& [change, expected] : cases) {
    json bad = good;
    bad.update(change);
    const Result<RunEvent> back = eventFromJson(bad);
    ASSERT_FALSE(back.ok()) << bad.dump();
    EXPECT_EQ(back.error().code, ErrorCode::Corrupt);
    EXPECT_THAT(back.error().message, testing::HasSubstr(expected));
  }
  EXPECT_FALSE(eventFromJson(json::array()).ok());
  EXPECT_FALSE(eventFromJson(json()).ok());
}

TEST(RunEventTest, UnknownFieldsAreIgnored) {
  json object = eventToJson(RunNote{NoteLevel::Error, "x", {}});
  object["added_later"] = {{"a", 1}};
  EXPECT_EQ(std::get<RunNote>(*test::checked(eventFromJson(object))).level, NoteLevel::Error);
}

TEST(RunStatusTest, NamesReadBack) {
  for (const RunStatus status : {RunStatus::Created, RunStatus::Running, RunStatus::Finished, RunStatus::Stopped,
                                 RunStatus::Failed, RunStatus::Interrupted})
    EXPECT_EQ(choiceFromName<RunStatus>(choiceName(status)), status);
  EXPECT_FALSE(choiceFromName<RunStatus>("done").has_value());
}

TEST(CommandMailboxTest, TakesTheWaitingCommandOnce) {
  CommandMailbox mailbox;
  EXPECT_EQ(mailbox.take(), RunCommand::None);
  mailbox.post(RunCommand::Pause);
  EXPECT_EQ(mailbox.peek(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::None);
}

TEST(CommandMailboxTest, AStrongerCommandReplacesAWeakerOneAndNotTheOtherWayRound) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.post(RunCommand::StopWithCheckpoint);
  mailbox.post(RunCommand::Pause);
  EXPECT_EQ(mailbox.peek(), RunCommand::StopWithCheckpoint);
  mailbox.post(RunCommand::Abort);
  mailbox.post(RunCommand::StopWithCheckpoint);
  EXPECT_EQ(mailbox.take(), RunCommand::Abort);
  for (const auto& [first, second] : {std::pair(RunCommand::StopUnneeded, RunCommand::StopWithCheckpoint),
                                      std::pair(RunCommand::StopWithCheckpoint, RunCommand::StopUnneeded)}) {
    mailbox.post(first);
    mailbox.post(second);
    EXPECT_EQ(mailbox.take(), RunCommand::StopWithCheckpoint) << "what the user wants";
  }
}

TEST(CommandMailboxTest, ACheckpointAskedForIsNotLostToOtherCommands) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.post(RunCommand::Pause);
  mailbox.post(RunCommand::SaveCheckpoint);
  EXPECT_EQ(mailbox.peek(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::Pause);
  EXPECT_EQ(mailbox.waitFor(std::chrono::minutes(1)), RunCommand::SaveCheckpoint);
  EXPECT_EQ(mailbox.take(), RunCommand::None);
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.clear();
  EXPECT_EQ(mailbox.take(), RunCommand::None);
}

TEST(RunCommandTest, ComesBackFromItsName) {
  for (const RunCommand command :
       {RunCommand::None, RunCommand::Pause, RunCommand::Continue, RunCommand::StopUnneeded, RunCommand::StopAfterBatch,
        RunCommand::StopWithCheckpoint, RunCommand::Abort, RunCommand::SaveCheckpoint})
    EXPECT_EQ(choiceFromName<RunCommand>(choiceName(command)), command);
  EXPECT_FALSE(choiceFromName<RunCommand>("stop ").has_value());
  EXPECT_FALSE(choiceFromName<RunCommand>("").has_value());
}

TEST(CommandMailboxTest, TheLaterOfTwoEqualsCounts) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::Pause);
  mailbox.post(RunCommand::Continue);
  EXPECT_EQ(mailbox.take(), RunCommand::Continue);
}

TEST(CommandMailboxTest, WaitReturnsTheCommandThatAnotherThreadPosts) {
  CommandMailbox mailbox;
  RunCommand taken = RunCommand::None;
  {
    std::jthread waiting([&] { taken = mailbox.waitFor(std::chrono::minutes(1)); });
    std::jthread posting([&] { mailbox.post(RunCommand::Continue); });
  }
  EXPECT_EQ(taken, RunCommand::Continue);
  EXPECT_EQ(mailbox.peek(), RunCommand::None);
}

TEST(CommandMailboxTest, OneOfManyThreadsWins) {
  CommandMailbox mailbox;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&mailbox, i] { mailbox.post(i == 5 ? RunCommand::Abort : RunCommand::Pause); });
  }
  EXPECT_EQ(mailbox.take(), RunCommand::Abort);
}

RunStarted started(std::int64_t planned, std::int64_t from = 0) {
  RunStarted event;
  event.plannedBatches = planned;
  event.from.batch = from;
  return event;
}

MetricsRow rowAt(std::int64_t batch) {
  MetricsRow row;
  row.at.batch = batch;
  return row;
}

TEST(RunProgressTest, AnEvenPaceGivesTheTimeLeft) {
  RunProgress progress;
  progress.update(started(100), 0.0);
  EXPECT_EQ(progress.fraction(), 0.0);
  for (int batch = 1; batch <= 25; ++batch) progress.update(rowAt(batch), 10.0 + 2.0 * batch);
  EXPECT_EQ(progress.fraction(), 0.25);
  ASSERT_TRUE(progress.etaSec().has_value());
  EXPECT_NEAR(*progress.etaSec(), 150.0, 1e-9);
}

TEST(RunProgressTest, TheRecentPaceCounts) {
  RunProgress progress;
  progress.update(started(1000), 0.0);
  double now = 0.0;
  for (int batch = 1; batch <= 100; ++batch) progress.update(rowAt(batch), now += 10.0);
  for (int batch = 101; batch <= 200; ++batch) progress.update(rowAt(batch), now += 1.0);
  EXPECT_NEAR(*progress.etaSec(), 800.0, 40.0);
}

TEST(RunProgressTest, APauseIsNoPace) {
  const RunNote paused{NoteLevel::Info, "paused", {}, true}, resumed{NoteLevel::Info, "training resumed", {}, false};
  const RunNote waiting{NoteLevel::Error, "training waits", {}, {}, NoteKind::Waiting};
  const RunNote goesOn{NoteLevel::Info, "training resumes", {}, {}, NoteKind::Resumed};
  for (const auto& [begin, end] : {std::pair(paused, resumed), std::pair(waiting, goesOn)}) {
    RunProgress progress;
    progress.update(started(100), 0.0);
    for (int batch = 1; batch <= 20; ++batch) progress.update(rowAt(batch), 1.0 * batch);
    progress.update(begin, 20.5);
    progress.update(end, 3'620.5);
    for (int batch = 21; batch <= 25; ++batch) progress.update(rowAt(batch), 3'600.0 + batch);
    ASSERT_TRUE(progress.etaSec().has_value());
    EXPECT_NEAR(*progress.etaSec(), 75.0, 1e-9);
  }
}

TEST(RunProgressTest, NothingIsGuessedWithoutAKnownEndOrPace) {
  RunProgress progress;
  progress.update(started(0), 0.0);
  progress.update(rowAt(1), 1.0);
  progress.update(rowAt(2), 2.0);
  EXPECT_FALSE(progress.fraction().has_value());
  EXPECT_FALSE(progress.etaSec().has_value());
  progress.update(started(10), 0.0);
  progress.update(rowAt(1), 1.0);
  EXPECT_FALSE(progress.etaSec().has_value());
}

TEST(RunProgressTest, AResumedRunBeginsWhereItStood) {
  RunProgress progress;
  progress.update(started(100, 60), 0.0);
  EXPECT_EQ(progress.fraction(), 0.6);
  progress.update(rowAt(61), 1.0);
  progress.update(rowAt(62), 2.0);
  EXPECT_NEAR(*progress.etaSec(), 38.0, 1e-9);
}

TEST(RunProgressTest, RowsOfPartsDoNotCountAndTheEndIsTheEnd) {
  RunProgress progress;
  progress.update(started(2), 0.0);
  progress.update(rowAt(0), 0.5);
  progress.update(rowAt(1), 1.0);
  progress.update(rowAt(1), 1.5);
  progress.update(rowAt(2), 2.0);
  EXPECT_EQ(progress.etaSec(), 0.0);
  EXPECT_EQ(progress.fraction(), 1.0);
}

TEST(FailureCauseTest, FollowsFromTheCodeOfAnError) {
  const struct {
    Error error;
    FailureCause cause;
  } cases[] = {
      {Error::fromErrno(ENOSPC, "cannot write '{}'", "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(EDQUOT, "cannot write '{}'", "/w/x"), FailureCause::DiskFull},
      {Error::fromErrno(ENOMEM, "cannot memory-map '{}'", "/w/x"), FailureCause::OutOfMemory},
      {Error::fromErrno(ENOENT, "cannot open '{}'", "/w/x"), FailureCause::MissingFile},
      {Error::fromErrno(EACCES, "cannot open '{}'", "/data/nccl/out of memory.txt"), FailureCause::Unknown},
      {{ErrorCode::OutOfMemory, "CUDA out of memory. Tried to allocate 2.00 GiB", "step 7"}, FailureCause::OutOfMemory},
      {{ErrorCode::Device, "CUDA error: an illegal memory access was encountered", {}}, FailureCause::Device},
      {Error::corrupt("a page"), FailureCause::DamagedFile},
      {{ErrorCode::DamagedCheckpoint, "hash of chunk 3", {}}, FailureCause::DamagedCheckpoint},
      {{ErrorCode::LostRank, "rank 1 on 'node2' is gone", {}}, FailureCause::LostRank},
      {Error::internal("the function is not there"), FailureCause::Unknown},
  };
  for (const auto& each : cases) EXPECT_EQ(failedRun(each.error).cause, each.cause) << each.error.text();
}

}  // namespace
}  // namespace batchwise
