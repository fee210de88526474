// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/schedule/expression.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// What a growth function is asked with.
struct GrowthInput {
  std::int64_t epoch = 0;             ///< completed epochs
  std::int64_t currentBatchSize = 0;  ///< global, in units
  std::optional<double> loss;         ///< mean since the last asking
  std::optional<double> noiseScale;   ///< McCandlish et al. 2018, in samples
};

/// The new global batch size, as code in place of batch.growth's expression. Pure; called from the thread that trains.
using GrowthFunction = std::function<std::int64_t(const GrowthInput&)>;

/// The size in use under adaptive growth; saved with the run, since it depends on losses.
struct GrowthState {
  std::int64_t globalUnits = 0;
  Timestamp askedAt;
  double lossSum = 0;  ///< since the last asking, with its count of global batches
  std::int64_t lossCount = 0;
  bool operator==(const GrowthState&) const = default;
};

/// Adaptive growth (`batch.growth`): asks the expression or the function and keeps the answer within its bounds. A
/// value; any thread.
class GrowthRule {
 public:
  /// `largest`: of the global batch, for bound: device_maximum; empty if not known. Fails with Config, naming the field
  /// and the position in the expression: one that cannot be read, both expressions at once, a
  /// value that is no size of 1 or more when tried at `initial`.
  static Result<GrowthRule> make(const TrainConfig& config, std::int64_t initial, std::optional<std::int64_t> largest,
                                 GrowthFunction function);

  /// True if the answer needs losses or noise: the sizes are then only known while running.
  bool dependsOnRun() const;

  struct Answer {
    std::int64_t size = 0;
    std::string note;                       ///< not empty if the answer was clamped or could not be used
    std::optional<std::int64_t> boundedAt;  ///< the size, if the devices hold no more: to be told once, not each time
  };
  Answer ask(const GrowthInput& input) const;

 private:
  Result<double> wanted(const GrowthInput& input) const;

  GrowthFunction function_;
  std::optional<Expression> expression_;
  bool increment_ = false;  ///< the expression gives what is added
  bool allowDecrease_ = false;
  std::optional<std::int64_t> largest_;
};

}  // namespace batchwise
