// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchwise {

/// Where numbers stand on an axis: linearly, or logarithmically if they span more than a factor of 50.
struct NumberScale {
  double low = 0, high = 1;  ///< at the places 0 and 1; low < high
  bool log = false;

  /// Of the finite ones; a number that is alone stands in the middle.
  static NumberScale around(const std::vector<double>& numbers);
  /// Beyond 0 to 1 for numbers beyond the axis; -inf for what no logarithm reaches.
  double placeOf(double number) const;
  double numberAt(double place) const;
};

/// Of texts that are all numbers, or all Times of one unit; else nothing. A list of one is read as what is in it.
std::optional<std::vector<double>> axisNumbers(const std::vector<std::string>& texts);

}  // namespace batchwise
