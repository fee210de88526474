// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

namespace batchwise {

class SeriesChart;

/// The events of a chart as icons in a row under it, at their places on its axis; a tick where they are too close
/// together. The tooltip tells what happened there.
class EventLane final : public QWidget {
  Q_OBJECT

 public:
  /// `chart` lies above it, as wide, and outlives it.
  EventLane(const SeriesChart& chart, const Theme& theme, QWidget* parent = nullptr);

  /// What happened within some pixels of `x`, one line each; empty: nothing.
  QString textAt(double x) const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double side() const;  // of an icon, in pixels

  const SeriesChart& chart_;
  const Theme& theme_;
};

}  // namespace batchwise
