// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_series_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

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

/// Returns first, minimum, maximum and last of each bucket at ascending positions. In meanBefore() each value counts
/// for the stretch since the one before it, so the minimum lies where it and the maximum have the mean of the bucket.
/// Non-finite values stay visible as NaN, which counts for no stretch.
std::vector<SeriesPoint> pointsOf(const std::vector<SeriesBucket>& buckets) {
  std::vector<SeriesPoint> points;
  points.reserve(buckets.size() * 4);
  for (const SeriesBucket& bucket : buckets) {
    points.push_back({bucket.firstBatch, bucket.first});
    if (bucket.count <= 1) continue;
    const std::int64_t high = std::max(bucket.firstBatch, bucket.lastBatch - 1);
    if (std::isfinite(bucket.minimum)) {
      const double range = bucket.maximum - bucket.minimum;
      const bool differs = range > 0 && std::isfinite(range);
      const double ofMaximum = differs ? std::clamp((bucket.mean - bucket.minimum) / range, 0.0, 1.0) : 0.5;
      const std::int64_t low = high - std::llround(ofMaximum * static_cast<double>(high - bucket.firstBatch));
      points.push_back({low, bucket.minimum});
      points.push_back({high, bucket.maximum});
    }
    if (bucket.nonFinite > 0) points.push_back({high, std::nan("")});
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
  const std::string segments = segmentsKey(run);
  if (segments != segments_ || width != bucketWidth_) rows_.clear();  // a resume supersedes rows
  if (summary.status == RunStatus::Running || summary.status != status_ || summary.at.batch != last_) ++state_;
  segments_ = segments;
  bucketWidth_ = width;
  status_ = summary.status;
  last_ = summary.at.batch;
}

Result<const std::vector<SeriesPoint>*> RunSeriesReader::rows(const std::string& series) {
  const auto [place, isNew] = rows_.try_emplace(series);
  Rows& cached = place->second;
  if (!isNew && cached.state == state_) return &cached.points;
  if (bucketWidth_ > 0 && !series.starts_with("eval.")) {
    RETURN_IF_ERROR(readBuckets(series, cached));
  } else {
    ASSIGN_OR_RETURN(const auto added, cached.points.empty()
                                           ? workspace_.series(run_, series)
                                           : workspace_.seriesAfter(run_, series, cached.points.back().batch));
    cached.points.insert(cached.points.end(), added.begin(), added.end());
  }
  cached.state = state_;
  return &cached.points;
}

/// Extends `cached` by the buckets that are complete since, and reads the last one, which is not, anew.
Result<void> RunSeriesReader::readBuckets(const std::string& series, Rows& cached) {
  const auto append = [&](const std::vector<SeriesBucket>& buckets) {
    const auto added = isClock(series) ? clockPoints(buckets) : pointsOf(buckets);
    cached.points.insert(cached.points.end(), added.begin(), added.end());
  };
  const std::int64_t complete = last_ / bucketWidth_ * bucketWidth_;
  std::erase_if(cached.points, [&](const SeriesPoint& point) { return point.batch >= cached.complete; });
  if (cached.complete < complete) {
    ASSIGN_OR_RETURN(const auto buckets, workspace_.seriesBuckets(run_, series, cached.complete, complete - 1,
                                                                  (complete - cached.complete) / bucketWidth_));
    append(buckets);
    cached.complete = complete;
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

namespace {

constexpr double kSamePlace = 0.05;

double distance(const MeasuredPoint& one, const MeasuredPoint& other) {
  return std::abs(one.x - other.x);
}

/// Walks through several curves from place to place.
class PlaceWalk {
 public:
  explicit PlaceWalk(std::span<const MeasuredCurve> curves) : curves_(curves), next_(curves.size(), 0) {}

  bool atEnd() const {
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (isAlive(i)) return false;
    return true;
  }

  /// Moves on by one place, and returns it if all curves that are left have it.
  std::optional<CommonPlace> next() {
    std::size_t last = 0;  // the curve whose next point comes last
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (isAlive(i) && (!isAlive(last) || point(i).x > point(last).x)) last = i;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      if (!isAlive(i)) continue;
      approach(i, point(last));
      if (areAtSamePlace(point(i), point(last))) continue;
      ++next_[point(i).x < point(last).x ? i : last];  // no point of the other curve is near it
      return std::nullopt;
    }
    CommonPlace place(curves_.size());
    for (std::size_t i = 0; i < curves_.size(); ++i)
      if (isAlive(i)) place[i] = next_[i]++;
    return place;
  }

 private:
  bool isAlive(std::size_t curve) const { return next_[curve] < curves_[curve].size(); }
  const MeasuredPoint& point(std::size_t curve) const { return curves_[curve][next_[curve]]; }

  /// Moves a curve on to its point nearest to `to`.
  void approach(std::size_t curve, const MeasuredPoint& to) {
    while (next_[curve] + 1 < curves_[curve].size() &&
           distance(curves_[curve][next_[curve] + 1], to) <= distance(point(curve), to))
      ++next_[curve];
  }

  std::span<const MeasuredCurve> curves_;
  std::vector<std::size_t> next_;  // of each curve
};

}  // namespace

MeasuredCurve measuredOnAxis(std::span<const SeriesPoint> values, std::span<const SeriesPoint> clock) {
  std::vector<SeriesPoint> begins;
  begins.reserve(values.size());
  for (const SeriesPoint& point : values) begins.push_back({std::max<std::int64_t>(0, point.batch - 1), 0});
  const Curve ends = onAxis(values, clock), starts = onAxis(begins, clock);
  MeasuredCurve curve;
  curve.reserve(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i)
    curve.push_back({ends[i].x, ends[i].y, values[i].batch, ends[i].x - starts[i].x});
  return curve;
}

bool isMeasuredEachBatch(std::string_view series, std::span<const SeriesPoint> values) {
  if (series.starts_with("eval.")) return false;
  const auto isGap = [](const SeriesPoint& one, const SeriesPoint& next) { return next.batch > one.batch + 1; };
  return std::ranges::adjacent_find(values, isGap) == values.end();
}

bool areAtSamePlace(const MeasuredPoint& one, const MeasuredPoint& other) {
  const double apart = distance(one, other);
  if (apart > kSamePlace * std::max(one.x, other.x)) return false;
  return one.batch == other.batch || apart < std::max(one.width, other.width);
}

std::vector<CommonPlace> commonPlaces(std::span<const MeasuredCurve> curves) {
  std::vector<CommonPlace> places;
  for (PlaceWalk walk(curves); !walk.atEnd();)
    if (auto place = walk.next()) places.push_back(std::move(*place));
  return places;
}

std::optional<CommonPlace> lastCommonPlace(std::span<const MeasuredCurve> curves) {
  const auto isOfAll = [&](const CommonPlace& place) {
    for (std::size_t i = 0; i < curves.size(); ++i)
      if (!curves[i].empty() && !place[i]) return false;
    return std::ranges::any_of(place, [](const auto& index) { return index.has_value(); });
  };
  std::optional<CommonPlace> last;
  for (PlaceWalk walk(curves); !walk.atEnd();)
    if (auto place = walk.next(); place && isOfAll(*place)) last = std::move(*place);
  if (!last) return std::nullopt;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool isAtStart = curves[i].empty() || (curves[i][*(*last)[i]].batch == 0 && curves[i].size() > 1);
    if (!isAtStart) return last;
  }
  return std::nullopt;
}

std::size_t nearestPoint(const MeasuredCurve& curve, double x) {
  assert(!curve.empty());
  const auto nearer = [x](const MeasuredPoint& one, const MeasuredPoint& other) {
    return std::abs(one.x - x) < std::abs(other.x - x);
  };
  return static_cast<std::size_t>(std::ranges::min_element(curve, nearer) - curve.begin());
}

std::vector<Curve> alignedCurves(std::span<const MeasuredCurve> curves) {
  std::vector<Curve> aligned(curves.size());
  double x = 0;
  for (const CommonPlace& place : commonPlaces(curves)) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < curves.size(); ++i)
      if (place[i]) sum += curves[i][*place[i]].x, ++count;
    x = std::max(x, sum / count);  // ascending, also where a curve ends
    for (std::size_t i = 0; i < curves.size(); ++i)
      if (place[i]) aligned[i].push_back({x, curves[i][*place[i]].y});
  }
  return aligned;
}

namespace {

/// Time between the start of a segment and its last row, or the end of the run.
struct BusySpan {
  std::string host;
  std::int64_t fromMs = 0, toMs = 0;
};
using BusySpans = std::vector<BusySpan>;

/// Returns when the row of `batch`, or the last one before it, was recorded; nothing without rows.
Result<std::int64_t> recordedMs(const Workspace& workspace, const std::string& run, std::int64_t batch) {
  ASSIGN_OR_RETURN(const auto buckets, workspace.seriesBuckets(run, "wall", 0, batch, 1));
  return buckets.empty() ? 0 : std::llround(buckets.back().last * 1000);
}

Result<BusySpans> busySpans(const Workspace& workspace, const RunDetail& run) {
  const RunSummary& summary = run.summary;
  BusySpans spans;
  if (isExternal(summary)) return spans;  // it may have run on another machine
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const RunSegment& segment = run.segments[i];
    const bool last = i + 1 == run.segments.size();
    ASSIGN_OR_RETURN(std::int64_t to,
                     recordedMs(workspace, summary.id, last ? summary.at.batch : run.segments[i + 1].from.batch));
    if (last && summary.status != RunStatus::Interrupted) to = std::max(to, summary.endedMs);
    spans.push_back({segment.host, segment.startedMs, std::max(to, segment.startedMs)});
  }
  return spans;
}

std::int64_t length(const BusySpans& spans) {
  std::int64_t sum = 0;
  for (const BusySpan& span : spans) sum += span.toMs - span.fromMs;
  return sum;
}

std::int64_t commonMs(const BusySpans& spans, const BusySpans& others) {
  std::int64_t sum = 0;
  for (const BusySpan& span : spans)
    for (const BusySpan& other : others)
      if (span.host == other.host)
        sum += std::max<std::int64_t>(0, std::min(span.toMs, other.toMs) - std::max(span.fromMs, other.fromMs));
  return sum;
}

/// Returns whether a run may have trained between these times: whether it existed and had not ended.
bool mayOverlap(const RunSummary& run, std::int64_t fromMs, std::int64_t toMs) {
  return run.status != RunStatus::Created && run.createdMs < toMs && (run.endedMs == 0 || run.endedMs > fromMs);
}

}  // namespace

Result<std::vector<bool>> ranBesideOthers(const Workspace& workspace, const std::vector<RunDetail>& runs) {
  constexpr std::int64_t kShare = 100;  // 1 %
  std::vector<BusySpans> spans;
  std::vector<std::pair<std::string, BusySpans>> others;
  for (const RunDetail& run : runs) {
    ASSIGN_OR_RETURN(const auto busy, busySpans(workspace, run));
    spans.push_back(busy);
    others.emplace_back(run.summary.id, busy);
  }
  ASSIGN_OR_RETURN(const auto all, workspace.listRuns(true));
  for (const RunSummary& run : all) {
    const auto isIt = [&](const RunDetail& given) { return given.summary.id == run.id; };
    const auto meets = [&](const BusySpans& busy) {
      return std::ranges::any_of(busy, [&](const BusySpan& span) { return mayOverlap(run, span.fromMs, span.toMs); });
    };
    if (std::ranges::none_of(spans, meets) || std::ranges::any_of(runs, isIt)) continue;
    ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run.id));
    ASSIGN_OR_RETURN(auto busy, busySpans(workspace, detail));
    others.emplace_back(run.id, std::move(busy));
  }
  std::vector<bool> beside;
  for (std::size_t i = 0; i < runs.size(); ++i)
    beside.push_back(std::ranges::any_of(others, [&](const auto& other) {
      return other.first != runs[i].summary.id && commonMs(spans[i], other.second) * kShare > length(spans[i]);
    }));
  return beside;
}

}  // namespace batchwise
