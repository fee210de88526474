// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/resume_source.h"

#include <algorithm>

#include "core/base/return_if_error.h"
#include "core/run/launch/resume_changes.h"
#include "core/run/messages.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/store/workspace_folder.h"
#include "core/train/checkpoint_every.h"
#include "core/train/host_memory.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

Result<RunCheckpoint> readRunCheckpoint(const fs::path& workspace, const RunDetail& run,
                                        const CheckpointRecord& record) {
  const HostDeviceScope ofNoDevice(kHostCopyDevice);
  ASSIGN_OR_RETURN(const auto file, findCheckpointFile(workspace, record.file));
  ASSIGN_OR_RETURN(auto state, readCheckpoint(file));
  ASSIGN_OR_RETURN(auto facts, factsFromText(state.facts));
  const auto text = state.facts.find(checkpoint_names::kState);
  if (text == state.facts.end()) return Error::corrupt(messages::checkpointLacksRunState());
  ASSIGN_OR_RETURN(auto loop, loopStateFromText(text->second));
  return RunCheckpoint{run, record, std::move(state), std::move(loop), std::move(facts), {}};
}

Result<RunCheckpoint> openNamed(const fs::path& workspace, const RunHistory& history, const std::string& checkpoint) {
  for (const CheckpointRecord& record : history.checkpoints) {
    if (record.id != checkpoint) continue;
    if (!record.finite) return Error::corrupt(messages::resumeCheckpointNotFinite(record.id));
    return readRunCheckpoint(workspace, history.run, record);
  }
  return Error::notFound(messages::runCheckpointNotFound(history.run.summary.name, checkpoint));
}

// Opens the first of `records` that can be read; its notes say why earlier ones cannot.
Result<RunCheckpoint> openFirstGood(const fs::path& workspace, const RunDetail& run,
                                    const std::vector<CheckpointRecord>& records) {
  std::vector<Message> notes;
  for (const CheckpointRecord& record : records) {
    Result<RunCheckpoint> opened = readRunCheckpoint(workspace, run, record);
    if (opened.ok()) {
      opened->notes = notes;
      return opened;
    }
    notes.push_back(messages::resumeCheckpointUnusable(record.id, opened.error().full()));
  }
  if (notes.empty()) return Error::notFound(messages::runHasNoCheckpoint(run.summary.name));
  Message allBad = notes.front();
  for (std::size_t i = 1; i < notes.size(); ++i) allBad = messages::followedBy(allBad, notes[i]);
  return Error::corrupt(messages::runHasNoGoodCheckpoint(run.summary.name, allBad));
}

}  // namespace

Result<RunCheckpoint> openCheckpoint(const fs::path& workspace, const RunHistory& history,
                                     const std::string& checkpoint) {
  if (!checkpoint.empty()) return openNamed(workspace, history, checkpoint);
  return openFirstGood(workspace, history.run, resumeOrder(history.run.segments, history.checkpoints));
}

Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run,
                                     const std::string& checkpoint) {
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(auto all, workspace.checkpoints(detail.summary.id));
  return openCheckpoint(workspace.folder(), {std::move(detail), std::move(all)}, checkpoint);
}

Result<RunCheckpoint> openCheckpointBefore(const fs::path& workspace, const RunHistory& history, std::int64_t step) {
  Result<RunCheckpoint> opened =
      openFirstGood(workspace, history.run, rollBackOrder(history.run.segments, history.checkpoints, step));
  if (opened.ok() && !isScheduled(opened->record))
    opened->notes.push_back(messages::rollBackUsesOtherCheckpoint(opened->record.id, opened->record.reason));
  return opened;
}

Result<RunCheckpoint> openCheckpointBetweenBatches(const fs::path& workspace, const RunHistory& history) {
  const std::vector<CheckpointRecord> all = resumeOrder(history.run.segments, history.checkpoints);
  std::vector<CheckpointRecord> between = all;
  std::erase_if(between, [](const CheckpointRecord& record) { return !stretchError(record).empty(); });
  if (between.empty() && !all.empty()) return Error::config(stretchError(all.front()));
  Result<RunCheckpoint> opened = openFirstGood(workspace, history.run, between);
  if (opened.ok() && opened->record.id != all.front().id)
    opened->notes.push_back(messages::stretchResumesEarlierCheckpoint(opened->record.id, all.front().id));
  return opened;
}

}  // namespace batchwise
