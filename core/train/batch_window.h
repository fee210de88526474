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

/// What one optimiser step came to, over all devices.
struct StepResult {
  Timestamp after;                ///< clocks after the step
  std::int64_t partsInBatch = 1;  ///< steps of the global batch it belongs to
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;  ///< what fill divides by: packs x budget, or what a padding trainer would compute
  std::int64_t predicted = 0;
  double lossSum = 0;   ///< nats, over the predicted tokens
  double gradNorm = 0;  ///< before clipping
  double learningRate = 0;
  double seconds = 0;
  std::optional<GradientSize> small;   ///< of one micro-batch of the step, if the noise scale is measured
  std::optional<double> largestLogit;  ///< of attention, over all layers and devices; if it is measured
  std::optional<double> updateRatio;   ///< see AdamW::largestUpdateRatio; if it is measured and was not skipped
  StepLimits limits;                   ///< that the step was held to
  bool skipped = false;                ///< the optimiser did nothing: the gradient was not finite, or above a limit

  double loss() const { return lossSum / static_cast<double>(predicted); }
  bool finite() const;  ///< the gradient
};

/// Sums over the parts of the running global batch: they become one metrics row. Saved with a checkpoint
/// that is taken between two parts.
struct BatchWindow {
  std::int64_t parts = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;
  std::int64_t predicted = 0;
  std::int64_t stepSamples = 0;  ///< of the largest part
  double lossSum = 0;
  double gradNorm = 0;      ///< the largest; NaN if one was
  double learningRate = 0;  ///< of the last part
  double seconds = 0;

  void add(const StepResult& step);
  /// Requires parts > 0. `devices` stays empty.
  MetricsRow row(const Timestamp& at) const;
  bool operator==(const BatchWindow&) const = default;
};

/// Without the rate: at least one more part follows, and the rate of the last one counts.
nlohmann::json windowToJson(const BatchWindow& window);
/// Fails with Corrupt.
Result<BatchWindow> windowFromJson(const nlohmann::json& object);

}  // namespace batchwise
