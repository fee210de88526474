// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/store/records.h"

namespace batchwise {

// Curves of runs over a common axis. Pure functions.

/// X axis of a comparison. Time is training time, without evaluations, checkpoints and pauses.
enum class Axis { Steps, Samples, Tokens, Time };

/// Returns "steps", "samples", "tokens" or "time", as in flags and settings.
std::string_view axisName(Axis axis);
/// Returns the same as a message.
Message axisText(Axis axis);
std::optional<Axis> axisFromName(std::string_view name);
/// Returns the stored series with the values of the axis: "steps", "sp", "tok", "sec".
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

/// Largest x that all curves reach.
struct CommonEnd {
  double x = 0;
  std::size_t shortest = 0;  ///< index of the first curve that ends there
  bool allEqual = true;      ///< all curves end at x
};
/// Ignores curves without points; returns nothing if there is no other.
std::optional<CommonEnd> commonEnd(std::span<const Curve> curves);

}  // namespace batchwise
