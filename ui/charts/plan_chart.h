// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtWidgets/QWidget>
#include <vector>

#include "ui/charts/chart_content.h"
#include "ui/charts/handle_layer.h"
#include "ui/theme/theme.h"

class QCategoryAxis;
class QChartView;
class QLineSeries;

namespace batchwise {

/// A planned quantity over global batches: one line, its value axis from 0, drawn by Qt Charts. The charts of runs are
/// SeriesChart, which draws millions of points and what Qt Charts has no place for.
class PlanChart final : public QWidget {
  Q_OBJECT

 public:
  enum class Course { Line, Steps };

  PlanChart(const QString& title, const QString& unit, ValueFormat format, Course course, const Theme& theme,
            QWidget* parent = nullptr);

  /// Shows the values of a plan that ends at this global batch.
  void setPoints(const std::vector<QPointF>& points, double end);
  const std::vector<QPointF>& points() const { return points_; }
  /// Shows handles, and a course in front of the points; the axes have room for both, and only grow during a drag.
  void setHandles(std::vector<ChartHandle> handles, std::vector<QPointF> course);
  HandleLayer& handles() { return *layer_; }

  QSize minimumSizeHint() const override { return {fontMetrics().height() * 11, fontMetrics().height() * 8}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitAxes();
  void placeTicks();
  void placeLayer();
  void applyTheme();

  const Theme& theme_;
  ValueFormat format_;
  Course course_;
  std::vector<QPointF> points_;
  double planEnd_ = 1;            // of the points
  double end_ = 1, highest_ = 1;  // of the axes
  HandleLayer* layer_;
  QChartView* view_;
  QLineSeries* series_;
  QCategoryAxis *x_, *y_;
};

}  // namespace batchwise
