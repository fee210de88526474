// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/records.h"

#include "core/base/json.h"

namespace batchwise {

std::map<std::string, ReresolvedValue> reresolvedValues(const RunDetail& run) {
  std::map<std::string, ReresolvedValue> reresolved;
  for (const RunSegment& segment : run.segments) {
    const nlohmann::json environment = parseJsonOrDiscarded(segment.environment);
    if (!environment.is_object()) continue;
    const auto resolved = environment.find("resolved");
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

std::map<std::string, std::string> currentResolvedValues(const RunDetail& run) {
  std::map<std::string, std::string> values = run.resolvedValues;
  for (const auto& [name, reresolved] : reresolvedValues(run)) {
    if (reresolved.value.empty())
      values.erase(name);
    else
      values[name] = reresolved.value;
  }
  return values;
}

}  // namespace batchwise
