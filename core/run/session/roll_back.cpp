// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/roll_back.h"

#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"
#include "core/run/messages.h"

namespace batchwise {

LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record) {
  LoopState state = now;
  state.guards.lossSpike = then.guards.lossSpike;
  state.guards.plateau = then.guards.plateau;
  state.guards.skippedRanges.push_back(
      {record.at.step, now.now.step, record.at.batch, now.now.batch, record.at.sample, now.now.sample, record.id});
  state.skippedInARow = 0;
  state.noise = then.noise;
  state.metric = then.metric;
  return state;
}

Message rollBackText(const SkippedRange& passed, const Message& reason) {
  return messages::rolledBackToCheckpoint(passed.checkpoint, passed.fromStep, reason, passed.fromStep + 1,
                                          passed.toStep, passed.fromBatch, passed.toBatch, passed.fromSample,
                                          passed.toSample);
}

std::string environmentWithRollBack(const std::string& environment, const SkippedRange& passed) {
  nlohmann::json object = parseJsonOrDiscarded(environment);
  object["passed_over"] = {{"from_step", passed.fromStep}, {"to_step", passed.toStep},
                           {"from_ba", passed.fromBatch},  {"to_ba", passed.toBatch},
                           {"from_sp", passed.fromSample}, {"to_sp", passed.toSample}};
  return object.dump();
}

}  // namespace batchwise
