// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/model/shape/model_shape.h"
#include "core/plan/plan.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/launch/resume_decision.h"
#include "core/run/launch/run_store.h"
#include "core/store/records.h"
#include "core/store/workspace.h"
#include "core/text/prepare_data.h"
#include "core/train/checkpoint/checkpoint_state.h"
#include "core/train/devices.h"
#include "core/train/guard/detectors.h"
#include "core/train/loop_state.h"

namespace batchwise {

/// What a run is made from besides weights and clocks. Saved in each checkpoint, so that one file suffices to resume,
/// export or try the model.
struct RunFacts {
  TrainConfig config;
  ResolvedValues resolved;
  TokenizerTexts tokenizer;
  std::string trainIdentity;  ///< of the training data set, hexadecimal
  std::string evalIdentity;   ///< PreparedData::evaluationIdentity()
  std::string modelConfig;    ///< text of config.json
  std::string environment;    ///< JSON: versions, devices, threads
};

RunFacts runFacts(const TrainConfig& config, const ResolvedValues& resolved, const PreparedData& data,
                  const ModelShape& shape, const std::string& environment);
/// Serializes the facts by name, for a checkpoint.
std::map<std::string, std::string> factsToText(const RunFacts& facts);
/// Parses facts. Fails with Corrupt, naming what is missing.
Result<RunFacts> factsFromText(const std::map<std::string, std::string>& text);

/// Returns, as JSON, the names, versions and numbers that decide whether a resume is bit-identical.
std::string environmentText(const TrainConfig& config, const DeviceChoice& devices);
/// Describes how two environments differ; empty if a resume is bit-identical.
std::string environmentDifference(const std::string& before, const std::string& now);

/// Returns "torch 2.11.0" and so on, one per line.
std::string libraryVersions();

/// A loaded checkpoint with its run.
struct RunCheckpoint {
  RunDetail run;
  CheckpointRecord record;
  CheckpointState state;
  LoopState loop;
  RunFacts facts;
  std::vector<std::string> notes;  ///< checkpoints that were skipped, and why
};

/// Opens checkpoint `checkpoint` of a run, or if empty the newest good one: finite, readable, all hashes valid, and on
/// the current line of segments. Fails with NotFound, or with Corrupt if none is good or the given one is not finite.
Result<RunCheckpoint> openCheckpoint(const std::filesystem::path& workspace, const RunHistory& history,
                                     const std::string& checkpoint);
Result<RunCheckpoint> openCheckpoint(const Workspace& workspace, const std::string& run, const std::string& checkpoint);

/// Opens the good checkpoint to roll back to from optimizer step `step`, by rollBackOrder(). Fails as openCheckpoint.
Result<RunCheckpoint> openCheckpointBefore(const std::filesystem::path& workspace, const RunHistory& history,
                                           std::int64_t step);

/// Opens the checkpoint that `request` resumes from: the named one, or the first good one of resumeCandidates(). Fails
/// as openCheckpoint, or with Config if a stretch finds only checkpoints inside a global batch.
Result<RunCheckpoint> openResumeSource(const std::filesystem::path& workspace, const RunHistory& history,
                                       const LaunchRequest& request);

/// Returns the state after a guard rolled the run back from `now` to the checkpoint `record` with the state `then`:
/// detector windows of the checkpoint (as are weights and moments), clocks of `now`. The data between counts as done,
/// like steps that the optimizer skipped, so that order, rates and batch sizes still follow the plan. Adds the range to
/// guards.skippedRanges. Pure.
LoopState stateAfterRollBack(const LoopState& now, const LoopState& then, const CheckpointRecord& record);

/// Returns "rolled back to checkpoint … (step 40): <reason>; passes over what came after it, steps 41 to 56 (global
/// batches from 10ba to 14ba, samples from 160sp to 224sp)".
std::string rollBackText(const SkippedRange& passed, const std::string& reason);

/// Returns the JSON object `environment` with the range under "skipped_range", for the segment after a roll-back.
/// Requires an object.
std::string environmentWithRollBack(const std::string& environment, const SkippedRange& passed);

/// Removes the run's checkpoints that the `checkpoint` section does not keep. `segments`: of the run, up to the one of
/// `recorder`. `intervals`: as resolved for the run.
/// `rollBackTarget`: the checkpoint that a guard would roll back to at the start of the segment ("": none yet; nullopt:
/// no guard rolls back). It is kept until the segment has a scheduled checkpoint, which is then kept instead;
/// checkpoints taken for other reasons replace neither. Fails as RunRecorder::removeCheckpoint.
Result<void> removeOldCheckpoints(RunRecorder& recorder, const std::vector<RunSegment>& segments,
                                  const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget);

}  // namespace batchwise
