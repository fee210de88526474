// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

namespace batchwise {

/// A range of axis values.
struct AxisRange {
  double low = 0, high = 1;
  double width() const { return high - low; }
  bool operator==(const AxisRange&) const = default;
};

/// Visible range of an x axis shared by several charts: the full extent, a fixed range, or one that follows the newest
/// value. In axis units, not pixels. A value type.
class AxisView {
 public:
  /// Sets the full extent, and the x of the newest value within it. A followed range moves along.
  void setExtent(AxisRange all, double end);

  /// Returns none if the full extent is shown.
  const std::optional<AxisRange>& part() const { return part_; }
  AxisRange shown() const { return part_.value_or(all_); }
  bool follows() const { return follows_; }

  void fit();
  /// Follows the newest value, keeping the width of the range; from the full extent, shows the last fifth of the data.
  void follow();
  void toStart();
  /// Shows `part`, clipped to the extent. Ends following.
  void show(AxisRange part);
  /// Scales the range by `factor` around `at`, or around the newest value while following. A factor below 1 magnifies;
  /// beyond the extent, equals fit().
  void zoom(double factor, double at);
  /// Moves the range by `distance`. Ends following. No effect while the full extent is shown.
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
