// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/guard/early_stop.h"
#include "core/guard/loss_spike.h"
#include "core/guard/plateau.h"

namespace batchwise {

/// Data skipped by a rollback: after `fromStep` up to and including `toStep`. The clocks count it as done.
struct SkippedRange {
  std::int64_t fromStep = 0, toStep = 0;
  std::int64_t fromBatch = 0, toBatch = 0;
  std::int64_t fromSample = 0, toSample = 0;
  std::string checkpoint;  ///< whose weights the run continued with
  bool operator==(const SkippedRange&) const = default;
};

/// State of the guards between steps. Saved with a checkpoint.
struct GuardState {
  LossSpikeState lossSpike;
  PlateauState plateau;
  EarlyStopState earlyStop;
  std::vector<SkippedRange> skippedRanges;
  bool operator==(const GuardState&) const = default;
};

}  // namespace batchwise
