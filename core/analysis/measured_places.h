// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

}  // namespace batchwise
