// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "core/analysis/setting_effects.h"

namespace batchwise {

/// A setting or the metric of compared runs as an axis of a drawing.
struct RunAxis {
  QString key;  ///< of the field or the metric
  QString title, about;
  std::vector<QString> texts;        ///< per run
  std::vector<double> numbers;       ///< per run, NaN: no value; empty on an axis of texts
  std::vector<double> places;        ///< per run, from 0 to 1; NaN: no value
  std::optional<NumberScale> scale;  ///< only on an axis of numbers
};

/// Numbers, and Times of one unit, are placed by value (see NumberScale), texts in sorted order.
RunAxis settingAxis(const FieldRow& row);
/// Returns nothing if the runs have no common end.
std::optional<RunAxis> metricAxis(const RunComparison& comparison);

}  // namespace batchwise
