// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/records.h"
#include "ui/models/chart_content.h"
#include "ui/models/run_series.h"

namespace batchwise {

/// A run as the page that watches it needs it. A value.
struct RunView {
  QString id;
  RunDetail detail;
  RunSeries series;
  std::vector<QPointF> plannedRate, plannedStep;  ///< over global batches; empty if the plan is not known
  std::vector<ChartEvent> events;
  std::vector<double> seams;
  std::optional<std::int64_t> checkpointBatch;  ///< of the newest checkpoint
};

struct ChartOptions {
  double smoothing = 0.8;  ///< weight of the average, 0 to below 1
  bool wholeRun = true;    ///< the axis reaches to the planned end
};

// What the four charts of a run show. Pure.

ChartContent lossChart(const RunView& view, const ChartOptions& options);
ChartContent rateChart(const RunView& view, const ChartOptions& options);
ChartContent batchChart(const RunView& view, const ChartOptions& options);
ChartContent memoryChart(const RunView& view, const ChartOptions& options);

/// Adds the tick of an event and the seam of a resume.
void addMarks(RunView& view, const RunEvent& event);

}  // namespace batchwise
