// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <limits>

namespace batchwise {

// What tests of the window write in many places.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline QString q(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace batchwise
