// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string modelConfigOptionUnsupportedText(const auto& field, const auto& found, const auto& supported) {
  return formatText("{} of config.json is {}; only {} is supported", field, found, supported);
}
inline std::string modelConfigSpellingsDifferText(const auto& first, const auto& firstValue, const auto& second,
                                                  const auto& secondValue) {
  return formatText("config.json has {} {} and {} {}, two spellings of the same value: remove the wrong one", first,
                    firstValue, second, secondValue);
}

}  // namespace batchwise
