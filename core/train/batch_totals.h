// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/base/result.h"
#include "core/events/run_event.h"
#include "core/guard/guard_action.h"
#include "core/time/timestamp.h"
#include "core/train/noise_scale.h"

namespace batchwise {

/// Result of one optimizer step over all devices.
struct StepResult {
  Timestamp after;                ///< clocks after the step
  std::int64_t partsInBatch = 1;  ///< number of steps of its global batch
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;  ///< denominator of fill: packs x budget, or what a padding trainer would compute
  std::int64_t predicted = 0;
  double lossSum = 0;   ///< in nats, over the predicted tokens
  double gradNorm = 0;  ///< before clipping
  double learningRate = 0;
  double seconds = 0;
  std::optional<GradientSize> small;   ///< of one micro-batch; set if the noise scale is measured
  std::optional<double> largestLogit;  ///< of attention, over all layers and devices; set if measured
  std::optional<double> updateRatio;   ///< see AdamW::largestUpdateRatio; set if measured and not skipped
  StepLimits limits;                   ///< that were applied to the step
  bool skipped = false;                ///< no update: the gradient was not finite, or above a limit

  double loss() const { return lossSum / static_cast<double>(predicted); }
  bool finite() const;  ///< whether the gradient norm is finite
};

/// Sums over the parts of the current global batch, for one metrics row. Saved with a checkpoint that is taken between
/// two parts.
struct BatchTotals {
  std::int64_t parts = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;
  std::int64_t predicted = 0;
  std::int64_t stepSamples = 0;  ///< samples of the largest part
  double lossSum = 0;
  double gradNorm = 0;      ///< the largest; NaN if any was
  double learningRate = 0;  ///< of the last part
  double seconds = 0;

  void add(const StepResult& step);
  /// Requires parts > 0. Leaves `devices` empty.
  MetricsRow row(const Timestamp& at) const;
  bool operator==(const BatchTotals&) const = default;
};

/// Omits the learning rate: at least one more part follows, and the last part sets it.
nlohmann::json totalsToJson(const BatchTotals& window);
/// Fails with Corrupt.
Result<BatchTotals> totalsFromJson(const nlohmann::json& object);

}  // namespace batchwise
