// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/events/run_event.h"

namespace batchwise {

/// An event and the time of its report.
struct StampedEvent {
  std::int64_t wallMs = 0;  ///< milliseconds since 1970 UTC
  RunEvent event;
};

}  // namespace batchwise
