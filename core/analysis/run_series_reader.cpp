// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_series_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxPoints = 200'000;
constexpr std::int64_t kBuckets = 20'000;

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
  const auto after =
      std::find_if(clock.begin(), clock.end(), [x](const SeriesPoint& point) { return point.value >= x; });
  if (after == clock.end()) return std::nullopt;
  const SeriesPoint before = after == clock.begin() ? SeriesPoint{0, 0} : *(after - 1);
  if (after->value == x || after->value == before.value) return static_cast<double>(after->batch);
  return std::lerp(static_cast<double>(before.batch), static_cast<double>(after->batch),
                   (x - before.value) / (after->value - before.value));
}

}  // namespace

Result<RunSeriesReader> RunSeriesReader::read(const Workspace& workspace, const RunSummary& run, Axis axis) {
  RunSeriesReader track(workspace, run.id);
  track.last_ = run.at.batch;
  if (run.at.batch > kMaxPoints) track.buckets_ = kBuckets;
  RETURN_IF_ERROR(track.setAxis(axis));
  return track;
}

Result<void> RunSeriesReader::setAxis(Axis axis) {
  ASSIGN_OR_RETURN(clock_, clockRows(std::string(axisSeries(axis))));
  for (SeriesPoint& row : clock_)
    if (axis == Axis::Batches) row.value = static_cast<double>(row.batch);
  return {};
}

Result<std::vector<SeriesPoint>> RunSeriesReader::clockRows(const std::string& clock) const {
  if (buckets_ == 0) return workspace_.series(run_, clock);
  ASSIGN_OR_RETURN(const auto buckets, workspace_.seriesBuckets(run_, clock, 0, last_, buckets_));
  return clockPoints(buckets);
}

Result<std::vector<SeriesPoint>> RunSeriesReader::points(const std::string& series) const {
  if (buckets_ == 0 || series.starts_with("eval.")) return workspace_.series(run_, series);
  ASSIGN_OR_RETURN(const auto buckets, workspace_.seriesBuckets(run_, series, 0, last_, buckets_));
  return pointsOf(buckets);
}

Result<MeasuredCurve> RunSeriesReader::measuredOver(const std::string& clock,
                                                    const std::vector<SeriesPoint>& points) const {
  ASSIGN_OR_RETURN(const auto rows, clockRows(clock));
  return measuredOnAxis(points, rows);
}

Result<std::optional<double>> RunSeriesReader::clockAt(const std::string& clock, double x) const {
  const auto batch = batchAt(clock_, x);
  if (!batch) return std::optional<double>();
  // Rows may be more than one global batch apart: read from the last row at or before `batch` on.
  const auto row = std::find_if(clock_.begin(), clock_.end(),
                                [&](const SeriesPoint& point) { return static_cast<double>(point.batch) >= *batch; });
  const std::int64_t from = row == clock_.begin() ? 0 : (row - 1)->batch;
  ASSIGN_OR_RETURN(const auto buckets, workspace_.seriesBuckets(run_, clock, from, row->batch, row->batch - from + 1));
  std::vector<SeriesPoint> own = clockPoints(buckets);
  Curve curve{{0, 0}};
  for (const SeriesPoint& point : own) curve.push_back({static_cast<double>(point.batch), point.value});
  return valueAt(curve, *batch);
}

Result<std::optional<double>> RunSeriesReader::maximumUpTo(const std::string& series, double x) const {
  const auto batch = batchAt(clock_, x);
  ASSIGN_OR_RETURN(const auto buckets,
                   workspace_.seriesBuckets(run_, series, 0, batch ? static_cast<std::int64_t>(*batch) : last_, 1));
  std::optional<double> largest;
  for (const SeriesBucket& bucket : buckets)
    if (std::isfinite(bucket.maximum)) largest = std::max(largest.value_or(bucket.maximum), bucket.maximum);
  return largest;
}

}  // namespace batchwise
