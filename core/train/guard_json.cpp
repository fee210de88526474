// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard_json.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
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
  if (Result<void> good = fields.result(); !good.ok()) return good.error();
  return passed;
}

Result<std::reference_wrapper<const json>> listOf(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return Error::corrupt(messages::guardsListMissing(name));
  return std::cref(*found);
}

Result<void> readSpike(const json& object, LossSpikeState& state) {
  const auto list = listOf(object, "loss_spike");
  if (!list.ok()) return list.error();
  for (const json& entry : list->get()) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !entry[1].is_number())
      return Error::corrupt(messages::lossSpikeStateInvalid());
    state.recent.push_back({entry[0].get<std::int64_t>(), entry[1].get<double>()});
  }
  return {};
}

Result<void> readPlateau(const json& object, PlateauState& state) {
  const auto list = listOf(object, "plateau");
  if (!list.ok()) return list.error();
  for (const json& loss : list->get()) {
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
  if (Result<void> good = fields.result(); !good.ok()) return good.error();
  if (Result<void> read = readSpike(object, state.lossSpike); !read.ok()) return read.error();
  if (Result<void> read = readPlateau(object, state.plateau); !read.ok()) return read.error();
  const auto passed = listOf(object, "passed_over");
  if (!passed.ok()) return passed.error();
  for (const json& stretch : passed->get()) {
    Result<SkippedRange> read = skippedRangeFromJson(stretch);
    if (!read.ok()) return read.error();
    state.skippedRanges.push_back(std::move(*read));
  }
  return state;
}

}  // namespace batchwise
