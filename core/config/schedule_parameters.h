// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

/// A parameter that a schedule reads, by its name in the file.
struct ScheduleParameter {
  enum class Need { Required, Optional };
  const char* name;
  Need need = Need::Optional;
  /// Of a Time: what stands for it where it is missing, as in a file; empty: it stays missing, and nothing happens
  /// then.
  const char* fallback = "";
};

struct ScheduleParameters {
  const char* schedule;
  std::vector<ScheduleParameter> parameters;  ///< required ones first
};

/// Every schedule with the parameters it reads: the one list that the fields, their rules and the schedules go by.
const std::vector<ScheduleParameters>& scheduleTable();
/// The row of a schedule; null for an unknown name.
const ScheduleParameters* findSchedule(const std::string& name);
/// The warm-up of a schedule that has one and is not told how long: 6 % of t_max (as Portes et al. 2023, MosaicBERT),
/// or of the whole run where t_max is left out.
Time defaultWarmup(const SchedulerConfig& scheduler);
/// Whether a schedule has a warm-up that may be left out.
bool hasOptionalWarmup(const std::string& schedule);
/// Every name that `scheduler.name` takes.
const std::vector<std::string>& scheduleNames();

}  // namespace batchwise
