// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/checkpoint_retention.h"

#include "core/base/return_if_error.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/store/retention.h"

namespace batchwise {

Result<void> removeOldCheckpoints(RunRecorder& recorder, const CheckpointConfig& wanted, const RunIntervals& intervals,
                                  std::optional<std::string> rollBackTarget) {
  RetentionPolicy policy;
  policy.keepLast = wanted.keepLast;
  policy.keepBest = wanted.keepBest;
  policy.lowerIsBetter = wanted.bestMetric != "eval.accuracy";
  if (const auto& every = intervals.at("checkpoint.keep_every"); !every.empty()) policy.keepEvery = every.front();
  ASSIGN_OR_RETURN(const auto all, recorder.checkpoints());
  if (rollBackTarget)
    for (const CheckpointRecord& record : all)
      if (record.segment == recorder.segment() && record.finite && isScheduled(record)) rollBackTarget = record.id;
  for (const CheckpointRecord& record : selectForRemoval(all, policy)) {
    if (record.id == rollBackTarget) continue;
    RETURN_IF_ERROR(recorder.removeCheckpoint(record));
  }
  return {};
}

}  // namespace batchwise
