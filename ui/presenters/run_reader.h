// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/store/workspace.h"
#include "ui/presenters/run_charts.h"

namespace batchwise {

/// A run as the store has it.
struct StoredRun {
  RunView view;
  std::vector<StoredEvent> events;
};

/// Reads a run with all series that charts show: every point up to 24 million of them over all series, 50,000 stretches with
/// their lowest and highest values of each series behind that. Any thread; may take a while.
Result<StoredRun> readRun(const Workspace& workspace, const std::string& run);

/// What has been added since.
struct RunTail {
  RunSummary summary;
  std::map<std::string, LongSeries> points;
  std::vector<StoredEvent> events;
};
Result<RunTail> readTail(const Workspace& workspace, const std::string& run, std::int64_t afterBatch,
                         std::int64_t afterEvent);

}  // namespace batchwise
