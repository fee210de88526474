// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
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
  TrainingCost cost;                              ///< zero if it is not known
  std::set<std::string> furtherSeries;            ///< of the store, that no chart shows by itself
  std::vector<QPointF> plannedRate, plannedStep;  ///< over global batches; empty if the plan is not known
  std::vector<ChartEvent> events;
  std::vector<ChartEvent> alerts;
  int style = 0;               ///< of its lines: the same in every chart and list
  std::vector<RunEvent> told;  ///< what `events` tell, in the same order
  std::vector<double> seams;
  std::optional<std::int64_t> checkpointBatch;  ///< of the newest checkpoint
};

struct ChartOptions {
  double smoothing = 0.8;  ///< weight of the average, 0 to below 1
  bool wholeRun = true;    ///< the axis reaches to the planned end
  RunClock clock = RunClock::Batches;
  std::vector<std::string> further = {};  ///< series that have charts of their own because the person wants to see them
};

// What the charts of a run show. Pure. Over global batches; runCharts() puts them over the chosen clock.

ChartContent lossChart(const RunView& view, const ChartOptions& options);
ChartContent rateChart(const RunView& view, const ChartOptions& options);
ChartContent batchChart(const RunView& view, const ChartOptions& options);
ChartContent memoryChart(const RunView& view, const ChartOptions& options);
ChartContent evaluationChart(const RunView& view, const ChartOptions& options);
ChartContent gradNormChart(const RunView& view, const ChartOptions& options);
ChartContent speedChart(const RunView& view, const ChartOptions& options);

/// Any series as it is.
ChartContent seriesContent(const RunView& view, const ChartOptions& options, const std::string& series);
/// Places of the charts in a page, in order.
enum class RunChart { Loss, Rate, Batch, Speed, GradNorm, Evaluation, Memory };
inline constexpr std::array kRunCharts = {RunChart::Loss,     RunChart::Rate,       RunChart::Batch, RunChart::Speed,
                                          RunChart::GradNorm, RunChart::Evaluation, RunChart::Memory};
/// True for those that every run has; the others are shown once there are values.
bool alwaysShown(RunChart chart);

/// All of them over the chosen clock, in the order of kRunCharts, then those of further series.
std::vector<ChartContent> runCharts(const RunView& view, const ChartOptions& options);

/// The clock of a run, from its rows; epochs from its samples and the samples that its data has. Of a run whose rows do
/// not say when they were recorded, the time since the start follows from the times at which it was begun, resumed and
/// ended.
ClockMap clockOf(const RunView& view, RunClock clock);

/// As it was stored at launch; of a run without it from its configuration, zero where only its vocabulary could tell.
TrainingCost trainingCostOf(const RunDetail& run);

/// Adds the tick of an event and the seam of a resume. Notes that only inform get a tick once the run is under way.
void addMarks(RunView& view, const RunEvent& event);
/// The words of the ticks in the language of now.
void tellMarksAnew(RunView& view);

}  // namespace batchwise
