// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/measured_places.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace batchwise {
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
    ASSIGN_OR_RETURN(const auto own, busySpans(workspace, run));
    spans.push_back(own);
    others.emplace_back(run.summary.id, own);
  }
  ASSIGN_OR_RETURN(const auto all, workspace.listRuns(true));
  for (const RunSummary& run : all) {
    const auto isIt = [&](const RunDetail& own) { return own.summary.id == run.id; };
    const auto meets = [&](const BusySpans& own) {
      return std::ranges::any_of(own, [&](const BusySpan& span) { return mayOverlap(run, span.fromMs, span.toMs); });
    };
    if (std::ranges::none_of(spans, meets) || std::ranges::any_of(runs, isIt)) continue;
    ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run.id));
    ASSIGN_OR_RETURN(auto own, busySpans(workspace, detail));
    others.emplace_back(run.id, std::move(own));
  }
  std::vector<bool> beside;
  for (std::size_t i = 0; i < runs.size(); ++i)
    beside.push_back(std::ranges::any_of(others, [&](const auto& other) {
      return other.first != runs[i].summary.id && commonMs(spans[i], other.second) * kShare > length(spans[i]);
    }));
  return beside;
}

}  // namespace batchwise
