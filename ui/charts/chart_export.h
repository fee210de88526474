// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <optional>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/theme/picture.h"

class QMenu;

namespace batchwise {

class FileJobs;
class SeriesChart;
class StudioSettings;

/// What a picture shows of a chart.
struct PictureChoice {
  QStringList leftOut;              ///< names of lines
  std::optional<AxisRange> values;  ///< of the value axis; nothing: that of the window
};

/// Returns the visible part, always in the light theme.
QPicture chartPicture(const SeriesChart& chart, const PictureSize& size, const PictureChoice& choice = {});

/// Returns the visible parts of several charts as one picture, in two columns.
QPicture chartsPicture(const std::vector<SeriesChart*>& charts, const PictureSize& size);

/// Writes a picture as .svg, .pdf or .png, by the suffix of `file`, off the GUI thread; `saving` reports the
/// outcome.
void savePicture(FileJobs& saving, const QPicture& picture, const QString& file, const PictureSize& size);

/// Opens a window with the values of the visible part as a table, also for screen readers. At most 5000 rows.
void showTable(const SeriesChart& chart);

/// The exports of a chart: saves its picture or its values, and shows them as a table.
class ChartExport final : public QObject {
  Q_OBJECT

 public:
  /// `page` is the parent of menus and dialogs.
  ChartExport(StudioSettings& settings, FileJobs& saving, QWidget& page);

  /// Adds the exports of `chart` to a menu.
  void addTo(QMenu& menu, SeriesChart& chart);
  /// Adds the export of several charts as one picture.
  void addAllTo(QMenu& menu, const std::vector<SeriesChart*>& charts);

 private:
  /// Asks for size, lines and value axis of a picture.
  void askForPicture(SeriesChart& chart);
  /// Asks for a file, named for `chart`, which may go while the dialog is open.
  void choosePicture(const SeriesChart& chart, const QPicture& picture, const PictureSize& size);
  void chooseValues(const SeriesChart& chart, std::optional<AxisRange> part);
  QString chooseFile(const SeriesChart& chart, const QString& title, const QString& ending, const QString& filters);

  StudioSettings& settings_;
  FileJobs& saving_;
  QWidget& page_;
};

}  // namespace batchwise
