// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <optional>
#include <vector>

#include "ui/models/chart_content.h"
#include "ui/theme/theme.h"

class QGridLayout;

namespace batchwise {

class EventLane;
class SeriesChart;

/// Charts in as many columns as their text leaves room for, the first one over the whole width; scrolls where the
/// window is too low; the events of the first are in a lane under it. The charts share one cursor, with one card of the
/// values of all of them, and one part of the x axis.
class ChartGrid final : public QScrollArea {
  Q_OBJECT

 public:
  explicit ChartGrid(const Theme& theme, QWidget* parent = nullptr);

  /// Takes ownership. The first one added is the wide one.
  void addChart(SeriesChart* chart);
  /// Takes the chart out and deletes it; not the first one.
  void removeChart(SeriesChart* chart);
  int columns() const { return columns_; }
  /// One per chart, in the order in which they were added, all over one clock. `hiddenIfEmpty`: a chart without lines
  /// makes room for the others.
  void setContents(std::vector<ChartContent> contents, const std::vector<bool>& hiddenIfEmpty);

  const AxisView& view() const { return view_; }
  /// Takes over what another grid shows of the same axis.
  void setView(const AxisView& view, RunClock clock);
  /// What the view does, all charts show.
  void fit();
  void follow();
  void toStart();
  void showPart(AxisRange part);
  void setLogarithmic(bool logarithmic);
  void setRobust(bool robust);
  /// What the card of the chart under the mouse tells at x: the place, its values, then those of the other charts.
  QStringList card(const SeriesChart* under, double x) const;

 Q_SIGNALS:
  /// Another part is shown, or it is followed from now on or no longer.
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
  EventLane* lane_ = nullptr;  // from the first chart on
  QWidget* content_;
  QGridLayout* layout_;
  std::vector<SeriesChart*> charts_;
  int columns_ = 0;
  RunClock clock_ = RunClock::Batches;
};

}  // namespace batchwise
