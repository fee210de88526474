// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// Reasons of the checkpoints that the configuration alone decides about: before the first step of a run that a guard
/// may take back, and where checkpoint.interval is due.
inline constexpr const char* kStartCheckpoint = "start";
inline constexpr const char* kIntervalCheckpoint = "interval";

/// Whether a run that nobody stopped, killed or asked for anything would have taken it too.
bool isScheduled(const CheckpointRecord& record);

/// The checkpoints of a run in the order in which a resume tries them: of what still counts the newest first. Those
/// that a resume has left behind, and those with values that are not finite, are not among them. Pure.
std::vector<CheckpointRecord> resumeOrder(const std::vector<RunSegment>& segments,
                                          const std::vector<CheckpointRecord>& checkpoints);

/// Those of them that were taken before optimizer step `step` (counted from 1), in the order in which a guard that
/// takes the run back from there tries them: the scheduled ones, the newest first, so that a run that was stopped or
/// killed goes back to where a straight run does; then what else there is. Pure.
std::vector<CheckpointRecord> rollBackOrder(const std::vector<RunSegment>& segments,
                                            const std::vector<CheckpointRecord>& checkpoints, std::int64_t step);

}  // namespace batchwise
