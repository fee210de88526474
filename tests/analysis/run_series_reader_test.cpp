// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_series_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/store/recording/run_writer.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

/// A run with rows of a few of its many global batches.
class RunSeriesReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Workspace::open(folder_.path());
    ASSERT_TRUE(opened.ok());
    workspace_ = *opened;
    NewRun run;
    run.name = "long";
    id_ = *workspace_->createRun(run);
    auto writer = RunWriter::open(workspace_, id_, {});
    ASSERT_TRUE(writer.ok());
    writer_ = std::move(*writer);
  }

  void store(std::int64_t firstBatch, std::int64_t lastBatch) {
    for (std::int64_t batch = firstBatch; batch <= lastBatch; ++batch) {
      MetricsRow row;
      row.at.batch = row.at.step = batch;
      row.at.token = 10 * batch;
      row.loss = static_cast<double>(batch * 37 % 101);
      writer_->publish(row);
    }
    ASSERT_TRUE(writer_->flush().ok());
  }

  std::vector<std::pair<std::int64_t, double>> read(RunSeriesReader& reader, const std::string& series) {
    reader.follow(*workspace_->findRun(id_));
    std::vector<std::pair<std::int64_t, double>> read;
    for (const SeriesPoint& point : *reader.points(series)) read.emplace_back(point.batch, point.value);
    return read;
  }

  test::TempFolder folder_;
  std::shared_ptr<Workspace> workspace_;
  std::string id_;
  std::unique_ptr<RunWriter> writer_;
};

TEST_F(RunSeriesReaderTest, PointsOfALongRunDoNotDependOnWhenTheyWereRead) {
  RunSeriesReader following(*workspace_, id_);
  store(1, 300);
  EXPECT_EQ(read(following, "loss").size(), 300u);
  const std::pair<std::int64_t, std::int64_t> parts[] = {
      {299'990, 300'000}, {300'001, 300'002}, {300'003, 300'100}, {300'101, 300'101}, {700'000, 700'050}};
  for (const auto& [from, to] : parts) {
    store(from, to);
    RunSeriesReader fresh(*workspace_, id_);
    for (const std::string series : {"loss", "tok"}) {
      const auto points = read(following, series);
      EXPECT_EQ(points, read(fresh, series)) << series << " at " << to;
      EXPECT_EQ(points.back().first, to);
      EXPECT_TRUE(std::ranges::is_sorted(points, {}, &std::pair<std::int64_t, double>::first));
    }
    EXPECT_TRUE(following.isDownsampled());
  }
}

}  // namespace
}  // namespace batchwise
