// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/config/time/run_length.h"
#include "core/train/callback.h"
#include "core/train/guard/alert_detector.h"
#include "core/train/guard/detectors.h"

namespace batchwise {

/// Publishes the metrics row of each global batch (or each `log.interval`) with the memory of the devices, and with
/// `log.every_step` also a row per step. Publishes the alerts of each row after it.
class MetricsLog final : public Callback {
 public:
  /// Device memory at these clocks. Called on all ranks at the same rows.
  using MemorySource = std::function<std::vector<DeviceMemory>(const Timestamp& at)>;
  enum class Steps { PerBatch, PerStep };

  /// `from`: the clocks at the start of the current global batch. `alerts`: of the run, which has it over all of its
  /// segments; null where events are discarded.
  MetricsLog(IntervalSet interval, Steps steps, const Timestamp& from, MemorySource memory, AlertDetector* alerts);

  Result<void> afterStep(TrainLoop& loop, const StepResult& step) override;
  Result<void> afterRow(TrainLoop& loop, const MetricsRow& row) override;

 private:
  const IntervalSet interval_;
  const Steps steps_;
  const MemorySource memory_;
  AlertDetector* const alerts_;
  Timestamp lastRow_;
};

/// After a resume: compares the row of the first global batch with the one that an earlier segment logged for it, and
/// publishes the result once (see compareFirstLoss).
class FirstLossCheck final : public Callback {
 public:
  explicit FirstLossCheck(std::optional<EarlierLoss> earlier) : earlier_(earlier) {}

  Result<void> afterRow(TrainLoop& loop, const MetricsRow& row) override;

 private:
  const std::optional<EarlierLoss> earlier_;
  bool done_ = false;
};

}  // namespace batchwise
