// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CheckpointRecord checkpoint(std::int64_t batch, std::optional<double> metric = std::nullopt) {
  CheckpointRecord record;
  record.id = std::to_string(batch);
  record.at.batch = record.at.step = batch;
  record.at.token = batch * 10;
  record.metric = metric;
  return record;
}

/// Of a run with one segment, unless others are given.
std::vector<std::string> removed(const std::vector<CheckpointRecord>& records, const RetentionPolicy& policy,
                                 const std::vector<RunSegment>& segments = {RunSegment{}}) {
  std::vector<std::string> ids;
  for (const CheckpointRecord& record : selectForRemoval(segments, records, policy)) ids.push_back(record.id);
  return ids;
}

const std::vector<CheckpointRecord> kFive{checkpoint(1, 5.0), checkpoint(2, 2.0), checkpoint(3, 4.0),
                                          checkpoint(4, 3.0), checkpoint(5, 3.5)};

TEST(RetentionTest, TheLastAndTheBestStay) {
  EXPECT_THAT(removed(kFive, {.keepLast = 2, .keepBest = 1}), ElementsAre("1", "3"));
  EXPECT_THAT(removed(kFive, {.keepLast = 2, .keepBest = 0}), ElementsAre("1", "2", "3"));
  EXPECT_THAT(removed(kFive, {.keepLast = 1, .keepBest = 2, .lowerIsBetter = false}), ElementsAre("2", "4"));
  EXPECT_THAT(removed(kFive, {.keepLast = 5, .keepBest = 0}), IsEmpty());
  EXPECT_THAT(removed(kFive, {.keepLast = 100, .keepBest = 100}), IsEmpty());
}

TEST(BestCheckpointTest, IsTheOneWithTheBestFiniteMetric) {
  auto records = kFive;
  EXPECT_EQ(bestCheckpoint(records, true)->id, "2");
  EXPECT_EQ(bestCheckpoint(records, false)->id, "1");
  records[1].metric = std::nan("");
  EXPECT_EQ(bestCheckpoint(records, true)->id, "4");
  EXPECT_EQ(bestCheckpoint({checkpoint(1)}, true), nullptr);
}

TEST(RetentionTest, ANegativeNumberKeepsAll) {
  EXPECT_THAT(removed(kFive, {.keepLast = -1}), IsEmpty());
}

TEST(RetentionTest, TheNewestAlwaysStays) {
  EXPECT_THAT(removed(kFive, {.keepLast = 0, .keepBest = 0}), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(removed({}, {}), IsEmpty());
}

TEST(RetentionTest, PinnedOnesStayAndDoNotCount) {
  auto records = kFive;
  records[0].pinned = true;
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 0}), ElementsAre("2", "3", "4"));
}

TEST(RetentionTest, NonFiniteOnesAreNeitherLastNorBest) {
  auto records = kFive;
  records[3].finite = records[4].finite = false;
  records[3].metric = 0.5;
  records[2].metric = std::nan("");
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 1}), ElementsAre("1", "4"))
      << "3 is the newest good one, 2 the best, 5 the newest of all";
}

TEST(RetentionTest, AnAverageIsNeitherTheNewestNorTheBest) {
  auto records = kFive;
  records[3].finite = records[4].finite = false;
  records.push_back(checkpoint(6, 0.5));
  records.back().reason = kAverageCheckpoint;
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 1}), ElementsAre("1", "4", "6"))
      << "5 is the newest, 3 the newest good one, 2 the best";
}

TEST(RetentionTest, WhatAResumeMayTryStaysBeforeWhatItSuperseded) {
  std::vector<CheckpointRecord> records{checkpoint(100), checkpoint(200), checkpoint(300), checkpoint(150)};
  records.back().segment = 1;
  RunSegment first, second;
  second.number = 1;
  second.from.step = 100;
  EXPECT_THAT(removed(records, {.keepLast = 3, .keepBest = 0}, {first, second}), ElementsAre("200"))
      << "the place that is left goes to the newest that was superseded";
  EXPECT_THAT(removed(records, {.keepLast = 2, .keepBest = 0}, {first, second}), ElementsAre("200", "300"));
  EXPECT_THAT(removed(records, {.keepLast = 1, .keepBest = 0}, {first, second}), ElementsAre("100", "200", "300"));
}

TEST(RetentionTest, OneOfEachStretchStays) {
  std::vector<CheckpointRecord> records;
  for (const std::int64_t batch : {3, 9, 10, 14, 20, 41, 45, 50}) records.push_back(checkpoint(batch));
  RetentionPolicy policy{.keepLast = 1, .keepBest = 0, .keepEvery = Time::of(10, TimeUnit::Batch)};
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "14", "45"));
  policy.keepEvery = Time::of(100, TimeUnit::Token);
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "14", "45")) << "the same in tokens";
  policy.keepEvery = Time::of(0, TimeUnit::Batch);
  EXPECT_THAT(removed(records, policy), ElementsAre("3", "9", "10", "14", "20", "41", "45")) << "0 asks for nothing";
}

}  // namespace
}  // namespace batchwise::test
