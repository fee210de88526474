// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metric_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace batchwise::test {
namespace {

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
  const auto read = decodeRow({12}, encodeRow({12}, row));
  ASSERT_TRUE(read.ok());
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
    const auto read = decodeBlock({3}, encodeBlock({3}, points));
    ASSERT_TRUE(read.ok());
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
