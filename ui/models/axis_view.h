// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchwise {

/// A part of an axis.
struct AxisRange {
  double low = 0, high = 1;
  double width() const { return high - low; }
  bool operator==(const AxisRange&) const = default;
};

/// Which part of a common axis several charts show: everything, a chosen part, or one that goes along with the newest
/// value. Holds no pixels. A value.
class AxisView {
 public:
  /// Everything there is to show, and where the data end within it. A part that is followed moves along.
  void setExtent(AxisRange all, double end);

  /// Nothing: everything is shown.
  const std::optional<AxisRange>& part() const { return part_; }
  AxisRange shown() const { return part_.value_or(all_); }
  bool follows() const { return follows_; }

  void fit();
  /// The end of the data from now on, as wide as before; from everything, the last fifth of the data.
  void follow();
  void toStart();
  /// Exactly this part, as far as there is something. Ends following.
  void show(AxisRange part);
  /// `factor` below 1 shows less; `at` stays where it is, or the newest value where it is followed. More than
  /// everything is everything.
  void zoom(double factor, double at);
  /// By a distance in units of the axis. Ends following.
  void pan(double distance);

 private:
  void place(double low, double width);
  void placeAtEnd(double width);

  AxisRange all_;
  double end_ = 1;
  std::optional<AxisRange> part_;
  bool follows_ = false;
};

}  // namespace batchwise
