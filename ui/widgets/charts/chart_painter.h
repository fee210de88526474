// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/charts/chart_card.h"
#include "ui/widgets/charts/chart_lines.h"

class QPainter;

namespace batchwise {

/// Paints what lies behind the lines that Qt Charts draws: background, grid, resume marks, and paintLinesBehind().
void paintBackground(QPainter& painter, const ChartScene& scene);
/// Paints what lies in front: emphasized lines, dots and marks, then title, ticks, events and legend.
void paintForeground(QPainter& painter, const ChartScene& scene);
/// Paints the vertical cursor line at `x`, and beside it the card unless it is empty: inside the chart, names
/// shortened, values whole, and the number of rows that do not fit.
void paintCursor(QPainter& painter, const ChartScene& scene, double x, const ChartCard& card);

}  // namespace batchwise
