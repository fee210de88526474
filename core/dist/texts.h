// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/format.h"

// Texts that are raised in several places.

namespace batchwise {

inline std::string rankLostInProcessEndedText(const auto& rank, const auto& section) {
  return formatText(
      "{} was lost in {}: its process ended without a message (killed, out of memory, or the machine is gone)", rank,
      section);
}
inline constexpr const char* kSummingGradients = "summing gradients";

}  // namespace batchwise
