// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <vector>

#include "ui/charts/chart_content.h"

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

}  // namespace batchwise
