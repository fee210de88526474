// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/train_config.h"
#include "core/store/workspace.h"

namespace batchwise {

/// How fast a run was.
struct MeasuredSpeed {
  std::string run;          ///< its name
  double tokensPerSec = 0;  ///< real tokens by training time, over the whole run, on all its devices
  double tokensPerSample = 0;
  std::int64_t devices = 1;
};

/// What `run` reached. Fails with NotFound if it has trained nothing yet.
Result<MeasuredSpeed> speedOf(const RunDetail& run);

/// Of the newest finished run with the model and vocabulary of `config`, whether a preset or sizes name it; nothing if
/// the last runs have none. Any thread; reads the store.
std::optional<MeasuredSpeed> measuredSpeed(const Workspace& workspace, const TrainConfig& config);

}  // namespace batchwise
