// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/guard/early_stop.h"
#include "core/guard/loss_spike.h"
#include "core/guard/plateau.h"

namespace batchwise {

/// Data that a run passed over when a guard took it back: after `fromStep` up to `toStep`. The clocks count it as done.
struct PassedOver {
  std::int64_t fromStep = 0, toStep = 0;
  std::int64_t fromBatch = 0, toBatch = 0;
  std::int64_t fromSample = 0, toSample = 0;
  std::string checkpoint;  ///< whose weights the run went on with
  bool operator==(const PassedOver&) const = default;
};

/// What the guards have to remember from one step to the next. Saved with a checkpoint.
struct GuardState {
  LossSpikeState lossSpike;
  PlateauState plateau;
  EarlyStopState earlyStop;
  std::vector<PassedOver> passedOver;
  bool operator==(const GuardState&) const = default;
};

}  // namespace batchwise
