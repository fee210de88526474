// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline constexpr const char* kPlanGrowthBoundNotKnown =
    "the largest batch that the devices hold is determined at launch; growth is shown as if nothing bounded it";
inline std::string planValueBelowOneText(const auto& value) {
  return formatText("{} is below 1; use 1 or more", value);
}

}  // namespace batchwise
