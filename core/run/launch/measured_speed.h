// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/train_config.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Measured speed of a run.
struct MeasuredSpeed {
  std::string run;          ///< name of the run
  double tokensPerSec = 0;  ///< real tokens per second of training, over the whole run and all its devices
  double tokensPerSample = 0;
  std::int64_t devices = 1;
};

/// Returns the speed of `run`. Fails with NotFound if it has trained nothing yet.
Result<MeasuredSpeed> speedOf(const RunDetail& run);

/// Speeds of the newest runs of a workspace; reads each run once, on demand. Not thread-safe.
class MeasuredSpeeds {
 public:
  /// `workspace` must outlive this object.
  explicit MeasuredSpeeds(const Workspace& workspace);

  /// Returns the speed of the newest finished run with the same model and vocabulary as `config`, however they are
  /// named; nothing if none of the latest runs matches.
  std::optional<MeasuredSpeed> of(const TrainConfig& config);

 private:
  struct Trained {
    TrainConfig config;
    MeasuredSpeed speed;
  };
  void readNext();

  const Workspace& workspace_;
  std::vector<std::string> unread_;  // ids of finished runs, newest last
  std::vector<Trained> read_;        // runs with a speed, newest first
};

}  // namespace batchwise
