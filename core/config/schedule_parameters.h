// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

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
/// Every name that `scheduler.name` takes.
const std::vector<std::string>& scheduleNames();

}  // namespace batchwise
