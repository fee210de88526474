// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/run/trainer.h"

namespace batchwise {

class RankGroup;

/// Trains a request from start to outcome: workspace, data, plan, model, then the run in the store and the ranks. Adds
/// nothing to the store before every check has passed. One training at a time. With `rankGroup`, all its ranks
/// call it: rank 0 has the workspace, the commands and the listeners, and sends the others everything, including
/// weights; what they are given is not used. See Trainer::train.
Result<RunFinished> trainRun(const LaunchRequest& request, EventSink& events, CommandMailbox& commands,
                             const Clock& clock, RankGroup* rankGroup = nullptr);

/// See Trainer::fillMask.
Result<FilledMasks> fillMasks(const std::filesystem::path& workspace, const std::string& run,
                              const std::string& checkpoint, const std::string& text, int candidates,
                              const Clock& clock);

/// See Trainer::evaluate.
Result<EvaluatedModel> evaluateModel(const EvaluationRequest& request, EventSink& events, const Clock& clock);

/// See Trainer::measureNoise.
Result<MeasuredNoise> measureNoise(const NoiseRequest& request, EventSink& events, const Clock& clock);

/// See Trainer::judge.
Result<JudgeResult> judgeModel(const JudgeRequest& request, EventSink& events, const std::stop_token& stop,
                               const Clock& clock);

/// See Trainer::exportHuggingFace.
Result<UsedCheckpoint> exportModel(const std::filesystem::path& workspace, const std::string& run,
                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                   Replaces replaces, const Clock& clock);

/// See Trainer::exportSentenceTransformers.
Result<UsedCheckpoint> exportVectors(const std::filesystem::path& workspace, const std::string& run,
                                     const std::string& checkpoint, const std::filesystem::path& folder,
                                     Pooling pooling, Replaces replaces, const Clock& clock);

}  // namespace batchwise
