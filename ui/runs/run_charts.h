// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <map>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/runs/chart_layout.h"
#include "ui/runs/run_series.h"

namespace batchwise {

/// A shown run, or several that are drawn as one line with a band.
struct ChartGroup {
  QString label;                        ///< unlike all others
  int style = 0;                        ///< index for seriesStyle()
  std::vector<const RunView*> members;  ///< at least one
  /// Members that are drawn, but are in no mean: another one has the same settings and seed.
  std::vector<const RunView*> uncounted = {};
  /// Of members that are forks, the runs that they were forked from, drawn pale up to there.
  std::map<const RunView*, const RunView*> parents = {};
};

/// A chart as drawn on the page Runs.
struct RunChart {
  std::size_t spec = 0;  ///< index into ChartLayout::charts
  QString title, unit;
  ValueFormat format = ValueFormat::Plain;
  bool fromZero = false;
  bool namesRuns = false;  ///< the legend lists several runs or groups, not quantities
  ChartContent content;

  /// Whether something was measured: neither references nor what is planned.
  bool hasValues() const;
};

/// Charts of `layout` for the groups, the baseline first, over the chosen axis. With exactly one run also: the plan,
/// events, all devices, repeated rows, references, stage edges. Pure.
std::vector<RunChart> runCharts(const ChartLayout& layout, const std::vector<ChartGroup>& groups);

/// Number of global batches over which a weight averages, 1 / (1 - weight), rounded.
int smoothingWindow(double weight);

}  // namespace batchwise
