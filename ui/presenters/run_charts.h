// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <array>
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
  std::vector<RunEvent> told;  ///< what `events` tell, in the same order
  std::vector<double> seams;
  std::optional<std::int64_t> checkpointBatch;  ///< of the newest checkpoint
};

struct ChartOptions {
  double smoothing = 0.8;  ///< weight of the average, 0 to below 1
  bool wholeRun = true;    ///< the axis reaches to the planned end
  RunClock clock = RunClock::Batches;
};

// What the charts of a run show. Pure. Over global batches; runCharts() puts them over the chosen clock.

ChartContent lossChart(const RunView& view, const ChartOptions& options);
ChartContent rateChart(const RunView& view, const ChartOptions& options);
ChartContent batchChart(const RunView& view, const ChartOptions& options);
ChartContent memoryChart(const RunView& view, const ChartOptions& options);
ChartContent evaluationChart(const RunView& view, const ChartOptions& options);
ChartContent gradNormChart(const RunView& view, const ChartOptions& options);
ChartContent speedChart(const RunView& view, const ChartOptions& options);

/// Places of the charts in a page, in order.
enum class RunChart { Loss, Rate, Batch, Speed, GradNorm, Evaluation, Memory };
inline constexpr std::array kRunCharts = {RunChart::Loss,     RunChart::Rate,       RunChart::Batch, RunChart::Speed,
                                          RunChart::GradNorm, RunChart::Evaluation, RunChart::Memory};
/// True for those that every run has; the others are shown once there are values.
bool alwaysShown(RunChart chart);

/// All of them over the chosen clock, in the order of kRunCharts.
std::vector<ChartContent> runCharts(const RunView& view, const ChartOptions& options);

/// The clock of a run, from its rows; epochs from its samples and the samples that its data has.
ClockMap clockOf(const RunView& view, RunClock clock);

/// Adds the tick of an event and the seam of a resume. Notes that only inform get a tick once the run is under way.
void addMarks(RunView& view, const RunEvent& event);
/// The words of the ticks in the language of now.
void tellMarksAnew(RunView& view);

}  // namespace batchwise
