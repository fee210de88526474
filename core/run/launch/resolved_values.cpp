// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resolved_values.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/run/messages.h"
#include "core/time/run_length.h"

namespace batchwise {
namespace {

RunIntervals intervalsOf(const TrainConfig& config) {
  RunIntervals all = {{"eval.interval", evalInterval(config)},
                      {"checkpoint.interval", checkpointInterval(config)},
                      {"checkpoint.keep_every", {}},
                      {"log.interval", {config.log.interval}}};
  if (config.checkpoint.keepEvery) all["checkpoint.keep_every"] = {*config.checkpoint.keepEvery};
  return all;
}

Result<std::vector<Time>> readTimes(const std::string& text, const std::string& field) {
  std::vector<Time> times;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const Result<Time> time = Time::parse(part);
    if (!time.ok()) return time.error().within(messages::storedIntervalValueContext(field));
    times.push_back(*time);
  }
  return times;
}

Result<std::vector<Time>> resolveAll(const std::vector<Time>& intervals, const RunLength& length,
                                     const std::string& field) {
  ASSIGN_OR_RETURN(const auto set, IntervalSet::resolve(intervals, length, AtEnd::Fire, field));
  return set.resolved();
}

constexpr const char* kResolved = "resolved";

}  // namespace

RunLength intervalLength(const RunPlan& runPlan, std::size_t stage) {
  RunLength length = runPlan.plans()[stage].runLength();
  length.maxDuration = runPlan.maxDuration();
  return length;
}

Result<RunIntervals> resolveIntervals(const TrainConfig& config, const RunLength& length) {
  return keepIntervals(config, length, config, {});
}

Result<RunIntervals> keepIntervals(const TrainConfig& config, const RunLength& length, const TrainConfig& before,
                                   const ResolvedValues& resolved) {
  RunIntervals intervals;
  const RunIntervals earlier = intervalsOf(before);
  for (const auto& [field, wanted] : intervalsOf(config)) {
    const auto stored = resolved.find(field);
    const bool keeps = stored != resolved.end() && earlier.at(field) == wanted;
    ASSIGN_OR_RETURN(auto times, keeps ? readTimes(stored->second, field) : resolveAll(wanted, length, field));
    intervals[field] = std::move(times);
  }
  return intervals;
}

void storeIntervals(const RunIntervals& intervals, ResolvedValues& resolved) {
  for (const auto& [field, times] : intervals) resolved[field] = joined(times, ",", &Time::text);
}

std::string environmentWithValues(const std::string& environment, const ResolvedValues& atLaunch,
                                  const ResolvedValues& now) {
  nlohmann::json object = parseJsonOrDiscarded(environment);
  nlohmann::json differing = nlohmann::json::object();
  for (const auto& [name, value] : now)
    if (const auto before = atLaunch.find(name); before == atLaunch.end() || before->second != value)
      differing[name] = value;
  // Another kind of schedule has other values, so those of the launch no longer apply.
  for (const auto& [name, value] : atLaunch)
    if (name.starts_with("scheduler.") && !now.contains(name)) differing[name] = nullptr;
  object[kResolved] = std::move(differing);
  return object.dump();
}

}  // namespace batchwise
