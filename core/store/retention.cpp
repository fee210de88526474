// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/retention.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

double clockValue(const Timestamp& at, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::Epoch: return static_cast<double>(at.epoch);
    case TimeUnit::Batch: return static_cast<double>(at.batch);
    case TimeUnit::Sample: return static_cast<double>(at.sample);
    case TimeUnit::Token: return static_cast<double>(at.token);
    case TimeUnit::Second: return at.seconds;
    case TimeUnit::Duration: return 0;  // resolved to another unit before
  }
  return 0;
}

void keepNewest(const std::vector<CheckpointRecord>& records, std::int64_t count, std::vector<bool>& kept) {
  kept.back() = true;
  std::int64_t left = std::max<std::int64_t>(count, 1);
  for (std::size_t i = records.size(); i-- > 0 && left > 0;) {
    if (!records[i].finite) continue;
    kept[i] = true;
    --left;
  }
}

void keepBest(const std::vector<CheckpointRecord>& records, const RetentionPolicy& policy, std::vector<bool>& kept) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].finite && records[i].metric && std::isfinite(*records[i].metric)) ranked.push_back(i);
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
    const double multiple = std::floor(clockValue(records[i].at, every.unit()) / spacing);
    if (!records[i].finite || multiple <= last) continue;
    kept[i] = true;
    last = multiple;
  }
}

}  // namespace

std::vector<CheckpointRecord> selectForRemoval(const std::vector<CheckpointRecord>& records,
                                               const RetentionPolicy& policy) {
  if (records.empty() || policy.keepLast < 0) return {};
  std::vector<bool> kept(records.size(), false);
  keepNewest(records, policy.keepLast, kept);
  keepBest(records, policy, kept);
  if (policy.keepEvery) keepSpaced(records, *policy.keepEvery, kept);
  std::vector<CheckpointRecord> removed;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!kept[i] && !records[i].pinned) removed.push_back(records[i]);
  return removed;
}

}  // namespace batchwise
