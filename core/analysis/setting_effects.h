// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/run_comparison.h"

namespace batchwise {

/// Maps numbers to positions on an axis: linearly, or logarithmically if they are positive and span more than a factor
/// of 50, or are at least three with equal ratios, as in a sweep over 16, 32, 64.
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

/// How much a setting mattered for the metric: the correlation that is left between both once the linear part of the
/// other settings is taken out of them.
struct SettingEffect {
  std::string field;
  bool log = false;      ///< its logarithm was correlated
  std::size_t runs = 0;  ///< with numbers in all settings and the metric
  std::optional<double> correlation;
  double low = -1, high = 1;  ///< 95 % interval; [-1, 1] where there are too few runs for one
};

/// Returns the effect of each setting in which the runs differ, the strongest first. A setting of texts counts if it
/// has two different ones, as 0 and 1 in their order. No correlation: it is of several texts, or its values follow from
/// those of the others, or there are no more runs than settings. Interval: Fisher 1924, The distribution of the partial
/// correlation coefficient (atanh, with the standard error 1 / sqrt(n - others - 3)). Pure.
std::vector<SettingEffect> settingEffects(const RunComparison& comparison);

}  // namespace batchwise
