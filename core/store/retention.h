// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/records.h"
#include "core/time/time.h"

namespace batchwise {

/// Which checkpoints of a run stay.
struct RetentionPolicy {
  std::int64_t keepLast = 3;  ///< the newest; negative: all
  std::int64_t keepBest = 1;  ///< by `metric`
  bool lowerIsBetter = true;
  std::optional<Time> keepEvery = std::nullopt;  ///< the first at or after each multiple; in ep, ba, sp, tok or sec
};

/// The checkpoints that may go, oldest first. `records`: of one run, in the order of their making (as
/// Workspace::checkpoints gives them). Never among them: pinned ones, the newest whose values are finite, and the
/// newest of all. A checkpoint with non-finite values counts neither as one of the last nor as a best. Pure.
std::vector<CheckpointRecord> selectForRemoval(const std::vector<CheckpointRecord>& records,
                                               const RetentionPolicy& policy);

}  // namespace batchwise
