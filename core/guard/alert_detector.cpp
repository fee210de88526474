// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/alert_detector.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr std::ptrdiff_t kFewestUsual = 32;  // speeds before the usual one is known

}  // namespace

std::string_view alertName(AlertKind kind) {
  constexpr std::string_view kNames[] = {"non_finite", "spike",    "plateau", "slow_down", "memory",
                                         "disk_low",   "finished", "failed",  "diverged"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Alert> AlertDetector::process(const RunEvent& event) {
  std::vector<Alert> found;
  // Rows of single steps are skipped: the row of their global batch covers them.
  if (const auto* row = std::get_if<MetricsRow>(&event); row != nullptr && row->at.stepInBatch == 0)
    checkRow(*row, found);
  if (const auto* end = std::get_if<RunFinished>(&event)) {
    const bool well = end->status == RunStatus::Finished || end->status == RunStatus::Stopped;
    const AlertKind kind = end->cause == FailureCause::Diverged ? AlertKind::Diverged
                           : well                               ? AlertKind::Finished
                                                                : AlertKind::Failed;
    found.push_back({kind, 0, 0, end->reason, end->at.batch});
  }
  return found;
}

std::optional<Alert> AlertDetector::checkDisk(std::int64_t freeBytes) {
  const bool low = freeBytes >= 0 && freeBytes < limits_.freeDiskBytes;
  const bool reported = std::exchange(disk_, low);
  if (!low || reported) return std::nullopt;
  return Alert{AlertKind::DiskLow, static_cast<double>(freeBytes), static_cast<double>(limits_.freeDiskBytes), {}, 0};
}

void AlertDetector::checkRow(const MetricsRow& row, std::vector<Alert>& found) {
  checkLoss(row, found);
  checkSpeed(row, found);
  checkMemory(row, found);
}

void AlertDetector::checkLoss(const MetricsRow& row, std::vector<Alert>& found) {
  const bool finite = std::isfinite(row.loss) && std::isfinite(row.gradNorm);
  if (!finite && !nonFinite_) found.push_back({AlertKind::NonFinite, row.loss, row.gradNorm, {}, row.at.batch});
  nonFinite_ = !finite;
  if (!std::isfinite(row.loss)) return;
  const auto limit = spike_.limitFor(spikeState_, row.at.batch);
  if (limit && row.loss > limit->limit) found.push_back({AlertKind::Spike, row.loss, limit->limit, {}, row.at.batch});
  spike_.add(spikeState_, row.at.batch, row.loss);
  if (const auto level = plateau_.add(plateauState_, row.loss))
    found.push_back({AlertKind::Plateau, level->newer, level->older, {}, row.at.batch});
}

/// Returns true once `changes` has been true of all rows for limits_.slowSec.
bool AlertDetector::changesFor(const MetricsRow& row, bool changes) {
  if (!changes) {
    changingSec_.reset();
    return false;
  }
  if (!changingSec_) changingSec_ = row.at.seconds;
  if (row.at.seconds - *changingSec_ < limits_.slowSec) return false;
  changingSec_.reset();
  return true;
}

// The usual speed is frozen during a slowdown, so that a lasting slowdown does not become usual and is reported once.
// It begins and ends only after a while, since other programs on the machine slow a run for some seconds. It ends when
// the speed is at least half way back, so that a speed that wavers about the limit counts as one slowdown.
void AlertDetector::checkSpeed(const MetricsRow& row, std::vector<Alert>& found) {
  if (!(row.tokensPerSec > 0)) return;
  recent_.push_back(row.tokensPerSec);
  if (std::ssize(recent_) <= limits_.speedWindow) return;
  const double leaving = recent_.front();
  recent_.pop_front();
  if (!slow_ && !changingSec_) usual_.push_back(leaving);
  if (std::ssize(usual_) < kFewestUsual) return;
  if (std::ssize(usual_) > limits_.slowWindow) usual_.pop_front();
  const double now = upperMedian(recent_), usual = upperMedian(usual_);
  const bool slow = now < (slow_ ? (1 + limits_.slowShare) / 2 : limits_.slowShare) * usual;
  if (!changesFor(row, slow != slow_)) return;
  slow_ = slow;
  if (slow) found.push_back({AlertKind::SlowDown, now, usual, {}, row.at.batch});
}

void AlertDetector::checkMemory(const MetricsRow& row, std::vector<Alert>& found) {
  const auto full = std::ranges::find_if(row.devices, [this](const DeviceMemory& device) {
    return device.total > 0 &&
           static_cast<double>(device.peak) > limits_.memoryShare * static_cast<double>(device.total);
  });
  const bool tight = full != row.devices.end();
  if (tight && !memory_)
    found.push_back({AlertKind::Memory, static_cast<double>(full->peak), static_cast<double>(full->total), full->name,
                     row.at.batch});
  memory_ = tight;
}

}  // namespace batchwise
