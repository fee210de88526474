// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/config/config_file.h"
#include "core/events/run_event.h"
#include "core/train/loop_state.h"

namespace batchwise {

// Messages from rank 0 to the other processes, in this order: RankSetupMessage, RankDataMessage, RankPlanMessage, then
// a RankSegmentMessage per training segment, the last one without a state. JSON text; parsing fails with Corrupt.

/// The configuration before it is resolved, and the data cache.
struct RankSetupMessage {
  LoadedConfig config;
  std::filesystem::path cacheFolder;
};
std::string messageText(const RankSetupMessage& start);
Result<RankSetupMessage> parseSetupMessage(const std::string& text);

/// Sent once the data is prepared and the model is known.
struct RankDataMessage {
  TrainConfig config;                       ///< with the present paths of the files
  std::vector<std::string> dataIdentities;  ///< of the training data of the run, then of each stage
  std::string modelConfig;                  ///< text of config.json
  std::int64_t keptMicrobatch = 0;          ///< of a resumed run; 0: every rank searches, and the smallest counts
};
std::string messageText(const RankDataMessage& data);
Result<RankDataMessage> parseDataMessage(const std::string& text);

struct RankPlanMessage {
  TrainConfig config;
  ResolvedValues resolved;
  std::vector<std::int64_t> microbatches;  ///< of the stages
};
std::string messageText(const RankPlanMessage& plan);
Result<RankPlanMessage> parsePlanMessage(const std::string& text);

/// The state that training starts from, followed by weights and moments; or the end of the run.
struct RankSegmentMessage {
  std::optional<LoopState> state;
  RunFinished finished;
};
std::string messageText(const RankSegmentMessage& segment);
Result<RankSegmentMessage> parseSegmentMessage(const std::string& text);

}  // namespace batchwise
