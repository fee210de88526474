// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "core/config/train_config.h"
#include "core/schedule/schedule_times.h"
#include "core/time/timestamp.h"

namespace batchwise {

/// Inputs of a schedule besides its own parameters.
struct ScheduleScale {
  double baseRate = 1.0;         ///< optimizer.lr, for parameters given as a rate (warmup_init_lr)
  double samplesPerBatch = 1.0;  ///< of a full global batch, for warmup_from: one in sp
  double tokensPerBatch = 1.0;   ///< the same in tok
};

/// A learning-rate schedule: a pure, stateless function of the Timestamp that returns a factor of the base rate. Cheap
/// to copy. Thread-safe.
class Schedule {
 public:
  /// `resolved` comes from resolveSchedule or withScheduleTimes. Fails with Config, naming the field, for an expression
  /// that cannot be parsed and for a cosine_inverse_sqrt whose cool-down would rise.
  static Result<Schedule> make(const SchedulerConfig& resolved, const ScheduleScale& scale);

  /// Returns the factor for a global batch starting at `now`, not clamped to [0, 1]; NaN if an expression has none.
  double factor(const Timestamp& now) const { return curve_(now); }

 private:
  using Curve = std::function<double(const Timestamp&)>;
  explicit Schedule(Curve curve) : curve_(std::move(curve)) {}
  Curve curve_;
};

}  // namespace batchwise
