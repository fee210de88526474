// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/config/events/run_event.h"
#include "core/train/guard/detectors.h"

namespace batchwise {

/// Of a device's memory: above it there is an alert.
inline constexpr double kFullMemoryShare = 0.95;

/// Thresholds of the alerts.
struct AlertLimits {
  double slowShare = 0.5;  ///< of the usual speed, between 0 and 1
  bool spikes = true;      ///< false: a guard of the run reports them
  bool plateaus = true;
  double spikeSigma = 6;               ///< standard deviations above the mean
  std::int64_t spikeWindow = 128;      ///< rows
  std::int64_t plateauWindow = 2'000;  ///< rows
  double plateauMinDelta = 0.001;      ///< nats between the halves of the window
  double slowSec = 60;                 ///< training time that a slowdown, or the recovery from it, lasts
  std::int64_t slowWindow = 256;       ///< rows whose median is the usual speed; known from 32 on
  std::int64_t speedWindow = 5;        ///< rows whose median is the current speed
  /// Samples of the first steps of a batch that grows where the rate would fall (batch.rampup.from_schedule); 0: none.
  std::int64_t growsFrom = 0;
};

/// Detects alerts in the rows of one run: loss spikes, plateaus, slowdowns, memory that is nearly full, steps above the
/// noise scale where they grow in place of a falling rate (NanGuard reports figures that are not finite). A lasting
/// condition is reported once until it ends. Not thread-safe.
class AlertDetector {
 public:
  explicit AlertDetector(const AlertLimits& limits = {})
      : limits_(limits),
        spike_(limits.spikeSigma, limits.spikeWindow),
        plateau_(limits.plateauWindow, limits.plateauMinDelta) {}

  /// `row`: of a global batch. Returns notes: alerts, or of the size of the steps.
  std::vector<RunNote> process(const MetricsRow& row);
  /// Losses and speeds of another stage are no measure.
  void startStage();

 private:
  void checkLoss(const MetricsRow& row, std::vector<RunNote>& found);
  void checkSpeed(const MetricsRow& row, std::vector<RunNote>& found);
  bool changesFor(const MetricsRow& row, bool changes);
  void checkMemory(const MetricsRow& row, std::vector<RunNote>& found);
  void checkStepSize(const MetricsRow& row, std::vector<RunNote>& found);

  AlertLimits limits_;
  SpikeLimit spike_;
  Plateau plateau_;
  LossSpikeState spikeState_;
  PlateauState plateauState_;
  std::deque<double> usual_, recent_;  // tokens per second: before a slowdown, and of the newest rows
  std::optional<double> changingSec_;  // training time at which the speed began to tell the opposite of slow_
  bool slow_ = false, memory_ = false;
  std::int64_t largestTold_ = 0;  // step that was above the noise scale
};

}  // namespace batchwise
