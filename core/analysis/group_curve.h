// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/choices.h"
#include "core/store/records.h"

namespace batchwise {

// Curves of runs over a common axis, smoothed, and aggregated to one curve with a band. Pure functions.

/// X axis of a comparison. Time is training time, without evaluations, checkpoints and pauses.
enum class Axis { Batches, Steps, Samples, Tokens, Time };
/// Names for flags and settings.
template <>
inline constexpr auto kChoiceNames<Axis> = namesInFiles("batches", "steps", "samples", "tokens", "time");
/// Returns the name in sentences: "global batches", "steps".
std::string axisText(Axis axis);
/// Returns the stored series with the values of the axis: "steps", "sp", "tok", "sec"; for Batches, which are the
/// positions of all series, "steps".
std::string_view axisSeries(Axis axis);

/// y may be NaN or infinite; such points are kept so that they can be shown.
struct CurvePoint {
  double x = 0;
  double y = 0;
};
/// Points with ascending x, possibly repeated.
using Curve = std::vector<CurvePoint>;

/// Maps the points of a series from global batches to the values of `clock`, a series of the same run. Interpolates
/// linearly where the clock has no row for a batch, starting from 0 at batch 0; drops points after the clock's last
/// row.
Curve onAxis(std::span<const SeriesPoint> values, std::span<const SeriesPoint> clock);

/// Interpolation between points.
enum class Interpolation {
  Linear,    ///< linear between finite neighbors; no value next to NaN or infinity
  Previous,  ///< value of the previous point, for quantities that change in steps (batch size)
};
/// Returns the interpolation suitable for a series.
Interpolation interpolationFor(std::string_view series);
/// Returns whether a series is measured anew in each global batch and fluctuates, so that a mean says more than its
/// last value: training loss, gradient norms, speeds.
bool isMeasuredPerBatch(std::string_view series);
/// Returns 0 for a series that cannot be negative (losses, norms, speeds, memory), else -infinity.
double leastValue(std::string_view series);
/// Returns the unit in which a series is shown if it is stored in another: "GiB" for memory (stored in bytes); else "".
std::string seriesUnit(std::string_view series);
/// Returns the factor from the stored to the shown unit.
double seriesFactor(std::string_view series);

/// Evaluates a curve at ascending x in a single pass. Keeps a reference to the points.
class CurveReader {
 public:
  CurveReader(std::span<const CurvePoint> curve, Interpolation between) : curve_(curve), interpolation_(between) {}

  /// Returns the value at `x`, which must not be less than in the previous call. No value before the first point, after
  /// the last, or where the value is not finite. Among several points at x the last counts.
  std::optional<double> at(double x);

 private:
  std::span<const CurvePoint> curve_;
  Interpolation interpolation_;
  std::size_t next_ = 0;  // first point with x greater than the last query
};

/// Evaluates a curve once; see CurveReader.
std::optional<double> valueAt(std::span<const CurvePoint> curve, double x,
                              Interpolation between = Interpolation::Linear);

/// Returns the mean of a curve over (x - window, x], where each value counts for the stretch since the point before it.
/// Leaves out values that are not finite, unless the last is: that one is returned. No value before the first point or
/// after the last. Requires window > 0.
std::optional<double> meanBefore(std::span<const CurvePoint> curve, double x, double window);
/// Returns the window for meanBefore() at x: 5 % of x, or as much as each curve needs for five points, at most half of
/// x.
double averagingWindow(std::span<const Curve> curves, double x);

/// Largest x that all curves reach.
struct CommonEnd {
  double x = 0;
  std::size_t shortest = 0;  ///< index of the first curve that ends there
  bool allEqual = true;      ///< all curves end at x
};
/// Ignores curves without points; returns nothing if there is no other.
std::optional<CommonEnd> commonEnd(std::span<const Curve> curves);

/// Which values a smoothed one averages.
enum class Smoothing {
  Trailing,  ///< those up to it: of a run that trains, so that a drawn point stays where it is. Lags by w / (1 - w)
  Centered,  ///< those on both sides: of a run that has ended, without a lag
};
/// Exponential moving average with bias correction. Trailing: s_i = sum_j w^(i-j) y_j / sum_j w^(i-j) over the finite
/// y_j up to i. Centered: the same with v^|i-j| over all j, where v = w / (2 - w) gives the weights the same sum, 1 /
/// (1 - w). `weight` w in [0, 1); 0 returns the points unchanged. Non-finite points are kept and do not affect others.
/// Source: bias correction as in Kingma and Ba 2015, section 3.
Curve smoothed(std::span<const CurvePoint> curve, double weight, Smoothing smoothing = Smoothing::Trailing);
/// Returns the smoothing of a run: Centered once it has ended.
Smoothing smoothingOf(RunStatus status);

/// Incremental Smoothing::Trailing, for growing curves.
class Smoother {
 public:
  explicit Smoother(double weight) : weight_(weight) {}
  /// Adds a value and returns the average; returns non-finite values unchanged.
  double next(double y);

 private:
  double weight_;
  double sum_ = 0, weights_ = 0;
};

enum class Center { Mean, Median };
/// Half width of the band around the center.
enum class Band {
  None,
  Deviation,     ///< sample standard deviation (n - 1)
  Error,         ///< deviation / sqrt(n); of a median / sqrt(n x medianEfficiency(n))
  Confidence95,  ///< error x Student's t for n - 1 degrees of freedom
};
// Names for flags and settings.
template <>
inline constexpr auto kChoiceNames<Center> = namesInFiles("mean", "median");
template <>
inline constexpr auto kChoiceNames<Band> = namesInFiles("none", "std", "stderr", "95%");

/// Aggregate of the members with a finite value at x. `low` and `high` are NaN without a band: for Band::None, and
/// Deviation and the like for a single member.
struct GroupPoint {
  double x = 0;
  double center = 0;
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};

/// Returns all distinct x of the curves, ascending; if more than `most` (>= 2), every k-th and the last.
std::vector<double> gridOf(std::span<const Curve> members, std::size_t most);

/// Aggregates the members at each x of `grid` (ascending), interpolating by `between`. Members without a value at x are
/// not counted, so members may differ in x, gaps and lengths. Omits x without any value. The band ends at `least`.
std::vector<GroupPoint> groupCurves(std::span<const Curve> members, std::span<const double> grid, Center center,
                                    Band band, Interpolation between,
                                    double least = -std::numeric_limits<double>::infinity());

}  // namespace batchwise
