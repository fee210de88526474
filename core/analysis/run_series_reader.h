// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/analysis/measured_places.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Reads the series of one run over an axis and caches the clock. The workspace must outlive it. Not thread-safe.
class RunSeriesReader {
 public:
  /// Fails as the store does. Runs of more than 200,000 global batches are downsampled to 20,000 buckets with minimum
  /// and maximum.
  static Result<RunSeriesReader> read(const Workspace& workspace, const RunSummary& run, Axis axis);

  /// Changes the axis. Fails as the store does.
  Result<void> setAxis(Axis axis);

  /// Returns the points of a series by global batch; empty if the run has none. Evaluations are never downsampled.
  Result<std::vector<SeriesPoint>> points(const std::string& series) const;
  Curve over(const std::vector<SeriesPoint>& points) const { return onAxis(points, clock_); }
  /// Same as over(), with the places at which the values were measured; over the axis, or over another clock of the
  /// run, which is read from the store.
  MeasuredCurve measuredOver(const std::vector<SeriesPoint>& points) const { return measuredOnAxis(points, clock_); }
  Result<MeasuredCurve> measuredOver(const std::string& clock, const std::vector<SeriesPoint>& points) const;
  /// Returns whether curves hold bucket extremes instead of all points.
  bool isDownsampled() const { return buckets_ > 0; }

  /// Returns another clock ("tok", "sec") at `x` of this axis, interpolated; nothing after the end.
  Result<std::optional<double>> clockAt(const std::string& clock, double x) const;
  /// Returns the largest finite value of a series up to `x`; nothing if there is none.
  Result<std::optional<double>> maximumUpTo(const std::string& series, double x) const;

 private:
  RunSeriesReader(const Workspace& workspace, std::string run) : workspace_(workspace), run_(std::move(run)) {}
  Result<std::vector<SeriesPoint>> clockRows(const std::string& clock) const;

  const Workspace& workspace_;
  std::string run_;
  std::int64_t last_ = 0;     // global batches
  std::int64_t buckets_ = 0;  // 0: all points
  std::vector<SeriesPoint> clock_;
};

}  // namespace batchwise
