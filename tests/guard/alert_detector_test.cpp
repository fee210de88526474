// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/alert_detector.h"

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
  std::vector<AlertKind> process(const RunEvent& event) {
    std::vector<AlertKind> kinds;
    for (const Alert& alert : watch_.process(event)) kinds.push_back(alert.kind);
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
  AlertDetector watch_;
};

TEST_F(AlertDetectorTest, AQuietRunSaysNothing) {
  trainUntil(1000);
}

TEST_F(AlertDetectorTest, NanIsToldOnceUntilItIsOver) {
  trainUntil(10);
  EXPECT_EQ(process(rowAt(11, std::nan(""))), (std::vector{AlertKind::NonFinite}));
  EXPECT_TRUE(process(rowAt(12, std::nan(""))).empty());
  EXPECT_TRUE(process(rowAt(13, 4)).empty());
  EXPECT_EQ(process(rowAt(14, INFINITY)), (std::vector{AlertKind::NonFinite}));
}

TEST_F(AlertDetectorTest, ASpikeStandsOutOfWhatWasBefore) {
  trainUntil(200);
  EXPECT_EQ(process(rowAt(201, 9)), (std::vector{AlertKind::Spike}));
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
      for (const Alert& alert : watch_.process(rowAt(at_ + 1, quiet(at_ + 1), tokensPerSec))) {
        EXPECT_EQ(alert.kind, AlertKind::SlowDown);
        newest_ = alert;
        ++told;
      }
    return told;
  }
  Alert newest_;
};

TEST_F(SpeedAlertTest, AFallIsToldOnceUntilItIsOver) {
  trainUntil(50);
  EXPECT_EQ(toldAt(400, 1'000), 1) << "what stays slow does not become usual";
  EXPECT_DOUBLE_EQ(newest_.value, 400);
  EXPECT_DOUBLE_EQ(newest_.reference, 1'000);
  EXPECT_EQ(toldAt(600, 100), 0) << "not half way back yet";
  EXPECT_EQ(toldAt(400, 100), 0) << "still the same fall";
  EXPECT_EQ(toldAt(900, 400), 0);
  EXPECT_EQ(toldAt(300, 100), 1) << "it had recovered";
  EXPECT_DOUBLE_EQ(newest_.reference, 900);
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
  trainUntil(50);
  watch_.setSlowShare(0.9);
  EXPECT_EQ(toldAt(800, 80), 1);
  EXPECT_EQ(toldAt(1'000, 400), 0);
  watch_.setSlowShare(0.25);
  EXPECT_EQ(toldAt(400, 80), 0);
  EXPECT_EQ(toldAt(1'000, 400), 0);
  EXPECT_EQ(toldAt(200, 80), 1);
}

TEST_F(AlertDetectorTest, MemoryAbove95PercentNamesTheDevice) {
  MetricsRow row = rowAt(1, 4);
  row.devices = {{"cuda:0", 50, 60, 95, 100}, {"cuda:1", 50, 60, 96, 100}};
  const auto found = watch_.process(row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, AlertKind::Memory);
  EXPECT_EQ(found[0].what, "cuda:1");
  EXPECT_TRUE(process(row).empty());
}

TEST_F(AlertDetectorTest, ALowDiskIsToldAgainOnlyAfterItWasFree) {
  EXPECT_FALSE(watch_.checkDisk(std::int64_t{100} << 30));
  EXPECT_TRUE(watch_.checkDisk(std::int64_t{1} << 30));
  EXPECT_FALSE(watch_.checkDisk(std::int64_t{1} << 30));
  EXPECT_FALSE(watch_.checkDisk(std::int64_t{100} << 30));
  EXPECT_TRUE(watch_.checkDisk(std::int64_t{1} << 30));
}

TEST_F(AlertDetectorTest, EndsAreTold) {
  RunFinished end;
  EXPECT_EQ(process(end), (std::vector{AlertKind::Finished}));
  end.status = RunStatus::Interrupted;
  EXPECT_EQ(process(end), (std::vector{AlertKind::Failed}));
  end.status = RunStatus::Finished;
  end.cause = FailureCause::Diverged;
  EXPECT_EQ(process(end), (std::vector{AlertKind::Diverged}));
}

}  // namespace
}  // namespace batchwise
