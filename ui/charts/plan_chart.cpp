// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plan_chart.h"

#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtWidgets/QGraphicsLayout>
#include <algorithm>

#include "core/analysis/axis_ticks.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/long_series.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {

PlanChart::PlanChart(const QString& title, const QString& unit, ValueFormat format, Course course, const Theme& theme,
                     QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      format_(format),
      course_(course),
      layer_(new HandleLayer(theme, this)),
      view_(new QChartView(this)),
      series_(new QLineSeries),
      x_(new QCategoryAxis),
      y_(new QCategoryAxis) {
  setAccessibleName(tr("Chart: %1").arg(title));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* unitLabel = new ElidedLabel(this);
  unitLabel->setText(unit);
  Theme::setLook(unitLabel, TextLook::Small);
  QChart& chart = *view_->chart();
  chart.legend()->hide();
  chart.setBackgroundVisible(false);
  chart.layout()->setContentsMargins(0, 0, 0, 0);
  chart.addSeries(series_);
  chart.addAxis(x_, Qt::AlignBottom);
  chart.addAxis(y_, Qt::AlignLeft);
  for (QCategoryAxis* axis : {x_, y_}) {
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLineVisible(false);
    series_->attachAxis(axis);
  }
  x_->setGridLineVisible(false);
  view_->setRenderHint(QPainter::Antialiasing);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setFocusPolicy(Qt::NoFocus);
  auto* head = new QWidget(this);
  row(head, {plainLabel(this, TextLook::Title, title), {unitLabel, 1}}, {{8, 0, 0, 0}, 6});
  column(this, {head, {view_, 1}}, {{0, 0, 0, 0}, 0});
  layer_->raise();
  connect(&chart, &QChart::plotAreaChanged, this, &PlanChart::placeLayer);
  connect(layer_, &HandleLayer::dragEnded, this, &PlanChart::fitAxes);
  connect(&theme, &Theme::changed, this, &PlanChart::applyTheme);
  applyTheme();
}

void PlanChart::applyTheme() {
  const ThemeColors& colors = theme_.colors();
  const QFont small = theme_.smallFont();
  view_->setBackgroundBrush(colors.base);
  const QFontMetrics metrics(small);  // half of a label at the ends of the axes
  view_->chart()->setMargins({0, metrics.height() / 2, metrics.horizontalAdvance(QStringLiteral("0000")), 0});
  series_->setPen(chartPen(LineKind::Main, 0, colors));
  for (QCategoryAxis* axis : {x_, y_}) {
    axis->setLabelsFont(small);
    axis->setLabelsBrush(colors.muted);
    axis->setGridLinePen(QPen(colors.line, 1));
  }
  updateGeometry();
  placeTicks();
}

void PlanChart::setPoints(const std::vector<QPointF>& points, double end) {
  if (points == points_ && std::max(1.0, end) == planEnd_) return;
  points_ = points;
  planEnd_ = std::max(1.0, end);
  const QList<QPointF> all(points.begin(), points.end());
  series_->replace(course_ == Course::Steps ? staircase(all) : all);
  fitAxes();
}

void PlanChart::setHandles(std::vector<ChartHandle> handles, std::vector<QPointF> course) {
  const LineKind kind = course.empty() ? LineKind::Main : LineKind::Planned;  // until the plan follows
  series_->setPen(chartPen(kind, 0, theme_.colors()));
  layer_->setHandles(std::move(handles), std::move(course));
  fitAxes();
}

void PlanChart::fitAxes() {
  double highest = layer_->isDragging() ? highest_ : 0;
  for (const QPointF& point : points_) highest = std::max(highest, point.y());
  for (const ChartHandle& handle : layer_->handles()) highest = std::max(highest, handle.at.y());
  const double end = layer_->isDragging() ? end_ : planEnd_;
  const bool same = highest == highest_ && end == end_;
  highest_ = highest;
  end_ = end;
  if (!same) placeTicks();
}

/// Over the view, whose plot it knows by its pixels.
void PlanChart::placeLayer() {
  layer_->setGeometry(view_->geometry());
  const QRectF plot = view_->chart()->plotArea();
  layer_->setScale(
      {QRectF(view_->mapFromScene(plot.topLeft()), view_->mapFromScene(plot.bottomRight())), x_->max(), y_->max()});
}

void PlanChart::placeTicks() {
  constexpr double kRoom = 1.06;  // above the highest value
  const double lineHeight = QFontMetricsF(theme_.smallFont()).height();
  const auto place = [](QCategoryAxis& axis, const TickRequest& request, const auto& textOf) {
    for (const QString& label : axis.categoriesLabels()) axis.remove(label);
    axis.setRange(request.low, request.high);
    const std::vector<double> ticks = axisTicks(request);
    for (const double tick : ticks) axis.append(textOf(tick, tickSpacing(ticks)), tick);
  };
  place(*x_, {.low = 0, .high = end_, .wanted = std::clamp(static_cast<int>(width() / (6 * lineHeight)), 1, 10)},
        [](double tick, double spacing) { return xTickText(tick, XAxis::Batches, spacing); });
  place(*y_,
        {.low = 0,
         .high = highest_ > 0 ? kRoom * highest_ : 1.0,
         .wanted = std::max(2, static_cast<int>(height() / (3 * lineHeight)))},
        [this](double tick, double spacing) { return tickText(tick, format_, spacing); });
  placeLayer();
}

void PlanChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeTicks();
}

}  // namespace batchwise
