// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/resume_source.h"

#include <algorithm>

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

Result<RunCheckpoint> openNamed(const Workspace& workspace, const RunDetail& run, const std::string& checkpoint) {
  Result<CheckpointRecord> record = workspace.findCheckpoint(checkpoint);
  if (!record.ok()) return record.error();
  if (record->run != run.summary.id)
    return Error::notFound("checkpoint " + record->id + " belongs to run " + record->run + ", not to " +
                           run.summary.name);
  if (!record->finite)
    return Error::corrupt("checkpoint " + record->id +
                          " holds numbers that are not finite; leave --checkpoint out for the newest good one");
  return readRunCheckpoint(workspace, run, *record);
}

// The first of `records` that can be read; its notes tell why those before it cannot.
Result<RunCheckpoint> openFirstGood(const Workspace& workspace, const RunDetail& run,
                                    const std::vector<CheckpointRecord>& records) {
  std::vector<std::string> notes;
  for (const CheckpointRecord& record : records) {
    Result<RunCheckpoint> opened = readRunCheckpoint(workspace, run, record);
    if (opened.ok()) {
      opened->notes = notes;
      return opened;
    }
    notes.push_back("checkpoint " + record.id + " cannot be used: " + opened.error().text());
  }
  if (notes.empty()) return Error::notFound("run " + run.summary.name + " has no checkpoint to go on from");
  std::string allBad;
  for (const std::string& note : notes) allBad += (allBad.empty() ? "" : "; ") + note;
  return Error::corrupt("run " + run.summary.name + " has no good checkpoint: " + allBad);
}

}  // namespace

Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run,
                                     const std::string& checkpoint) {
  Result<RunDetail> detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  if (!checkpoint.empty()) return openNamed(workspace, *detail, checkpoint);
  Result<std::vector<CheckpointRecord>> all = workspace.checkpoints(detail->summary.id);
  if (!all.ok()) return all.error();
  return openFirstGood(workspace, *detail, resumeOrder(detail->segments, *all));
}

Result<RunCheckpoint> openCheckpointBefore(const Workspace& workspace, const std::string& run, std::int64_t step) {
  Result<RunDetail> detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  Result<std::vector<CheckpointRecord>> all = workspace.checkpoints(detail->summary.id);
  if (!all.ok()) return all.error();
  std::vector<CheckpointRecord> order = resumeOrder(detail->segments, *all);
  std::erase_if(order, [step](const CheckpointRecord& record) { return record.at.step >= step; });
  return openFirstGood(workspace, *detail, order);
}

}  // namespace batchwise
