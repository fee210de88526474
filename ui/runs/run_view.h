// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/records.h"
#include "ui/charts/chart_content.h"
#include "ui/runs/run_series.h"

namespace batchwise {

/// A run as displayed by the charts. A value type.
struct RunView {
  QString id;
  RunDetail detail;
  RunSeries series;
  TrainingCost cost;                              ///< zero if unknown
  std::set<std::string> availableExtras;          ///< stored series that are not standard
  std::set<std::string> thinned;                  ///< series of which only extremes of stretches were read
  std::vector<QPointF> plannedRate, plannedStep;  ///< x: global batches; empty if the plan is unknown
  std::vector<ChartEvent> events;                 ///< x: global batches
  std::vector<double> resumePositions;            ///< global batches
  std::optional<std::int64_t> checkpointBatch;    ///< global batch of the newest checkpoint
};

/// Maps global batches to `xAxis`, from the run's rows. Epochs are samples divided by the samples per epoch. Elapsed
/// time of a run whose rows lack record times is interpolated between its starts, resumes and end. Requires hasAxis().
XAxisMap axisMapOf(const RunView& view, XAxis xAxis);

/// Returns whether the run can be drawn over `xAxis`: false for operations if their cost is unknown, and for epochs if
/// their length is, or if stages of the run differ in it.
bool hasAxis(const RunView& view, XAxis xAxis);

/// Samples of an epoch; 0 if unknown, or if stages of the run differ in it.
double samplesPerEpoch(const RunDetail& run);

/// The cost stored at launch; if missing, computed from the configuration, or zero if that needs the vocabulary.
TrainingCost trainingCostOf(const RunDetail& run);

/// Adds the marker of an event, and the position of a resume. Info notes before the first global batch get no marker.
void addMarkers(RunView& view, const RunEvent& event);

}  // namespace batchwise
