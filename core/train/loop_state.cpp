// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/loop_state.h"

#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/base/return_if_error.h"
#include "core/base/strict_json.h"
#include "core/train/exact_json.h"
#include "core/train/guard_json.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

// More than the tokens of any pack.
constexpr std::int64_t kMostPassesPerPack = std::int64_t{1} << 31;

template <typename T>
Result<void> readPart(const nlohmann::json& object, const char* name, Result<T> (*read)(const nlohmann::json&),
                      T& target) {
  const auto found = object.find(name);
  if (found == object.end()) return Error::corrupt(messages::runStateFieldMissing(name));
  ASSIGN_OR_RETURN(auto part, read(*found));
  target = std::move(part);
  return {};
}

}  // namespace

std::string loopStateText(const LoopState& state) {
  nlohmann::json object = {{"clock", clocksToJson(state.now)},
                           {"batch_start", clocksToJson(state.batchStart)},
                           {"growth", growthToJson(state.growth)},
                           {"window", totalsToJson(state.window)},
                           {"guards", guardStateToJson(state.guards)},
                           {"microbatch_units", state.microbatchUnits},
                           {"passes_per_pack", state.passesPerPack},
                           {"skipped_in_a_row", state.skippedInARow},
                           {"noise_gradient", jsonNumber(state.noise.gradient)},
                           {"noise", jsonNumber(state.noise.noise)}};
  if (state.metric) object["metric"] = jsonNumber(*state.metric);
  return object.dump();
}

Result<LoopState> loopStateFromText(const std::string& text) {
  const nlohmann::json object = parseJsonOrDiscarded(text);
  LoopState state;
  JsonFields fields(object, messages::trainingRunState());
  fields.read("microbatch_units", state.microbatchUnits);
  fields.read("skipped_in_a_row", state.skippedInARow);
  fields.read("noise_gradient", state.noise.gradient);
  fields.read("noise", state.noise.noise);
  // Missing in checkpoints of versions that did not split packs.
  if (object.is_object() && object.contains("passes_per_pack")) fields.read("passes_per_pack", state.passesPerPack);
  if (object.is_object() && object.contains("metric")) fields.read("metric", state.metric.emplace());
  RETURN_IF_ERROR(fields.result());
  if (state.microbatchUnits < 0 || state.passesPerPack < 1 || state.skippedInARow < 0)
    return Error::corrupt(messages::runStateCountTooSmall());
  if (state.passesPerPack > kMostPassesPerPack)
    return Error::corrupt(messages::runStatePassCountInvalid(state.passesPerPack));
  RETURN_IF_ERROR(readPart(object, "clock", clocksFromJson, state.now));
  RETURN_IF_ERROR(readPart(object, "batch_start", clocksFromJson, state.batchStart));
  RETURN_IF_ERROR(readPart(object, "growth", growthFromJson, state.growth));
  RETURN_IF_ERROR(readPart(object, "window", totalsFromJson, state.window));
  // Missing in checkpoints of versions without guards.
  if (object.contains("guards")) RETURN_IF_ERROR(readPart(object, "guards", guardStateFromJson, state.guards));
  return state;
}

}  // namespace batchwise
