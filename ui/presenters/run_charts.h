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

/// A run as displayed by the Watch page. A value type.
struct RunView {
  QString id;
  RunDetail detail;
  RunSeries series;
  TrainingCost cost;                              ///< zero if unknown
  std::set<std::string> availableExtras;          ///< stored series without a standard chart
  std::vector<QPointF> plannedRate, plannedStep;  ///< x: global batches; empty if the plan is unknown
  std::vector<ChartEvent> events;
  std::vector<ChartEvent> alerts;
  int style = 0;  ///< style index of its lines, the same in every chart and list
  std::vector<double> resumePositions;
  std::optional<std::int64_t> checkpointBatch;  ///< global batch of the newest checkpoint
};

struct ChartOptions {
  double smoothing = 0.8;  ///< weight of the moving average, in [0, 1)
  bool wholeRun = true;    ///< the x axis extends to the planned end
  XAxis xAxis = XAxis::Batches;
  std::vector<std::string> extraSeries = {};  ///< series that the user added as charts
};

// Contents of the standard charts. x: global batches; runCharts() converts to the chosen axis. Pure.

ChartContent lossChart(const RunView& view, const ChartOptions& options);
ChartContent rateChart(const RunView& view, const ChartOptions& options);
ChartContent batchChart(const RunView& view, const ChartOptions& options);
ChartContent memoryChart(const RunView& view, const ChartOptions& options);
ChartContent evaluationChart(const RunView& view, const ChartOptions& options);
ChartContent gradNormChart(const RunView& view, const ChartOptions& options);
ChartContent speedChart(const RunView& view, const ChartOptions& options);

/// Chart of any series.
ChartContent seriesContent(const RunView& view, const ChartOptions& options, const std::string& series);
/// Standard charts, in page order.
enum class RunChart { Loss, Rate, Batch, Speed, GradNorm, Evaluation, Memory };
inline constexpr std::array kRunCharts = {RunChart::Loss,     RunChart::Rate,       RunChart::Batch, RunChart::Speed,
                                          RunChart::GradNorm, RunChart::Evaluation, RunChart::Memory};
/// True for charts that are shown even without values.
bool alwaysShown(RunChart chart);

/// All charts over the chosen x axis: kRunCharts in order, then `options.extraSeries`.
std::vector<ChartContent> runCharts(const RunView& view, const ChartOptions& options);

/// Maps global batches to `xAxis`, from the run's rows. Epochs are samples divided by the samples per epoch. Elapsed
/// time of a run whose rows lack record times is interpolated between its starts, resumes and end.
XAxisMap clockValue(const RunView& view, XAxis xAxis);

/// The cost stored at launch; if missing, computed from the configuration, or zero if that needs the vocabulary.
TrainingCost trainingCostOf(const RunDetail& run);

/// Adds the marker of an event, and the position of a resume. Info notes before the first global batch get no marker.
void addMarkers(RunView& view, const RunEvent& event);

}  // namespace batchwise
