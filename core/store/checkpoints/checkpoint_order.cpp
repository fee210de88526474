// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_order.h"

#include <algorithm>
#include <limits>

namespace batchwise {

std::vector<CheckpointRecord> resumeOrder(const std::vector<RunSegment>& segments,
                                          const std::vector<CheckpointRecord>& checkpoints) {
  std::vector<RunSegment> newestFirst = segments;
  std::sort(newestFirst.begin(), newestFirst.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  std::vector<CheckpointRecord> order;
  std::int64_t upTo = std::numeric_limits<std::int64_t>::max();
  for (const RunSegment& segment : newestFirst) {
    std::vector<CheckpointRecord> own;
    for (const CheckpointRecord& record : checkpoints)
      if (record.segment == segment.number && record.at.step <= upTo && record.finite) own.push_back(record);
    std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.at.step > b.at.step; });
    order.insert(order.end(), own.begin(), own.end());
    upTo = std::min(upTo, segment.from.step);
  }
  return order;
}

bool isScheduled(const CheckpointRecord& record) {
  return record.reason == kStartCheckpoint || record.reason == kIntervalCheckpoint;
}

std::vector<CheckpointRecord> rollBackOrder(const std::vector<RunSegment>& segments,
                                            const std::vector<CheckpointRecord>& checkpoints, std::int64_t step) {
  std::vector<CheckpointRecord> order = resumeOrder(segments, checkpoints);
  std::erase_if(order, [step](const CheckpointRecord& record) { return record.at.step >= step; });
  std::stable_partition(order.begin(), order.end(), isScheduled);
  return order;
}

}  // namespace batchwise
