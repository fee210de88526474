// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/config/time/time.h"
#include "core/store/records.h"

namespace batchwise {

/// Returns whether the checkpoint depends on the configuration alone: an undisturbed run would have taken it too.
bool isScheduled(const CheckpointRecord& record);

/// Returns the checkpoints of a run in the order in which a resume tries them, newest first. Leaves out those that a
/// resume has superseded, averages, and those with non-finite values. Pure.
std::vector<CheckpointRecord> resumeOrder(const std::vector<RunSegment>& segments,
                                          const std::vector<CheckpointRecord>& checkpoints);

/// Returns those taken before optimizer step `step` (counted from 1), in the order in which a guard's roll-back tries
/// them: the scheduled ones, newest first, so that an interrupted run rolls back to where an uninterrupted one does;
/// then the others. Pure.
std::vector<CheckpointRecord> rollBackOrder(const std::vector<RunSegment>& segments,
                                            const std::vector<CheckpointRecord>& checkpoints, std::int64_t step);

/// Returns the one with the best finite metric, null if none has one; those with non-finite values do not count. Pure.
const CheckpointRecord* bestCheckpoint(const std::vector<CheckpointRecord>& checkpoints, bool lowerIsBetter);

/// Rules for keeping the checkpoints of a run.
struct RetentionPolicy {
  std::int64_t keepLast = 3;  ///< the newest ones, those that a resume tries before superseded ones; negative: all
  std::int64_t keepBest = 1;  ///< the best ones by `metric`
  bool lowerIsBetter = true;
  std::optional<Time> keepEvery = std::nullopt;  ///< the first at or after each multiple; unit ep, ba, sp, tok or sec
};

/// Returns the checkpoints to remove, oldest first. `segments`: of one run; `records`: its checkpoints in creation
/// order (as Workspace::checkpoints returns them). Never removes pinned ones, the newest one, and the first of
/// resumeOrder(). An average counts as none of these, nor as one of the last or the best; nor does one with non-finite
/// values. Pure.
std::vector<CheckpointRecord> selectForRemoval(const std::vector<RunSegment>& segments,
                                               const std::vector<CheckpointRecord>& records,
                                               const RetentionPolicy& policy);

}  // namespace batchwise
