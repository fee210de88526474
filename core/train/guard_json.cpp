// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard_json.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/base/return_if_error.h"
#include "core/train/exact_json.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

json skippedRangeToJson(const SkippedRange& passed) {
  return {{"from_step", passed.fromStep},   {"to_step", passed.toStep},     {"from_ba", passed.fromBatch},
          {"to_ba", passed.toBatch},        {"from_sp", passed.fromSample}, {"to_sp", passed.toSample},
          {"checkpoint", passed.checkpoint}};
}

Result<SkippedRange> skippedRangeFromJson(const json& object) {
  SkippedRange passed;
  JsonFields fields(object, messages::skippedStretchState());
  fields.read("from_step", passed.fromStep);
  fields.read("to_step", passed.toStep);
  fields.read("from_ba", passed.fromBatch);
  fields.read("to_ba", passed.toBatch);
  fields.read("from_sp", passed.fromSample);
  fields.read("to_sp", passed.toSample);
  fields.read("checkpoint", passed.checkpoint);
  RETURN_IF_ERROR(fields.result());
  return passed;
}

Result<std::reference_wrapper<const json>> listOf(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return Error::corrupt(messages::guardsListMissing(name));
  return std::cref(*found);
}

Result<void> readSpike(const json& object, LossSpikeState& state) {
  ASSIGN_OR_RETURN(const auto list, listOf(object, "loss_spike"));
  for (const json& entry : list.get()) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !entry[1].is_number())
      return Error::corrupt(messages::lossSpikeStateInvalid());
    state.recent.push_back({entry[0].get<std::int64_t>(), entry[1].get<double>()});
  }
  return {};
}

Result<void> readPlateau(const json& object, PlateauState& state) {
  ASSIGN_OR_RETURN(const auto list, listOf(object, "plateau"));
  for (const json& loss : list.get()) {
    if (!loss.is_number()) return Error::corrupt(messages::plateauStateInvalid());
    state.recent.push_back(loss.get<double>());
  }
  return {};
}

}  // namespace

json guardStateToJson(const GuardState& state) {
  json spike = json::array();
  for (const auto& [step, loss] : state.lossSpike.recent) spike.push_back({step, loss});
  json passed = json::array();
  for (const SkippedRange& stretch : state.skippedRanges) passed.push_back(skippedRangeToJson(stretch));
  json object = {{"loss_spike", std::move(spike)},
                 {"plateau", state.plateau.recent},
                 {"without_better", state.earlyStop.withoutImprovement},
                 {"passed_over", std::move(passed)}};
  if (state.earlyStop.best) object["best"] = jsonNumber(*state.earlyStop.best);
  return object;
}

Result<GuardState> guardStateFromJson(const json& object) {
  GuardState state;
  JsonFields fields(object, messages::guardsState());
  fields.read("without_better", state.earlyStop.withoutImprovement);
  if (object.is_object() && object.contains("best")) fields.read("best", state.earlyStop.best.emplace());
  RETURN_IF_ERROR(fields.result());
  RETURN_IF_ERROR(readSpike(object, state.lossSpike));
  RETURN_IF_ERROR(readPlateau(object, state.plateau));
  ASSIGN_OR_RETURN(const auto passed, listOf(object, "passed_over"));
  for (const json& stretch : passed.get()) {
    ASSIGN_OR_RETURN(auto read, skippedRangeFromJson(stretch));
    state.skippedRanges.push_back(std::move(read));
  }
  return state;
}

}  // namespace batchwise
