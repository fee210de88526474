// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/guard/guard_state.h"
#include "core/time/timestamp.h"
#include "core/train/batch_window.h"
#include "core/train/noise_scale.h"

namespace batchwise {

/// What a run has to remember between two steps besides weights and moments. Order, masks, rates, sizes and dropout
/// follow from it and the configuration.
struct LoopState {
  Timestamp now;
  Timestamp batchStart;  ///< where the running global batch began: intervals count from there
  GrowthState growth;
  BatchWindow window;                ///< of the running global batch; empty between two
  std::int64_t microbatchUnits = 0;  ///< may be smaller than at launch, after an out-of-memory
  std::int64_t passesPerPack = 1;    ///< above 1 once a single pack did not fit into the memory of a device
  std::int64_t skippedInARow = 0;    ///< steps whose gradient was not finite
  NoiseEstimate noise;               ///< of the gradient, if it is measured
  GuardState guards;
  std::optional<double> metric;  ///< the newest value of checkpoint.best_metric
  bool operator==(const LoopState&) const = default;
};

/// JSON text; every double comes back with the same bits.
std::string loopStateText(const LoopState& state);
/// Fails with Corrupt.
Result<LoopState> loopStateFromText(const std::string& text);

}  // namespace batchwise
