// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_lines.h"

class QPainter;

namespace batchwise {

/// Paints all of a chart but its ground and the cursor.
void paintChart(QPainter& painter, const ChartScene& scene);
/// Paints the entries of a legend of lines of the scene.
void paintLegend(QPainter& painter, const ChartLegend& legend, const ChartScene& scene);
/// Paints the vertical cursor line at `x`.
void paintCursor(QPainter& painter, const ChartScene& scene, double x);

}  // namespace batchwise
