// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Returns a / b rounded up. Requires a >= 0, b > 0, and a + b - 1 within 64 bits.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace batchwise
