// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "core/config/time/run_length.h"
#include "core/config/train_config.h"

namespace batchwise {

/// The run that a schedule is resolved against.
struct ScheduleRun {
  RunLength length;
  double ratio = 1.0;            ///< scale_schedule_ratio, already applied to length.maxDuration
  double samplesPerBatch = 1.0;  ///< of a full global batch; for warmup_from: one in sp
  double tokensPerBatch = 1.0;   ///< the same in tok
  /// Converts a Time in whole ba, sp or tok to another of these clocks. Returns nothing if that is not known exactly or
  /// the Time lies inside a global batch. Null: never known.
  std::function<std::optional<Time>(const Time&, TimeUnit)> convert;
};

/// Returns the schedule with defaults filled in and every Time as a whole number of ba, sp or tok; drops unused Times.
/// `notes` receives these and likely mistakes. Fails with Config, naming the field ("scheduler.t_warmup"), for an
/// unknown name, a missing parameter, a Time in sec, t_max of 0, Times of one curve in different units (except a
/// warm-up that ScheduleRun::convert can convert to that of t_max), or periods that shrink to 0 within the run.
Result<SchedulerConfig> resolveSchedule(const SchedulerConfig& config, const ScheduleRun& run,
                                        std::vector<FieldProblem>& notes);

using NamedTimes = std::map<std::string, std::string>;
/// Returns the Times by dotted name: {"scheduler.t_warmup": "9ba", "scheduler.parts[0].duration": ...}.
NamedTimes scheduleTimes(const SchedulerConfig& resolved);
/// Inverse of scheduleTimes(): replaces the Times of `config`. Fails with Config if one cannot be parsed.
Result<SchedulerConfig> withScheduleTimes(const SchedulerConfig& config, const NamedTimes& times);

/// Returns whether a resolved schedule reads only the clock of `unit`.
bool usesOnlyClock(const SchedulerConfig& resolved, TimeUnit unit);

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
