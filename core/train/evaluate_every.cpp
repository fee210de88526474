// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluate_every.h"

#include <utility>

#include "core/base/return_if_error.h"
#include "core/events/messages.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

constexpr double kSecondsBetweenReports = 0.25;

}  // namespace

EvaluateEvery::EvaluateEvery(IntervalSet interval, TrainingData data, const TrainConfig& config)
    : interval_(std::move(interval)),
      evaluation_(std::move(data), config.eval.microbatchSize),
      bestMetric_(config.checkpoint.bestMetric) {}

Result<void> EvaluateEvery::afterBatch(TrainLoop& loop, const Timestamp& before) {
  const bool atEnd = loop.planFinished();
  if (!atEnd && !interval_.anyDue(before, loop.state().now, atEnd)) return {};
  RETURN_IF_ERROR(loop.flushReadback());
  if (loop.isRollingBack()) return {};
  loop.enter(RunSection::Evaluation);
  const double began = loop.clock().monotonicSec();
  double lastReport = began - kSecondsBetweenReports;
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    if (loop.clock().monotonicSec() - lastReport < kSecondsBetweenReports && done < total) return;
    lastReport = loop.clock().monotonicSec();
    loop.publish(
        PhaseProgress{messages::evaluatingPhase(), static_cast<double>(done), static_cast<double>(total), "samples"});
  };
  const auto freeMemory = [&] {
    const bool cleared = loop.freeDeviceMemory();
    loop.enter(RunSection::Evaluation);
    return cleared;
  };
  ASSIGN_OR_RETURN(auto result, evaluation_.run(loop.replica().model, loop.ranks(), progress, freeMemory));
  result.at = loop.state().now;
  result.seconds = loop.clock().monotonicSec() - began;
  if (const auto metric = evaluationMetric(result, bestMetric_)) loop.state().metric = metric;
  loop.publish(result);
  return loop.notifyEvaluation(result);
}

}  // namespace batchwise
