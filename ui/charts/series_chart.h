// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointer>
#include <QtGui/QImage>
#include <QtWidgets/QWidget>
#include <optional>
#include <utility>

#include "ui/charts/chart_card.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/plot_frame.h"
#include "ui/theme/theme.h"

namespace batchwise {

class CardView;
struct ChartScene;

/// MIME type of a series that is dragged onto a chart; its data is the name of the series, in UTF-8.
inline constexpr QLatin1String kSeriesMimeType("application/x-batchwise-series");

/// What a chart is of, and how it shows that.
struct ChartTitle {
  QString title = {};
  QString unit = {};  ///< shown after the title; may be empty
  ValueFormat format = ValueFormat::Plain;
  bool fromZero = false;     ///< the value axis starts at 0
  QString emptyText = {};    ///< shown while there is no value
  bool interactive = false;  ///< handles mouse and keys
};

/// Chart of several lines over an x axis: takes all points, and draws what its pixels can show. What is painted is kept
/// until content, size or theme change: moving the cursor costs one copy of it. Call setContent() at most about 30
/// times a second. Mouse and keys only emit requests, so that several charts can share an axis. Wheel: zoom; drag:
/// choose a part; drag with Shift or the middle button: pan; double click: show everything; arrow keys: move the
/// cursor; + and -: zoom; Page Up and Page Down: pan. A line near the mouse is emphasized.
class SeriesChart final : public QWidget {
  Q_OBJECT

 public:
  SeriesChart(ChartTitle title, const Theme& theme, QWidget* parent = nullptr);
  ~SeriesChart() override;

  /// `part`: visible part of the x axis; nothing: all of it.
  void setContent(ChartContent content, std::optional<AxisRange> part = {});
  const ChartContent& content() const { return content_; }
  void showPart(std::optional<AxisRange> part);
  const PlotFrame& frame() const { return frame_; }
  const PlotSetting& setting() const { return setting_; }
  const ChartTitle& title() const { return title_; }
  /// Sets the text shown while there is no value, from the next setContent() on.
  void setEmptyText(const QString& text) { title_.emptyText = text; }
  void setLogarithmic(bool logarithmic);
  /// Lets isolated spikes lie outside the plot, marked by an arrow at its edge and counted in the title.
  void setRobust(bool robust) {
    if (std::exchange(setting_.robust, robust) != robust) refresh();
  }
  /// Keeps at least this width left of the plot, see PlotFrame::axisWidth.
  void setLeastAxisWidth(double width) {
    if (std::exchange(setting_.leastAxisWidth, width) != width) refresh();
  }

  /// Moves the cursor line that all charts of a page share; nothing: hides it.
  void showCursorAt(std::optional<double> x) {
    if (std::exchange(cursorX_, x) != x) update();
  }
  /// Returns the card at `x`: the value of each named line in descending order, then the events there.
  ChartCard cardAt(double x) const;
  /// Returns the formatted value of `line` at `x`, see cardValue().
  QString valueText(const ChartLine& line, double x) const { return cardValue(content_, line, title_.format, x); }
  /// Shows a card beside the cursor, and describes it to screen readers; an empty one: none.
  void showCard(const ChartCard& card);
  /// Lets the card extend beyond the chart, within `area`, which contains the chart.
  void setCardArea(QWidget* area);
  /// Emphasizes the lines of this name and fades the others; no effect if there is none, or if it is empty.
  void setEmphasized(const QString& name) {
    if (std::exchange(emphasized_, name) != name) repaintPicture();
  }
  const QString& emphasized() const { return emphasized_; }

  /// Returns the number of decimated points over all lines.
  int drawnPoints() const;

  QSize sizeHint() const override { return {fontMetrics().height() * 24, fontMetrics().height() * 13}; }
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The cursor has moved to `x` on the axis, see nearestPlace(); nothing: it has left the plot.
  void cursorMoved(std::optional<double> x);
  /// `factor` below 1 shows a smaller part; the position `at` stays in place.
  void zoomRequested(double factor, double at);
  void panRequested(double distance);
  void rangeRequested(AxisRange part);
  void fullRangeRequested();
  /// The mouse has come near a line of this name or its label, or (empty) left it.
  void lineHovered(const QString& name);
  /// A series was dropped onto the chart, see kSeriesMimeType.
  void seriesDropped(const QString& series);
  /// The menu key or the right button was pressed; `place` is in screen coordinates.
  void menuRequested(QPoint place);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent*) override { Q_EMIT fullRangeRequested(); }
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent*) override { showDropTarget(false); }
  void dropEvent(QDropEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  enum class Drag { None, Choose, Move };

  void refresh();
  void repaintPicture();
  ChartScene scene(QImage* image = nullptr) const;
  void drawPicture(const QSize& pixels);
  void hover(const QString& name);
  void showDropTarget(bool isTarget);
  double cursorPlace(double x) const { return nearestPlace(content_, {frame_.xLow, frame_.xHigh}, x); }
  double nextCursorPlace(double cursor, double step) const;

  ChartTitle title_;
  const Theme& theme_;
  PlotSetting setting_;
  ChartContent content_;
  PlotFrame frame_;
  DrawnChart drawn_;
  std::optional<double> cursorX_;
  QString emphasized_;
  LegendCache legend_;
  QImage picture_;  // all but cursor, selection and focus
  bool isStale_ = true, isDropTarget_ = false;
  Drag drag_ = Drag::None;
  double pressedAt_ = 0, movedTo_ = 0;  // pixels
  QString hovered_;
  QPointer<CardView> card_;
};

}  // namespace batchwise
