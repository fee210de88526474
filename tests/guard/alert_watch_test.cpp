// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/alert_watch.h"

#include <gmock/gmock.h>

#include <cmath>

namespace batchwise {
namespace {

MetricsRow rowAt(std::int64_t batch, double loss, double tokensPerSec = 1000) {
  MetricsRow row;
  row.at.batch = batch;
  row.loss = loss;
  row.gradNorm = 1;
  row.tokensPerSec = tokensPerSec;
  return row;
}

class AlertWatchTest : public testing::Test {
 protected:
  std::vector<AlertKind> take(const RunEvent& event) {
    std::vector<AlertKind> kinds;
    for (const Alert& alert : watch_.take(event)) kinds.push_back(alert.kind);
    return kinds;
  }
  /// A loss that falls a little and shakes.
  void trainUntil(std::int64_t batch) {
    for (; at_ < batch; ++at_) EXPECT_TRUE(take(rowAt(at_ + 1, quiet(at_ + 1))).empty()) << at_;
  }
  static double quiet(std::int64_t batch) {
    return 4.0 - 0.001 * static_cast<double>(batch) + (batch % 2 == 0 ? 0.05 : -0.05);
  }

  std::int64_t at_ = 0;
  AlertWatch watch_;
};

TEST_F(AlertWatchTest, AQuietRunSaysNothing) {
  trainUntil(1000);
}

TEST_F(AlertWatchTest, NanIsToldOnceUntilItIsOver) {
  trainUntil(10);
  EXPECT_EQ(take(rowAt(11, std::nan(""))), (std::vector{AlertKind::NonFinite}));
  EXPECT_TRUE(take(rowAt(12, std::nan(""))).empty());
  EXPECT_TRUE(take(rowAt(13, 4)).empty());
  EXPECT_EQ(take(rowAt(14, INFINITY)), (std::vector{AlertKind::NonFinite}));
}

TEST_F(AlertWatchTest, ASpikeStandsOutOfWhatWasBefore) {
  trainUntil(200);
  EXPECT_EQ(take(rowAt(201, 9)), (std::vector{AlertKind::Spike}));
}

TEST_F(AlertWatchTest, ALevelLossIsToldOncePerWindow) {
  int told = 0;
  for (std::int64_t batch = 1; batch <= 4'400; ++batch)
    told += static_cast<int>(take(rowAt(batch, batch % 2 == 0 ? 3.01 : 2.99)).size());
  EXPECT_EQ(told, 2);
}

TEST_F(AlertWatchTest, AFallOfTheSpeedIsToldOnce) {
  trainUntil(50);
  EXPECT_EQ(take(rowAt(51, quiet(51), 400)), (std::vector{AlertKind::SlowDown}));
  EXPECT_TRUE(take(rowAt(52, quiet(52), 400)).empty());
  EXPECT_TRUE(take(rowAt(53, quiet(53), 900)).empty());
  EXPECT_EQ(take(rowAt(54, quiet(54), 300)), (std::vector{AlertKind::SlowDown}));
}

TEST_F(AlertWatchTest, MemoryAbove95PercentNamesTheDevice) {
  MetricsRow row = rowAt(1, 4);
  row.devices = {{"cuda:0", 50, 60, 95, 100}, {"cuda:1", 50, 60, 96, 100}};
  const auto found = watch_.take(row);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, AlertKind::Memory);
  EXPECT_EQ(found[0].what, "cuda:1");
  EXPECT_TRUE(take(row).empty());
}

TEST_F(AlertWatchTest, ALowDiskIsToldAgainOnlyAfterItWasFree) {
  EXPECT_FALSE(watch_.takeDisk(std::int64_t{100} << 30));
  EXPECT_TRUE(watch_.takeDisk(std::int64_t{1} << 30));
  EXPECT_FALSE(watch_.takeDisk(std::int64_t{1} << 30));
  EXPECT_FALSE(watch_.takeDisk(std::int64_t{100} << 30));
  EXPECT_TRUE(watch_.takeDisk(std::int64_t{1} << 30));
}

TEST_F(AlertWatchTest, EndsAreTold) {
  RunFinished end;
  EXPECT_EQ(take(end), (std::vector{AlertKind::Finished}));
  end.status = RunStatus::Interrupted;
  EXPECT_EQ(take(end), (std::vector{AlertKind::Failed}));
}

}  // namespace
}  // namespace batchwise
