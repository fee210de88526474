// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/train_config.h"

namespace batchwise {

/// A parameter of a schedule, by its name in the file.
struct ScheduleParameter {
  enum class Requirement { Required, Optional };
  const char* name;
  Requirement requirement = Requirement::Optional;
  /// Default of a Time or a number, as written in a file; empty: none, the parameter stays unset.
  const char* fallback = "";
};

/// A parameter that is a number.
struct ScheduleNumber {
  std::optional<double> SchedulerConfig::*member;
  const char* name;
};
inline constexpr ScheduleNumber kScheduleNumbers[] = {{&SchedulerConfig::alpha, "alpha"},
                                                      {&SchedulerConfig::alphaI, "alpha_i"},
                                                      {&SchedulerConfig::alphaF, "alpha_f"},
                                                      {&SchedulerConfig::alphaS, "alpha_s"},
                                                      {&SchedulerConfig::gamma, "gamma"},
                                                      {&SchedulerConfig::power, "power"},
                                                      {&SchedulerConfig::tMult, "t_mult"},
                                                      {&SchedulerConfig::lrShrink, "lr_shrink"},
                                                      {&SchedulerConfig::warmupInitLr, "warmup_init_lr"},
                                                      {&SchedulerConfig::expFactor, "exp_factor"}};

struct ScheduleParameters {
  const char* schedule;
  const char* label;                          ///< in the form
  std::vector<ScheduleParameter> parameters;  ///< required ones first
};

/// Returns every schedule with its parameters: the single list behind fields, rules and schedules.
const std::vector<ScheduleParameters>& scheduleTable();
/// Returns the row of a schedule; null if unknown.
const ScheduleParameters* findSchedule(const std::string& name);
/// Returns what the help of a parameter says of its default: " auto: 0 (one_minus_sqrt: 0.1)."; empty if no schedule
/// has one.
std::string defaultText(const std::string& parameter);
/// Returns the default warm-up: 6 % of t_max, or of the run if t_max is not set. Source: Portes et al. 2023
/// (MosaicBERT).
Time defaultWarmup(const SchedulerConfig& scheduler);
/// Returns the schedule with the default of each number that it has and that is not set; its parts stay as they are.
SchedulerConfig withNumbers(SchedulerConfig scheduler);
/// Sets scheduler.warmup_from under a ramp, where it is not set, to one: with zero all steps of the first global batch
/// would have the rate 0. Without a ramp, unset means zero.
void fillWarmupStart(TrainConfig& config);
/// Returns whether a schedule has an optional warm-up.
bool hasOptionalWarmup(const std::string& schedule);
/// Returns all values of `scheduler.name`, and their labels in the form.
const std::vector<std::string>& scheduleNames();
const std::vector<std::string>& scheduleLabels();

}  // namespace batchwise
