// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRect>
#include <QtWidgets/QScrollArea>
#include <algorithm>
#include <optional>
#include <vector>

#include "ui/charts/series_chart.h"
#include "ui/runs/run_charts.h"
#include "ui/theme/theme.h"

class QRubberBand;

namespace batchwise {

class EventLane;
class LegendStrip;

/// Size of a chart in the grid, see ChartSpec.
struct GridItem {
  int columns = 1;
  int height = 0;  ///< in pixels; 0: its share of the window
};

/// Places items in rows of up to ChartSpec::kMostColumns columns, as many as fit beside each other at the width of
/// `least`; the last of a row fills it. Rows without a height share what the others leave of the window, but are not
/// lower than `least`. Pure.
std::vector<QRect> placeInGrid(const std::vector<GridItem>& items, QSize window, QSize least);

/// A chart of the grid with the events below it. Its right and lower edges resize it, its title moves it.
class GridCell final : public QWidget {
  Q_OBJECT

 public:
  GridCell(RunChart chart, const Theme& theme, QWidget* parent);

  SeriesChart& chart() { return *chart_; }
  const SeriesChart& chart() const { return *chart_; }
  std::size_t spec() const { return spec_; }
  /// True if `chart` has the same title, unit and format, so that this cell can show it.
  bool fits(const RunChart& chart) const;
  void setChart(RunChart chart, const std::optional<AxisRange>& part, const QString& emptyText);
  QSize leastSize() const;
  void updateEvents();

 Q_SIGNALS:
  /// An edge is dragged: the cell should have this size in pixels. `edge`: the one that moves.
  void resizeRequested(QSize size, Qt::Edge edge);
  /// The edge was released.
  void resized();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  std::optional<Qt::Edge> edgeAt(QPoint place) const;
  void placeHandle();

  std::size_t spec_;
  SeriesChart* chart_;
  EventLane* lane_;
  QWidget* handle_;  // over the title
  std::optional<Qt::Edge> dragged_;
};

/// The charts of the page Runs: they share a cursor, the emphasized line, the visible part of the x axis, and above
/// them the legend of charts that name the same runs. Scrolls where the window is too low.
class ChartGrid final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ChartGrid(const Theme& theme, QWidget* parent = nullptr);

  /// Shows `charts` in the sizes of `specs`, all over one axis. Those without values take no room, unless none has any:
  /// then they show `emptyText`.
  void setCharts(std::vector<RunChart> charts, const std::vector<ChartSpec>& specs, const QString& emptyText);
  /// Applies to all charts.
  void setRobust(bool robust);
  /// Whether the chart of the layout at `spec` is shown.
  bool shows(std::size_t spec) const { return std::ranges::find(cells_, spec, &GridCell::spec) != cells_.end(); }
  int count() const { return static_cast<int>(cells_.size()); }
  /// Requires `index` < count().
  SeriesChart& chart(int index) { return cells_[static_cast<std::size_t>(index)]->chart(); }

  /// Returns the card of the chart under the mouse at `x`: its values, and those of the other charts if they are few.
  ChartCard card(const SeriesChart& under, double x) const;

  const AxisView& view() const { return view_; }
  /// Shows the same part as another time, if `xAxis` is the axis of the charts.
  void setView(const AxisView& view, XAxis xAxis);
  XAxis xAxis() const { return xAxis_; }
  void fit();
  void follow();
  void toStart();
  void showPart(AxisRange part);

 Q_SIGNALS:
  /// The visible part has changed, or following has started or stopped.
  void viewChanged();
  /// `spec`: index of the chart in the layout.
  void menuRequested(int index, std::size_t spec, QPoint place);
  void sizeRequested(std::size_t spec, int columns, int height);
  /// The size that was requested last is to be kept.
  void sizeChosen();
  void moveRequested(std::size_t spec, std::size_t to);
  void seriesDropped(std::size_t spec, const QString& series);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  GridCell* addCell(RunChart chart);
  void connectChart(GridCell* cell);
  void emphasize(const QString& name);
  void leaveOutEmpty(std::vector<RunChart>& charts, const std::vector<ChartSpec>& specs) const;
  void shareLegend(std::vector<RunChart>& charts);
  void placeLegend();
  void arrange();
  void alignPlots();
  void showView();
  void moveCursor(const SeriesChart* under, std::optional<double> x);
  void requestSize(const GridCell& cell, QSize size, Qt::Edge edge);
  std::size_t specAt(QPoint place) const;
  void showDropPlace(QPoint place);
  int lineHeight() const { return fontMetrics().height(); }
  int columnCount() const;

  const Theme& theme_;
  AxisView view_;
  XAxis xAxis_ = XAxis::Batches;
  LegendStrip* legend_;
  QWidget* content_;
  QRubberBand* dropMark_;
  std::vector<GridCell*> cells_;
  std::vector<ChartSpec> specs_;
  QSize leastCell_;
  bool robust_ = true;
};

}  // namespace batchwise
