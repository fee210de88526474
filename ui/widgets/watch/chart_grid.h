// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <QtWidgets/QWidget>
#include <optional>
#include <vector>

#include "ui/models/chart_content.h"
#include "ui/theme/theme.h"

class QGridLayout;

namespace batchwise {

class SeriesChart;

/// Row of icons for the events of the chart above, at their positions on its x axis; a tick where icons would overlap.
/// The tooltip lists the events under the mouse.
class EventLane final : public QWidget {
  Q_OBJECT

 public:
  /// `chart` must lie above it with the same width, and outlive it.
  EventLane(const SeriesChart& chart, const Theme& theme, QWidget* parent = nullptr);

  /// Returns the events near pixel `x`, one line each; empty: none.
  QString textAt(double x) const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double side() const;  // size of an icon in pixels

  const SeriesChart& chart_;
  const Theme& theme_;
};

/// Grid of charts that share a cursor, a card with the values of all of them, and the visible part of the x axis. The
/// first chart spans all columns, with a lane of its events below it; the others fill as many columns as fit. Scrolls
/// where the window is too low.
class ChartGrid final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ChartGrid(const Theme& theme, QWidget* parent = nullptr);

  /// Takes ownership. The first chart added spans all columns.
  void addChart(SeriesChart* chart);
  /// Removes and deletes a chart other than the first.
  void removeChart(SeriesChart* chart);
  int columns() const { return columns_; }
  /// `contents`: one per chart, in the order of adding, all over one clock. `hiddenIfEmpty`: hides a chart without
  /// lines.
  void setContents(std::vector<ChartContent> contents, const std::vector<bool>& hiddenIfEmpty);

  const AxisView& view() const { return view_; }
  /// Shows the same part as another grid with the same axis.
  void setView(const AxisView& view, XAxis clock);
  /// These apply to all charts.
  void fit();
  void follow();
  void toStart();
  void showPart(AxisRange part);
  void setLogarithmic(bool logarithmic);
  void setRobust(bool robust);
  /// Returns the lines of the card of the chart under the mouse: position `x`, its values, then those of the other
  /// charts.
  QStringList card(const SeriesChart* under, double x) const;

 Q_SIGNALS:
  /// The visible part has changed, or following has started or stopped.
  void viewChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void arrange();
  void showView();
  void moveCursor(SeriesChart* under, std::optional<double> x);

  const Theme& theme_;
  AxisView view_;
  EventLane* lane_ = nullptr;  // created with the first chart
  QWidget* content_;
  QGridLayout* layout_;
  std::vector<SeriesChart*> charts_;
  int columns_ = 0;
  XAxis clock_ = XAxis::Batches;
};

}  // namespace batchwise
