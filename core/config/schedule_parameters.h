// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

/// A parameter of a schedule, by its name in the file.
struct ScheduleParameter {
  enum class Requirement { Required, Optional };
  const char* name;
  Requirement requirement = Requirement::Optional;
  /// Default of a Time, as written in a file; empty: none, the parameter stays unset.
  const char* fallback = "";
};

struct ScheduleParameters {
  const char* schedule;
  std::vector<ScheduleParameter> parameters;  ///< required ones first
};

/// Returns every schedule with its parameters: the single list behind fields, rules and schedules.
const std::vector<ScheduleParameters>& scheduleTable();
/// Returns the row of a schedule; null if unknown.
const ScheduleParameters* findSchedule(const std::string& name);
/// Returns the default warm-up: 6 % of t_max, or of the run if t_max is not set. Source: Portes et al. 2023
/// (MosaicBERT).
Time defaultWarmup(const SchedulerConfig& scheduler);
/// Returns whether a schedule has an optional warm-up.
bool hasOptionalWarmup(const std::string& schedule);
/// Returns all values of `scheduler.name`.
const std::vector<std::string>& scheduleNames();

}  // namespace batchwise
