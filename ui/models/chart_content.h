// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "ui/models/axis_view.h"
#include "ui/models/long_series.h"
#include "ui/models/x_axis.h"

namespace batchwise {

/// Drawing style of a line in a chart.
enum class LineKind {
  Main,        ///< 1.75 px
  Raw,         ///< 25 % opacity, behind a smoothed line
  Thin,        ///< 1 px
  Planned,     ///< dotted, muted gray, behind the others
  Reference,   ///< dashed, muted, thin; labeled at the edge if out of range
  Superseded,  ///< 25 % opacity: rows that a resume trained again
  Points,      ///< a line with a dot at each point
};

struct ChartLine {
  QString name;  ///< label at the right end; empty: no label, not on the hover card
  LineKind kind = LineKind::Main;
  int color = 0;         ///< index of the series color
  bool steps = false;    ///< drawn as a staircase
  LongSeries points;     ///< x: global batches; non-finite values are marked and break the line
  bool derived = false;  ///< computed from another line of the chart (smoothed)

  /// Returns true for measured data: its points are counted, and those that are not finite or out of range are marked.
  bool isMeasured() const { return kind != LineKind::Reference && kind != LineKind::Planned && !derived; }
};

/// A marker below the x axis.
struct ChartEvent {
  double x = 0;
  QString icon;  ///< in resources/icons
  QString text;
};

/// Data of one chart. Lines have global batches as x, all else has `xAxis` as x. A value type: copies share the points
/// of the lines.
struct ChartContent {
  std::vector<ChartLine> lines;
  std::vector<double> resumePositions;  ///< x of each resume
  std::vector<ChartEvent> events;
  double xLow = 0, xHigh = 1;  ///< full extent of the x axis
  double dataEnd = 1;          ///< x of the newest value
  XAxis xAxis = XAxis::Batches;
  XAxisMap map;  ///< maps global batches to `xAxis`
};

/// Number format of a chart's values, on axes and hover cards.
enum class ValueFormat { Plain, Rate, Count, Gibibytes };

}  // namespace batchwise
