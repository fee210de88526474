// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/group_curve.h"
#include "core/store/records.h"
#include "core/store/workspace.h"

namespace batchwise {

// Places at which several runs were measured, so that only values that were measured there are compared. Pure
// functions.

/// A value that was measured at the end of a global batch. y may be NaN or infinite.
struct MeasuredPoint {
  double x = 0;
  double y = 0;
  std::int64_t batch = 0;  ///< global batch
  double width = 0;        ///< of that global batch on the axis
};
/// Points with ascending x and batch.
using MeasuredCurve = std::vector<MeasuredPoint>;

/// Maps the points of a series as onAxis() does.
MeasuredCurve measuredOnAxis(std::span<const SeriesPoint> values, std::span<const SeriesPoint> clock);

/// Returns whether a series has a value for each global batch between its first and its last, so that the values around
/// any place are at most one global batch away. Never true of evaluations.
bool isMeasuredEachBatch(std::string_view series, std::span<const SeriesPoint> values);

/// Returns whether two values count as measured at the same place: they differ by at most 5 % in x, and are of the same
/// global batch or less than the larger of their global batches apart. So the ends of runs that differ by seed or batch
/// size count as equal, but not two evaluations of one run.
bool areAtSamePlace(const MeasuredPoint& one, const MeasuredPoint& other);

/// One index into each curve; none for a curve that has ended before.
using CommonPlace = std::vector<std::optional<std::size_t>>;
/// Returns the places at which all curves have a value that reach them, ascending. Curves without points are left out.
std::vector<CommonPlace> commonPlaces(std::span<const MeasuredCurve> curves);
/// Returns the last place at which all curves with points have a value; not the start of runs that have later values.
std::optional<CommonPlace> lastCommonPlace(std::span<const MeasuredCurve> curves);
/// Returns the index of the point nearest to x. Requires points.
std::size_t nearestPoint(const MeasuredCurve& curve, double x);

/// Returns the curves at their common places, with the mean x of each: points of different curves at the same place
/// have equal x, and none has to be interpolated.
std::vector<Curve> alignedCurves(std::span<const MeasuredCurve> curves);

/// Returns for each run whether another one of the workspace trained on the same host for more than 1 % of its time, so
/// that its time, speed and memory are not its own. Work of other programs is not known. Fails as the store does.
Result<std::vector<bool>> ranBesideOthers(const Workspace& workspace, const std::vector<RunDetail>& runs);

/// Reads series of one run over an axis, and keeps their rows: what has been read once is only extended while the run
/// grows. The workspace must outlive it. Not thread-safe.
class RunSeriesReader {
 public:
  RunSeriesReader(const Workspace& workspace, std::string run) : workspace_(workspace), run_(std::move(run)) {}

  /// Takes note of how far the run is. Runs of more than 200,000 global batches are downsampled to 10,000 to 20,000
  /// buckets with minimum and maximum.
  void follow(const RunDetail& run);
  /// Adds a clock that is not stored, until the run grows.
  void setClock(const std::string& name, std::vector<SeriesPoint> points) { rows_[name] = {std::move(points), state_}; }
  /// Chooses the axis. Fails as the store does.
  Result<void> setAxis(Axis axis);

  /// Returns the points of a series by global batch; empty if the run has none. Evaluations are never downsampled.
  Result<std::vector<SeriesPoint>> points(const std::string& series);
  Curve over(const std::vector<SeriesPoint>& points) const { return onAxis(points, clock_); }
  /// Same as over(), with the places at which the values were measured; over the axis, or over another clock of the
  /// run.
  MeasuredCurve measuredOver(const std::vector<SeriesPoint>& points) const { return measuredOnAxis(points, clock_); }
  Result<MeasuredCurve> measuredOver(const std::string& clock, const std::vector<SeriesPoint>& points);
  /// Returns whether curves hold bucket extremes instead of all points.
  bool isDownsampled() const { return bucketWidth_ > 0; }

  /// Returns another clock ("tok", "sec") at `x` of this axis, interpolated; nothing after the end.
  Result<std::optional<double>> clockAt(const std::string& clock, double x);
  /// Returns the largest finite value of a series up to `x`; nothing if there is none.
  Result<std::optional<double>> maximumUpTo(const std::string& series, double x);

 private:
  struct Rows {
    std::vector<SeriesPoint> points;
    std::int64_t state = -1;    // of the run when they were read
    std::int64_t complete = 0;  // global batches in buckets that are not read again
  };

  Result<const std::vector<SeriesPoint>*> rows(const std::string& series);
  Result<void> readBuckets(const std::string& series, Rows& cached);

  const Workspace& workspace_;
  std::string run_;
  std::map<std::string, Rows> rows_;
  std::int64_t last_ = 0;         // global batches
  std::int64_t bucketWidth_ = 0;  // global batches per bucket; 0: all points
  std::int64_t state_ = 0;        // counts changes of the run
  std::string segments_;          // their number, and the environment of the newest
  RunStatus status_ = RunStatus::Created;
  std::vector<SeriesPoint> clock_;
};

/// How a reader calls the stored series in tables, charts and reports: by their stored names, unless told otherwise.
struct SeriesNames {
  std::function<std::string(const std::string& series)> series = [](const std::string& name) { return name; };
  /// Unit of its values; "" if none.
  std::function<std::string(const std::string& series)> unit = [](const std::string&) { return std::string(); };
};

}  // namespace batchwise
