// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/events/run_event.h"

namespace batchwise {

/// Loss that an earlier segment logged for the first global batch of a resume.
struct EarlierLoss {
  std::int64_t batch = 0;  ///< value of the clock ba after it
  double loss = 0;         ///< nats per predicted token
};

/// Compares the first row of a resume with the row that it repeats. The note reports an identical loss, the size of the
/// difference (a warning if above rounding, 1e-5 relative), or nothing to compare with. Pure.
RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier);

}  // namespace batchwise
