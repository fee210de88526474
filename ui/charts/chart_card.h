// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtWidgets/QWidget>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/theme/theme.h"

namespace batchwise {

/// Texts of the card beside the cursor. A value type.
struct ChartCard {
  struct Row {
    QString name, value;
    LineKind kind = LineKind::Main;  ///< with `color`: the pen of the swatch
    int color = 0;
  };

  QString place;  ///< "Batch 150"
  QString title;  ///< what the values are, with their unit
  std::vector<Row> rows;
  QStringList events;

  bool empty() const { return place.isEmpty(); }
  /// Returns all texts in order, one line each, for screen readers.
  QStringList texts() const;
};

/// Returns the newest point of `line` at or before `x`, if any. A run has none after its newest value.
std::optional<QPointF> pointAt(const ChartContent& content, const ChartLine& line, double x);

/// Returns the place of the cursor for the mouse at `x`, both in axis units: the nearest point of a named line inside
/// `shown`. Without one, or behind the newest value: `x`, on global batches the nearest one.
double nearestPlace(const ChartContent& content, AxisRange shown, double x);

/// Returns the card for `x` in axis units: the value of each named line in descending order, evaluations last, then the
/// events within `reach` of `x`. `title` is what the values are.
ChartCard chartCard(const ChartContent& content, ValueFormat format, const QString& title, double x, double reach);

/// Returns the formatted value of `line` at `x`; empty: none. Appends its position if the line is measured only at some
/// global batches (LineKind::Points, Dots) and the position differs from `x`.
QString cardValue(const ChartContent& content, const ChartLine& line, ValueFormat format, double x);

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
