// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/events/run_event.h"

namespace batchwise {

/// An event with the time it was reported at.
struct StampedEvent {
  std::int64_t wallMs = 0;  ///< since 1970
  RunEvent event;
};

}  // namespace batchwise
