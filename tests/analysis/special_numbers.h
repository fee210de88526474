// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <limits>

namespace batchwise::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace batchwise::test
