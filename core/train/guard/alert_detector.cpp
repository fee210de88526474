// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/alert_detector.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/plan/seesaw.h"

namespace batchwise {
namespace {

constexpr std::ptrdiff_t kFewestUsual = 32;  // speeds before the usual one is known

RunNote alertOf(NoteKind kind, const MetricsRow& row, double value, double reference, std::string text) {
  return {NoteLevel::Warning, std::move(text), row.at, {}, kind, value, reference};
}

}  // namespace

std::vector<RunNote> AlertDetector::process(const MetricsRow& row) {
  std::vector<RunNote> found;
  checkLoss(row, found);
  checkSpeed(row, found);
  checkMemory(row, found);
  checkStepSize(row, found);
  return found;
}

void AlertDetector::startStage() {
  spikeState_ = {};
  plateauState_ = {};
  usual_.clear();
  recent_.clear();
  changingSec_.reset();
  slow_ = false;
}

void AlertDetector::checkLoss(const MetricsRow& row, std::vector<RunNote>& found) {
  if (!std::isfinite(row.loss)) return;
  if (limits_.spikes) {
    const auto limit = spike_.limitFor(spikeState_, row.at.batch);
    if (limit && row.loss > limit->limit)
      found.push_back(alertOf(
          NoteKind::Spike, row, row.loss, limit->limit,
          formatText("loss spike: {}, above the limit of {}", formatValue(row.loss), formatValue(limit->limit))));
    spike_.add(spikeState_, row.at.batch, row.loss);
  }
  if (!limits_.plateaus) return;
  if (const auto level = plateau_.add(plateauState_, row.loss))
    found.push_back(alertOf(NoteKind::Plateau, row, level->newer, level->older,
                            formatText("the loss no longer falls: {} now, {} before", formatValue(level->newer),
                                       formatValue(level->older))));
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
void AlertDetector::checkSpeed(const MetricsRow& row, std::vector<RunNote>& found) {
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
  if (slow)
    found.push_back(alertOf(
        NoteKind::SlowDown, row, now, usual,
        formatText("the speed has fallen: {} tok/s now, usually {} tok/s", formatCount(now), formatCount(usual))));
}

void AlertDetector::checkMemory(const MetricsRow& row, std::vector<RunNote>& found) {
  const auto full = std::ranges::find_if(row.devices, [](const DeviceMemory& device) {
    return device.total > 0 && static_cast<double>(device.peak) > kFullMemoryShare * static_cast<double>(device.total);
  });
  const bool tight = full != row.devices.end();
  if (tight && !memory_)
    found.push_back(alertOf(NoteKind::Memory, row, static_cast<double>(full->peak), static_cast<double>(full->total),
                            formatText("the memory of {} is nearly full: {} of {} used", full->name,
                                       formatBytes(full->peak), formatBytes(full->total))));
  memory_ = tight;
}

// By the upper end of the band, and once for each size.
void AlertDetector::checkStepSize(const MetricsRow& row, std::vector<RunNote>& found) {
  if (limits_.growsFrom == 0 || !row.noiseScaleHigh) return;
  if (row.stepSamples <= std::max(limits_.growsFrom, largestTold_)) return;
  const auto above = aboveCriticalBatch(row.stepSamples, *row.noiseScaleHigh, "the measured noise scale");
  if (!above) return;
  found.push_back({NoteLevel::Warning, above->text(), row.at});
  largestTold_ = row.stepSamples;
}

}  // namespace batchwise
