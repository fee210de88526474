// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// What the newest runs of a workspace reached, for many questions: each run is read once, when it is first looked at.
/// One thread.
class MeasuredSpeeds {
 public:
  /// `workspace` outlives it.
  explicit MeasuredSpeeds(const Workspace& workspace);

  /// Of the newest finished run with the model and vocabulary of `config`, whether a preset or sizes name it; nothing
  /// if the last runs have none.
  std::optional<MeasuredSpeed> of(const TrainConfig& config);

 private:
  struct Trained {
    TrainConfig config;
    MeasuredSpeed speed;
  };
  void readNext();

  const Workspace& workspace_;
  std::vector<std::string> unread_;  // ids of finished runs, the newest last
  std::vector<Trained> read_;        // those that have a speed, the newest first
};

}  // namespace batchwise
