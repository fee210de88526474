// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/roll_back.h"

#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"

namespace batchwise {

LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record) {
  LoopState state = now;
  state.guards.lossSpike = then.guards.lossSpike;
  state.guards.plateau = then.guards.plateau;
  state.guards.passedOver.push_back(
      {record.at.step, now.now.step, record.at.batch, now.now.batch, record.at.sample, now.now.sample, record.id});
  state.skippedInARow = 0;
  state.noise = then.noise;
  state.metric = then.metric;
  return state;
}

std::string rollBackText(const PassedOver& passed, const std::string& reason) {
  return "rolled back to checkpoint " + passed.checkpoint + " (step " + std::to_string(passed.fromStep) +
         "): " + reason + "; passes over what came after it, steps " + std::to_string(passed.fromStep + 1) + " to " +
         std::to_string(passed.toStep) + " (global batches from " + std::to_string(passed.fromBatch) + "ba to " +
         std::to_string(passed.toBatch) + "ba, samples from " + std::to_string(passed.fromSample) + "sp to " +
         std::to_string(passed.toSample) + "sp)";
}

std::string environmentWith(const std::string& environment, const PassedOver& passed) {
  nlohmann::json object = storedJson(environment);
  object["passed_over"] = {{"from_step", passed.fromStep}, {"to_step", passed.toStep},
                           {"from_ba", passed.fromBatch},  {"to_ba", passed.toBatch},
                           {"from_sp", passed.fromSample}, {"to_sp", passed.toSample}};
  return object.dump();
}

}  // namespace batchwise
