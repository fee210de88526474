// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/text_table.h"
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

/// Streams the values of a chart as table blocks, in order of x: one row per x that has a value, one column per line,
/// in full precision. Lines of one run have their global batches and the axis as x, lines of several runs the axis
/// alone. Bands have a column for each edge; reference lines are omitted. Not thread-safe.
class ChartRows final : public RowSource {
 public:
  /// `part`: range of the x axis; none: all.
  ChartRows(ChartContent content, std::optional<AxisRange> part);

  TextTable next(std::size_t most) override;
  bool atEnd() const override;
  double progress() const override;

 private:
  /// Read position in one line.
  struct Cursor {
    std::size_t line, next, end;
    double x = 0;  // of the next value: a global batch if sharedMap_, else in axis units
    bool done() const { return next == end; }
  };

  void addLine(std::size_t line, const std::optional<AxisRange>& part);
  void readX(Cursor& cursor) const;
  std::string takeValue(Cursor& cursor) const;
  std::vector<std::string> row();

  ChartContent content_;
  std::shared_ptr<const XAxisMap> sharedMap_;  // of the only run; null: several, or x is in axis units
  std::vector<TextTable::Column> columns_;
  std::vector<Cursor> cursors_;
  std::size_t totalValues_ = 0;  // total of all lines
};

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
