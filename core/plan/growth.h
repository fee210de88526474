// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/config/time/time.h"
#include "core/config/train_config.h"
#include "core/plan/schedule/expression.h"

namespace batchwise {

/// Arguments of a growth function.
struct GrowthInput {
  std::int64_t epoch = 0;             ///< completed epochs
  std::int64_t currentBatchSize = 0;  ///< global, in units
  std::optional<double> loss;         ///< mean since the last evaluation of the function
  std::optional<double> noiseScale;   ///< in samples (McCandlish et al. 2018), or in packs if sizes are
};

/// Replaces the expression of batch.growth: returns the new global batch size. Pure. Called by the training thread.
using GrowthFunction = std::function<std::int64_t(const GrowthInput&)>;

/// State of adaptive growth, saved with the run because it depends on losses.
struct GrowthState {
  std::int64_t globalUnits = 0;
  Timestamp evaluatedAt;
  double lossSum = 0;  ///< since the last evaluation of the function, over lossCount global batches
  std::int64_t lossCount = 0;
  bool operator==(const GrowthState&) const = default;
};

/// Adaptive growth (`batch.growth`): evaluates the expression or function and clamps the result to its bounds. A value.
/// Thread-safe.
class GrowthRule {
 public:
  /// `largest`: for bound: device_maximum; empty if unknown. Fails with Config, naming the field and the position, for
  /// an invalid expression, both expressions at once, or a value below 1 at `initial`.
  static Result<GrowthRule> make(const TrainConfig& config, std::int64_t initial, std::optional<std::int64_t> largest,
                                 GrowthFunction function);

  /// Returns whether the result depends on losses or noise: sizes are then only known at run time.
  bool dependsOnRun() const;

  struct Evaluation {
    std::int64_t size = 0;
    std::string note;                       ///< about batch.growth; not empty if the result was clamped or unusable
    std::optional<std::int64_t> boundedAt;  ///< the size, if limited by the devices; to be reported once
  };
  Evaluation evaluate(const GrowthInput& input) const;

 private:
  Result<double> evaluateExpression(const GrowthInput& input) const;

  GrowthFunction function_;
  std::optional<Expression> expression_;
  bool increment_ = false;  ///< the expression gives the increment
  bool allowDecrease_ = false;
  bool ofMicrobatch_ = false;  ///< the bound follows from the configured micro-batch, not from what fits
  std::optional<std::int64_t> largest_;
};

}  // namespace batchwise
