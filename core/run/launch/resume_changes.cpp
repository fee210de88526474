// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/resume_changes.h"

#include <algorithm>

#include "core/config/schema.h"

namespace batchwise {
namespace {

bool under(const std::string& field, std::initializer_list<const char*> paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return field == path || field.starts_with(path + "."); });
}

// Other samples, masks, weights or numbers: what has been done would mean something else.
bool needsFork(const std::string& field) {
  return under(field,
               {"seed", "model", "data.shuffle", "data.mlm_probability", "data.max_seq_len", "data.join_documents",
                "data.format", "data.text_field", "data.holdout", "tokenizer", "precision", "optimizer.name"}) &&
         !under(field, {"model.init_from", "tokenizer.path"});
}

// Resolved at launch and kept since.
bool needsStretch(const std::string& field) {
  return under(field, {"scheduler", "batch", "lr_scaling", "scale_schedule_ratio"}) &&
         !under(field, {"batch.device_train_microbatch_size", "batch.reserve", "batch.round"});
}

}  // namespace

std::string ResumeRefusal::text() const {
  switch (why) {
    case Why::RenamesRun: return change + " would rename the run; use --fork for a new run of that name";
    case Why::KeptSinceThen:
      return change + " was resolved at launch and is kept; use --stretch to resolve it anew, or --fork";
    case Why::AnotherRun: break;
  }
  return change + " would make it another run; use --fork";
}

bool ResumeChanges::makesAnotherRun() const {
  return std::any_of(refused.begin(), refused.end(),
                     [](const ResumeRefusal& each) { return each.why != ResumeRefusal::Why::RenamesRun; });
}

std::string keptCourseNote() {
  return "the learning rate keeps the course resolved at launch, and its last value behind the end of it; --stretch "
         "resolves it anew for the new length";
}

TrainConfig changedConfig(const TrainConfig& before, const std::string& launchedYaml, const LoadedConfig& request) {
  TrainConfig config = before;
  if (request.yaml.empty()) return config;
  const TrainConfig launched = parseConfig(launchedYaml, "run", {}).config;
  for (const ConfigDifference& difference : compareConfigs(launched, request.config)) {
    const Field* field = findField(difference.field);
    if (field != nullptr) field->set(config, field->get(request.config));
  }
  return config;
}

ResumeChanges judgeChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan) {
  ResumeChanges changes;
  for (const ConfigDifference& difference : compareConfigs(before, now)) {
    const std::string what = difference.field + ": " + difference.left + " -> " + difference.right;
    if (difference.field == "name") {
      changes.refused.push_back({what, ResumeRefusal::Why::RenamesRun});
    } else if (needsFork(difference.field)) {
      changes.refused.push_back({what, ResumeRefusal::Why::AnotherRun});
    } else if (plan == ResumePlan::Keep && needsStretch(difference.field)) {
      changes.refused.push_back({what, ResumeRefusal::Why::KeptSinceThen});
    } else {
      changes.notes.push_back(what);
      changes.keepsCourse = changes.keepsCourse || (difference.field == "max_duration" && plan == ResumePlan::Keep);
    }
  }
  return changes;
}

std::string stretchRefusal(const CheckpointRecord& record) {
  if (record.at.partInBatch == 0) return {};
  return "checkpoint " + record.id +
         " was taken inside a global batch, which --stretch would cut into other parts; go on from one that was taken "
         "between two, or without --stretch";
}

}  // namespace batchwise
