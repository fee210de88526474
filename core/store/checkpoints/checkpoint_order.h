// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// The checkpoints of a run in the order in which a resume tries them: of what still counts the newest first. Those
/// that a resume has left behind, and those with values that are not finite, are not among them. Pure.
std::vector<CheckpointRecord> resumeOrder(const std::vector<RunSegment>& segments,
                                          const std::vector<CheckpointRecord>& checkpoints);

}  // namespace batchwise
