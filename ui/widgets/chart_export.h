// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <limits>
#include <optional>

#include "core/analysis/text_table.h"
#include "ui/models/chart_content.h"
#include "ui/theme/svg_picture.h"

class QMenu;

namespace batchwise {

class SeriesChart;

// What leaves a chart: pictures, files of values, a table to read.

/// The shown part as an SVG drawing, in light colours whatever the window looks like.
QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size);

/// A row for each global batch that has a value, a column for each line; in full precision. `part`: of the x axis, nothing:
/// everything. At most `mostRows`, from the left. Levels that are the same everywhere are left out.
TextTable chartTable(const ChartContent& content, std::optional<AxisRange> part,
                     std::size_t mostRows = std::numeric_limits<std::size_t>::max());

/// Writes .svg, .pdf or .png of the shown part. Returns what went wrong, empty if nothing did.
QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size);
/// Writes .csv of a part, or of everything.
QString exportValues(const SeriesChart& chart, const QString& file, std::optional<AxisRange> part);

/// A window with the values of the shown part as a table, for reading and screen readers.
void showTable(const SeriesChart& chart);

}  // namespace batchwise
