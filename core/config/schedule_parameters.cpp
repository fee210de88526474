// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schedule_parameters.h"

#include <algorithm>

namespace batchwise {
namespace {

constexpr auto kRequired = ScheduleParameter::Requirement::Required;
constexpr auto kOptional = ScheduleParameter::Requirement::Optional;

constexpr double kWarmupShare = 0.06;
constexpr ScheduleParameter kWarmup{"t_warmup", kOptional, "0.06dur"};  // of t_max: see defaultWarmup()
constexpr ScheduleParameter kEnd{"t_max", kOptional, "1dur"};
constexpr ScheduleParameter kEndIfGiven{"t_max"};
constexpr ScheduleParameter kDecay{"t_decay", kOptional, "0.1dur"};

}  // namespace

const std::vector<ScheduleParameters>& scheduleTable() {
  static const std::vector<ScheduleParameters> kTable = {
      {"constant", {{"alpha"}, kEndIfGiven}},
      {"step", {{"step_size", kRequired}, {"gamma"}}},
      {"multistep", {{"milestones"}, {"gamma"}}},
      {"exponential", {{"gamma", kRequired}, {"decay_period", kOptional, "1ep"}}},
      {"linear", {{"alpha_i"}, {"alpha_f"}, kEnd}},
      {"cosine_annealing", {kEnd, {"alpha_f"}}},
      {"cosine_annealing_warm_restarts", {{"t_0", kRequired}, {"t_mult"}, {"alpha_f"}}},
      {"polynomial", {{"power", kRequired}, kEnd, {"alpha_f"}}},
      {"multistep_with_warmup", {kWarmup, {"milestones"}, {"gamma"}, {"scale_warmup"}, {"warmup_from"}}},
      {"constant_with_warmup", {kWarmup, {"alpha"}, kEndIfGiven, {"scale_warmup"}, {"warmup_from"}}},
      {"linear_with_warmup", {kWarmup, {"alpha_i"}, {"alpha_f"}, kEnd, {"scale_warmup"}, {"warmup_from"}}},
      {"cosine_annealing_with_warmup", {kWarmup, kEnd, {"alpha_f"}, {"scale_warmup"}, {"warmup_from"}}},
      {"polynomial_with_warmup", {kWarmup, {"power"}, kEnd, {"alpha_f"}, {"scale_warmup"}, {"warmup_from"}}},
      {"inverse_sqrt",
       {{"t_warmup", kRequired}, {"warmup_init_lr"}, {"exp_factor"}, {"scale_warmup"}, {"warmup_from"}}},
      {"warmup_stable_decay",
       {kWarmup, kDecay, kEnd, {"alpha_f"}, {"decay_schedule"}, {"scale_warmup"}, {"warmup_from"}}},
      {"one_minus_sqrt", {kDecay, kEnd, {"alpha_f"}}},
      {"cosine_inverse_sqrt",
       {{"t_cooldown", kRequired},
        kWarmup,
        {"t_cosine", kOptional, "0.25dur"},
        kEnd,
        {"alpha_f"},
        {"alpha_s"},
        {"warmup_schedule"},
        {"cooldown_schedule"},
        {"scale_warmup"},
        {"warmup_from"}}},
      {"expression", {{"expression", kRequired}, kEndIfGiven}},
      {"chain", {{"parts", kRequired}}},
  };
  return kTable;
}

const ScheduleParameters* findSchedule(const std::string& name) {
  const auto& table = scheduleTable();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return name == row.schedule; });
  return found == table.end() ? nullptr : &*found;
}

Time defaultWarmup(const SchedulerConfig& scheduler) {
  if (!scheduler.tMax) return Time::duration(kWarmupShare);
  const double number = kWarmupShare * scheduler.tMax->number();
  if (scheduler.tMax->unit() == TimeUnit::Duration) return Time::duration(number);
  if (scheduler.tMax->unit() == TimeUnit::Epoch) return Time::epochs(number);
  return Time::of(static_cast<std::int64_t>(number), scheduler.tMax->unit());
}

bool hasOptionalWarmup(const std::string& schedule) {
  const ScheduleParameters* row = findSchedule(schedule);
  return row != nullptr && std::any_of(row->parameters.begin(), row->parameters.end(), [](const auto& parameter) {
           return parameter.name == std::string_view{"t_warmup"} && parameter.requirement == kOptional;
         });
}

const std::vector<std::string>& scheduleNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const ScheduleParameters& row : scheduleTable()) names.emplace_back(row.schedule);
    return names;
  }();
  return kNames;
}

}  // namespace batchwise
