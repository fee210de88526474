// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <memory>
#include <optional>

#include "ui/models/chart_content.h"
#include "ui/theme/theme.h"

namespace batchwise {

struct PlotFrame;
struct PlotSetting;

/// One chart. The only place that knows Qt Charts: it gets all points and gives Qt Charts what its pixels show, with
/// axis ranges from finite values. Call setContent() at most some 30 times a second. The mouse only tells what is
/// wanted, so that several charts can share an axis: wheel in the plot zooms, dragging chooses a part, dragging with
/// Shift or the middle button moves, a double click shows everything; keys: arrows the cursor, + and - zoom, page up
/// and down move.
class SeriesChart final : public QWidget {
  Q_OBJECT

 public:
  struct Spec {
    QString title;
    QString unit;  ///< after the title; may be empty
    ValueFormat format = ValueFormat::Plain;
    bool fromZero = false;  ///< the value axis begins at 0
    QString emptyText;      ///< while there is no value
    bool zooms = false;     ///< takes mouse and keys
  };

  SeriesChart(Spec spec, const Theme& theme, QWidget* parent = nullptr);
  ~SeriesChart() override;

  /// `part` of the x axis; nothing: everything.
  void setContent(ChartContent content, std::optional<AxisRange> part = {});
  const ChartContent& content() const;
  void showPart(std::optional<AxisRange> part);
  const PlotFrame& frame() const;
  /// How the axes are chosen now.
  const PlotSetting& setting() const;
  const Spec& spec() const;
  /// Said in the plot from the next setContent() on, while there is no value.
  void setEmptyText(const QString& text);
  void setLogarithmic(bool logarithmic);
  /// Lone spikes may lie outside the picture, with an arrow at its edge and their number in the title.
  void setRobust(bool robust);

  /// The upright line that all charts of a page share. Nothing: no line.
  void showCursorAt(std::optional<double> x);
  /// What they are and their unit, then the values there, largest first, and what happened there: one text each.
  QStringList valuesAt(double x) const;
  /// The newest value of a line at or before x, with its format; empty: none. With its place where it is a measurement
  /// of some batches that lie apart.
  QString valueText(const ChartLine& line, double x) const;
  /// A card beside the cursor; empty: none.
  void showCard(const QStringList& lines);

  /// Points handed to Qt Charts at the last setContent(), over all lines.
  int drawnPoints() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The mouse is over the position x of the axis, or has left.
  void cursorMoved(std::optional<double> x);
  /// `factor` below 1 shows less; `at` is to stay where it is.
  void zoomWanted(double factor, double at);
  void panWanted(double distance);
  void partWanted(AxisRange part);
  void everythingWanted();
  /// The menu key or the right button; a place on the screen.
  void menuWanted(QPoint place);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  class View;
  std::unique_ptr<View> view_;
};

}  // namespace batchwise
