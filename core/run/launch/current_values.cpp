// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/current_values.h"

#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"

namespace batchwise {
namespace {

constexpr const char* kResolved = "resolved";

}  // namespace

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

std::map<std::string, ReresolvedValue> reresolvedValues(const RunDetail& run) {
  std::map<std::string, ReresolvedValue> reresolved;
  for (const RunSegment& segment : run.segments) {
    const nlohmann::json environment = parseJsonOrDiscarded(segment.environment);
    if (!environment.is_object()) continue;
    const auto resolved = environment.find(kResolved);
    if (resolved == environment.end() || !resolved->is_object()) continue;  // unchanged, as after a roll-back
    std::map<std::string, ReresolvedValue> now;
    for (const auto& [name, value] : resolved->items()) {
      if (!value.is_string() && !value.is_null()) continue;
      const std::string text = value.is_null() ? std::string() : value.get<std::string>();
      const auto before = reresolved.find(name);
      const bool stays = before != reresolved.end() && before->second.value == text;
      now[name] = {text, stays ? before->second.segment : segment.number};
    }
    reresolved = std::move(now);
  }
  return reresolved;
}

ResolvedValues currentResolvedValues(const RunDetail& run) {
  ResolvedValues values = run.resolvedValues;
  for (const auto& [name, reresolved] : reresolvedValues(run)) {
    if (reresolved.value.empty())
      values.erase(name);
    else
      values[name] = reresolved.value;
  }
  return values;
}

}  // namespace batchwise
