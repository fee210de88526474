// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <optional>

#include "ui/models/chart_content.h"
#include "ui/theme/svg_picture.h"

namespace batchwise {

class CsvExportJobs;
class MessageBar;
class SeriesChart;
class StudioSettings;

/// Returns the visible part as an SVG drawing, always in the light theme.
QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size);

/// Writes an SVG drawing as .svg, .pdf or .png, by the suffix of `file`. Returns an error message, empty on success.
QString writePicture(const QByteArray& svg, const QString& file, const PictureSize& size);

/// Writes the visible part as .svg, .pdf or .png, by the suffix of `file`. Returns an error message, empty on success.
QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size);

/// Opens a window with the values of the visible part as a table, also for screen readers. At most 5000 rows.
void showTable(const SeriesChart& chart);

/// The menu of a chart: saves its picture or its values, and shows them as a table. The message bar reports the
/// outcome.
class ChartExport final : public QObject {
  Q_OBJECT

 public:
  /// `page` is the parent of menus and dialogs.
  ChartExport(StudioSettings& settings, CsvExportJobs& saving, MessageBar& message, QWidget& page);

  void openMenu(SeriesChart& chart, QPoint place);

 private:
  void choosePicture(const SeriesChart& chart, const PictureSize& size);
  void chooseValues(const SeriesChart& chart, std::optional<AxisRange> part);
  QString chooseFile(const SeriesChart& chart, const QString& title, const QString& ending, const QString& filters);

  StudioSettings& settings_;
  CsvExportJobs& saving_;
  MessageBar& message_;
  QWidget& page_;
};

}  // namespace batchwise
