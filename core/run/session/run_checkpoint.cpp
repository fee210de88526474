// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_checkpoint.h"

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/texts.h"
#include "core/run/texts.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/workspace_folder.h"
#include "core/train/checkpoint_every.h"
#include "core/train/device_memory.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

Result<RunCheckpoint> readRunCheckpoint(const fs::path& workspace, const RunDetail& run,
                                        const CheckpointRecord& record) {
  const ChargeAllocationsTo ofNoDevice(kHostCopyDevice);
  ASSIGN_OR_RETURN(const auto file, findCheckpointFile(workspace, record.file));
  ASSIGN_OR_RETURN(auto state, readCheckpoint(file));
  ASSIGN_OR_RETURN(auto facts, factsFromText(state.facts));
  const auto text = state.facts.find(checkpoint_names::kState);
  if (text == state.facts.end()) return Error::corrupt("the checkpoint does not hold the state of the run");
  ASSIGN_OR_RETURN(auto loop, loopStateFromText(text->second));
  return RunCheckpoint{run, record, std::move(state), std::move(loop), std::move(facts), {}};
}

Result<RunCheckpoint> openNamed(const fs::path& workspace, const RunHistory& history, const std::string& checkpoint) {
  for (const CheckpointRecord& record : history.checkpoints) {
    if (record.id != checkpoint) continue;
    if (!record.finite)
      return Error{ErrorCode::DamagedCheckpoint,
                   formatText("checkpoint {} holds numbers that are not finite; choose the newest good one", record.id),
                   {}};
    auto read = readRunCheckpoint(workspace, history.run, record);
    if (read.ok() || read.error().code != ErrorCode::Corrupt) return read;
    Error damaged = read.error();
    damaged.code = ErrorCode::DamagedCheckpoint;
    return damaged;
  }
  return Error::notFound(formatText("run {} has no checkpoint '{}'; `batchwise checkpoints list` lists all checkpoints",
                                    history.run.summary.name, checkpoint));
}

// Opens the first of `records` that can be read; its notes say why earlier ones cannot.
Result<RunCheckpoint> openFirstGood(const fs::path& workspace, const RunDetail& run,
                                    const std::vector<CheckpointRecord>& records) {
  std::vector<std::string> notes;
  for (const CheckpointRecord& record : records) {
    Result<RunCheckpoint> opened = readRunCheckpoint(workspace, run, record);
    if (opened.ok()) {
      opened->notes = notes;
      return opened;
    }
    notes.push_back(formatText("checkpoint {} cannot be used: {}", record.id, opened.error().text()));
  }
  if (notes.empty()) return Error::notFound(formatText("run {} has no checkpoint to resume from", run.summary.name));
  std::string allBad = notes.front();
  for (std::size_t i = 1; i < notes.size(); ++i) allBad = followedByText(allBad, notes[i]);
  return Error{
      ErrorCode::DamagedCheckpoint, formatText("run {} has no good checkpoint: {}", run.summary.name, allBad), {}};
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
  return openCheckpoint(workspace.folder(), {std::move(detail), std::move(all), {}}, checkpoint);
}

Result<RunCheckpoint> openCheckpointBefore(const fs::path& workspace, const RunHistory& history, std::int64_t step) {
  Result<RunCheckpoint> opened =
      openFirstGood(workspace, history.run, rollBackOrder(history.run.segments, history.checkpoints, step));
  if (opened.ok() && !isScheduled(opened->record))
    opened->notes.push_back(
        formatText("no checkpoint of checkpoint.interval is left to roll back to; {}, taken for another reason ({}), "
                   "is used instead",
                   opened->record.id, opened->record.reason));
  return opened;
}

Result<RunCheckpoint> openResumeSource(const fs::path& workspace, const RunHistory& history,
                                       const LaunchRequest& request) {
  if (!request.resumeCheckpoint.empty()) return openNamed(workspace, history, request.resumeCheckpoint);
  const std::vector<CheckpointRecord> all = resumeOrder(history.run.segments, history.checkpoints);
  const std::vector<CheckpointRecord> fitting = resumeCandidates(request, history.run, history.checkpoints);
  if (fitting.empty() && !all.empty()) return Error::config(stretchNeedsBatchBoundaryText(all.front().id));
  Result<RunCheckpoint> opened = openFirstGood(workspace, history.run, fitting);
  if (opened.ok() && fitting.front().id != all.front().id)
    opened->notes.push_back(
        formatText("with the schedule resolved again (--stretch), the run resumes from checkpoint {}, the newest "
                   "between two global batches, not from {}",
                   opened->record.id, all.front().id));
  return opened;
}

LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record) {
  LoopState state = now;
  // Losses of another stage are no measure.
  const bool sameStage = then.stage == now.stage;
  state.guards.lossSpike = sameStage ? then.guards.lossSpike : decltype(then.guards.lossSpike)();
  state.guards.plateau = sameStage ? then.guards.plateau : decltype(then.guards.plateau)();
  state.guards.skippedRanges.push_back(
      {record.at.step, now.now.step, record.at.batch, now.now.batch, record.at.sample, now.now.sample, record.id});
  state.skippedInARow = 0;
  state.noise = then.noise;
  state.metric = then.metric;
  return state;
}

std::string rollBackText(const SkippedRange& passed, const std::string& reason) {
  return formatText(
      "rolled back to checkpoint {} (step {}): {}; skips what came after it, steps {} to {} (global batches from {}ba "
      "to {}ba, samples from {}sp to {}sp)",
      passed.checkpoint, passed.fromStep, reason, passed.fromStep + 1, passed.toStep, passed.fromBatch, passed.toBatch,
      passed.fromSample, passed.toSample);
}

std::string environmentWithRollBack(const std::string& environment, const SkippedRange& passed) {
  nlohmann::json object = parseJsonOrDiscarded(environment);
  object["skipped_range"] = {{"from_step", passed.fromStep}, {"to_step", passed.toStep},
                             {"from_ba", passed.fromBatch},  {"to_ba", passed.toBatch},
                             {"from_sp", passed.fromSample}, {"to_sp", passed.toSample}};
  return object.dump();
}

Result<void> removeOldCheckpoints(RunRecorder& recorder, const std::vector<RunSegment>& segments,
                                  const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget) {
  RetentionPolicy policy;
  policy.keepLast = wanted.keepLast;
  policy.keepBest = wanted.keepBest;
  policy.lowerIsBetter = wanted.bestMetric != EvalMetric::Accuracy;
  if (const auto& every = intervals.at("checkpoint.keep_every"); !every.empty()) policy.keepEvery = every.front();
  ASSIGN_OR_RETURN(const auto all, recorder.checkpoints());
  if (rollBackTarget)
    for (const CheckpointRecord& record : all)
      if (record.segment == recorder.segment() && record.finite && isScheduled(record)) rollBackTarget = record.id;
  for (const CheckpointRecord& record : selectForRemoval(segments, all, policy)) {
    if (record.id == rollBackTarget) continue;
    RETURN_IF_ERROR(recorder.removeCheckpoint(record));
  }
  return {};
}

}  // namespace batchwise
