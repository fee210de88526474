// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/loop_state.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/config/events/json_fields.h"
#include "core/config/events/metric.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

using nlohmann::json;

// More than the tokens of any pack.
constexpr std::int64_t kMostPassesPerPack = std::int64_t{1} << 31;

void clocks(JsonWriter& archive, const char* key, const Timestamp& at) {
  archive.set(key, json::parse(timestampText(at)));
}
void clocks(JsonReader& archive, const char* key, Timestamp& at) {
  const json* found = archive.find(key);
  if (found == nullptr) return;
  if (found->is_object() && found->empty()) return archive.report(formatText("the field '{}' is missing", key));
  const auto read = timestampFromText(jsonText(*found));
  if (!read.ok()) return archive.report(inContextText(key, read.error().message));
  at = *read;
}

// Losses of steps, as pairs; losses, as numbers.
void losses(JsonWriter& archive, const char* key, const std::deque<LossSpikeState::Entry>& entries) {
  json pairs = json::array();
  for (const auto& [step, loss] : entries) pairs.push_back({step, loss});
  archive.set(key, std::move(pairs));
}
void losses(JsonReader& archive, const char* key, std::deque<LossSpikeState::Entry>& entries) {
  const json* found = archive.find(key);
  if (found == nullptr) return;
  if (!found->is_array()) return archive.wrongType(key, *found, kListNoun);
  for (const json& entry : *found) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer() || !entry[1].is_number())
      return archive.wrongType(key, entry, kListNoun);
    entries.push_back({entry[0].get<std::int64_t>(), entry[1].get<double>()});
  }
}
void losses(JsonWriter& archive, const char* key, const std::deque<double>& values) {
  archive.set(key, values);
}
void losses(JsonReader& archive, const char* key, std::deque<double>& values) {
  const json* found = archive.find(key);
  if (found == nullptr) return;
  const bool numbers =
      found->is_array() && std::ranges::all_of(*found, [](const json& value) { return value.is_number(); });
  if (!numbers) return archive.wrongType(key, *found, kListNoun);
  values = found->get<std::deque<double>>();
}

}  // namespace

template <class Archive, Describes<GrowthState> T>
void describe(Archive& archive, T& growth) {
  archive.field("global_units", growth.globalUnits);
  archive.field("loss_sum", growth.lossSum);
  archive.field("loss_count", growth.lossCount);
  clocks(archive, "evaluated_at", growth.evaluatedAt);
  archive.fieldUnlessZero("changed_at", growth.changedAt);
  archive.field("last_gradient_sq", growth.lastGradientSquared);
  archive.field("eval_loss", growth.evalLoss);
}

// Without the learning rate: at least one more part follows, and the last part sets it.
template <class Archive, Describes<BatchTotals> T>
void describe(Archive& archive, T& totals) {
  archive.field("parts", totals.parts);
  archive.field("samples", totals.samples);
  archive.field("tokens", totals.tokens);
  archive.field("computed_tokens", totals.computedTokens);
  archive.field("predicted", totals.predicted);
  archive.field("step_samples", totals.stepSamples);
  archive.field("loss_sum", totals.lossSum);
  archive.field("grad_norm", totals.gradNorm);
  archive.field("sec", totals.seconds);
  archive.field("grad_norm_sum", totals.gradNormSum);
  forEachMeasured([&](const Metric& metric, auto member) { archive.field(metric.name, totals.measured.*member); });
  archive.listUnlessEmpty("sources", totals.sources);
}

template <class Archive, Describes<NoiseEstimator::Block> T>
void describe(Archive& archive, T& block) {
  archive.field("tokens", block.tokens);
  archive.field("samples", block.samples);
  archive.field("trace", block.trace);
  archive.field("gradient_squared", block.gradientSquared);
}

template <class Archive, Describes<NoiseEstimator> T>
void describe(Archive& archive, T& noise) {
  archive.field("half_life", noise.halfLife);
  archive.listUnlessEmpty("blocks", noise.blocks);
}

template <class Archive, Describes<SkippedRange> T>
void describe(Archive& archive, T& range) {
  archive.field("from_step", range.fromStep);
  archive.field("to_step", range.toStep);
  archive.field("from_ba", range.fromBatch);
  archive.field("to_ba", range.toBatch);
  archive.field("from_sp", range.fromSample);
  archive.field("to_sp", range.toSample);
  archive.field("checkpoint", range.checkpoint);
}

template <class Archive, Describes<LossCourseState> T>
void describe(Archive& archive, T& state) {
  archive.field("first", state.first);
  losses(archive, "recent", state.recent);
  archive.field("non_finite", state.nonFinite);
  archive.field("lowest", state.lowest);
  archive.field("deviation", state.deviation);
  archive.field("risen", state.risen);
}

template <class Archive, Describes<GuardState> T>
void describe(Archive& archive, T& state) {
  archive.field("without_improvement", state.earlyStop.withoutImprovement);
  archive.field("best", state.earlyStop.best);
  losses(archive, "loss_spike", state.lossSpike.recent);
  losses(archive, "plateau", state.plateau.recent);
  losses(archive, "noise_scales", state.noiseScales);
  archive.list("skipped_ranges", state.skippedRanges);
  archive.object("loss_course", state.lossCourse);
}

template <class Archive, Describes<LoopState> T>
void describe(Archive& archive, T& state) {
  archive.field("microbatch_units", state.microbatchUnits);
  archive.field("skipped_in_a_row", state.skippedInARow);
  archive.field("passes_per_pack", state.passesPerPack);
  archive.object("noise", state.noise);
  archive.field("noise_mode", state.noiseMode);
  archive.fieldUnlessZero("stage", state.stage);
  if (state.stage > 0) clocks(archive, "stage_start", state.stageStart);
  archive.field("metric", state.metric);
  clocks(archive, "clock", state.now);
  clocks(archive, "batch_start", state.batchStart);
  archive.object("growth", state.growth);
  archive.object("window", state.window);
  archive.object("guards", state.guards);
}

std::string loopStateText(const LoopState& state) {
  JsonWriter writer;
  describe(writer, state);
  return writer.take().dump();
}

Result<LoopState> loopStateFromText(const std::string& text) {
  const json object = parseJsonOrDiscarded(text);
  JsonReader reader(object);
  LoopState state;
  describe(reader, state);
  if (!reader.problem().empty()) return Error::corrupt(inContextText("the state of the run", reader.problem()));
  if (state.growth.globalUnits < 0 || state.growth.lossCount < 0)
    return Error::corrupt("the state of batch growth holds a negative count");
  if (state.stage < 0 || state.microbatchUnits < 1 || state.passesPerPack < 1 || state.skippedInARow < 0)
    return Error::corrupt("the state of the run holds a count below the least possible");
  if (std::ranges::any_of(state.noise.blocks,
                          [](const auto& block) { return block.tokens <= 0 || block.samples <= 0; }))
    return Error::corrupt("the state of the noise scale holds a block without tokens");
  if (state.passesPerPack > kMostPassesPerPack)
    return Error::corrupt(formatText("the state of the run splits a pack into {} passes", state.passesPerPack));
  for (const auto clock :
       {&Timestamp::epoch, &Timestamp::batch, &Timestamp::step, &Timestamp::sample, &Timestamp::token})
    if (state.stageStart.*clock > state.now.*clock)
      return Error::corrupt("the state of the run holds a count below the least possible");
  return state;
}

}  // namespace batchwise
