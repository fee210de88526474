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

/// What is known of the gradient's noise (McCandlish et al. 2018): tr(covariance) / |gradient|^2, in samples, and its
/// two parts, for one sample. Empty: not measured yet.
struct NoiseParts {
  std::optional<double> scale = {}, trace = {}, gradientSquared = {};
};

/// Arguments of a growth function.
struct GrowthInput {
  std::int64_t epoch = 0;                          ///< completed epochs
  std::int64_t currentBatchSize = 0;               ///< global, in units
  std::optional<double> loss = {};                 ///< mean since the last evaluation of the function
  NoiseParts noise = {};                           ///< scale and trace in packs if sizes are
  std::optional<double> lastGradientSquared = {};  ///< noise.gradientSquared of the last evaluation
  std::optional<double> evalLoss = {};             ///< of the newest evaluation
  double learningRate = 0;                         ///< of a full step
  double batch = 0, token = 0;                     ///< clocks of the run
  double fraction = 0;                             ///< of the run that is done
  std::optional<double> criticalBatch = {};        ///< by the configured law, in units
};

/// Replaces the expression of batch.growth: returns the new global batch size. Pure. Called by the training thread.
using GrowthFunction = std::function<std::int64_t(const GrowthInput&)>;

/// State of adaptive growth, saved with the run because it depends on losses.
struct GrowthState {
  std::int64_t globalUnits = 0;
  Timestamp evaluatedAt;
  double lossSum = 0;  ///< since the last evaluation of the function, over lossCount global batches
  std::int64_t lossCount = 0;
  // As far as the function uses them:
  std::int64_t changedAt = 0;                      ///< where the size last changed, on the clock of growth.dwell
  std::optional<double> lastGradientSquared = {};  ///< at the last evaluation where it was measured
  std::optional<double> evalLoss = {};             ///< of the newest evaluation
  bool operator==(const GrowthState&) const = default;
};

/// Returns the critical batch size by the configured law after `tokens` of the run, in samples; empty without a law.
std::optional<double> criticalBatchAt(const CriticalBatchConfig& law, double tokens);

/// Returns the expression of batch.growth: that of the user, or the one that its rule stands for, with numbers in place
/// of `values` and of the `initial` global size. Sources: McCandlish et al. 2018, appendix D; norm test: Byrd et al.
/// 2012, with the gradient's norm free of noise; DiveBatch 2025 (arXiv 2509.16173), whose ratio is 1 + noise scale;
/// Accordion: Agarwal et al. 2020; doubling by a law: Merrill et al. 2025, section 5; at epochs: Devarakonda et al.
/// 2017.
std::string growthExpression(const GrowthConfig& growth, std::int64_t initial);

/// Adaptive growth (`batch.growth`): evaluates the expression or function and clamps the result to its bounds. A value.
/// Thread-safe.
class GrowthRule {
 public:
  /// `largest`: for bound: device_maximum; empty if unknown. Fails with Config, naming the field and the position, for
  /// an invalid expression, both expressions at once, or a value below 1 at `initial`.
  static Result<GrowthRule> make(const TrainConfig& config, std::int64_t initial, std::optional<std::int64_t> largest,
                                 GrowthFunction function);

  /// Returns whether the result depends on losses or noise: sizes are then only known at run time. Those of an
  /// expression then change at most twofold at a time.
  bool dependsOnRun() const;

  bool uses(const char* variable) const { return expression_ && expression_->uses(variable); }

  struct Evaluation {
    std::int64_t size = 0;
    std::string note;                       ///< about batch.growth; not empty if the result was clamped or unusable
    std::optional<std::int64_t> boundedAt;  ///< the size, if limited by the devices; to be reported once
    bool isAsked = true;                    ///< false within growth.dwell: what it reads counts on
  };
  Evaluation evaluate(const GrowthInput& input) const;

 private:
  Result<double> evaluateExpression(const GrowthInput& input) const;

  GrowthFunction function_;
  std::optional<Expression> expression_;
  bool measured_ = false;   ///< the expression uses values that only the run has
  bool increment_ = false;  ///< the expression gives the increment
  bool allowDecrease_ = false;
  bool ofMicrobatch_ = false;  ///< the bound follows from the configured micro-batch, not from what fits
  std::optional<std::int64_t> largest_;
};

}  // namespace batchwise
