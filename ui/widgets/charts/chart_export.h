// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

#include "ui/models/chart_content.h"
#include "ui/theme/svg_picture.h"

class QMenu;

namespace batchwise {

class SeriesChart;

/// Returns the visible part as an SVG drawing, always in the light theme.
QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size);

/// Writes the visible part as .svg, .pdf or .png, by the suffix of `file`. Returns an error message, empty on success.
QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size);

/// Opens a window with the values of the visible part as a table, also for screen readers. At most 5000 rows.
void showTable(const SeriesChart& chart);

}  // namespace batchwise
