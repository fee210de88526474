// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_decision.h"

#include <algorithm>
#include <optional>

#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/run/messages.h"
#include "core/store/checkpoints/checkpoint_selection.h"

namespace batchwise {
namespace {

using Reason = ResumeRefusal::Reason;

bool under(const std::string& field, std::initializer_list<const char*> paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return field == path || field.starts_with(path + "."); });
}

// Fields that change samples, masks, weights or numerics, so that earlier training would lose its meaning.
bool needsFork(const std::string& field) {
  return under(field, {"seed", "model", "data.shuffle", "data.mlm_probability", "data.max_seq_len",
                       "data.join_documents", "data.format", "data.text_field", "data.holdout", "data.demo_seed",
                       "tokenizer", "precision", "optimizer.name"}) &&
         !under(field, {"model.init_from", "tokenizer.path"});
}

// Fields that are resolved at launch and kept.
bool needsStretch(const std::string& field) {
  return under(field, {"scheduler", "batch", "lr_scaling", "scale_schedule_ratio"}) &&
         !under(field, {"batch.device_train_microbatch_size", "batch.reserve", "batch.round"});
}

// Returns why a change of `field` is no resume of the same run; nothing if it is.
std::optional<Reason> refusalOf(const std::string& field, bool stretches) {
  if (field == "name") return Reason::Rename;
  if (needsFork(field)) return Reason::ForkRequired;
  if (!stretches && needsStretch(field)) return Reason::StretchRequired;
  return std::nullopt;
}

// Returns whether the schedule is resolved again. Checkpoints of segments that this request created already hold the
// stretched one.
bool stretchesFrom(const LaunchRequest& request, const CheckpointRecord& from) {
  return request.stretch && (!request.firstSegment || from.segment < *request.firstSegment);
}

TrainConfig resumedConfig(TrainConfig config, const std::string& launchedYaml, const LoadedConfig& request) {
  if (request.yaml.empty()) return config;
  const TrainConfig launched = parseConfig(launchedYaml, "run", {}).config;
  for (const ConfigDifference& difference : compareConfigs(launched, request.config)) {
    const Field* field = findField(difference.field);
    if (field != nullptr) field->set(config, field->get(request.config));
  }
  return withDefaults(std::move(config));
}

bool isAtTheEnd(const RunSummary& run, const CheckpointRecord& from) {
  return run.status == RunStatus::Finished && run.plannedBatches > 0 && from.at.batch >= run.plannedBatches;
}

// Sorts the changes into accepted, forked and refused ones. Returns whether they make it another run.
bool sortChanges(const TrainConfig& before, bool fork, ResumeDecision& decision) {
  bool anotherRun = false;
  for (const ConfigDifference& difference : compareConfigs(before, decision.config)) {
    const Message change(difference.field + ": " + difference.left + " -> " + difference.right);
    const auto reason = refusalOf(difference.field, decision.stretches);
    decision.changesRounding =
        decision.changesRounding || under(difference.field, {"devices", "batch.device_train_microbatch_size"});
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

}  // namespace

Message ResumeRefusal::text() const {
  switch (reason) {
    case Reason::Rename: return messages::runRenameNeedsFork(subject);
    case Reason::StretchRequired: return messages::resolvedChangeNeedsStretch(subject);
    case Reason::InsideBatch: return messages::stretchNeedsBatchBoundary(subject);
    case Reason::ForkRequired: break;
  }
  return messages::configChangeNeedsFork(subject);
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
  decision.config = resumedConfig(trained, run.configYaml, request.config);
  decision.stretches = stretchesFrom(request, from);
  if (decision.stretches && from.at.partInBatch != 0) decision.refusals.push_back({Reason::InsideBatch, from.id});
  const bool anotherRun = sortChanges(trained, request.fork, decision);
  decision.kind = !decision.refusals.empty() ? Kind::Refused
                  : !request.fork            ? Kind::Continue
                  : anotherRun               ? Kind::ForkFromWeights
                                             : Kind::ForkFromState;
  decision.keepsSchedule = decision.keepsSchedule && decision.kind != Kind::ForkFromWeights;
  decision.nothingLeft =
      !anotherRun && decision.config.maxDuration == trained.maxDuration && isAtTheEnd(run.summary, from);
  decision.repeatedBatches = std::max<std::int64_t>(0, run.summary.at.batch - from.at.batch);
  return decision;
}

std::vector<CheckpointRecord> resumeCandidates(const LaunchRequest& request, const RunDetail& run,
                                               const std::vector<CheckpointRecord>& checkpoints) {
  std::vector<CheckpointRecord> candidates = resumeOrder(run.segments, checkpoints);
  std::erase_if(candidates, [&request](const CheckpointRecord& record) {
    return stretchesFrom(request, record) && record.at.partInBatch != 0;
  });
  return candidates;
}

}  // namespace batchwise
