// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_changes.h"

#include <algorithm>

#include "core/config/schema.h"
#include "core/run/messages.h"

namespace batchwise {
namespace {

bool under(const std::string& field, std::initializer_list<const char*> paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return field == path || field.starts_with(path + "."); });
}

// Fields that change samples, masks, weights or numerics, so that earlier training would lose its meaning.
bool needsFork(const std::string& field) {
  return under(field,
               {"seed", "model", "data.shuffle", "data.mlm_probability", "data.max_seq_len", "data.join_documents",
                "data.format", "data.text_field", "data.holdout", "tokenizer", "precision", "optimizer.name"}) &&
         !under(field, {"model.init_from", "tokenizer.path"});
}

// Fields that are resolved at launch and kept.
bool needsStretch(const std::string& field) {
  return under(field, {"scheduler", "batch", "lr_scaling", "scale_schedule_ratio"}) &&
         !under(field, {"batch.device_train_microbatch_size", "batch.reserve", "batch.round"});
}

}  // namespace

Message RejectedChange::text() const {
  switch (reason) {
    case Reason::Rename: return messages::runRenameNeedsFork(change);
    case Reason::StretchRequired: return messages::resolvedChangeNeedsStretch(change);
    case Reason::ForkRequired: break;
  }
  return messages::configChangeNeedsFork(change);
}

bool ResumeChanges::startsFromWeights() const {
  return std::any_of(rejected.begin(), rejected.end(),
                     [](const RejectedChange& each) { return each.reason != RejectedChange::Reason::Rename; });
}

Message keptScheduleNote() {
  return messages::learningRateCourseKept();
}

TrainConfig resumedConfig(const TrainConfig& before, const std::string& launchedYaml, const LoadedConfig& request) {
  TrainConfig config = before;
  if (request.yaml.empty()) return config;
  const TrainConfig launched = parseConfig(launchedYaml, "run", {}).config;
  for (const ConfigDifference& difference : compareConfigs(launched, request.config)) {
    const Field* field = findField(difference.field);
    if (field != nullptr) field->set(config, field->get(request.config));
  }
  return config;
}

ResumeChanges validateChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan) {
  ResumeChanges changes;
  for (const ConfigDifference& difference : compareConfigs(before, now)) {
    const std::string what = difference.field + ": " + difference.left + " -> " + difference.right;
    if (difference.field == "name") {
      changes.rejected.push_back({what, RejectedChange::Reason::Rename});
    } else if (needsFork(difference.field)) {
      changes.rejected.push_back({what, RejectedChange::Reason::ForkRequired});
    } else if (plan == ResumePlan::Keep && needsStretch(difference.field)) {
      changes.rejected.push_back({what, RejectedChange::Reason::StretchRequired});
    } else {
      changes.notes.push_back(what);
      changes.keepsSchedule = changes.keepsSchedule || (difference.field == "max_duration" && plan == ResumePlan::Keep);
    }
  }
  return changes;
}

Message stretchError(const CheckpointRecord& record) {
  if (record.at.partInBatch == 0) return {};
  return messages::stretchNeedsBatchBoundary(record.id);
}

}  // namespace batchwise
