// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace batchwise {
namespace {

bool isAverage(const CheckpointRecord& record) {
  return record.reason == CheckpointReason::Average;
}

/// `current`: the ids of those that a resume may try. They come first; superseded ones take the places that are left.
void keepNewest(const std::vector<CheckpointRecord>& records, const std::set<std::string>& current, std::int64_t count,
                std::vector<bool>& kept) {
  for (std::size_t i = records.size(); i-- > 0;) {
    if (isAverage(records[i])) continue;
    kept[i] = true;
    break;
  }
  std::int64_t left = std::max<std::int64_t>(count, 1);
  for (const bool ofCurrent : {true, false}) {
    for (std::size_t i = records.size(); i-- > 0 && left > 0;) {
      if (!records[i].finite || isAverage(records[i]) || current.contains(records[i].id) != ofCurrent) continue;
      kept[i] = true;
      --left;
    }
  }
}

void keepBest(const std::vector<CheckpointRecord>& records, const RetentionPolicy& policy, std::vector<bool>& kept) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].finite && !isAverage(records[i]) && records[i].metric && std::isfinite(*records[i].metric))
      ranked.push_back(i);
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return policy.lowerIsBetter ? *records[a].metric < *records[b].metric : *records[a].metric > *records[b].metric;
  });
  for (std::size_t i = 0; i < ranked.size() && static_cast<std::int64_t>(i) < policy.keepBest; ++i)
    kept[ranked[i]] = true;
}

void keepSpaced(const std::vector<CheckpointRecord>& records, const Time& every, std::vector<bool>& kept) {
  const double spacing = every.number();
  if (!(spacing > 0)) return;
  double last = 0;  // the last multiple that has a checkpoint
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Timestamp& at = records[i].at;
    const double now =
        every.unit() == TimeUnit::Second ? at.seconds : static_cast<double>(clockValue(at, every.unit()));
    const double multiple = std::floor(now / spacing);
    if (!records[i].finite || isAverage(records[i]) || multiple <= last) continue;
    kept[i] = true;
    last = multiple;
  }
}

}  // namespace

std::vector<CheckpointRecord> resumeOrder(const std::vector<RunSegment>& segments,
                                          const std::vector<CheckpointRecord>& checkpoints) {
  std::vector<RunSegment> newestFirst = segments;
  std::sort(newestFirst.begin(), newestFirst.end(), [](const auto& a, const auto& b) { return a.number > b.number; });
  std::vector<CheckpointRecord> order;
  std::int64_t upTo = std::numeric_limits<std::int64_t>::max();
  for (const RunSegment& segment : newestFirst) {
    std::vector<CheckpointRecord> own;
    for (const CheckpointRecord& record : checkpoints)
      if (record.segment == segment.number && record.at.step <= upTo && record.finite && !isAverage(record))
        own.push_back(record);
    std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.at.step > b.at.step; });
    order.insert(order.end(), own.begin(), own.end());
    upTo = std::min(upTo, segment.from.step);
  }
  return order;
}

bool isScheduled(const CheckpointRecord& record) {
  using enum CheckpointReason;
  return record.reason == Start || record.reason == Interval || record.reason == Stage;
}

std::vector<CheckpointRecord> rollBackOrder(const std::vector<RunSegment>& segments,
                                            const std::vector<CheckpointRecord>& checkpoints, std::int64_t step) {
  std::vector<CheckpointRecord> order = resumeOrder(segments, checkpoints);
  std::erase_if(order, [step](const CheckpointRecord& record) { return record.at.step >= step; });
  std::stable_partition(order.begin(), order.end(), isScheduled);
  return order;
}

const CheckpointRecord* bestCheckpoint(const std::vector<CheckpointRecord>& checkpoints, bool lowerIsBetter) {
  const CheckpointRecord* best = nullptr;
  for (const CheckpointRecord& record : checkpoints) {
    if (!record.metric || !std::isfinite(*record.metric) || !record.finite) continue;
    const bool better =
        best == nullptr || (lowerIsBetter ? *record.metric < *best->metric : *record.metric > *best->metric);
    if (better) best = &record;
  }
  return best;
}

std::vector<CheckpointRecord> selectForRemoval(const std::vector<RunSegment>& segments,
                                               const std::vector<CheckpointRecord>& records,
                                               const RetentionPolicy& policy) {
  if (records.empty() || policy.keepLast < 0) return {};
  std::set<std::string> current;
  for (const CheckpointRecord& record : resumeOrder(segments, records)) current.insert(record.id);
  std::vector<bool> kept(records.size(), false);
  keepNewest(records, current, policy.keepLast, kept);
  keepBest(records, policy, kept);
  if (policy.keepEvery) keepSpaced(records, *policy.keepEvery, kept);
  std::vector<CheckpointRecord> removed;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!kept[i] && !records[i].pinned) removed.push_back(records[i]);
  return removed;
}

}  // namespace batchwise
