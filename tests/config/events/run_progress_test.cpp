// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/config/events/run_event.h"

namespace batchwise {
namespace {

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

}  // namespace
}  // namespace batchwise
