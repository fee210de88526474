// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/run_intervals.h"

#include <sstream>
#include <utility>

#include "core/base/return_if_error.h"
#include "core/config/default_values.h"
#include "core/run/messages.h"
#include "core/time/interval.h"

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

}  // namespace

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
  for (const auto& [field, times] : intervals) {
    std::string text;
    for (const Time& time : times) text += (text.empty() ? "" : ",") + time.text();
    resolved[field] = text;
  }
}

}  // namespace batchwise
