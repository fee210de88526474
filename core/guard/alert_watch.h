// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"
#include "core/guard/loss_spike.h"
#include "core/guard/plateau.h"

namespace batchwise {

/// What a person wants to hear about without having asked a run for it.
enum class AlertKind { NonFinite, Spike, Plateau, SlowDown, Memory, DiskLow, Finished, Failed };
inline constexpr AlertKind kAlertKinds[] = {AlertKind::NonFinite, AlertKind::Spike,  AlertKind::Plateau,
                                            AlertKind::SlowDown,  AlertKind::Memory, AlertKind::DiskLow,
                                            AlertKind::Finished,  AlertKind::Failed};
/// "non_finite", "spike", …: the name under which settings keep it.
std::string_view alertName(AlertKind kind);

/// One thing found. `value` and `reference` by kind: the loss and its limit; the means of a plateau's halves; tokens
/// per second and what they were; bytes used and total; bytes free and wanted.
struct Alert {
  AlertKind kind = AlertKind::Finished;
  double value = 0;
  double reference = 0;
  std::string what;  ///< name of a device, reason of an end
  std::int64_t batch = 0;
};

/// When something is worth an alert.
struct AlertLimits {
  double spikeSigma = 6;               ///< standard deviations above the mean
  std::int64_t spikeWindow = 128;      ///< global batches
  std::int64_t plateauWindow = 2'000;  ///< global batches
  double plateauFall = 0.001;          ///< nats between the halves of the window
  double slowShare = 0.5;              ///< of the usual speed, between 0 and 1
  std::int64_t slowWindow = 32;        ///< global batches whose median is the usual speed
  std::int64_t slowRows = 5;           ///< global batches whose median is the speed of now
  double memoryShare = 0.95;           ///< of a device's memory
  std::int64_t freeDiskBytes = std::int64_t{5} << 30;
};

/// Watches the rows of one run. What lasts is told once until it is over: a second NaN right after the first says
/// nothing new. Pure but for what it remembers; one thread.
class AlertWatch {
 public:
  explicit AlertWatch(const AlertLimits& limits = {})
      : limits_(limits),
        spike_(limits.spikeSigma, limits.spikeWindow),
        plateau_(limits.plateauWindow, limits.plateauFall) {}

  std::vector<Alert> take(const RunEvent& event);
  /// From the next row on; see AlertLimits.
  void setSlowShare(double share) { limits_.slowShare = share; }
  /// Bytes that are free on the disk of the workspace; below 0: not known.
  std::optional<Alert> takeDisk(std::int64_t freeBytes);

 private:
  void judge(const MetricsRow& row, std::vector<Alert>& found);
  void judgeLoss(const MetricsRow& row, std::vector<Alert>& found);
  void judgeSpeed(const MetricsRow& row, std::vector<Alert>& found);
  void judgeMemory(const MetricsRow& row, std::vector<Alert>& found);

  AlertLimits limits_;
  LossSpike spike_;
  Plateau plateau_;
  LossSpikeState spikeState_;
  PlateauState plateauState_;
  std::deque<double> usual_, recent_;  // tokens per second: before the speed fell, and of the newest rows
  bool nonFinite_ = false, slow_ = false, memory_ = false, disk_ = false;
};

}  // namespace batchwise
