// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/checkpoint_retention.h"

#include "core/store/retention.h"

namespace batchwise {

Result<void> removeOldCheckpoints(RunRecorder& recorder, const CheckpointConfig& wanted,
                                  const RunIntervals& intervals) {
  RetentionPolicy policy;
  policy.keepLast = wanted.keepLast;
  policy.keepBest = wanted.keepBest;
  policy.lowerIsBetter = wanted.bestMetric != "eval.accuracy";
  if (const auto& every = intervals.at("checkpoint.keep_every"); !every.empty()) policy.keepEvery = every.front();
  const Result<std::vector<CheckpointRecord>> all = recorder.checkpoints();
  if (!all.ok()) return all.error();
  for (const CheckpointRecord& record : selectForRemoval(*all, policy))
    if (Result<void> removed = recorder.removeCheckpoint(record); !removed.ok()) return removed;
  return {};
}

}  // namespace batchwise
