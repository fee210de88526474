// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <vector>

#include "core/store/workspace.h"
#include "ui/presenters/run_charts.h"

namespace batchwise {

/// A run as stored.
struct StoredRun {
  RunView view;
  std::vector<StoredEvent> events;
};

/// Reads a run with its standard series and those of `extraSeries`: every point while all series have at most 24
/// million points, beyond that the extremes of 50,000 buckets per series. Thread-safe; may be slow.
Result<StoredRun> readRun(const Workspace& workspace, const std::string& run,
                          const std::vector<std::string>& extraSeries = {});

/// Additions since a TailStart.
struct RunTail {
  RunSummary summary;
  std::map<std::string, LongSeries> points;  ///< series per step have steps as x
  std::vector<StoredEvent> events;
  std::set<std::string> availableExtras;
};
/// Reads the values that alerts evaluate (loss, gradient norm, speed, memory) for every global batch after `batch`.
/// Thread-safe.
Result<std::vector<MetricsRow>> readRows(const Workspace& workspace, const std::string& run, std::int64_t batch);

/// Steps after the last row are buffered while the run is running.
inline RunSeries::TrailingSteps trailingStepsOf(RunStatus status) {
  return status == RunStatus::Running ? RunSeries::TrailingSteps::Buffer : RunSeries::TrailingSteps::Extrapolate;
}

struct TailStart {
  std::int64_t batch = 0, step = 0, event = 0;  ///< newest known ones
};
Result<RunTail> readTail(const Workspace& workspace, const std::string& run, const TailStart& after,
                         const std::vector<std::string>& extraSeries = {});

}  // namespace batchwise
