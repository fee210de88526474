// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

#include "ui/models/chart_content.h"
#include "ui/theme/svg_picture.h"

class QMenu;

namespace batchwise {

class SeriesChart;

// What leaves a chart: pictures, a table to read.

/// The shown part as an SVG drawing, in light colours whatever the window looks like.
QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size);

/// Writes .svg, .pdf or .png of the shown part. Returns what went wrong, empty if nothing did.
QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size);

/// A window with the values of the shown part as a table, for reading and screen readers.
void showTable(const SeriesChart& chart);

}  // namespace batchwise
