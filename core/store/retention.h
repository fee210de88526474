// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/records.h"
#include "core/time/time.h"

namespace batchwise {

/// Rules for keeping the checkpoints of a run.
struct RetentionPolicy {
  std::int64_t keepLast = 3;  ///< the newest ones; negative: all
  std::int64_t keepBest = 1;  ///< the best ones by `metric`
  bool lowerIsBetter = true;
  std::optional<Time> keepEvery = std::nullopt;  ///< the first at or after each multiple; unit ep, ba, sp, tok or sec
};

/// Returns the checkpoints to remove, oldest first. `records`: of one run in creation order (as Workspace::checkpoints
/// returns them). Never removes pinned ones, the newest one, and the newest one with finite values. A checkpoint with
/// non-finite values counts neither as one of the last nor as one of the best. Pure.
std::vector<CheckpointRecord> selectForRemoval(const std::vector<CheckpointRecord>& records,
                                               const RetentionPolicy& policy);

}  // namespace batchwise
