// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/config/events/metric.h"
#include "core/store/database.h"
#include "core/store/metrics/metric_codec.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Series: recent rows, sealed blocks, buckets, superseded rows.

/// Loss with noise, and now and then something that is no number.
double wildLoss(std::int64_t batch) {
  std::mt19937_64 random(static_cast<std::uint64_t>(batch));
  if (random() % 97 == 0) return std::numeric_limits<double>::quiet_NaN();
  if (random() % 211 == 0) return std::numeric_limits<double>::infinity();
  return 1e4 / static_cast<double>(batch + 100) + static_cast<double>(random() % 1000) * 1e-3;
}

class MetricsTest : public testing::Test {
 protected:
  void write(RunWriter& writer, std::int64_t from, std::int64_t to) {
    for (std::int64_t batch = from; batch <= to; ++batch) writer.publish(rowOf(batch, wildLoss(batch)));
    ASSERT_TRUE(writer.flush().ok());
  }
  std::int64_t count(const std::string& table) {
    SQLite::Database database(folder_ / "w" / "workspace.sqlite");
    return database.execAndGet("SELECT count(*) FROM " + table).getInt64();
  }
  void expectWild(const std::vector<SeriesPoint>& points, std::int64_t from, std::int64_t to) {
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), to - from + 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::int64_t batch = from + static_cast<std::int64_t>(i);
      ASSERT_EQ(points[i].batch, batch);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(points[i].value), std::bit_cast<std::uint64_t>(wildLoss(batch))) << batch;
    }
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_ = openStore(folder_ / "w");
  std::string run_ = makeRun(*workspace_, "run");
};

TEST_F(MetricsTest, EverySeriesOfARowIsThere) {
  const auto writer = startRun(workspace_, run_);
  MetricsRow row = rowOf(5);
  row.noiseScale = 1234.5;
  row.noiseScaleTokens = 98765.5;
  row.noiseScaleLow = 1000;
  row.noiseScaleHigh = 1500;
  row.gradNormMean = 1.25;
  row.measured.attentionLogit = 17.5;
  row.measured.updateRatio = 0.001;
  row.measured.lossScale = 65536;
  row.devices.push_back({"cuda:1", 1, 2, 3, 4});
  writer->publish(row);
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_THAT(
      *workspace_->seriesNames(run_),
      testing::UnorderedElementsAre(
          "loss", "lr", "step_samples", "global_batch_samples", "grad_norm", "samples_per_sec", "tokens_per_sec",
          "step_sec", "fill", "parts", "noise_scale", "noise_scale_tokens", "noise_scale_low", "noise_scale_high",
          "grad_norm_mean", "attention_logit", "update_ratio", "loss_scale", "ep", "steps", "sp", "tok", "sec", "wall",
          "memory.cpu:0.allocated", "memory.cpu:0.reserved", "memory.cpu:0.peak", "memory.cpu:0.total",
          "memory.cuda:1.allocated", "memory.cuda:1.reserved", "memory.cuda:1.peak", "memory.cuda:1.total"));
  for (const std::string& series : *workspace_->seriesNames(run_)) {
    if (series == "wall") continue;
    EXPECT_NE(findMetric(series), nullptr) << series << " is not declared in core/config/events/metric.cpp";
  }
  EXPECT_EQ(workspace_->series(run_, "memory.cuda:1.peak")->at(0).value, 3);
  EXPECT_EQ(workspace_->series(run_, "tok")->at(0).value, 5 * 3200);
  const double now = static_cast<double>(Workspace::systemClock().wallMs()) / 1000.0;
  EXPECT_NEAR(workspace_->series(run_, "wall")->at(0).value, now, 60);  // when it was recorded
  EXPECT_EQ(workspace_->series(run_, "noise_scale")->at(0).value, 1234.5);
  EXPECT_EQ(workspace_->series(run_, "grad_norm_mean")->at(0).value, 1.25);
  EXPECT_EQ(workspace_->series(run_, "attention_logit")->at(0).value, 17.5);
  EXPECT_EQ(workspace_->series(run_, "update_ratio")->at(0).value, 0.001);
  EXPECT_EQ(workspace_->series(run_, "loss_scale")->at(0).value, 65536);
  EXPECT_THAT(*workspace_->series(run_, "unknown"), IsEmpty());
}

TEST_F(MetricsTest, SealedAndRecentRowsReadAsOneSeries) {
  auto writer = startRun(workspace_, run_);
  write(*writer, 1, 5000);
  EXPECT_GE(count("metric_block"), 3);
  EXPECT_LT(count("metric_row"), 2048);
  expectWild(*workspace_->series(run_, "loss"), 1, 5000);
  expectWild(*workspace_->seriesAfter(run_, "loss", 1500), 1501, 5000);
  expectWild(*workspace_->seriesAfter(run_, "loss", 4990), 4991, 5000);
  EXPECT_THAT(*workspace_->seriesAfter(run_, "loss", 5000), IsEmpty());
  EXPECT_THAT(*workspace_->check(), IsEmpty());
  writer.reset();
  workspace_.reset();
  workspace_ = openStore(folder_ / "w");
  expectWild(*workspace_->series(run_, "loss"), 1, 5000);
}

TEST_F(MetricsTest, ARowIsStoredOnce) {
  const auto writer = startRun(workspace_, run_);
  write(*writer, 1, 3000);
  writer->publish(rowOf(5, 77.0));     // sealed already
  writer->publish(rowOf(2999, 77.0));  // still a row
  ASSERT_TRUE(writer->flush().ok());
  expectWild(*workspace_->series(run_, "loss"), 1, 3000);
}

/// Buckets made from all points, the slow and certain way: every extreme of every point is in some bucket, and buckets
/// are in order, disjoint and narrow enough.
void expectFaithful(const std::vector<SeriesBucket>& buckets, const std::vector<SeriesPoint>& points, std::int64_t from,
                    std::int64_t to, std::int64_t wanted) {
  std::int64_t counted = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  const std::int64_t width = (to - from) / wanted + 1;
  for (const SeriesBucket& bucket : buckets) {
    ASSERT_GT(bucket.firstBatch, last);
    last = bucket.lastBatch;
    ASSERT_GE(bucket.firstBatch, from);
    ASSERT_LE(bucket.lastBatch, to);
    ASSERT_LE(bucket.lastBatch - bucket.firstBatch, 2 * width);
    SeriesBucket exact;
    const auto begin =
        std::lower_bound(points.begin(), points.end(), bucket.firstBatch,
                         [](const SeriesPoint& point, std::int64_t batch) { return point.batch < batch; });
    for (auto point = begin; point != points.end() && point->batch <= bucket.lastBatch; ++point) {
      ++exact.count;
      if (!std::isfinite(point->value)) {
        ++exact.nonFinite;
        continue;
      }
      exact.minimum = exact.count - exact.nonFinite == 1 ? point->value : std::min(exact.minimum, point->value);
      exact.maximum = exact.count - exact.nonFinite == 1 ? point->value : std::max(exact.maximum, point->value);
    }
    ASSERT_EQ(bucket.count, exact.count);
    ASSERT_EQ(bucket.nonFinite, exact.nonFinite);
    if (exact.count > exact.nonFinite) {
      ASSERT_EQ(bucket.minimum, exact.minimum);
      ASSERT_EQ(bucket.maximum, exact.maximum);
    }
    counted += bucket.count;
  }
  const auto inside = std::count_if(points.begin(), points.end(),
                                    [&](const SeriesPoint& point) { return point.batch >= from && point.batch <= to; });
  EXPECT_EQ(counted, inside);
}

TEST_F(MetricsTest, BucketsAgreeWithAllPoints) {
  const auto writer = startRun(workspace_, run_);
  write(*writer, 1, 40'000);
  const auto points = checked(workspace_->series(run_, "loss"));
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const auto a = static_cast<std::int64_t>(random() % 42'000);
    const auto b = static_cast<std::int64_t>(random() % 42'000);
    const std::int64_t wanted = trial % 3 == 0 ? 7 : trial % 3 == 1 ? 300 : 5000;
    const auto buckets = checked(workspace_->seriesBuckets(run_, "loss", std::min(a, b), std::max(a, b), wanted));
    EXPECT_LE(static_cast<std::int64_t>(buckets->size()), wanted);
    ASSERT_NO_FATAL_FAILURE(expectFaithful(*buckets, *points, std::min(a, b), std::max(a, b), wanted));
  }
  EXPECT_FALSE(workspace_->seriesBuckets(run_, "loss", 0, 10, 0).ok());
  EXPECT_THAT(*workspace_->seriesBuckets(run_, "loss", 10, 5, 10), IsEmpty());
}

TEST_F(MetricsTest, BucketsOfASparseSeries) {
  const auto writer = startRun(workspace_, run_);
  for (std::int64_t batch = 1; batch <= 6000; ++batch) {
    MetricsRow row = rowOf(batch);
    if (batch % 100 == 0) row.noiseScale = static_cast<double>(batch);
    writer->publish(row);
  }
  ASSERT_TRUE(writer->flush().ok());
  const auto points = workspace_->series(run_, "noise_scale");
  ASSERT_THAT(*points, SizeIs(60));
  const auto buckets = workspace_->seriesBuckets(run_, "noise_scale", 1, 6000, 20);
  ASSERT_NO_FATAL_FAILURE(expectFaithful(*buckets, *points, 1, 6000, 20));
  EXPECT_THAT(*buckets, SizeIs(testing::Ge(19U)));
}

TEST_F(MetricsTest, AResumeSupersedesWhatCameAfterItsCheckpoint) {
  {
    const auto first = startRun(workspace_, run_);
    write(*first, 1, 4000);
    first->publish(EvalResult{afterBatches(2500), 3.5, 0, 0, 0, 0, 0});
    first->publish(EvalResult{afterBatches(3500), 3.0, 0, 0, 0, 0, 0});
    first->publish(RunNote{NoteLevel::Info, "late", afterBatches(3900)});
    first->publish(RunFinished{RunStatus::Stopped, "stopped", afterBatches(4000), ""});
    ASSERT_TRUE(first->flush().ok());
  }
  const auto second = startRun(workspace_, run_, afterBatches(3000));
  EXPECT_EQ(second->segment(), 1);
  const auto resumed = workspace_->findRun(run_);
  EXPECT_EQ(resumed->summary.status, RunStatus::Running);
  EXPECT_EQ(resumed->summary.at.batch, 3000);
  EXPECT_EQ(resumed->summary.evalLoss, 3.5) << "the evaluation at 3500 is undone";
  ASSERT_TRUE(resumed->summary.loss.has_value());
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*resumed->summary.loss), std::bit_cast<std::uint64_t>(wildLoss(3000)));
  expectWild(*workspace_->series(run_, "loss"), 1, 3000);
  write(*second, 3001, 3200);
  expectWild(*workspace_->series(run_, "loss"), 1, 3200);
  expectWild(*workspace_->seriesAfter(run_, "loss", 2990), 2991, 3200);
  EXPECT_THAT(*workspace_->series(run_, "loss", Workspace::Rows::WithSuperseded), SizeIs(4200));
  const auto buckets = workspace_->seriesBuckets(run_, "loss", 1, 4000, 50);
  ASSERT_NO_FATAL_FAILURE(expectFaithful(*buckets, *workspace_->series(run_, "loss"), 1, 4000, 50));
  EXPECT_THAT(*workspace_->series(run_, "eval.loss"), SizeIs(1));
  const auto events = workspace_->events(run_);
  std::vector<bool> superseded;
  for (const StoredEvent& event : *events) superseded.push_back(event.superseded);
  EXPECT_THAT(superseded, ElementsAre(false, true, true, true));
}

TEST_F(MetricsTest, AThirdSegmentMayGoBackFurther) {
  { write(*startRun(workspace_, run_), 1, 100); }
  { write(*startRun(workspace_, run_, afterBatches(50)), 51, 80); }
  { write(*startRun(workspace_, run_, afterBatches(20)), 21, 30); }
  expectWild(*workspace_->series(run_, "loss"), 1, 30);
  EXPECT_THAT(*workspace_->series(run_, "loss", Workspace::Rows::WithSuperseded), SizeIs(140));
}

TEST_F(MetricsTest, RowsPerStepAreSeriesOfTheirOwn) {
  const auto writer = startRun(workspace_, run_);
  for (std::int64_t part = 1; part <= 3; ++part) {
    MetricsRow row = rowOf(10, 5.0 + static_cast<double>(part));
    row.at.step = 100 + part;
    row.at.stepInBatch = part;
    writer->publish(row);
  }
  MetricsRow whole = rowOf(11, 5.5);
  whole.at.step = 104;
  writer->publish(whole);
  ASSERT_TRUE(writer->flush().ok());
  const auto steps = workspace_->series(run_, "step.loss");
  ASSERT_THAT(*steps, SizeIs(3));
  EXPECT_EQ(steps->at(2).batch, 103);
  EXPECT_EQ(steps->at(2).value, 8.0);
  ASSERT_THAT(*workspace_->series(run_, "loss"), SizeIs(1));
}

TEST_F(MetricsTest, DamagedBlocksAndRowsAreNamed) {
  auto writer = startRun(workspace_, run_);
  write(*writer, 1, 3000);
  writer.reset();
  workspace_.reset();
  {
    const auto opened = openDatabase(folder_ / "w" / "workspace.sqlite", DatabaseUse::Write);
    SQLite::Database& database = *opened;
    // One bit of a value, in the middle of the first block of the loss.
    SQLite::Statement query(database,
                            "SELECT metric_block.rowid, data FROM metric_block JOIN series ON series.id = series "
                            "WHERE name = 'loss' AND number = 0");
    ASSERT_TRUE(query.executeStep());
    std::string data = query.getColumn(1).getString();
    data[data.size() / 2] ^= 0x10;
    SQLite::Statement update(database, "UPDATE metric_block SET data=? WHERE rowid=?");
    update.bind(1, data.data(), static_cast<int>(data.size()));
    update.bind(2, query.getColumn(0).getInt64());
    update.exec();
    database.exec("UPDATE metric_row SET data = x'00' WHERE position = 2500");
  }
  workspace_ = openStore(folder_ / "w");
  const auto loss = workspace_->series(run_, "loss");
  ASSERT_FALSE(loss.ok());
  EXPECT_EQ(loss.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(loss.error().text(), HasSubstr("loss"));
  EXPECT_TRUE(workspace_->seriesAfter(run_, "lr", 2900).ok()) << "what is whole can still be read";
  EXPECT_THAT(*workspace_->check(),
              testing::UnorderedElementsAre(HasSubstr("series 'loss': block 0: "), HasSubstr("at position 2500")));
}

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Values that a text or a REAL column would change.
std::vector<double> awkwardValues() {
  return {0.0,
          -0.0,
          1.0 / 3.0,
          std::numeric_limits<double>::denorm_min(),
          kInf,
          -kInf,
          std::numeric_limits<double>::quiet_NaN(),
          std::bit_cast<double>(0x7FF8DEADBEEF0001ULL)};
}

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(MetricCodecTest, RowsKeepEveryBit) {
  std::vector<RowValue> row;
  for (const double value : awkwardValues()) row.push_back({static_cast<std::int64_t>(row.size()) + 7, value});
  const auto read = checked(decodeRow({12}, encodeRow({12}, row)));
  ASSERT_EQ(read->size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_EQ(read->at(i).series, row[i].series);
    EXPECT_TRUE(sameBits(read->at(i).value, row[i].value)) << row[i].value;
  }
  EXPECT_EQ(decodeRow({13}, encodeRow({12}, row)).error().code, ErrorCode::Corrupt) << "a row under another's key";
}

TEST(MetricCodecTest, BlocksKeepEveryBitAndWidePositions) {
  std::vector<SeriesPoint> points;
  for (const double value : awkwardValues())
    points.push_back({static_cast<std::int64_t>(points.size()) * 1'000'000'000'000, value});
  for (const bool narrow : {false, true}) {
    if (narrow)
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i].batch = 1'000'000'000'000 + static_cast<std::int64_t>(i);
    const auto read = checked(decodeBlock({3}, encodeBlock({3}, points)));
    ASSERT_EQ(read->size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(read->at(i).batch, points[i].batch);
      EXPECT_TRUE(sameBits(read->at(i).value, points[i].value));
    }
    EXPECT_FALSE(decodeBlock({4}, encodeBlock({3}, points)).ok()) << "a block of another series";
  }
}

TEST(MetricCodecTest, PositionsThatNoRunHasAreRefused) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t batch : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(), most}) {
    const std::vector<SeriesPoint> points = {{batch, 1.0}};
    EXPECT_FALSE(decodeBlock({3}, encodeBlock({3}, points)).ok()) << batch;
  }
}

TEST(MetricCodecTest, AnExtentComesBackUnderItsKeyOnly) {
  const MetricExtent extent{4096, 17, {{3, 4}, {9, 1}}};
  const ByteVector whole = encodeExtent({1, 2, 0}, extent);
  EXPECT_EQ(*decodeExtent({1, 2, 0}, whole), extent);
  EXPECT_EQ(*decodeExtent({1}, encodeExtent({1}, {})), MetricExtent{});
  EXPECT_FALSE(decodeExtent({1, 3, 0}, whole).ok());
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decodeExtent({1, 2, 0}, std::span{whole}.first(length)).ok()) << length;
}

TEST(MetricCodecTest, ARowWithoutValuesCanBeEncoded) {
  EXPECT_TRUE(decodeRow({0}, encodeRow({0}, {}))->empty());
}

TEST(MetricCodecTest, EveryFlippedBitIsFound) {
  std::vector<SeriesPoint> points;
  for (int i = 0; i < 20; ++i) points.push_back({i, std::sin(i)});
  const ByteVector whole = encodeBlock({3}, points);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    ByteVector damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(decodeBlock({3}, damaged).ok()) << bit;
  }
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decodeBlock({3}, std::span{whole}.first(length)).ok()) << length;
}

TEST(MetricCodecTest, BucketsTellExtremesAndNonFinite) {
  SeriesBucket bucket;
  for (const double value : {std::nan(""), 3.0, -1.0, kInf, 2.0}) addPoint(bucket, {bucket.count, value});
  EXPECT_EQ(bucket.count, 5);
  EXPECT_EQ(bucket.nonFinite, 2);
  EXPECT_EQ(bucket.minimum, -1.0);
  EXPECT_EQ(bucket.maximum, 3.0);
  EXPECT_DOUBLE_EQ(bucket.mean, 4.0 / 3) << "of 3, -1 and 2";
  EXPECT_TRUE(std::isnan(bucket.first));
  EXPECT_EQ(bucket.last, 2.0);
  EXPECT_EQ(bucket.firstBatch, 0);
  EXPECT_EQ(bucket.lastBatch, 4);
  SeriesBucket infinite;
  addPoint(infinite, {0, kInf});
  EXPECT_TRUE(std::isnan(infinite.minimum)) << "no finite value: no extreme";
}

}  // namespace
}  // namespace batchwise::test
