// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Returns a / b rounded up. Requires a >= 0, b > 0, and a + b - 1 within 64 bits.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Returns the size of the parts that `total` is cut into: as few as a size of at most `most` allows, and as even as
/// they can be, the last one being what is left. Requires total >= 0, most > 0; 0 if there is nothing to cut.
constexpr std::int64_t evenPart(std::int64_t total, std::int64_t most) {
  return total == 0 ? 0 : ceilDiv(total, ceilDiv(total, most));
}

}  // namespace batchwise
