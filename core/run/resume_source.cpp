// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/resume_source.h"

#include <algorithm>

#include "core/config/schema.h"
#include "core/store/checkpoint_order.h"
#include "core/train/checkpoint_every.h"

namespace batchwise {
namespace {

Result<RunCheckpoint> readRunCheckpoint(const Workspace& workspace, const RunDetail& run,
                                        const CheckpointRecord& record) {
  Result<CheckpointState> state = readCheckpoint(workspace.folder() / record.file);
  if (!state.ok()) return state.error();
  Result<RunFacts> facts = factsFromText(state->facts);
  if (!facts.ok()) return facts.error();
  const auto text = state->facts.find(checkpoint_names::kState);
  if (text == state->facts.end()) return Error::corrupt("the checkpoint does not hold the state of the run");
  Result<LoopState> loop = loopStateFromText(text->second);
  if (!loop.ok()) return loop.error();
  return RunCheckpoint{run, record, std::move(*state), std::move(*loop), std::move(*facts), {}};
}

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

Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run,
                                     const std::string& checkpoint) {
  Result<RunDetail> detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  if (!checkpoint.empty()) {
    Result<CheckpointRecord> record = workspace.findCheckpoint(checkpoint);
    if (!record.ok()) return record.error();
    if (record->run != detail->summary.id)
      return Error::notFound("checkpoint " + record->id + " belongs to run " + record->run + ", not to " + run);
    return readRunCheckpoint(workspace, *detail, *record);
  }
  Result<std::vector<CheckpointRecord>> all = workspace.checkpoints(detail->summary.id);
  if (!all.ok()) return all.error();
  std::vector<std::string> notes;
  for (const CheckpointRecord& record : resumeOrder(detail->segments, *all)) {
    Result<RunCheckpoint> opened = readRunCheckpoint(workspace, *detail, record);
    if (opened.ok()) {
      opened->notes = notes;
      return opened;
    }
    notes.push_back("checkpoint " + record.id + " cannot be used: " + opened.error().text());
  }
  if (notes.empty()) return Error::notFound("run " + detail->summary.name + " has no checkpoint to go on from");
  std::string all_bad;
  for (const std::string& note : notes) all_bad += (all_bad.empty() ? "" : "; ") + note;
  return Error::corrupt("run " + detail->summary.name + " has no good checkpoint: " + all_bad);
}

ResumeChanges judgeChanges(const TrainConfig& before, const TrainConfig& now, ResumePlan plan) {
  ResumeChanges changes;
  for (const ConfigDifference& difference : compareConfigs(before, now)) {
    const std::string what = difference.field + ": " + difference.left + " -> " + difference.right;
    if (needsFork(difference.field)) {
      changes.refused.push_back(what + " would make it another run; use --fork");
    } else if (plan == ResumePlan::Keep && needsStretch(difference.field)) {
      changes.refused.push_back(what +
                                " was resolved at launch and is kept; use --stretch to resolve it anew, or --fork");
    } else {
      changes.notes.push_back(what);
    }
  }
  return changes;
}

}  // namespace batchwise
