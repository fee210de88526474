// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/values_in_force.h"

#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"

namespace batchwise {
namespace {

constexpr const char* kResolved = "resolved";

}  // namespace

std::string environmentWithValues(const std::string& environment, const ResolvedValues& atLaunch,
                                  const ResolvedValues& now) {
  nlohmann::json object = storedJson(environment);
  nlohmann::json differing = nlohmann::json::object();
  for (const auto& [name, value] : now)
    if (const auto before = atLaunch.find(name); before == atLaunch.end() || before->second != value)
      differing[name] = value;
  // A schedule of another kind has other values; those of the launch do not count any more.
  for (const auto& [name, value] : atLaunch)
    if (name.starts_with("scheduler.") && !now.contains(name)) differing[name] = nullptr;
  object[kResolved] = std::move(differing);
  return object.dump();
}

std::map<std::string, ValueSince> valuesResolvedAnew(const RunDetail& run) {
  std::map<std::string, ValueSince> anew;
  for (const RunSegment& segment : run.segments) {
    const nlohmann::json environment = storedJson(segment.environment);
    if (!environment.is_object()) continue;
    const auto resolved = environment.find(kResolved);
    if (resolved == environment.end() || !resolved->is_object()) continue;  // as before: taken back by a guard, say
    std::map<std::string, ValueSince> now;
    for (const auto& [name, value] : resolved->items()) {
      if (!value.is_string() && !value.is_null()) continue;
      const std::string text = value.is_null() ? std::string() : value.get<std::string>();
      const auto before = anew.find(name);
      const bool stays = before != anew.end() && before->second.value == text;
      now[name] = {text, stays ? before->second.segment : segment.number};
    }
    anew = std::move(now);
  }
  return anew;
}

ResolvedValues valuesInForce(const RunDetail& run) {
  ResolvedValues values = run.resolvedValues;
  for (const auto& [name, anew] : valuesResolvedAnew(run)) {
    if (anew.value.empty())
      values.erase(name);
    else
      values[name] = anew.value;
  }
  return values;
}

}  // namespace batchwise
