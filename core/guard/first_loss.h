// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/events/run_event.h"

namespace batchwise {

/// What an earlier segment logged for the global batch that a resume does first.
struct EarlierLoss {
  std::int64_t batch = 0;  ///< clock ba after it
  double loss = 0;         ///< nats per predicted token
};

/// The first row of a resume compared with the row that it repeats, in words: equal to the last bit, different by how
/// much (a warning if more than rounding, 1e-5 of it), or nothing to compare with. Pure.
RunNote compareFirstLoss(const MetricsRow& row, const std::optional<EarlierLoss>& earlier);

}  // namespace batchwise
