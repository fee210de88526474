// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/metrics_log.h"

#include <utility>

#include "core/train/train_loop.h"

namespace batchwise {

MetricsLog::MetricsLog(IntervalSet interval, Steps steps, const Timestamp& from, MemorySource memory,
                       AlertDetector* alerts)
    : interval_(std::move(interval)), steps_(steps), memory_(std::move(memory)), alerts_(alerts), lastRow_(from) {}

Result<void> MetricsLog::afterStep(TrainLoop& loop, const StepResult& step) {
  if (steps_ == Steps::PerBatch) return {};
  BatchTotals alone;
  alone.add(step);
  MetricsRow row = alone.row(step.after);
  row.gradNormMean.reset();  // one step has one norm
  row.devices = memory_(row.at);
  loop.publish(row);
  return {};
}

Result<void> MetricsLog::afterRow(TrainLoop& loop, const MetricsRow& row) {
  const Timestamp before = std::exchange(lastRow_, row.at);
  if (!interval_.anyDue(before, row.at, loop.plan().finished(row.at))) return {};
  MetricsRow logged = row;
  logged.devices = memory_(row.at);
  loop.publish(logged);
  if (alerts_ == nullptr) return {};
  // That of the norm layers alone is compared with itself only.
  if (loop.state().noiseMode == NoiseScaleMode::Examples) logged.noiseScaleHigh.reset();
  for (const RunNote& alert : alerts_->process(logged)) loop.publish(alert);
  return {};
}

Result<void> FirstLossCheck::afterRow(TrainLoop& loop, const MetricsRow& row) {
  if (!std::exchange(done_, true)) loop.publish(compareFirstLoss(row, earlier_));
  return {};
}

}  // namespace batchwise
