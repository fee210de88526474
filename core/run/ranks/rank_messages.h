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

// Messages from rank 0 to the other processes, as JSON text; parsing fails with Corrupt.

/// What rank 0 knows of the run. Sent three times: before devices are chosen, once the data is prepared and the model
/// is known, and with the plan.
struct RankRunMessage {
  LoadedConfig config;  ///< as far as it is resolved
  std::filesystem::path cacheFolder;
  std::vector<std::string> dataIdentities = {};  ///< of the training data of the run, then of each stage
  std::string modelConfig = {};                  ///< text of config.json
  bool keepsMicrobatch = false;                  ///< of a resumed run; else every rank calls resolveMicrobatch()
  ResolvedValues resolved = {};
  std::vector<std::int64_t> microbatches = {};  ///< of the stages
};
std::string messageText(const RankRunMessage& run);
Result<RankRunMessage> parseRunMessage(const std::string& text);

/// Sent per training segment: the state that training starts from, followed by weights and moments. The last one is the
/// end of the run.
struct RankSegmentMessage {
  std::optional<LoopState> state;
  RunFinished finished;
};
std::string messageText(const RankSegmentMessage& segment);
Result<RankSegmentMessage> parseSegmentMessage(const std::string& text);

}  // namespace batchwise
