// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

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
  QSize sizeHint() const override { return {fontMetrics().height() * 13, static_cast<int>(side()) + 6}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double side() const;  // size of an icon in pixels

  const SeriesChart& chart_;
  const Theme& theme_;
};

}  // namespace batchwise
