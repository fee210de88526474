// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"
#include "core/guard/detectors.h"

namespace batchwise {

/// Kinds of alerts shown to the user.
enum class AlertKind { NonFinite, Spike, Plateau, SlowDown, Memory, DiskLow, Finished, Failed, Diverged };
inline constexpr AlertKind kAlertKinds[] = {AlertKind::NonFinite, AlertKind::Spike,  AlertKind::Plateau,
                                            AlertKind::SlowDown,  AlertKind::Memory, AlertKind::DiskLow,
                                            AlertKind::Finished,  AlertKind::Failed, AlertKind::Diverged};
/// Returns "non_finite", "spike", …: the name in the settings.
std::string_view alertName(AlertKind kind);

/// One detected condition. `value` and `reference` by kind: the loss and its limit; the mean losses of a plateau's
/// halves; tokens per second now and usual; bytes used and total; bytes free and required.
struct Alert {
  AlertKind kind = AlertKind::Finished;
  double value = 0;
  double reference = 0;
  std::string what;  ///< name of a device, or why the run ended
  std::int64_t batch = 0;
};

/// Thresholds of the alerts.
struct AlertLimits {
  double spikeSigma = 6;               ///< standard deviations above the mean
  std::int64_t spikeWindow = 128;      ///< global batches
  std::int64_t plateauWindow = 2'000;  ///< global batches
  double plateauMinDelta = 0.001;      ///< nats between the halves of the window
  double slowShare = 0.5;              ///< of the usual speed, between 0 and 1
  double slowSec = 60;                 ///< training time that a slowdown, or the recovery from it, lasts
  std::int64_t slowWindow = 256;       ///< global batches whose median is the usual speed; known from 32 on
  std::int64_t speedWindow = 5;        ///< global batches whose median is the current speed
  double memoryShare = 0.95;           ///< of a device's memory
  std::int64_t freeDiskBytes = std::int64_t{5} << 30;
};

/// Detects alerts in the events of one run. A lasting condition is reported once until it ends: a second NaN right
/// after the first adds nothing. Not thread-safe.
class AlertDetector {
 public:
  explicit AlertDetector(const AlertLimits& limits = {})
      : limits_(limits),
        spike_(limits.spikeSigma, limits.spikeWindow),
        plateau_(limits.plateauWindow, limits.plateauMinDelta) {}

  std::vector<Alert> process(const RunEvent& event);
  /// Takes effect with the next row; see AlertLimits.
  void setSlowShare(double share) { limits_.slowShare = share; }
  /// Checks the free bytes on the disk of the workspace; negative if unknown.
  std::optional<Alert> checkDisk(std::int64_t freeBytes);

 private:
  void checkRow(const MetricsRow& row, std::vector<Alert>& found);
  void checkLoss(const MetricsRow& row, std::vector<Alert>& found);
  void checkSpeed(const MetricsRow& row, std::vector<Alert>& found);
  bool changesFor(const MetricsRow& row, bool changes);
  void checkMemory(const MetricsRow& row, std::vector<Alert>& found);

  AlertLimits limits_;
  SpikeLimit spike_;
  Plateau plateau_;
  LossSpikeState spikeState_;
  PlateauState plateauState_;
  std::deque<double> usual_, recent_;  // tokens per second: before a slowdown, and of the newest rows
  std::optional<double> changingSec_;  // training time at which the speed began to tell the opposite of slow_
  bool nonFinite_ = false, slow_ = false, memory_ = false, disk_ = false;
};

}  // namespace batchwise
