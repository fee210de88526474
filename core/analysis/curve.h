// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

// Curves of runs on one common axis. Pure functions of values; any thread.

/// What runs are compared over. Time is training time: without evaluations, checkpoints and pauses.
enum class Axis { Steps, Samples, Tokens, Time };

/// "steps", "samples", "tokens", "time": as flags and settings name it.
std::string_view axisName(Axis axis);
std::optional<Axis> axisFromName(std::string_view name);
/// The stored series that is this clock: "steps", "sp", "tok", "sec".
std::string_view axisSeries(Axis axis);

/// y may be NaN or infinite: it stays where it is, so that it can be shown.
struct CurvePoint {
  double x = 0;
  double y = 0;
};
/// In ascending order of x; equal x may follow each other.
using Curve = std::vector<CurvePoint>;

/// Puts the points of a series over a clock of the same run. Where the clock has no row of that global batch it is
/// taken between its neighbours in proportion, and 0 at batch 0; points behind the clock's last row are left out.
Curve onAxis(std::span<const SeriesPoint> values, std::span<const SeriesPoint> clock);

/// What a curve is between its points.
enum class Between {
  Linear,  ///< on the straight line between two finite neighbours; nothing beside a NaN or infinity
  Held,    ///< the value before, until the next point: for what changes in steps (batch size)
};
/// The rule that fits a series of this name.
Between betweenOf(std::string_view series);

/// Values of one curve at ascending x, in one pass over it. Keeps the span.
class CurveReader {
 public:
  CurveReader(std::span<const CurvePoint> curve, Between between) : curve_(curve), between_(between) {}

  /// At `x`, which is not below the x asked before. Nothing before the first point, behind the last, and where the
  /// value is not finite. Of several points with this x the last counts.
  std::optional<double> at(double x);

 private:
  std::span<const CurvePoint> curve_;
  Between between_;
  std::size_t next_ = 0;  // the first point with a larger x than was asked
};

/// One value; see CurveReader.
std::optional<double> valueAt(std::span<const CurvePoint> curve, double x, Between between = Between::Linear);

/// The largest x that all curves reach.
struct CommonEnd {
  double x = 0;
  std::size_t shortest = 0;  ///< index of the curve that ends there, the first of them
  bool allEqual = true;      ///< every curve ends there: nothing is left out by comparing at x
};
/// Curves without points are passed over; nothing if there is no other.
std::optional<CommonEnd> commonEnd(std::span<const Curve> curves);

}  // namespace batchwise
