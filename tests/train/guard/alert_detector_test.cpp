// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/alert_detector.h"

#include <gmock/gmock.h>

#include <cmath>

namespace batchwise {
namespace {

MetricsRow rowAt(std::int64_t batch, double loss, double tokensPerSec = 1000) {
  MetricsRow row;
  row.at.batch = batch;
  row.at.seconds = static_cast<double>(batch);
  row.loss = loss;
  row.gradNorm = 1;
  row.tokensPerSec = tokensPerSec;
  return row;
}

class AlertDetectorTest : public testing::Test {
 protected:
  std::vector<NoteKind> process(const MetricsRow& row) {
    std::vector<NoteKind> kinds;
    for (const RunNote& alert : detector_.process(row)) kinds.push_back(alert.kind);
    return kinds;
  }
  /// A loss that falls a little and shakes.
  void trainUntil(std::int64_t batch) {
    for (; at_ < batch; ++at_) EXPECT_TRUE(process(rowAt(at_ + 1, quiet(at_ + 1))).empty()) << at_;
  }
  static double quiet(std::int64_t batch) {
    return 4.0 - 0.001 * static_cast<double>(batch) + (batch % 2 == 0 ? 0.05 : -0.05);
  }

  std::int64_t at_ = 0;
  AlertDetector detector_;
};

TEST_F(AlertDetectorTest, AQuietRunSaysNothing) {
  trainUntil(1000);
}

TEST_F(AlertDetectorTest, ASpikeStandsOutOfWhatWasBefore) {
  trainUntil(200);
  EXPECT_EQ(process(rowAt(201, 9)), (std::vector{NoteKind::Spike}));
}

TEST_F(AlertDetectorTest, WhatAGuardReportsIsNoAlertToo) {
  detector_ = AlertDetector({.spikes = false, .plateaus = false});
  for (std::int64_t batch = 1; batch <= 2'400; ++batch)
    EXPECT_TRUE(process(rowAt(batch, batch == 201 ? 9 : batch % 2 == 0 ? 3.01 : 2.99)).empty()) << batch;
}

TEST_F(AlertDetectorTest, ALevelLossIsToldOncePerWindow) {
  int told = 0;
  for (std::int64_t batch = 1; batch <= 4'400; ++batch)
    told += static_cast<int>(process(rowAt(batch, batch % 2 == 0 ? 3.01 : 2.99)).size());
  EXPECT_EQ(told, 2);
}

class SpeedAlertTest : public AlertDetectorTest {
 protected:
  /// How often a fall of the speed is told in `rows` more rows at this speed.
  int toldAt(double tokensPerSec, int rows) {
    int told = 0;
    for (int i = 0; i < rows; ++i, ++at_)
      for (const RunNote& alert : detector_.process(rowAt(at_ + 1, quiet(at_ + 1), tokensPerSec))) {
        EXPECT_EQ(alert.kind, NoteKind::SlowDown);
        newest_ = alert;
        ++told;
      }
    return told;
  }
  RunNote newest_;
};

TEST_F(SpeedAlertTest, AFallIsToldOnceUntilItIsOver) {
  trainUntil(50);
  EXPECT_EQ(toldAt(400, 1'000), 1) << "what stays slow does not become usual";
  EXPECT_EQ(newest_.value, 400);
  EXPECT_EQ(newest_.reference, 1'000);
  EXPECT_EQ(toldAt(600, 100), 0) << "not half way back yet";
  EXPECT_EQ(toldAt(400, 100), 0) << "still the same fall";
  EXPECT_EQ(toldAt(900, 400), 0);
  EXPECT_EQ(toldAt(300, 100), 1) << "it had recovered";
  EXPECT_EQ(newest_.reference, 900);
}

TEST_F(SpeedAlertTest, ASlowRowNowAndThenIsNoFall) {
  trainUntil(50);
  int told = 0;
  for (int i = 0; i < 40; ++i) told += toldAt(100, 2) + toldAt(1'000, 3);
  EXPECT_EQ(told, 0);
}

TEST_F(SpeedAlertTest, AFallOfLessThanAMinuteIsNotTold) {
  trainUntil(50);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(toldAt(200, 55), 0);
    EXPECT_EQ(toldAt(1'000, 30), 0);
  }
}

TEST_F(SpeedAlertTest, ARunThatRecoversForAMomentIsStillInTheSameFall) {
  trainUntil(50);
  EXPECT_EQ(toldAt(300, 100), 1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(toldAt(1'000, 50), 0);
    EXPECT_EQ(toldAt(300, 100), 0);
  }
}

TEST_F(SpeedAlertTest, ThePersonSaysHowSlowIsSlow) {
  detector_ = AlertDetector({.slowShare = 0.9});
  trainUntil(50);
  EXPECT_EQ(toldAt(800, 80), 1);
  EXPECT_EQ(newest_.text, "the speed has fallen: 800 tok/s now, usually 1.00k tok/s");
}

TEST_F(SpeedAlertTest, AStageHasASpeedAndALossOfItsOwn) {
  trainUntil(200);
  detector_.startStage();
  EXPECT_EQ(toldAt(300, 200), 0);
  detector_.startStage();
  EXPECT_TRUE(process(rowAt(at_ + 1, 9)).empty());
}

TEST_F(AlertDetectorTest, MemoryAbove95PercentNamesTheDevice) {
  MetricsRow row = rowAt(1, 4);
  row.devices = {{"cuda:0", 50, 60, 95, 100}, {"cuda:1", 50, 60, 96, 100}};
  const auto found = detector_.process(row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, NoteKind::Memory);
  EXPECT_EQ(found[0].text, "the memory of cuda:1 is nearly full: 96 B of 100 B used");
  EXPECT_TRUE(process(row).empty());
  detector_.startStage();
  EXPECT_TRUE(process(row).empty()) << "it has been full all the time";
}

}  // namespace
}  // namespace batchwise
