// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/group_curve.h"
#include "core/analysis/measured_places.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Reads series of one run over an axis, and keeps their rows: what has been read once is only extended while the run
/// grows. The workspace must outlive it. Not thread-safe.
class RunSeriesReader {
 public:
  RunSeriesReader(const Workspace& workspace, std::string run) : workspace_(workspace), run_(std::move(run)) {}

  /// Takes note of how far the run is. Runs of more than 200,000 global batches are downsampled to 10,000 to 20,000
  /// buckets with minimum and maximum.
  void follow(const RunDetail& run);
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
  Result<void> readBuckets(const std::string& series, Rows& own);

  const Workspace& workspace_;
  std::string run_;
  std::map<std::string, Rows> rows_;
  std::int64_t last_ = 0;         // global batches
  std::int64_t bucketWidth_ = 0;  // global batches per bucket; 0: all points
  std::int64_t state_ = 0;        // counts changes of the run
  std::size_t segments_ = 0;
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
