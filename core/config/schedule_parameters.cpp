// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schedule_parameters.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr auto kRequired = ScheduleParameter::Requirement::Required;
constexpr auto kOptional = ScheduleParameter::Requirement::Optional;

constexpr double kWarmupShare = 0.06;
constexpr ScheduleParameter kWarmup{"t_warmup", kOptional, "0.06dur"};  // of t_max: see defaultWarmup()
constexpr ScheduleParameter kEnd{"t_max", kOptional, "1dur"};
constexpr ScheduleParameter kEndIfGiven{"t_max"};
constexpr ScheduleParameter kDecay{"t_decay", kOptional, "0.1dur"};
constexpr ScheduleParameter kAlpha{"alpha", kOptional, "1"};
constexpr ScheduleParameter kFirst{"alpha_i", kOptional, "1"};
constexpr ScheduleParameter kLast{"alpha_f", kOptional, "0"};
constexpr ScheduleParameter kLastAboveZero{"alpha_f", kOptional, "0.1"};
constexpr ScheduleParameter kGamma{"gamma", kOptional, "0.1"};

}  // namespace

const std::vector<ScheduleParameters>& scheduleTable() {
  static const std::vector<ScheduleParameters> kTable = {
      {"constant", "Constant", {kAlpha, kEndIfGiven}},
      {"step", "Steps of equal length", {{"step_size", kRequired}, kGamma}},
      {"multistep", "Steps at milestones", {{"milestones"}, kGamma}},
      {"exponential", "Exponential", {{"gamma", kRequired}, {"decay_period", kOptional, "1ep"}}},
      {"linear", "Linear", {kFirst, kLast, kEnd}},
      {"cosine_annealing", "Cosine annealing", {kEnd, kLast}},
      {"cosine_annealing_warm_restarts",
       "Cosine annealing, restarted",
       {{"t_0", kRequired}, {"t_mult", kOptional, "1"}, {"lr_shrink", kOptional, "1"}, kLast}},
      {"polynomial", "Polynomial", {{"power", kRequired}, kEnd, kLast}},
      {"multistep_with_warmup",
       "Steps at milestones, warm-up",
       {kWarmup, {"milestones"}, kGamma, {"scale_warmup"}, {"warmup_from"}}},
      {"constant_with_warmup", "Constant, warm-up", {kWarmup, kAlpha, kEndIfGiven, {"scale_warmup"}, {"warmup_from"}}},
      {"linear_with_warmup", "Linear, warm-up", {kWarmup, kFirst, kLast, kEnd, {"scale_warmup"}, {"warmup_from"}}},
      {"cosine_annealing_with_warmup",
       "Cosine annealing, warm-up",
       {kWarmup, kEnd, kLast, {"scale_warmup"}, {"warmup_from"}}},
      {"polynomial_with_warmup",
       "Polynomial, warm-up",
       {kWarmup, {"power", kOptional, "2"}, kEnd, kLast, {"scale_warmup"}, {"warmup_from"}}},
      {"inverse_sqrt",
       "Inverse square root",
       {{"t_warmup", kRequired},
        {"warmup_init_lr", kOptional, "0"},
        {"exp_factor", kOptional, "0.5"},
        {"scale_warmup"},
        {"warmup_from"}}},
      {"warmup_stable_decay",
       "Warm-up, stable, decay",
       {kWarmup, kDecay, kEnd, kLastAboveZero, {"decay_schedule"}, {"scale_warmup"}, {"warmup_from"}}},
      {"one_minus_sqrt", "Constant, then 1 − square root", {kDecay, kEnd, kLastAboveZero}},
      {"cosine_inverse_sqrt",
       "Cosine, then inverse square root",
       {{"t_cooldown", kRequired},
        kWarmup,
        {"t_cosine", kOptional, "0.25dur"},
        kEnd,
        kLast,
        {"alpha_s", kOptional, "0"},
        {"warmup_schedule"},
        {"cooldown_schedule"},
        {"scale_warmup"},
        {"warmup_from"}}},
      {"expression", "Expression", {{"expression", kRequired}, kEndIfGiven}},
      {"chain", "Chain of schedules", {{"parts", kRequired}}},
  };
  return kTable;
}

const ScheduleParameters* findSchedule(const std::string& name) {
  const auto& table = scheduleTable();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return name == row.schedule; });
  return found == table.end() ? nullptr : &*found;
}

std::string defaultText(const std::string& parameter) {
  std::vector<std::pair<std::string, std::vector<std::string>>> byDefault;  // the schedules of each
  std::vector<std::string> requiring;
  for (const ScheduleParameters& row : scheduleTable())
    for (const ScheduleParameter& each : row.parameters) {
      if (parameter != each.name) continue;
      if (each.requirement == kRequired) {
        requiring.emplace_back(row.schedule);
        continue;
      }
      const auto known = std::ranges::find(byDefault, each.fallback, [](const auto& one) { return one.first; });
      if (known == byDefault.end())
        byDefault.push_back({each.fallback, {row.schedule}});
      else
        known->second.emplace_back(row.schedule);
    }
  if (byDefault.empty()) return {};
  std::vector<std::string> exceptions;
  for (std::size_t i = 1; i < byDefault.size(); ++i)
    exceptions.push_back(joined(byDefault[i].second) + ": " + byDefault[i].first);
  if (!requiring.empty())
    exceptions.push_back(joined(requiring) + (requiring.size() == 1 ? " requires a value" : " require a value"));
  return " auto: " + byDefault.front().first + (exceptions.empty() ? "." : " (" + joined(exceptions, "; ") + ").");
}

Time defaultWarmup(const SchedulerConfig& scheduler) {
  if (!scheduler.tMax) return Time::duration(kWarmupShare);
  const double number = kWarmupShare * scheduler.tMax->number();
  if (scheduler.tMax->unit() == TimeUnit::Duration) return Time::duration(number);
  if (scheduler.tMax->unit() == TimeUnit::Epoch) return Time::epochs(number);
  return Time::of(static_cast<std::int64_t>(number), scheduler.tMax->unit());
}

SchedulerConfig withNumbers(SchedulerConfig scheduler) {
  const ScheduleParameters* row = findSchedule(scheduler.name);
  if (row == nullptr) return scheduler;
  for (const ScheduleParameter& parameter : row->parameters)
    for (const ScheduleNumber& number : kScheduleNumbers)
      if (std::string_view(parameter.name) == number.name && !(scheduler.*number.member))
        scheduler.*number.member = numberFrom<double>(parameter.fallback);
  return scheduler;
}

void fillWarmupStart(TrainConfig& config) {
  const RampupConfig& rampup = config.batch.rampup;
  // Of one stage, a ramp changes nothing.
  if (!rampup.enabled() || rampup.stages.size() == 1 ||
      rampup.initialGlobalTrainBatchSize == config.batch.globalTrainBatchSize)
    return;
  const auto fill = [](SchedulerConfig& scheduler) {
    const ScheduleParameters* row = findSchedule(scheduler.name);
    const bool warms = row != nullptr && std::ranges::any_of(row->parameters, [](const ScheduleParameter& parameter) {
                         return parameter.name == std::string_view{"warmup_from"};
                       });
    if (warms && !scheduler.warmupFrom) scheduler.warmupFrom = WarmupStart::One;
  };
  std::ranges::for_each(config.scheduler.parts, fill);
  fill(config.scheduler);
}

bool hasOptionalWarmup(const std::string& schedule) {
  const ScheduleParameters* row = findSchedule(schedule);
  return row != nullptr && std::any_of(row->parameters.begin(), row->parameters.end(), [](const auto& parameter) {
           return parameter.name == std::string_view{"t_warmup"} && parameter.requirement == kOptional;
         });
}

namespace {

std::vector<std::string> columnOf(const char* const ScheduleParameters::*column) {
  std::vector<std::string> texts;
  for (const ScheduleParameters& row : scheduleTable()) texts.emplace_back(row.*column);
  return texts;
}

}  // namespace

const std::vector<std::string>& scheduleLabels() {
  static const std::vector<std::string> kLabels = columnOf(&ScheduleParameters::label);
  return kLabels;
}

const std::vector<std::string>& scheduleNames() {
  static const std::vector<std::string> kNames = columnOf(&ScheduleParameters::schedule);
  return kNames;
}

}  // namespace batchwise
