// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/schedule_parameters.h"
#include "core/config/time/time.h"
#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/expression.h"
#include "core/plan/schedule/schedule.h"

namespace batchwise {
namespace {

/// A Time parameter: its struct member and its name in files.
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
/// In order of resolution: t_max first, since other defaults take its unit.
constexpr TimeSlot kSlots[] = {kMax, kWarmup, kStep, kPeriod, kFirst, kDecay, kCosine, kCooldown, kLength};

const ScheduleParameter* parameterOf(const ScheduleParameters& schedule, std::string_view name) {
  const auto found = std::find_if(schedule.parameters.begin(), schedule.parameters.end(),
                                  [&](const ScheduleParameter& parameter) { return parameter.name == name; });
  return found == schedule.parameters.end() ? nullptr : &*found;
}

Error wrong(const std::string& path, const char* name, std::string what) {
  return Error::config(path + "." + name, std::move(what));
}

std::string partAt(const std::string& path, std::size_t index) {
  return path + ".parts[" + std::to_string(index) + "]";
}

/// Drops parameters that the schedule does not read and adds a note for each.
void dropUnused(SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path,
                std::vector<FieldProblem>& notes) {
  const auto say = [&](const char* name) {
    notes.push_back({path + "." + name, formatText("not used by {}", schedule.schedule)});
  };
  for (const TimeSlot& slot : kSlots) {
    if (slot.member == kLength.member || !(config.*slot.member) || parameterOf(schedule, slot.name)) continue;
    say(slot.name);
    (config.*slot.member).reset();
  }
  for (const ScheduleNumber& slot : kScheduleNumbers)
    if ((config.*slot.member) && !parameterOf(schedule, slot.name)) say(slot.name);
  if (config.decaySchedule != DecayShape::Linear && !parameterOf(schedule, "decay_schedule")) say("decay_schedule");
  if (!config.milestones.empty() && !parameterOf(schedule, "milestones")) {
    say("milestones");
    config.milestones.clear();
  }
}

bool isRequired(const ScheduleParameter* parameter) {
  return parameter != nullptr && parameter->requirement == ScheduleParameter::Requirement::Required;
}

Result<void> checkNumbers(const SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path) {
  for (const ScheduleNumber& slot : kScheduleNumbers)
    if (!(config.*slot.member) && isRequired(parameterOf(schedule, slot.name)))
      return wrong(path, slot.name, formatText("is missing; {} needs it, for example 0.9", config.name));
  return {};
}

bool measuredInSeconds(const ScheduleRun& run) {
  return run.length.maxDuration.unit() == TimeUnit::Second;
}

/// Resolves one Time, or its default. The default t_max is the end of the run; a run measured in seconds has none.
Result<std::optional<Time>> resolveSlot(const SchedulerConfig& config, const TimeSlot& slot,
                                        const ScheduleParameter& parameter, const ScheduleRun& run,
                                        const std::string& path) {
  const std::string field = path + "." + slot.name;
  std::optional<Time> time = config.*slot.member;
  const std::string_view fallback{parameter.fallback};
  if (!time) {
    if (isRequired(&parameter))
      return wrong(path, slot.name, formatText("is missing; {} needs it, for example 0.1dur", config.name));
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
  ASSIGN_OR_RETURN(auto resolved, resolveTime(*time, run.length, scaled ? run.ratio : 1.0, field));
  return std::optional<Time>{resolved};
}

/// Converts the warm-up to the unit of t_max where the run knows both exactly. 0 is 0 in every unit.
void convertWarmupUnit(SchedulerConfig& config, const ScheduleRun& run) {
  if (!config.tWarmup || !config.tMax || config.tWarmup->unit() == config.tMax->unit()) return;
  if (config.tWarmup->count() == 0) config.tWarmup = Time::of(0, config.tMax->unit());
  if (!run.convert) return;
  if (const auto same = run.convert(*config.tWarmup, config.tMax->unit())) config.tWarmup = *same;
}

/// Requires the other Times of curves measured against t_max to have its unit.
Result<void> checkUnits(const SchedulerConfig& config, const ScheduleParameters& schedule, const std::string& path) {
  if (!config.tMax) return {};
  for (const TimeSlot& slot : kSlots) {
    const auto& time = config.*slot.member;
    if (time && parameterOf(schedule, slot.name) && time->unit() != config.tMax->unit())
      return wrong(path, slot.name,
                   formatText("{} and t_max {} have different units; give both in the same, or t_max in {}",
                              time->text(), config.tMax->text(), unitName(time->unit())));
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
                   formatText("comes to {} in this run, so nothing is left of it; use a longer time", time->text()));
    return {};
  };
  for (const TimeSlot& slot : {kMax, kStep, kPeriod, kFirst, kCosine}) {
    if (isFlat(config) && slot.member == kMax.member) continue;
    RETURN_IF_ERROR(positive(slot));
  }
  if (config.name == "inverse_sqrt") RETURN_IF_ERROR(positive(kWarmup));
  if (config.name != "cosine_annealing_warm_restarts") return {};
  const long long end = periodsEnd(config.t0->count(), config.tMult.value_or(1.0));
  const auto all = resolveTime(Time::duration(1.0), run.length, 1.0, path);
  if (end >= 0 && (!all || all->unit() != config.t0->unit() || all->count() > end))
    return wrong(path, "t_mult",
                 formatText("{} shrinks the periods to nothing after {}; use 1 or more", formatExact(*config.tMult),
                            Time::of(end, config.t0->unit()).text()));
  return {};
}

/// Returns whether t_max ends something: a cool-down of cosine_inverse_sqrt is all that it has an end of.
bool hasEnd(const SchedulerConfig& config) {
  if (isFlat(config) || !config.tMax) return false;
  return config.name != "cosine_inverse_sqrt" || config.tCooldown->count() > 0;
}

/// Describes the schedule if the warm-up takes all of t_max.
std::string noDecayText(const SchedulerConfig& config) {
  const bool falls = config.name == "warmup_stable_decay" || config.name == "cosine_inverse_sqrt";
  if (falls && config.alphaF.value_or(0.0) < 1.0) return "the rate falls at once when the warm-up ends";
  return "the rate stays where the warm-up ends";
}

/// Returns what the schedule at `path` covers.
std::string wholeOf(const std::string& path) {
  return path.ends_with(']') ? "the part" : "the run";
}

/// Describes what follows a t_max before the end of the run.
std::string afterEndText(const SchedulerConfig& config, const std::string& whole, const Time& all) {
  const auto text = [&](const std::string& what) {
    return formatText("{} is shorter than {} ({}); {}", config.tMax->text(), whole, all.text(), what);
  };
  if (!hasEnd(config)) return text("the rate keeps changing after it");
  const bool falls = config.name == "warmup_stable_decay" && config.decaySchedule == DecayShape::Linear &&
                     config.tDecay->count() > 0 && config.alphaF != 1.0;
  if (falls)
    return text(config.alphaF.value_or(0.0) < 1.0 ? "the rate keeps falling after it, to 0"
                                                  : "the rate keeps changing after it");
  if (config.name == "expression" && !usesOnlyClock(config, config.tMax->unit()))
    return text(formatText("frac and {} stop there, and the expression follows its other clocks",
                           unitName(config.tMax->unit())));
  return text("its last value holds from there on");
}

/// "1 % of 97 batches is less than one batch": a warm-up that is lost to rounding.
std::string lostWarmupText(const Time& typed, const Time& all) {
  constexpr std::pair<const char*, const char*> kWords[] = {{"epoch", "epochs"},   {"batch", "batches"},
                                                            {"sample", "samples"}, {"token", "tokens"},
                                                            {"part", "parts"},     {"second", "seconds"}};
  const auto& [one, many] = kWords[static_cast<std::size_t>(all.unit())];
  if (typed.unit() == TimeUnit::Epoch)
    return formatText("{} of an epoch is less than one batch: there is no warm-up",
                      formatValue(100 * typed.number()) + " %");
  const bool isShare = typed.unit() == TimeUnit::Duration;
  return formatText("{} of {} is less than one {}: there is no warm-up",
                    isShare ? formatValue(100 * typed.number()) + " %" : typed.text() + ", scaled,",
                    formatInteger(all.count()) + " " + (all.count() == 1 ? one : many), one);
}

/// Notes a warm-up that leaves no time for what follows it.
void noteWarmupMistakes(const SchedulerConfig& config, const Time& warmup, const Result<Time>& all,
                        const std::string& whole, const std::string& at, std::vector<FieldProblem>& notes) {
  const bool beyondRun = all && all->unit() == warmup.unit() && warmup.count() > all->count();
  const bool beyondMax = hasEnd(config) && warmup.count() >= config.tMax->count();
  if (beyondRun)
    notes.push_back({at, formatText("{} is longer than {} ({}), so the rate never reaches its peak", warmup.text(),
                                    whole, all->text())});
  else if (beyondMax)
    notes.push_back({at, formatText("{} takes all of t_max ({}), so nothing is left for the decay: {}", warmup.text(),
                                    config.tMax->text(), noDecayText(config))});
}

std::string noRoomText(bool cools, bool warmed) {
  if (cools) return warmed ? "so it begins where the warm-up ends and is steeper" : "so it takes all of t_max";
  return warmed ? "so the rate drops at once when the warm-up ends"
                : "so the rate starts inside the decay, below its peak";
}

/// Notes a decay or cool-down longer than what is left of t_max.
void noteDecayMistakes(const SchedulerConfig& config, const std::string& path, std::vector<FieldProblem>& notes) {
  const bool cools = config.name == "cosine_inverse_sqrt";
  const auto& decay = cools ? config.tCooldown : config.tDecay;
  if (!decay || !config.tMax || decay->count() == 0) return;
  const std::int64_t warmup = config.tWarmup ? config.tWarmup->count() : 0;
  const std::int64_t left = config.tMax->count() - warmup;
  if (left <= 0 || decay->count() <= left) return;
  const std::string consequence = noRoomText(cools, warmup > 0);
  notes.push_back(
      {path + (cools ? ".t_cooldown" : ".t_decay"),
       formatText("{} is longer than what t_max ({}) leaves{}, {}", decay->text(), config.tMax->text(),
                  warmup > 0 ? formatText(" after t_warmup ({})", config.tWarmup->text()) : "", consequence)});
}

void noteMistakes(const SchedulerConfig& config, const SchedulerConfig& typed, const ScheduleRun& run,
                  const std::string& path, std::vector<FieldProblem>& notes) {
  const auto all = resolveTime(Time::duration(1.0), run.length, 1.0, path);
  const bool comparable = all && config.tMax && all->unit() == config.tMax->unit();
  const bool decays =
      !isFlat(config) && !(config.tWarmup && config.tMax && config.tWarmup->count() >= config.tMax->count());
  if (comparable && decays && config.tMax->count() < all->count())
    notes.push_back({path + ".t_max", afterEndText(config, wholeOf(path), *all)});
  if (config.tWarmup) {
    noteWarmupMistakes(config, *config.tWarmup, all, wholeOf(path), path + ".t_warmup", notes);
    if (config.tWarmup->count() == 0 && typed.tWarmup && typed.tWarmup->number() > 0 && all && all->isWhole())
      notes.push_back({path + ".t_warmup", lostWarmupText(*typed.tWarmup, *all)});
  }
  noteDecayMistakes(config, path, notes);
  for (std::size_t index = 1; index < config.milestones.size(); ++index) {
    const auto order = compare(config.milestones[index - 1], config.milestones[index]);
    if (order && *order == std::partial_ordering::greater) {
      notes.push_back({path + ".milestones",
                       formatText("{} is listed after {}; each takes effect at its own time, whatever the order",
                                  config.milestones[index].text(), config.milestones[index - 1].text())});
      break;
    }
  }
}

Result<SchedulerConfig> resolveAt(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                  std::vector<FieldProblem>& notes);

/// Returns the lengths of a chain's parts, all in one unit; `rest` takes what is left.
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
    ASSIGN_OR_RETURN(auto length, resolveTime(*part.length, run.length, run.ratio, partPath(index) + ".duration"));
    if (length.count() == 0)
      return wrong(partPath(index), "duration",
                   formatText("{} rounds to 0 in this run; use more", part.length->text()));
    if (sum && sum->unit() != length.unit())
      return wrong(partPath(index), "duration",
                   formatText("{} has another unit than the parts before ({}); use one unit for all parts",
                              length.text(), unitName(sum->unit())));
    lengths[index] = length;
    auto longer = sum ? add(*sum, length) : Result<Time>{length};
    if (!longer) return longer.error().about(path);
    sum = *longer;
  }
  if (!rest) return lengths;
  ASSIGN_OR_RETURN(const auto all, resolveTime(Time::duration(1.0), run.length, 1.0, partPath(*rest) + ".duration"));
  const auto left = sum ? subtract(all, *sum) : Result<Time>{all};
  if (!left)
    return wrong(partPath(*rest), "duration",
                 formatText("the rest of {} cannot be taken from parts in {}; give them in {}", all.text(),
                            unitName(sum->unit()), unitName(all.unit())));
  if (left->count() <= 0)
    return wrong(partPath(*rest), "duration",
                 formatText("nothing is left: the other parts take {} of {}", sum->text(), all.text()));
  lengths[*rest] = *left;
  return lengths;
}

/// Requires the Times of a part to have the unit of its length: the only clock that restarts at 0 in a part.
Result<void> checkPartUnits(const SchedulerConfig& part, TimeUnit unit, const std::string& path) {
  const auto other = [&](const Time& time, const char* name) -> Error {
    return wrong(
        path, name,
        formatText(
            "{}: inside a chain counted in {} only this unit or dur can be used; give {}, for example, as 0.5dur",
            time.text(), unitName(unit), name));
  };
  for (const TimeSlot& slot : kSlots)
    if ((part.*slot.member) && (part.*slot.member)->unit() != unit) return other(*(part.*slot.member), slot.name);
  for (const Time& milestone : part.milestones)
    if (milestone.unit() != unit) return other(milestone, "milestones");
  if (part.name != "expression") return {};
  ASSIGN_OR_RETURN(const auto formula,
                   Expression::parse(part.expression, {"ba", "sp", "tok", "frac"}, path + ".expression"));
  for (const char* clock : {"ba", "sp", "tok"})
    if (formula.uses(clock) && unitName(unit) != clock)
      return wrong(path, "expression",
                   formatText("uses {}: inside a chain counted in {} only this clock and frac start at 0", clock,
                              unitName(unit)));
  return {};
}

Result<SchedulerConfig> resolveChain(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                     std::vector<FieldProblem>& notes) {
  if (config.parts.empty()) return wrong(path, "parts", "is empty; a chain needs at least one part");
  if (run.length.maxDuration.unit() == TimeUnit::Second)
    return wrong(path, "name",
                 formatText("chain needs to know how long its part 'rest' is, and max_duration is {}; give "
                            "max_duration in ba, sp, tok or ep, or use another schedule",
                            run.length.maxDuration.text()));
  ASSIGN_OR_RETURN(const auto lengths, partLengths(config, run, path));
  SchedulerConfig resolved = config;
  for (std::size_t index = 0; index < config.parts.size(); ++index) {
    ScheduleRun inside = run;
    inside.convert = nullptr;  // a part's clocks start at 0
    inside.length.maxDuration = lengths[index];
    // Inside a part, ep must resolve to the unit of the part's length.
    if (lengths[index].unit() == TimeUnit::Sample) inside.length.batchesPerEpoch.reset();
    const std::string partPath = partAt(path, index);
    ASSIGN_OR_RETURN(auto part, resolveAt(config.parts[index], inside, partPath, notes));
    part.length = lengths[index];
    if (part.name == "chain") {
      for (const SchedulerConfig& inner : part.parts)
        if (inner.length->unit() != part.length->unit())
          return wrong(partPath, "parts", "are counted in another unit than the part itself; use one unit");
    }
    RETURN_IF_ERROR(checkPartUnits(part, part.length->unit(), partPath));
    resolved.parts[index] = part;
  }
  return resolved;
}

Result<SchedulerConfig> resolveAt(const SchedulerConfig& config, const ScheduleRun& run, const std::string& path,
                                  std::vector<FieldProblem>& notes) {
  const ScheduleParameters* schedule = findSchedule(config.name);
  if (schedule == nullptr)
    return wrong(path, "name",
                 formatText("'{}' is not known{}", config.name, nearestNameText(config.name, scheduleNames())));
  SchedulerConfig resolved = config;
  dropUnused(resolved, *schedule, path, notes);
  RETURN_IF_ERROR(checkNumbers(resolved, *schedule, path));
  if (config.name == "chain") return resolveChain(resolved, run, path, notes);
  for (const TimeSlot& slot : kSlots) {
    const ScheduleParameter* parameter = parameterOf(*schedule, slot.name);
    if (parameter == nullptr) continue;
    ASSIGN_OR_RETURN(auto time, resolveSlot(resolved, slot, *parameter, run, path));
    resolved.*slot.member = time;
  }
  for (Time& milestone : resolved.milestones) {
    ASSIGN_OR_RETURN(auto time, resolveTime(milestone, run.length, run.ratio, path + ".milestones"));
    milestone = time;
  }
  convertWarmupUnit(resolved, run);
  RETURN_IF_ERROR(checkUnits(resolved, *schedule, path));
  RETURN_IF_ERROR(checkLengths(resolved, run, path));
  noteMistakes(resolved, config, run, path, notes);
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
  if (!time) return time.error().about(name);
  return std::optional<Time>{*time};
}

Result<SchedulerConfig> replaceTimes(const SchedulerConfig& config, const std::string& path, const NamedTimes& times) {
  const ScheduleParameters* schedule = findSchedule(config.name);
  SchedulerConfig resolved = config;
  for (const TimeSlot& slot : kSlots) {
    ASSIGN_OR_RETURN(auto time, namedTime(times, path + "." + slot.name));
    resolved.*slot.member = time;
    const ScheduleParameter* parameter = schedule == nullptr ? nullptr : parameterOf(*schedule, slot.name);
    const bool needed = parameter != nullptr && (isRequired(parameter) || *parameter->fallback != '\0');
    if (needed && !time) return wrong(path, slot.name, "is missing among the stored values");
  }
  for (std::size_t index = 0; index < resolved.milestones.size(); ++index) {
    const std::string name = "milestones[" + std::to_string(index) + "]";
    ASSIGN_OR_RETURN(auto time, namedTime(times, path + "." + name));
    if (!time) return wrong(path, name.c_str(), "is missing among the stored values");
    resolved.milestones[index] = *time;
  }
  for (std::size_t index = 0; index < resolved.parts.size(); ++index) {
    ASSIGN_OR_RETURN(auto part, replaceTimes(resolved.parts[index], partAt(path, index), times));
    resolved.parts[index] = part;
  }
  return resolved;
}

}  // namespace

Result<SchedulerConfig> resolveSchedule(const SchedulerConfig& config, const ScheduleRun& run,
                                        std::vector<FieldProblem>& notes) {
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

bool usesOnlyClock(const SchedulerConfig& resolved, TimeUnit unit) {
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
                     [unit](const SchedulerConfig& part) { return usesOnlyClock(part, unit); });
}

}  // namespace batchwise
