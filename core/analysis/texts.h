// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string metricAtEqualAxisText(const auto& metric, const auto& axis) {
  return formatText("{} at equal {}", metric, axis);
}

}  // namespace batchwise
