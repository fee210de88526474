// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/charts/chart_card.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// The card beside the cursor of a chart: as large as its texts, but inside its parent, where it shortens names, keeps
/// values whole and counts the rows that do not fit. The mouse passes through it.
class CardView final : public QWidget {
  Q_OBJECT

 public:
  CardView(const Theme& theme, QWidget* parent);

  /// Shows `card` beside `at`, in pixels of the parent; an empty one hides it.
  void showCard(const ChartCard& card, QPointF at);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void chooseRows(const QFontMetricsF& metrics);
  double chooseWidth(const QFontMetricsF& metrics, double at);

  const Theme& theme_;
  ChartCard card_;             // with the rows and events that fit
  QStringList heads_, names_;  // names of the rows, shortened
  qsizetype left_ = 0;         // rows and events that do not fit
};

}  // namespace batchwise
