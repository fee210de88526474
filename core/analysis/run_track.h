// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/curve.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Reads the series of one run over one axis. Keeps the clock, so that several series are read over it. The workspace
/// must outlive it. One thread at a time.
class RunTrack {
 public:
  /// Fails as the store does. Runs of more than 200,000 global batches are read as 20,000 stretches with their lowest
  /// and highest values, the others point by point.
  static Result<RunTrack> read(const Workspace& workspace, const RunSummary& run, Axis axis);

  /// The rows of a series, to be put over clocks; empty if the run has none.
  Result<std::vector<SeriesPoint>> points(const std::string& series) const;
  Curve over(const std::vector<SeriesPoint>& points) const { return onAxis(points, clock_); }
  /// Over another clock of the run, whose rows are read for it.
  Result<Curve> over(const std::string& clock, const std::vector<SeriesPoint>& points) const;
  /// True if curves hold the extremes of stretches instead of every point.
  bool summarised() const { return columns_ > 0; }

  /// Another clock of the run ("tok", "sec") at `x` of this axis, between rows in proportion; nothing behind the end.
  Result<std::optional<double>> clockAt(const std::string& clock, double x) const;
  /// The largest value of a series up to `x`; nothing if there is none.
  Result<std::optional<double>> maximumUpTo(const std::string& series, double x) const;

 private:
  RunTrack(const Workspace& workspace, std::string run) : workspace_(workspace), run_(std::move(run)) {}
  Result<std::vector<SeriesPoint>> clockRows(const std::string& clock) const;

  const Workspace& workspace_;
  std::string run_;
  std::int64_t last_ = 0;     // global batches
  std::int64_t columns_ = 0;  // 0: every point
  std::vector<SeriesPoint> clock_;
};

}  // namespace batchwise
