// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/train_config.h"
#include "core/time/run_length.h"

namespace batchwise {

/// What a schedule is resolved against.
struct ScheduleRun {
  RunLength length;
  double ratio = 1.0;            ///< scale_schedule_ratio, already applied to length.maxDuration
  double samplesPerBatch = 1.0;  ///< of a full global batch; for warmup_from: one in sp
  double tokensPerBatch = 1.0;   ///< the same in tok
  /// Where the run is at a Time in whole ba, sp or tok, on the clock of another of these; nothing where that is not
  /// known exactly, or where that Time lies inside a global batch. Null: it is never known.
  std::function<std::optional<Time>(const Time&, TimeUnit)> convert;
};

/// The schedule with every Time it uses as a whole number of ba, sp or tok, defaults filled in; Times that it does not
/// use are left out, with a note. Fails with Config, naming the field ("scheduler.t_warmup"): a name that is not known,
/// a parameter that is missing, a Time in sec, t_max of 0, Times of one curve in different units (a warm-up is counted
/// in the unit of t_max where ScheduleRun::convert knows it), periods that shrink to nothing within the run. What only
/// looks like a slip is added to `notes`.
Result<SchedulerConfig> resolveSchedule(const SchedulerConfig& config, const ScheduleRun& run,
                                        std::vector<std::string>& notes);

using NamedTimes = std::map<std::string, std::string>;
/// The Times of a resolved schedule by dotted name: {"scheduler.t_warmup": "9ba", "scheduler.parts[0].duration": ...}.
NamedTimes scheduleTimes(const SchedulerConfig& resolved);
/// The reverse: `config` with the Times of `times` in place of its own. Fails with Config if one cannot be read.
Result<SchedulerConfig> withScheduleTimes(const SchedulerConfig& config, const NamedTimes& times);

/// True if a resolved schedule reads no other clock than that of `unit`.
bool countsOnly(const SchedulerConfig& resolved, TimeUnit unit);

}  // namespace batchwise
