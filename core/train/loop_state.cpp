// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/loop_state.h"

#include <utility>
#include <variant>

#include "core/base/json.h"
#include "core/store/record_text.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

// More than the tokens of any pack.
constexpr std::int64_t kMostPassesPerPack = std::int64_t{1} << 31;

/// A member of T and its key.
template <typename T>
struct Field {
  const char* key;
  std::variant<std::int64_t T::*, double T::*, std::string T::*> member;
};

constexpr Field<LoopState> kState[] = {{"microbatch_units", &LoopState::microbatchUnits},
                                       {"skipped_in_a_row", &LoopState::skippedInARow}};
constexpr Field<LoopState> kStage[] = {{"stage", &LoopState::stage}};
constexpr Field<LoopState> kPasses[] = {{"passes_per_pack", &LoopState::passesPerPack}};
constexpr Field<NoiseEstimate> kNoise[] = {{"noise_gradient", &NoiseEstimate::gradient},
                                           {"noise", &NoiseEstimate::noise}};
constexpr Field<GrowthState> kGrowth[] = {{"global_units", &GrowthState::globalUnits},
                                          {"loss_sum", &GrowthState::lossSum},
                                          {"loss_count", &GrowthState::lossCount}};
// Without the learning rate: at least one more part follows, and the last part sets it.
constexpr Field<BatchTotals> kTotals[] = {
    {"parts", &BatchTotals::parts},         {"samples", &BatchTotals::samples},
    {"tokens", &BatchTotals::tokens},       {"computed_tokens", &BatchTotals::computedTokens},
    {"predicted", &BatchTotals::predicted}, {"step_samples", &BatchTotals::stepSamples},
    {"loss_sum", &BatchTotals::lossSum},    {"grad_norm", &BatchTotals::gradNorm},
    {"sec", &BatchTotals::seconds}};
/// Written where there is a value. Without a sum of norms, a checkpoint is of a version that did not measure it.
constexpr struct {
  const char* key;
  std::optional<double> BatchTotals::*member;
} kOptionalTotals[] = {{"grad_norm_sum", &BatchTotals::gradNormSum},
                       {"attention_logit", &BatchTotals::largestLogit},
                       {"update_ratio", &BatchTotals::updateRatio},
                       {"loss_scale", &BatchTotals::lossScale},
                       {"mlm_probability", &BatchTotals::mlmProbability}};
constexpr Field<SkippedRange> kSkippedRange[] = {
    {"from_step", &SkippedRange::fromStep},   {"to_step", &SkippedRange::toStep},
    {"from_ba", &SkippedRange::fromBatch},    {"to_ba", &SkippedRange::toBatch},
    {"from_sp", &SkippedRange::fromSample},   {"to_sp", &SkippedRange::toSample},
    {"checkpoint", &SkippedRange::checkpoint}};
constexpr Field<EarlyStopState> kEarlyStop[] = {{"without_better", &EarlyStopState::withoutImprovement}};

json toJson(std::int64_t number) {
  return number;
}
json toJson(double number) {
  return jsonNumber(number);
}
json toJson(const std::string& text) {
  return text;
}
json toJson(const Timestamp& at) {
  return json::parse(timestampText(at));
}

template <typename T, std::size_t Count>
json toJson(const T& value, const Field<T> (&fields)[Count]) {
  json object;
  for (const Field<T>& field : fields)
    object[field.key] = std::visit([&](auto member) { return toJson(value.*member); }, field.member);
  return object;
}

// Each reads one value. Returns what is wrong with it; empty if nothing.
Message read(const json& from, std::int64_t& number) {
  const auto found = wholeNumberFromJson(from);
  number = found.value_or(0);
  return found ? Message() : messages::stateValueNotWholeNumber();
}
Message read(const json& from, double& number) {
  const auto found = numberFromJson(from);
  number = found.value_or(0);
  return found ? Message() : messages::storedClockNotNumber();
}
Message read(const json& from, std::string& text) {
  if (!from.is_string()) return messages::stateValueNotText();
  text = from.get<std::string>();
  return {};
}

/// Fails with Corrupt, naming the first field of `what` that is missing or has the wrong type.
template <typename T, std::size_t Count>
Result<void> readFields(const json& object, const Message& what, const Field<T> (&fields)[Count], T& value) {
  if (!object.is_object()) return Error::corrupt(messages::stateNotJsonObject(what));
  for (const Field<T>& field : fields) {
    const auto found = object.find(field.key);
    const Message wrong = found == object.end()
                              ? messages::storedValueMissing()
                              : std::visit([&](auto member) { return read(*found, value.*member); }, field.member);
    if (!wrong.empty()) return Error::corrupt(messages::stateFieldInvalid(field.key, what, wrong));
  }
  return {};
}

/// Reads a number that may be missing.
Result<void> readOptional(const json& object, const char* key, const Message& what, std::optional<double>& target) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const Message wrong = read(*found, target.emplace());
  if (!wrong.empty()) return Error::corrupt(messages::stateFieldInvalid(key, what, wrong));
  return {};
}

Result<void> readInto(const json& object, Timestamp& at) {
  if (object.is_object() && object.empty()) return Error::corrupt(messages::stateClocksMissing());
  ASSIGN_OR_RETURN(at, timestampFromText(jsonText(object)));
  return {};
}

Result<void> readInto(const json& object, BatchTotals& totals) {
  RETURN_IF_ERROR(readFields(object, messages::runningBatchSums(), kTotals, totals));
  for (const auto& field : kOptionalTotals) {
    (totals.*field.member).reset();
    RETURN_IF_ERROR(readOptional(object, field.key, messages::runningBatchSums(), totals.*field.member));
  }
  if (totals.parts == 0) totals.gradNormSum = 0.0;
  return {};
}

json totalsToJson(const BatchTotals& totals) {
  json object = toJson(totals, kTotals);
  for (const auto& field : kOptionalTotals)
    if (totals.*field.member) object[field.key] = jsonNumber(*(totals.*field.member));
  return object;
}

json growthToJson(const GrowthState& growth) {
  json object = toJson(growth, kGrowth);
  object["asked_at"] = toJson(growth.evaluatedAt);
  return object;
}

Result<void> readInto(const json& object, GrowthState& growth) {
  RETURN_IF_ERROR(readFields(object, messages::batchGrowthState(), kGrowth, growth));
  if (growth.globalUnits < 0 || growth.lossCount < 0) return Error::corrupt(messages::batchGrowthCountNegative());
  if (!object.contains("asked_at")) return Error::corrupt(messages::growthAskedAtMissing());
  return readInto(object.at("asked_at"), growth.evaluatedAt);
}

json guardsToJson(const GuardState& state) {
  json object = toJson(state.earlyStop, kEarlyStop);
  if (state.earlyStop.best) object["best"] = jsonNumber(*state.earlyStop.best);
  object["plateau"] = state.plateau.recent;
  object["loss_spike"] = json::array();
  for (const auto& [step, loss] : state.lossSpike.recent) object["loss_spike"].push_back({step, loss});
  object["passed_over"] = json::array();
  for (const SkippedRange& range : state.skippedRanges) object["passed_over"].push_back(toJson(range, kSkippedRange));
  return object;
}

Result<const json*> listIn(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return Error::corrupt(messages::guardsListMissing(key));
  return &*found;
}

Result<void> readInto(const json& object, GuardState& state) {
  RETURN_IF_ERROR(readFields(object, messages::guardsState(), kEarlyStop, state.earlyStop));
  RETURN_IF_ERROR(readOptional(object, "best", messages::guardsState(), state.earlyStop.best));
  ASSIGN_OR_RETURN(const json* spikes, listIn(object, "loss_spike"));
  for (const json& entry : *spikes) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !entry[1].is_number())
      return Error::corrupt(messages::lossSpikeStateInvalid());
    state.lossSpike.recent.push_back({entry[0].get<std::int64_t>(), entry[1].get<double>()});
  }
  ASSIGN_OR_RETURN(const json* losses, listIn(object, "plateau"));
  for (const json& loss : *losses) {
    if (!loss.is_number()) return Error::corrupt(messages::plateauStateInvalid());
    state.plateau.recent.push_back(loss.get<double>());
  }
  ASSIGN_OR_RETURN(const json* ranges, listIn(object, "passed_over"));
  for (const json& range : *ranges)
    RETURN_IF_ERROR(
        readFields(range, messages::skippedStretchState(), kSkippedRange, state.skippedRanges.emplace_back()));
  return {};
}

template <typename T>
Result<void> readPart(const json& object, const char* key, T& part) {
  const auto found = object.find(key);
  if (found == object.end()) return Error::corrupt(messages::runStateFieldMissing(key));
  return readInto(*found, part);
}

}  // namespace

std::string loopStateText(const LoopState& state) {
  json object = toJson(state, kState);
  object.update(toJson(state, kPasses));
  object.update(toJson(state.noise, kNoise));
  object["clock"] = toJson(state.now);
  object["batch_start"] = toJson(state.batchStart);
  if (state.stage > 0) object.update(toJson(state, kStage));
  if (state.stage > 0) object["stage_start"] = toJson(state.stageStart);
  object["growth"] = growthToJson(state.growth);
  object["window"] = totalsToJson(state.window);
  object["guards"] = guardsToJson(state.guards);
  if (state.metric) object["metric"] = jsonNumber(*state.metric);
  return object.dump();
}

Result<LoopState> loopStateFromText(const std::string& text) {
  const json object = parseJsonOrDiscarded(text);
  const Message what = messages::trainingRunState();
  LoopState state;
  RETURN_IF_ERROR(readFields(object, what, kState, state));
  RETURN_IF_ERROR(readFields(object, what, kNoise, state.noise));
  // Missing in checkpoints of versions that did not split packs.
  if (object.contains("passes_per_pack")) RETURN_IF_ERROR(readFields(object, what, kPasses, state));
  // Missing in the first stage.
  if (object.contains("stage")) {
    RETURN_IF_ERROR(readFields(object, what, kStage, state));
    RETURN_IF_ERROR(readPart(object, "stage_start", state.stageStart));
  }
  RETURN_IF_ERROR(readOptional(object, "metric", what, state.metric));
  if (state.stage < 0 || state.microbatchUnits < 0 || state.passesPerPack < 1 || state.skippedInARow < 0)
    return Error::corrupt(messages::runStateCountTooSmall());
  if (state.passesPerPack > kMostPassesPerPack)
    return Error::corrupt(messages::runStatePassCountInvalid(state.passesPerPack));
  RETURN_IF_ERROR(readPart(object, "clock", state.now));
  for (const auto clock :
       {&Timestamp::epoch, &Timestamp::batch, &Timestamp::step, &Timestamp::sample, &Timestamp::token})
    if (state.stageStart.*clock > state.now.*clock) return Error::corrupt(messages::runStateCountTooSmall());
  RETURN_IF_ERROR(readPart(object, "batch_start", state.batchStart));
  RETURN_IF_ERROR(readPart(object, "growth", state.growth));
  RETURN_IF_ERROR(readPart(object, "window", state.window));
  // Missing in checkpoints of versions without guards.
  if (object.contains("guards")) RETURN_IF_ERROR(readPart(object, "guards", state.guards));
  return state;
}

}  // namespace batchwise
