// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "ui/models/axis_view.h"
#include "ui/models/long_series.h"
#include "ui/models/run_clock.h"

namespace batchwise {

/// How a line of a chart is drawn.
enum class LineKind {
  Main,        ///< 1.75 px
  Raw,         ///< the colour at 25 %, behind a smoothed line
  Thin,        ///< 1 px
  Planned,     ///< dotted, muted grey, behind the others
  Reference,   ///< dashed, muted, thin; told in words when it lies outside the values
  Superseded,  ///< the colour at 25 %: rows that a resume took up again
  Points,      ///< a line with a dot at each point
};

struct ChartLine {
  QString name;  ///< at its right end; empty: not labelled and not on the card
  LineKind kind = LineKind::Main;
  int color = 0;         ///< of the series colours
  bool steps = false;    ///< each value holds until the next
  LongSeries points;     ///< over global batches; what is not finite is marked and ends the line
  bool derived = false;  ///< follows from another line of the chart (smoothed): its values are not counted again

  /// True for what was measured: it is counted, marked and never left out in silence.
  bool counts() const { return kind != LineKind::Reference && kind != LineKind::Planned && !derived; }
};

/// A small tick under the axis.
struct ChartEvent {
  double x = 0;
  QString icon;  ///< in resources/icons
  QString text;
};

/// All that a chart shows. All but the points of the lines is over the clock already. A value: copies share their
/// points.
struct ChartContent {
  std::vector<ChartLine> lines;
  std::vector<double> seams;  ///< x where a resume went on
  std::vector<ChartEvent> events;
  double xLow = 0, xHigh = 1;  ///< everything there is to show
  double dataEnd = 1;          ///< x of the newest value
  RunClock clock = RunClock::Batches;
  ClockMap map;  ///< puts the lines over the clock
};

/// What the values of a chart are, for axes and cards.
enum class ValueFormat { Plain, Rate, Count, Gibibytes };

}  // namespace batchwise
