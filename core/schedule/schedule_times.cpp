// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule_times.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/format.h"
#include "core/config/schedule_parameters.h"
#include "core/schedule/curves.h"
#include "core/schedule/expression.h"
#include "core/time/arithmetic.h"

namespace batchwise {
namespace {

/// A Time of the configuration: its place in the struct and its name in files.
struct TimeSlot {
  std::optional<Time> SchedulerConfig::*member;
  const char* name;
};

constexpr TimeSlot kWarmup{&SchedulerConfig::tWarmup, "t_warmup"};
constexpr TimeSlot kMax{&SchedulerConfig::tMax, "t_max"};
constexpr TimeSlot kStep{&SchedulerConfig::stepSize, "step_size"};
constexpr TimeSlot kPeriod{&SchedulerConfig::decayPeriod, "decay_period"};
constexpr TimeSlot kFirst{&SchedulerConfig::t0, "t_0"};
constexpr TimeSlot kDecay{&SchedulerConfig::tDecay, "t_decay"};
constexpr TimeSlot kCosine{&SchedulerConfig::tCosine, "t_cosine"};
constexpr TimeSlot kCooldown{&SchedulerConfig::tCooldown, "t_cooldown"};
constexpr TimeSlot kLength{&SchedulerConfig::length, "duration"};
/// In the order of resolution: what is missing elsewhere takes the unit of t_max.
constexpr TimeSlot kSlots[] = {kMax, kWarmup, kStep, kPeriod, kFirst, kDecay, kCosine, kCooldown, kLength};

struct NumberSlot {
  std::optional<double> SchedulerConfig::*member;
  const char* name;
};
constexpr NumberSlot kNumbers[] = {
    {&SchedulerConfig::alpha, "alpha"},         {&SchedulerConfig::alphaI, "alpha_i"},
    {&SchedulerConfig::alphaF, "alpha_f"},      {&SchedulerConfig::alphaS, "alpha_s"},
    {&SchedulerConfig::gamma, "gamma"},         {&SchedulerConfig::power, "power"},
    {&SchedulerConfig::tMult, "t_mult"},        {&SchedulerConfig::warmupInitLr, "warmup_init_lr"},
    {&SchedulerConfig::expFactor, "exp_factor"}};

const ScheduleParameter* parameterOf(const ScheduleParameters& schedule, std::string_view name) {
  const auto found = std::find_if(schedule.parameters.begin(), schedule.parameters.end(),
                                  [&](const ScheduleParameter& parameter) { return parameter.name == name; });
  return found == schedule.parameters.end() ? nullptr : &*found;
}

Error wrong(const std::string& path, const char* name, std::string what) {
  return Error::config(path + "." + name + ": " + std::move(what));
}

std::string partAt(const std::string& path, std::size_t index) {
  return path + ".parts[" + std::to_string(index) + "]";
}

/// Drops what the schedule does not read, saying so.
void dropUnused(SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path,
                std::vector<std::string>& notes) {
  const auto say = [&](const char* name) { notes.push_back(path + "." + name + ": not used by " + schedule.schedule); };
  for (const TimeSlot& slot : kSlots) {
    if (slot.member == kLength.member || !(config.*slot.member) || parameterOf(schedule, slot.name)) continue;
    say(slot.name);
    (config.*slot.member).reset();
  }
  for (const NumberSlot& slot : kNumbers)
    if ((config.*slot.member) && !parameterOf(schedule, slot.name)) say(slot.name);
  if (!config.milestones.empty() && !parameterOf(schedule, "milestones")) {
    say("milestones");
    config.milestones.clear();
  }
}

bool isRequired(const ScheduleParameter* parameter) {
  return parameter != nullptr && parameter->need == ScheduleParameter::Need::Required;
}

Result<void> checkNumbers(const SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path) {
  for (const NumberSlot& slot : kNumbers)
    if ((config.*slot.member) && !std::isfinite(*(config.*slot.member)))
      return wrong(path, slot.name, "is not a finite number");
  for (const NumberSlot& slot : kNumbers)
    if (!(config.*slot.member) && isRequired(parameterOf(schedule, slot.name)))
      return wrong(path, slot.name, "is missing; " + config.name + " needs it, for example 0.9");
  if (config.gamma && *config.gamma < 0.0)
    return wrong(path, "gamma", formatExact(*config.gamma) + " is negative; use a factor of 0 or more");
  if (config.power && *config.power < 0.0)
    return wrong(path, "power", formatExact(*config.power) + " is negative; use 0 or more");
  if (config.tMult && *config.tMult < 0.0)
    return wrong(path, "t_mult", formatExact(*config.tMult) + " is negative; use 1 for periods of equal length");
  if (config.warmupFrom != "zero" && config.warmupFrom != "one")
    return wrong(path, "warmup_from", "'" + config.warmupFrom + "' is not known; use zero or one");
  for (const auto& [value, name] :
       {std::pair{&config.warmupSchedule, "warmup_schedule"}, std::pair{&config.cooldownSchedule, "cooldown_schedule"}})
    if (*value != "linear" && *value != "cosine")
      return wrong(path, name, "'" + *value + "' is not known; use linear or cosine");
  return {};
}

bool measuredInSeconds(const ScheduleRun& run) {
  return run.length.maxDuration.unit() == TimeUnit::Second;
}

/// One Time with its default, resolved. A t_max without one is the run's end; a run measured in seconds has none then.
Result<std::optional<Time>> resolveSlot(const SchedulerConfig& config, const TimeSlot& slot,
                                        const ScheduleParameter& parameter, const ScheduleRun& run,
                                        const std::string& path) {
  const std::string field = path + "." + slot.name;
  std::optional<Time> time = config.*slot.member;
  const std::string_view fallback{parameter.fallback};
  if (!time) {
    if (isRequired(&parameter))
      return wrong(path, slot.name, "is missing; " + config.name + " needs it, for example 0.1dur");
    if (slot.member == &SchedulerConfig::tWarmup && config.tMax) return std::optional<Time>{defaultWarmup(config)};
    if (slot.member == &SchedulerConfig::tWarmup) {
      if (measuredInSeconds(run)) return std::optional<Time>{Time::of(0, TimeUnit::Batch)};
      time = defaultWarmup(config);
    } else if (fallback.empty() && measuredInSeconds(run)) {
      return std::optional<Time>{};
    } else if (measuredInSeconds(run) && slot.member == &SchedulerConfig::tMax) {
      return wrong(path, slot.name, "is missing; a run measured in sec needs it in ba, sp or tok");
    } else {
      time = fallback.empty() ? Time::duration(1.0) : *Time::parse(parameter.fallback);
    }
  }
  const bool scaled = slot.member != &SchedulerConfig::tWarmup || config.scaleWarmup;
  auto resolved = resolveTime(*time, run.length, scaled ? run.ratio : 1.0, field);
  if (!resolved) return resolved.error();
  return std::optional<Time>{*resolved};
}

/// A warm-up on the clock of t_max, where the run knows both exactly. Nothing is nothing on every clock.
void countAsMax(SchedulerConfig& config, const ScheduleRun& run) {
  if (!config.tWarmup || !config.tMax || config.tWarmup->unit() == config.tMax->unit()) return;
  if (config.tWarmup->count() == 0) config.tWarmup = Time::of(0, config.tMax->unit());
  if (!run.convert) return;
  if (const auto same = run.convert(*config.tWarmup, config.tMax->unit())) config.tWarmup = *same;
}

/// Curves measured against t_max need their other Times in its unit.
Result<void> checkUnits(const SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path) {
  if (!config.tMax) return {};
  for (const TimeSlot& slot : kSlots) {
    const auto& time = config.*slot.member;
    if (time && parameterOf(schedule, slot.name) && time->unit() != config.tMax->unit())
      return wrong(path, slot.name,
                   time->text() + " and t_max " + config.tMax->text() +
                       " have different units; give both in the same, or t_max in " +
                       std::string{unitName(time->unit())});
  }
  return {};
}

bool isFlat(const SchedulerConfig& config) {
  return config.name == "constant" || config.name == "constant_with_warmup";
}

Result<void> checkLengths(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path) {
  const auto positive = [&](const TimeSlot& slot) -> Result<void> {
    const auto& time = config.*slot.member;
    if (time && time->count() == 0)
      return wrong(path, slot.name,
                   "is " + time->text() + " when resolved, so nothing is left of it; use a longer time");
    return {};
  };
  for (const TimeSlot& slot : {kMax, kStep, kPeriod, kFirst, kCosine}) {
    if (isFlat(config) && slot.member == kMax.member) continue;
    if (auto fine = positive(slot); !fine) return fine;
  }
  if (config.name == "inverse_sqrt")
    if (auto fine = positive(kWarmup); !fine) return fine;
  if (config.name != "cosine_annealing_warm_restarts") return {};
  const long long end = periodsEnd(config.t0->count(), config.tMult.value_or(1.0));
  const auto all = resolveTime(Time::duration(1.0), run.length, 1.0, path);
  if (end >= 0 && (!all || all->unit() != config.t0->unit() || all->count() > end))
    return wrong(path, "t_mult",
                 formatExact(*config.tMult) + " shrinks the periods to nothing after " +
                     Time::of(end, config.t0->unit()).text() + "; use 1 or more");
  return {};
}

/// What follows where the warm-up takes all of t_max.
std::string withoutDecay(const SchedulerConfig& config) {
  if (config.name == "warmup_stable_decay" || config.name == "cosine_inverse_sqrt")
    return "the rate falls at once when the warm-up ends";
  return "the rate stays where the warm-up ends";
}

/// A warm-up that leaves nothing of what it should be followed by.
void addWarmupSlips(const SchedulerConfig& config, const Time& warmup, const Result<Time>& all, const std::string& at,
                    std::vector<std::string>& notes) {
  const bool beyondRun = all && all->unit() == warmup.unit() && warmup.count() > all->count();
  const bool beyondMax = config.tMax && !isFlat(config) && warmup.count() >= config.tMax->count();
  if (beyondRun)
    notes.push_back(at + warmup.text() + " is longer than the run (" + all->text() +
                    "), so the rate never reaches its peak");
  else if (beyondMax)
    notes.push_back(at + warmup.text() + " takes all of t_max (" + config.tMax->text() +
                    "), so nothing is left for the decay: " + withoutDecay(config));
}

std::string withoutRoom(bool cools, bool warmed) {
  if (cools) return warmed ? ", so it begins where the warm-up ends and is steeper" : ", so it takes all of t_max";
  return warmed ? ", so the rate drops at once when the warm-up ends"
                : ", so the rate starts inside the decay, below its peak";
}

/// A decay or cool-down that takes more of t_max than there is of it.
void addDecaySlips(const SchedulerConfig& config, const std::string& path, std::vector<std::string>& notes) {
  const bool cools = config.name == "cosine_inverse_sqrt";
  const auto& decay = cools ? config.tCooldown : config.tDecay;
  if (!decay || !config.tMax || decay->count() == 0) return;
  const std::int64_t warmup = config.tWarmup ? config.tWarmup->count() : 0;
  const std::int64_t left = config.tMax->count() - warmup;
  if (left <= 0 || decay->count() <= left) return;
  const std::string at = path + (cools ? ".t_cooldown: " : ".t_decay: ") + decay->text();
  const std::string room = " is longer than what t_max (" + config.tMax->text() + ") leaves" +
                           (warmup > 0 ? " after t_warmup (" + config.tWarmup->text() + ")" : "");
  notes.push_back(at + room + withoutRoom(cools, warmup > 0));
}

void addSlips(const SchedulerConfig& config, const SchedulerConfig& typed, const ScheduleRun& run,
              const std::string& path, std::vector<std::string>& notes) {
  const auto all = resolveTime(Time::duration(1.0), run.length, 1.0, path);
  const bool comparable = all && config.tMax && all->unit() == config.tMax->unit();
  const bool decays =
      !isFlat(config) && !(config.tWarmup && config.tMax && config.tWarmup->count() >= config.tMax->count());
  if (comparable && decays && config.tMax->count() < all->count())
    notes.push_back(path + ".t_max: " + config.tMax->text() + " is shorter than the run (" + all->text() + "); " +
                    (config.name == "warmup_stable_decay" ? "the rate goes on falling behind it, to 0"
                                                          : "its last value holds from there on"));
  if (config.tWarmup) {
    addWarmupSlips(config, *config.tWarmup, all, path + ".t_warmup: ", notes);
    if (config.tWarmup->count() == 0 && typed.tWarmup && typed.tWarmup->number() > 0)
      notes.push_back(path + ".t_warmup: " + typed.tWarmup->text() + " is 0 when resolved: there is no warm-up");
  }
  addDecaySlips(config, path, notes);
  for (std::size_t index = 1; index < config.milestones.size(); ++index) {
    const auto order = compare(config.milestones[index - 1], config.milestones[index]);
    if (order && *order == std::partial_ordering::greater) {
      notes.push_back(path + ".milestones: " + config.milestones[index].text() + " stands after " +
                      config.milestones[index - 1].text() + "; each counts from its own time on, whatever the order");
      break;
    }
  }
}

Result<SchedulerConfig> resolveAt(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                  std::vector<std::string>& notes);

/// The lengths of a chain's parts, all in one unit; what is left for `rest`.
Result<std::vector<Time>> partLengths(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path) {
  const auto partPath = [&](std::size_t index) { return partAt(path, index); };
  std::optional<std::size_t> rest;
  std::vector<Time> lengths(config.parts.size());
  std::optional<Time> sum;
  for (std::size_t index = 0; index < config.parts.size(); ++index) {
    const SchedulerConfig& part = config.parts[index];
    if (part.rest || !part.length) {
      if (rest)
        return wrong(partPath(index), "duration",
                     "is missing, or is 'rest' for a second part; exactly one part can be the rest");
      rest = index;
      continue;
    }
    auto length = resolveTime(*part.length, run.length, run.ratio, partPath(index) + ".duration");
    if (!length) return length.error();
    if (length->count() == 0)
      return wrong(partPath(index), "duration", part.length->text() + " is 0 when resolved; use more");
    if (sum && sum->unit() != length->unit())
      return wrong(partPath(index), "duration",
                   length->text() + " has another unit than the parts before (" + std::string{unitName(sum->unit())} +
                       "); use one unit for all parts");
    lengths[index] = *length;
    auto longer = sum ? add(*sum, *length) : Result<Time>{*length};
    if (!longer) return longer.error().within(path);
    sum = *longer;
  }
  if (!rest) return lengths;
  const auto all = resolveTime(Time::duration(1.0), run.length, 1.0, partPath(*rest) + ".duration");
  if (!all) return all.error();
  const auto left = sum ? subtract(*all, *sum) : Result<Time>{*all};
  if (!left)
    return wrong(partPath(*rest), "duration",
                 "the rest of " + all->text() + " cannot be taken from parts in " + std::string{unitName(sum->unit())} +
                     "; give them in " + std::string{unitName(all->unit())});
  if (left->count() <= 0)
    return wrong(partPath(*rest), "duration",
                 "nothing is left: the other parts take " + sum->text() + " of " + all->text());
  lengths[*rest] = *left;
  return lengths;
}

/// Inside a part there is one clock that starts at 0: the one that its length is counted on.
Result<void> checkPartUnits(const SchedulerConfig& part, TimeUnit unit, const std::string& path) {
  const auto other = [&](const Time& time, const char* name) -> Error {
    return wrong(path, name,
                 time.text() + ": inside a chain counted in " + std::string{unitName(unit)} +
                     " only this unit or dur can be used; give " + name + ", for example, as 0.5dur");
  };
  for (const TimeSlot& slot : kSlots)
    if ((part.*slot.member) && (part.*slot.member)->unit() != unit) return other(*(part.*slot.member), slot.name);
  for (const Time& milestone : part.milestones)
    if (milestone.unit() != unit) return other(milestone, "milestones");
  if (part.name != "expression") return {};
  const auto formula = Expression::parse(part.expression, {"ba", "sp", "tok", "frac"}, path + ".expression");
  if (!formula) return formula.error();
  for (const char* clock : {"ba", "sp", "tok"})
    if (formula->uses(clock) && unitName(unit) != clock)
      return wrong(path, "expression",
                   std::string{"uses "} + clock + ": inside a chain counted in " + std::string{unitName(unit)} +
                       " only this clock and frac start at 0");
  return {};
}

Result<SchedulerConfig> resolveChain(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                     std::vector<std::string>& notes) {
  if (config.parts.empty()) return wrong(path, "parts", "is empty; a chain needs at least one part");
  if (run.length.maxDuration.unit() == TimeUnit::Second)
    return wrong(path, "name",
                 "chain needs to know how long its part 'rest' is, and max_duration is " +
                     run.length.maxDuration.text() +
                     "; give max_duration in ba, sp, tok or ep, or take another schedule");
  const auto lengths = partLengths(config, run, path);
  if (!lengths) return lengths.error();
  SchedulerConfig resolved = config;
  for (std::size_t index = 0; index < config.parts.size(); ++index) {
    ScheduleRun inside = run;
    inside.convert = nullptr;  // the clocks of a part start at 0
    inside.length.maxDuration = (*lengths)[index];
    // Inside the part ep has to become the unit that the part is counted in.
    if ((*lengths)[index].unit() == TimeUnit::Sample) inside.length.batchesPerEpoch.reset();
    const std::string partPath = partAt(path, index);
    auto part = resolveAt(config.parts[index], inside, partPath, notes);
    if (!part) return part.error();
    part->length = (*lengths)[index];
    if (part->name == "chain") {
      for (const SchedulerConfig& inner : part->parts)
        if (inner.length->unit() != part->length->unit())
          return wrong(partPath, "parts", "are counted in another unit than the part itself; use one unit");
    }
    if (auto fine = checkPartUnits(*part, part->length->unit(), partPath); !fine) return fine.error();
    resolved.parts[index] = *part;
  }
  return resolved;
}

Result<SchedulerConfig> resolveAt(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                  std::vector<std::string>& notes) {
  const ScheduleParameters* schedule = findSchedule(config.name);
  if (schedule == nullptr) {
    const std::string nearest = nearestName(config.name, scheduleNames());
    return wrong(path, "name",
                 "'" + config.name + "' is not known" + (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
  SchedulerConfig resolved = config;
  dropUnused(resolved, *schedule, path, notes);
  if (auto fine = checkNumbers(resolved, *schedule, path); !fine) return fine.error();
  if (config.name == "chain") return resolveChain(resolved, run, path, notes);
  for (const TimeSlot& slot : kSlots) {
    const ScheduleParameter* parameter = parameterOf(*schedule, slot.name);
    if (parameter == nullptr) continue;
    auto time = resolveSlot(resolved, slot, *parameter, run, path);
    if (!time) return time.error();
    resolved.*slot.member = *time;
  }
  for (Time& milestone : resolved.milestones) {
    auto time = resolveTime(milestone, run.length, run.ratio, path + ".milestones");
    if (!time) return time.error();
    milestone = *time;
  }
  countAsMax(resolved, run);
  if (auto fine = checkUnits(resolved, *schedule, path); !fine) return fine.error();
  if (auto fine = checkLengths(resolved, run, path); !fine) return fine.error();
  addSlips(resolved, config, run, path, notes);
  return resolved;
}

void collectTimes(const SchedulerConfig& config, const std::string& path, NamedTimes& times) {
  for (const TimeSlot& slot : kSlots)
    if (config.*slot.member) times[path + "." + slot.name] = (config.*slot.member)->text();
  for (std::size_t index = 0; index < config.milestones.size(); ++index)
    times[path + ".milestones[" + std::to_string(index) + "]"] = config.milestones[index].text();
  for (std::size_t index = 0; index < config.parts.size(); ++index)
    collectTimes(config.parts[index], partAt(path, index), times);
}

Result<std::optional<Time>> namedTime(const NamedTimes& times, const std::string& name) {
  const auto found = times.find(name);
  if (found == times.end()) return std::optional<Time>{};
  auto time = Time::parse(found->second);
  if (!time) return time.error().within(name);
  return std::optional<Time>{*time};
}

Result<SchedulerConfig> replaceTimes(const SchedulerConfig& config, const std::string& path, const NamedTimes& times) {
  const ScheduleParameters* schedule = findSchedule(config.name);
  SchedulerConfig resolved = config;
  for (const TimeSlot& slot : kSlots) {
    auto time = namedTime(times, path + "." + slot.name);
    if (!time) return time.error();
    resolved.*slot.member = *time;
    const ScheduleParameter* parameter = schedule == nullptr ? nullptr : parameterOf(*schedule, slot.name);
    const bool needed =
        parameter != nullptr && (parameter->need == ScheduleParameter::Need::Required || *parameter->fallback != '\0');
    if (needed && !*time) return wrong(path, slot.name, "is missing among the stored values");
  }
  for (std::size_t index = 0; index < resolved.milestones.size(); ++index) {
    const std::string name = "milestones[" + std::to_string(index) + "]";
    auto time = namedTime(times, path + "." + name);
    if (!time) return time.error();
    if (!*time) return wrong(path, name.c_str(), "is missing among the stored values");
    resolved.milestones[index] = **time;
  }
  for (std::size_t index = 0; index < resolved.parts.size(); ++index) {
    auto part = replaceTimes(resolved.parts[index], partAt(path, index), times);
    if (!part) return part.error();
    resolved.parts[index] = *part;
  }
  return resolved;
}

}  // namespace

Result<SchedulerConfig> resolveSchedule(const SchedulerConfig& config, const ScheduleRun& run,
                                        std::vector<std::string>& notes) {
  return resolveAt(config, run, "scheduler", notes);
}

NamedTimes scheduleTimes(const SchedulerConfig& resolved) {
  NamedTimes times;
  collectTimes(resolved, "scheduler", times);
  return times;
}

Result<SchedulerConfig> withScheduleTimes(const SchedulerConfig& config, const NamedTimes& times) {
  return replaceTimes(config, "scheduler", times);
}

bool countsOnly(const SchedulerConfig& resolved, TimeUnit unit) {
  const auto other = [unit](const Time& time) { return time.unit() != unit; };
  for (const TimeSlot& slot : kSlots)
    if ((resolved.*slot.member) && other(*(resolved.*slot.member))) return false;
  if (std::any_of(resolved.milestones.begin(), resolved.milestones.end(), other)) return false;
  if (resolved.name == "expression") {
    const auto formula = Expression::parse(resolved.expression, {"ba", "sp", "tok", "frac"}, "scheduler.expression");
    for (const char* clock : {"ba", "sp", "tok"})
      if (!formula || (unitName(unit) != clock && formula->uses(clock))) return false;
  }
  return std::all_of(resolved.parts.begin(), resolved.parts.end(),
                     [unit](const SchedulerConfig& part) { return countsOnly(part, unit); });
}

}  // namespace batchwise
