// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/clock.h"

#include <chrono>

namespace batchwise {

double SystemClock::monotonicSec() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::int64_t SystemClock::wallMs() const {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace batchwise
