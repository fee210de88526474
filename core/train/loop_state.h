// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/noise_scale.h"
#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/config/time/time.h"
#include "core/plan/plan.h"
#include "core/train/guard/detectors.h"
#include "core/train/step_result.h"

namespace batchwise {

/// The state of a run between two steps besides weights and moments. Order, masks, rates, sizes and dropout are derived
/// from it and the configuration.
struct LoopState {
  Timestamp now;
  Timestamp batchStart;    ///< start of the current global batch: intervals count from it
  std::int64_t stage = 0;  ///< of the run
  Timestamp stageStart;    ///< clocks at its begin
  GrowthState growth;
  BatchTotals window;                              ///< of the current global batch; empty between two
  std::int64_t microbatchUnits = 0;                ///< may be smaller than at launch, after running out of memory
  std::int64_t passesPerPack = 1;                  ///< above 1 once a single pack did not fit into device memory
  std::int64_t skippedInARow = 0;                  ///< steps with a non-finite gradient
  NoiseEstimator noise;                            ///< of the gradient, if measured
  NoiseScaleMode noiseMode = NoiseScaleMode::Off;  ///< how it was: from micro-batches or examples
  GuardState guards;
  std::optional<double> metric;  ///< the newest value of checkpoint.best_metric
  bool operator==(const LoopState&) const = default;
};

/// JSON text; preserves all bits of doubles.
std::string loopStateText(const LoopState& state);
/// Fails with Corrupt.
Result<LoopState> loopStateFromText(const std::string& text);

}  // namespace batchwise
