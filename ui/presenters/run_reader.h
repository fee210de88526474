// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <vector>

#include "core/store/workspace.h"
#include "ui/presenters/run_charts.h"

namespace batchwise {

/// A run as the store has it.
struct StoredRun {
  RunView view;
  std::vector<StoredEvent> events;
};

/// Reads a run with all series that charts show: every point up to 24 million of them over all series, 50,000 stretches
/// with their lowest and highest values of each series behind that. `further`: series beside those that every page of
/// charts has. Any thread; may take a while.
Result<StoredRun> readRun(const Workspace& workspace, const std::string& run,
                          const std::vector<std::string>& further = {});

/// What has been added since.
struct RunTail {
  RunSummary summary;
  std::map<std::string, LongSeries> points;  ///< those of steps inside a global batch over steps
  std::vector<StoredEvent> events;
  std::set<std::string> furtherSeries;
};
/// What alerts are judged by, of every global batch after `batch`: losses, gradient norms, speeds, memory. Any thread.
Result<std::vector<MetricsRow>> readRows(const Workspace& workspace, const std::string& run, std::int64_t batch);

/// What becomes of the steps behind the last row of a global batch.
inline RunSeries::Behind behindRows(RunStatus status) {
  return status == RunStatus::Running ? RunSeries::Behind::Wait : RunSeries::Behind::Keep;
}

struct TailBegin {
  std::int64_t batch = 0, step = 0, event = 0;  ///< the newest that are known
};
Result<RunTail> readTail(const Workspace& workspace, const std::string& run, const TailBegin& after,
                         const std::vector<std::string>& further = {});

}  // namespace batchwise
