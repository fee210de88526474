// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_series_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/base/result.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxPoints = 200'000;
constexpr std::int64_t kMostBuckets = 20'000;

/// Returns the global batches per bucket, 0 for all points: the same for a length of the run whenever it is read, and
/// seldom another one while the run grows.
std::int64_t bucketWidth(std::int64_t last) {
  if (last <= kMaxPoints) return 0;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(last / kMostBuckets + 1)));
}

/// Returns first, minimum, maximum and last of each bucket at ascending positions. Non-finite values stay visible as
/// NaN.
std::vector<SeriesPoint> pointsOf(const std::vector<SeriesBucket>& buckets) {
  std::vector<SeriesPoint> points;
  points.reserve(buckets.size() * 4);
  for (const SeriesBucket& bucket : buckets) {
    const std::int64_t middle = bucket.firstBatch + (bucket.lastBatch - bucket.firstBatch) / 2;
    points.push_back({bucket.firstBatch, bucket.first});
    if (bucket.count <= 1) continue;
    if (std::isfinite(bucket.minimum)) {
      points.push_back({middle, bucket.minimum});
      points.push_back({middle, bucket.maximum});
    }
    if (bucket.nonFinite > 0) points.push_back({middle, std::nan("")});
    points.push_back({bucket.lastBatch, bucket.last});
  }
  return points;
}

/// A clock is monotonic, so the first and last value of each bucket suffice.
std::vector<SeriesPoint> clockPoints(const std::vector<SeriesBucket>& buckets) {
  std::vector<SeriesPoint> points;
  for (const SeriesBucket& bucket : buckets) {
    points.push_back({bucket.firstBatch, bucket.first});
    if (bucket.count > 1) points.push_back({bucket.lastBatch, bucket.last});
  }
  return points;
}

/// Returns the interpolated global batch at which the clock reaches `x`.
std::optional<double> batchAt(const std::vector<SeriesPoint>& clock, double x) {
  const auto after = std::ranges::lower_bound(clock, x, {}, &SeriesPoint::value);
  if (after == clock.end()) return std::nullopt;
  const SeriesPoint before = after == clock.begin() ? SeriesPoint{0, 0} : *(after - 1);
  if (after->value == x || after->value == before.value) return static_cast<double>(after->batch);
  return std::lerp(static_cast<double>(before.batch), static_cast<double>(after->batch),
                   (x - before.value) / (after->value - before.value));
}

bool isClock(const std::string& series) {
  constexpr std::array<std::string_view, 4> kClocks = {"tok", "steps", "sp", "sec"};
  return std::ranges::find(kClocks, series) != kClocks.end();
}

}  // namespace

void RunSeriesReader::follow(const RunDetail& run) {
  const RunSummary& summary = run.summary;
  const std::int64_t width = bucketWidth(summary.at.batch);
  if (run.segments.size() != segments_ || width != bucketWidth_) rows_.clear();  // a resume supersedes rows
  if (summary.status == RunStatus::Running || summary.status != status_ || summary.at.batch != last_) ++state_;
  segments_ = run.segments.size();
  bucketWidth_ = width;
  status_ = summary.status;
  last_ = summary.at.batch;
}

Result<const std::vector<SeriesPoint>*> RunSeriesReader::rows(const std::string& series) {
  const auto [place, isNew] = rows_.try_emplace(series);
  Rows& own = place->second;
  if (!isNew && own.state == state_) return &own.points;
  if (bucketWidth_ > 0 && !series.starts_with("eval.")) {
    RETURN_IF_ERROR(readBuckets(series, own));
  } else {
    ASSIGN_OR_RETURN(const auto added, own.points.empty()
                                           ? workspace_.series(run_, series)
                                           : workspace_.seriesAfter(run_, series, own.points.back().batch));
    own.points.insert(own.points.end(), added.begin(), added.end());
  }
  own.state = state_;
  return &own.points;
}

/// Extends `own` by the buckets that are complete since, and reads the last one, which is not, anew.
Result<void> RunSeriesReader::readBuckets(const std::string& series, Rows& own) {
  const auto append = [&](const std::vector<SeriesBucket>& buckets) {
    const auto added = isClock(series) ? clockPoints(buckets) : pointsOf(buckets);
    own.points.insert(own.points.end(), added.begin(), added.end());
  };
  const std::int64_t complete = last_ / bucketWidth_ * bucketWidth_;
  std::erase_if(own.points, [&](const SeriesPoint& point) { return point.batch >= own.complete; });
  if (own.complete < complete) {
    ASSIGN_OR_RETURN(const auto buckets, workspace_.seriesBuckets(run_, series, own.complete, complete - 1,
                                                                  (complete - own.complete) / bucketWidth_));
    append(buckets);
    own.complete = complete;
  }
  ASSIGN_OR_RETURN(const auto last, workspace_.seriesBuckets(run_, series, complete, last_, 1));
  append(last);
  return {};
}

Result<void> RunSeriesReader::setAxis(Axis axis) {
  ASSIGN_OR_RETURN(const auto* const clock, rows(std::string(axisSeries(axis))));
  clock_ = *clock;
  for (SeriesPoint& row : clock_)
    if (axis == Axis::Batches) row.value = static_cast<double>(row.batch);
  return {};
}

Result<std::vector<SeriesPoint>> RunSeriesReader::points(const std::string& series) {
  ASSIGN_OR_RETURN(const auto* const read, rows(series));
  return *read;
}

Result<MeasuredCurve> RunSeriesReader::measuredOver(const std::string& clock, const std::vector<SeriesPoint>& points) {
  ASSIGN_OR_RETURN(const auto* const read, rows(clock));
  return measuredOnAxis(points, *read);
}

Result<std::optional<double>> RunSeriesReader::clockAt(const std::string& clock, double x) {
  const auto batch = batchAt(clock_, x);
  if (!batch) return std::optional<double>();
  ASSIGN_OR_RETURN(const auto* const read, rows(clock));
  const auto after = std::ranges::lower_bound(
      *read, *batch, {}, [](const SeriesPoint& point) { return static_cast<double>(point.batch); });
  if (after == read->end()) return std::optional<double>();
  const SeriesPoint before = after == read->begin() ? SeriesPoint{0, 0} : *std::prev(after);
  const auto width = static_cast<double>(after->batch - before.batch);
  return std::optional(width > 0
                           ? std::lerp(before.value, after->value, (*batch - static_cast<double>(before.batch)) / width)
                           : after->value);
}

Result<std::optional<double>> RunSeriesReader::maximumUpTo(const std::string& series, double x) {
  const auto batch = batchAt(clock_, x);
  ASSIGN_OR_RETURN(const auto buckets,
                   workspace_.seriesBuckets(run_, series, 0, batch ? static_cast<std::int64_t>(*batch) : last_, 1));
  std::optional<double> largest;
  for (const SeriesBucket& bucket : buckets)
    if (std::isfinite(bucket.maximum)) largest = std::max(largest.value_or(bucket.maximum), bucket.maximum);
  return largest;
}

}  // namespace batchwise
