// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchwise {

/// Maps numbers to positions on an axis: linearly, or logarithmically if they are positive and span more than a factor
/// of 50.
struct NumberScale {
  double low = 0, high = 1;  ///< at the positions 0 and 1; low < high
  bool log = false;

  /// Returns the scale of the finite numbers; a single number lies in the middle.
  static NumberScale fromNumbers(const std::vector<double>& numbers);
  /// Returns the position, outside [0, 1] for numbers beyond the axis; -inf for numbers <= 0 on a logarithmic axis.
  double positionOf(double number) const;
  double numberAt(double place) const;
};

/// Parses texts that are all numbers, or all Times of one unit; otherwise returns nothing. A list of one ("[80ba]") is
/// read as its element.
std::optional<std::vector<double>> axisNumbers(const std::vector<std::string>& texts);

}  // namespace batchwise
