// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/config/config_file.h"
#include "core/events/run_event.h"
#include "core/train/loop_state.h"

namespace batchwise {

// What rank 0 tells the processes that follow it, in this order: TeamStart, TeamData, TeamPlan, then a TeamSegment for
// each stretch of training, the last without a state. As JSON text; reading fails with Corrupt.

/// The configuration as it will be resolved, and where the prepared data is.
struct TeamStart {
  LoadedConfig config;
  std::filesystem::path cacheFolder;
};
std::string teamText(const TeamStart& start);
Result<TeamStart> teamStartFromText(const std::string& text);

/// The data is prepared, and the model is known.
struct TeamData {
  TrainConfig config;  ///< with the files where they are now
  std::string trainIdentity;
  std::string modelConfig;          ///< text of config.json
  std::int64_t keptMicrobatch = 0;  ///< of a run that goes on; 0: every rank finds its own, and the smallest counts
};
std::string teamText(const TeamData& data);
Result<TeamData> teamDataFromText(const std::string& text);

struct TeamPlan {
  TrainConfig config;
  ResolvedValues resolved;
  std::int64_t microbatch = 0;
};
std::string teamText(const TeamPlan& plan);
Result<TeamPlan> teamPlanFromText(const std::string& text);

/// The state that training goes on from, weights and moments following; or how the run ended.
struct TeamSegment {
  std::optional<LoopState> state;
  RunFinished finished;
};
std::string teamText(const TeamSegment& segment);
Result<TeamSegment> teamSegmentFromText(const std::string& text);

}  // namespace batchwise
