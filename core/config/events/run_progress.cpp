// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/events/run_progress.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

/// A row's weight decays by e in this time, or in this many rows if those are slower.
constexpr double kMemorySec = 20.0;
constexpr double kMemoryRows = 10.0;

}  // namespace

void RunProgress::update(const RunEvent& event, double nowSec) {
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    *this = RunProgress();
    plannedBatches_ = started->plannedBatches;
    doneBatches_ = started->from.batch;
  } else if (const auto* row = std::get_if<MetricsRow>(&event)) {
    updateFromRow(*row, nowSec);
  }
}

void RunProgress::updateFromRow(const MetricsRow& row, double nowSec) {
  const std::int64_t batches = row.at.batch - doneBatches_;
  if (batches <= 0) return;  // a row of a single step
  if (lastRowSec_) {
    const double passed = std::max(0.0, nowSec - *lastRowSec_);
    const double keep = std::exp(-std::min(passed / kMemorySec, 1.0 / kMemoryRows));
    weightedSec_ = keep * weightedSec_ + passed;
    weightedBatches_ = keep * weightedBatches_ + static_cast<double>(batches);
  }
  lastRowSec_ = nowSec;
  doneBatches_ = row.at.batch;
}

std::optional<double> RunProgress::fraction() const {
  if (plannedBatches_ <= 0) return std::nullopt;
  return std::clamp(static_cast<double>(doneBatches_) / static_cast<double>(plannedBatches_), 0.0, 1.0);
}

std::optional<double> RunProgress::etaSec() const {
  if (plannedBatches_ <= 0 || weightedBatches_ <= 0.0) return std::nullopt;
  const auto left = static_cast<double>(std::max<std::int64_t>(0, plannedBatches_ - doneBatches_));
  return left * weightedSec_ / weightedBatches_;
}

}  // namespace batchwise
