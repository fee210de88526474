// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/format.h"

namespace batchwise {

/// Formats a count with its noun: "1 sample", "12,400 samples". `singular`: a noun whose plural adds an s.
inline std::string countText(std::int64_t count, std::string_view singular) {
  return formatInteger(count) + " " + std::string(singular) + (count == 1 ? "" : "s");
}

}  // namespace batchwise
