// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_decision.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/format.h"
#include "core/config/default_values.h"
#include "core/config/run_stages.h"
#include "core/config/schema.h"
#include "core/plan/schedule/schedule.h"
#include "core/run/launch/fork_stage.h"
#include "core/store/checkpoints/checkpoint_selection.h"

namespace batchwise {
namespace {

using Reason = ResumeRefusal::Reason;

/// What a change of a field does, and what it needs if the run is to go on: nothing, another name, a fork, or
/// --stretch, because the field was resolved at launch and is kept.
struct FieldRule {
  std::string_view path;  ///< of a field or a group
  ChangeEffect effect = ChangeEffect::None;
  std::optional<Reason> needs = {};
};
// The first rule that fits holds. Fields without one change nothing. A fork is needed where samples, masks, weights or
// numerics change, so that earlier training would lose its meaning.
constexpr FieldRule kFieldRules[] = {
    {"name", ChangeEffect::None, Reason::Rename},
    {"seed", ChangeEffect::Samples, Reason::ForkRequired},
    {"stages", ChangeEffect::Samples, Reason::ForkRequired},
    {"tokenizer.path"},  // the same vocabulary elsewhere: its content is compared
    {"tokenizer", ChangeEffect::Samples, Reason::ForkRequired},
    {"data.eval"},
    {"data.train"},  // the same text elsewhere, too
    {"data.mlm_probability", ChangeEffect::Masks, Reason::ForkRequired},
    {"data.mlm_probability_end", ChangeEffect::Masks, Reason::ForkRequired},
    {"data.mask_unit", ChangeEffect::Masks, Reason::ForkRequired},
    {"data.attention_across_documents", ChangeEffect::Numbers, Reason::ForkRequired},
    {"data", ChangeEffect::Samples, Reason::ForkRequired},
    {"batch.device_train_microbatch_size", ChangeEffect::Rounding},
    {"batch.reserve"},
    {"batch.round"},
    {"batch.tokens.metrics_path", ChangeEffect::None, Reason::StretchRequired},
    {"batch", ChangeEffect::Samples, Reason::StretchRequired},
    {"devices.activation_checkpointing"},
    {"devices.memory_limit"},
    {"devices", ChangeEffect::Rounding},
    {"model.init_from"},
    {"model", ChangeEffect::Numbers, Reason::ForkRequired},
    {"precision", ChangeEffect::Numbers, Reason::ForkRequired},
    {"optimizer.name", ChangeEffect::Numbers, Reason::ForkRequired},
    {"optimizer", ChangeEffect::Numbers},
    {"scheduler", ChangeEffect::Numbers, Reason::StretchRequired},
    {"lr_scaling", ChangeEffect::Numbers, Reason::StretchRequired},
    {"scale_schedule_ratio", ChangeEffect::Numbers, Reason::StretchRequired},
    // Guards that can skip a step or roll back; what the others do ends or pauses the run.
    {"guard.non_finite", ChangeEffect::Numbers},
    {"guard.loss_spike", ChangeEffect::Numbers},
    {"guard.grad_norm", ChangeEffect::Numbers},
    {"guard.update_ratio", ChangeEffect::Numbers},
    {"guard.attention_logit", ChangeEffect::Numbers},
};

FieldRule ruleOf(const std::string& field) {
  const auto* found = std::ranges::find_if(kFieldRules, [&](const FieldRule& rule) {
    return field.starts_with(rule.path) && (field.size() == rule.path.size() || field[rule.path.size()] == '.');
  });
  return found == std::end(kFieldRules) ? FieldRule{} : *found;
}

// Returns why a change of `field` is no resume of the same run; nothing if it is.
std::optional<Reason> refusalOf(const std::string& field, bool stretches) {
  const auto needs = ruleOf(field).needs;
  return stretches && needs == Reason::StretchRequired ? std::nullopt : needs;
}

// Returns whether the schedule is resolved again. Checkpoints of segments that this request created already hold the
// stretched one.
bool stretchesFrom(const LaunchRequest& request, const CheckpointRecord& from) {
  return request.stretch && (!request.firstSegment || from.segment < *request.firstSegment);
}

// Sets what the request assigns, also if that is the value of the launch.
TrainConfig withAssigned(TrainConfig config, const LoadedConfig& request) {
  for (const std::string& path : request.assigned) {
    const Field& field = *findField(path);
    field.set(config, field.get(request.config));
  }
  return withDefaults(std::move(config));
}

bool isAtTheEnd(const RunSummary& run, const CheckpointRecord& from) {
  return run.status == RunStatus::Finished && run.plannedBatches > 0 && from.at.batch >= run.plannedBatches;
}

void noteEffect(const std::string& field, ResumeDecision& decision) {
  const ChangeEffect effect = effectOfChange(field);
  if (effect == ChangeEffect::None || effect < decision.effect) return;
  if (effect > decision.effect) decision.effectiveFields.clear();
  decision.effect = effect;
  decision.effectiveFields.push_back(field);
}

// Returns the clocks at which `run` was to end before a change of its length, as far as they can be known without its
// data: those of a finished run, else those it has, times what is left.
Timestamp plannedEnd(const RunSummary& run, const Time& maxDuration) {
  Timestamp end = run.at;
  if (run.at.batch > 0 && run.plannedBatches > run.at.batch) {
    const double more = static_cast<double>(run.plannedBatches) / static_cast<double>(run.at.batch);
    end.batch = run.plannedBatches;
    end.sample = std::llround(static_cast<double>(run.at.sample) * more);
    end.token = std::llround(static_cast<double>(run.at.token) * more);
  }
  const auto atLeast = [&maxDuration](TimeUnit unit, std::int64_t& clock) {
    if (maxDuration.unit() == unit) clock = std::max(clock, maxDuration.count());
  };
  atLeast(TimeUnit::Batch, end.batch);
  atLeast(TimeUnit::Sample, end.sample);
  atLeast(TimeUnit::Token, end.token);
  return end;
}

// Returns whether the schedule that was resolved at launch is at 0 at the end of the run, and `length` is beyond it.
bool endsAtZeroRate(const RunDetail& run, const TrainConfig& before, const Time& length) {
  const auto scheduler = withScheduleTimes(before.scheduler, currentResolvedValues(run));
  if (!scheduler.ok()) return false;
  const auto schedule = Schedule::make(*scheduler, {.baseRate = before.optimizer.lr});
  const Timestamp end = plannedEnd(run.summary, before.maxDuration);
  const bool ends = length.unit() == TimeUnit::Sample || length.unit() == TimeUnit::Token;
  if (ends && clockValue(end, length.unit()) >= length.count()) return false;
  return schedule.ok() && schedule->factor(end) == 0.0;
}

// Sorts the changes into accepted, forked and refused ones. Returns whether they make it another run.
bool sortChanges(const TrainConfig& before, bool fork, ResumeDecision& decision) {
  bool anotherRun = false;
  for (const ConfigDifference& difference : compareConfigs(before, decision.config)) {
    const std::string change(difference.field + ": " + difference.left + " -> " + difference.right);
    auto reason = refusalOf(difference.field, decision.stretches);
    // The ends of stages are shares of the length.
    if (difference.field == "max_duration" && !before.stages.empty()) reason = Reason::ForkRequired;
    if (!reason || fork) noteEffect(difference.field, decision);
    decision.keepsSchedule = decision.keepsSchedule || (difference.field == "max_duration" && !decision.stretches);
    anotherRun = anotherRun || (reason && *reason != Reason::Rename);
    if (!reason)
      decision.changes.push_back(change);
    else if (!fork)
      decision.refusals.push_back({*reason, change});
    else if (*reason != Reason::Rename)
      decision.forkChanges.push_back(change);
  }
  return anotherRun;
}

constexpr const char* kBatchSize = "batch.global_train_batch_size";

// Returns whether a change leaves weights, moments and clocks their meaning: other samples, batches, masks or numbers.
bool keepsState(const std::string& field) {
  return field == "precision" || field == kBatchSize || field.starts_with("lr_scaling.") ||
         (field.starts_with("data.") && isStageField(field));
}

// Returns the end of a fork in a unit that every stage counts alike; nothing if it is not known. `launched`: that of
// the run, if it is known.
std::optional<Time> endOf(const TrainConfig& before, const TrainConfig& after, const std::optional<Time>& launched) {
  if (after.maxDuration == before.maxDuration) return launched;
  if (after.maxDuration.unit() != TimeUnit::Epoch) return after.maxDuration;
  if (!launched || before.maxDuration.unit() != TimeUnit::Epoch) return std::nullopt;
  const double longer = after.maxDuration.number() / before.maxDuration.number();
  return Time::of(std::llround(launched->number() * longer), launched->unit());
}

// Makes the changes of a fork a further stage that begins at the checkpoint. Returns nothing if they are more than that
// or nothing is left to train. With another batch size, `carried` receives how the schedule goes on.
std::optional<TrainConfig> withStageFrom(const CheckpointRecord& from, const TrainConfig& before,
                                         const TrainConfig& after, std::int64_t plannedBatches,
                                         const ResolvedValues& resolved, std::optional<CarriedSchedule>& carried) {
  TrainConfig config = after;
  StageConfig next{Time::duration(1.0), {}};
  const auto differences = compareConfigs(before, after);
  const bool resizes = std::ranges::count(differences, kBatchSize, &ConfigDifference::field) > 0;
  for (const ConfigDifference& difference : differences) {
    const bool isRate = difference.field == "optimizer.lr" || difference.field == "optimizer.weight_decay";
    if (!keepsState(difference.field) && !(resizes && isRate)) continue;
    const Field& field = *findField(difference.field);
    if (difference.field == "precision") continue;
    next.settings.emplace_back(field.path, field.get(after));
    if (!field.set(config, field.get(before)).empty()) return std::nullopt;
  }
  if (next.settings.empty()) return config;
  if (!whyNoFurtherStage(before).empty() || !whyNoFurtherStage(after).empty() || from.at.stepInBatch != 0)
    return std::nullopt;
  std::optional<Time> launched;
  if (before.maxDuration.unit() != TimeUnit::Epoch)
    launched = before.maxDuration;
  else if (plannedBatches > 0)
    launched = Time::of(plannedBatches, TimeUnit::Batch);
  if (resizes) {
    carried = carriedSchedule(before, resolved, from.at, BatchClock::Rewritten);
    if (!carried) return std::nullopt;
    config.scheduler = carried->scheduler;
    config.batch.rampup = carried->rampup;
    launched = carried->end;  // its global batches are not those of the run
  }
  const std::optional<Time> end = endOf(before, after, launched);
  if (!end || clockValue(from.at, end->unit()) >= end->count()) return std::nullopt;
  config.maxDuration = *end;
  config.stages = {{Time::of(clockValue(from.at, end->unit()), end->unit()), {}}, std::move(next)};
  return config;
}

// Returns whether a fork that was given stages goes on in them from the checkpoint.
bool goesOnInStages(const TrainConfig& trained, const CheckpointRecord& from, const ResumeDecision& decision) {
  if (decision.config.stages == trained.stages || decision.stretches || from.at.stepInBatch != 0) return false;
  for (const ConfigDifference& difference : compareConfigs(trained, decision.config)) {
    const std::string& field = difference.field;
    const bool planned = field == "stages" || field.starts_with("scheduler.") || field.starts_with("batch.rampup.");
    if (const auto reason = refusalOf(field, false); reason && *reason != Reason::Rename && !planned) return false;
  }
  return continuesStages(from.at, trained, decision.config);
}

// Keeps the state of the checkpoint in a fork if its changes allow that.
void keepState(const TrainConfig& trained, const CheckpointRecord& from, std::int64_t plannedBatches,
               const ResolvedValues& resolved, ResumeDecision& decision) {
  if (goesOnInStages(trained, from, decision)) {
    decision.addsStage = true;
    decision.kind = ResumeDecision::Kind::ForkFromState;
    return;
  }
  for (const ConfigDifference& difference : compareConfigs(trained, decision.config)) {
    const auto reason = refusalOf(difference.field, /*stretches=*/false);
    const bool stretched = decision.stretches && reason == Reason::StretchRequired;
    if (reason && *reason != Reason::Rename && (!keepsState(difference.field) || stretched)) return;
    if (difference.field == "max_duration" && !trained.stages.empty()) return;  // it moves the ends of the stages
  }
  std::optional<CarriedSchedule> carried;
  auto config = withStageFrom(from, trained, decision.config, plannedBatches, resolved, carried);
  if (!config) return;
  decision.addsStage = !config->stages.empty() && trained.stages.empty();
  if (carried && !carried->text.empty())
    decision.changes.push_back(formatText("the schedule stays the same at each place of the data: {}", carried->text));
  decision.config = std::move(*config);
  decision.kind = ResumeDecision::Kind::ForkFromState;
}

}  // namespace

ChangeEffect effectOfChange(const std::string& field) {
  return ruleOf(field).effect;
}

std::string ResumeRefusal::text() const {
  switch (reason) {
    case Reason::Rename:
      return formatText("{} would rename the run; a fork (--fork) is a new run of that name", subject);
    case Reason::StretchRequired:
      return formatText(
          "{} was resolved at launch and is kept; resolve the schedule again (--stretch), or fork (--fork)", subject);
    case Reason::InsideBatch: return stretchNeedsBatchBoundaryText(subject);
    case Reason::ForkRequired: break;
  }
  return formatText("{} would make it another run; it is possible as a fork (--fork)", subject);
}

bool ResumeDecision::possibleAsFork() const {
  return !refusals.empty() && std::ranges::none_of(refusals, [](const ResumeRefusal& refusal) {
    return refusal.reason == Reason::InsideBatch;
  });
}

ResumeDecision decideResume(const LaunchRequest& request, const RunDetail& run, const CheckpointRecord& from,
                            const TrainConfig& before) {
  using Kind = ResumeDecision::Kind;
  ResumeDecision decision;
  const TrainConfig trained = withDefaults(before);
  decision.config = withAssigned(trained, request.config);
  decision.stretches = stretchesFrom(request, from);
  if (decision.stretches && from.at.stepInBatch != 0) decision.refusals.push_back({Reason::InsideBatch, from.id});
  if (from.reason == CheckpointReason::Average && !request.fork)
    decision.refusals.push_back({Reason::ForkRequired, formatText("checkpoint {}, the average of several,", from.id)});
  const bool anotherRun = sortChanges(trained, request.fork, decision);
  decision.kind = !decision.refusals.empty() ? Kind::Refused
                  : !request.fork            ? Kind::Continue
                  : anotherRun               ? Kind::ForkFromWeights
                                             : Kind::ForkFromState;
  // The planned end is that of the newest segment, which may be longer than the run was at this checkpoint.
  const bool sameLength = parseConfig(run.resolvedYaml, "run", {}).config.maxDuration == trained.maxDuration;
  if (request.fork && decision.refusals.empty())
    keepState(trained, from, sameLength ? run.summary.plannedBatches : 0, currentResolvedValues(run), decision);
  decision.keepsSchedule = decision.keepsSchedule && !decision.addsStage && decision.kind != Kind::ForkFromWeights;
  decision.restAtZeroRate = decision.keepsSchedule && endsAtZeroRate(run, trained, decision.config.maxDuration);
  if (decision.stretches && decision.effect < ChangeEffect::Numbers) {  // the schedule is resolved again
    decision.effect = ChangeEffect::Numbers;
    decision.effectiveFields.clear();
  }
  decision.nothingLeft =
      !anotherRun && decision.config.maxDuration == trained.maxDuration && isAtTheEnd(run.summary, from);
  decision.repeatedBatches = std::max<std::int64_t>(0, run.summary.at.batch - from.at.batch);
  return decision;
}

std::vector<CheckpointRecord> resumeCandidates(const LaunchRequest& request, const RunDetail& run,
                                               const std::vector<CheckpointRecord>& checkpoints) {
  std::vector<CheckpointRecord> candidates = resumeOrder(run.segments, checkpoints);
  std::erase_if(candidates, [&request](const CheckpointRecord& record) {
    return stretchesFrom(request, record) && record.at.stepInBatch != 0;
  });
  return candidates;
}

}  // namespace batchwise
