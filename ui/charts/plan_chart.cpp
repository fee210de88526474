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

/// What the chart is made of. Qt owns it.
struct PlanChart::Parts {
  QLabel* title;
  ElidedLabel* unit;
  QChartView* view;
  QLineSeries* series = new QLineSeries;
  QCategoryAxis *x = new QCategoryAxis, *y = new QCategoryAxis;
};

PlanChart::PlanChart(const QString& title, const QString& unit, ValueFormat format, Course course, const Theme& theme,
                     QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      format_(format),
      course_(course),
      layer_(new HandleLayer(theme, this)),
      parts_(new Parts{plainLabel(this, TextLook::Title, title), new ElidedLabel(this), new QChartView(this)}) {
  setAccessibleName(tr("Chart: %1").arg(title));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  parts_->unit->setText(unit);
  Theme::setLook(parts_->unit, TextLook::Small);
  QChart& chart = *parts_->view->chart();
  chart.legend()->hide();
  chart.setBackgroundVisible(false);
  chart.layout()->setContentsMargins(0, 0, 0, 0);
  chart.addSeries(parts_->series);
  chart.addAxis(parts_->x, Qt::AlignBottom);
  chart.addAxis(parts_->y, Qt::AlignLeft);
  for (QCategoryAxis* axis : {parts_->x, parts_->y}) {
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLineVisible(false);
    parts_->series->attachAxis(axis);
  }
  parts_->x->setGridLineVisible(false);
  parts_->view->setRenderHint(QPainter::Antialiasing);
  parts_->view->setFrameShape(QFrame::NoFrame);
  parts_->view->setFocusPolicy(Qt::NoFocus);
  auto* head = new QWidget(this);
  row(head, {parts_->title, {parts_->unit, 1}}, {{8, 0, 0, 0}, 6});
  column(this, {head, {parts_->view, 1}}, {{0, 0, 0, 0}, 0});
  layer_->raise();
  connect(&chart, &QChart::plotAreaChanged, this, &PlanChart::placeLayer);
  connect(layer_, &HandleLayer::dragEnded, this, &PlanChart::fitAxes);
  connect(&theme, &Theme::changed, this, &PlanChart::applyTheme);
  applyTheme();
}

PlanChart::~PlanChart() = default;

void PlanChart::applyTheme() {
  const ThemeColors& colors = theme_.colors();
  const QFont small = theme_.smallFont();
  parts_->view->setBackgroundBrush(colors.base);
  const QFontMetrics metrics(small);  // half of a label at the ends of the axes
  parts_->view->chart()->setMargins({0, metrics.height() / 2, metrics.horizontalAdvance(QStringLiteral("0000")), 0});
  parts_->series->setPen(chartPen(LineKind::Main, 0, colors));
  for (QCategoryAxis* axis : {parts_->x, parts_->y}) {
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
  parts_->series->replace(course_ == Course::Steps ? staircase(all) : all);
  fitAxes();
}

void PlanChart::setHandles(std::vector<ChartHandle> handles, std::vector<QPointF> course) {
  const LineKind kind = course.empty() ? LineKind::Main : LineKind::Planned;  // until the plan follows
  parts_->series->setPen(chartPen(kind, 0, theme_.colors()));
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
  layer_->setGeometry(parts_->view->geometry());
  const QRectF plot = parts_->view->chart()->plotArea();
  layer_->setScale({QRectF(parts_->view->mapFromScene(plot.topLeft()), parts_->view->mapFromScene(plot.bottomRight())),
                    parts_->x->max(), parts_->y->max()});
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
  place(*parts_->x, {.low = 0, .high = end_, .wanted = std::clamp(static_cast<int>(width() / (6 * lineHeight)), 1, 10)},
        [](double tick, double spacing) { return xTickText(tick, XAxis::Batches, spacing); });
  place(*parts_->y,
        {.low = 0,
         .high = highest_ > 0 ? kRoom * highest_ : 1.0,
         .wanted = std::max(2, static_cast<int>(height() / (3 * lineHeight)))},
        [this](double tick, double spacing) { return tickText(tick, format_, spacing); });
  placeLayer();
}

QSize PlanChart::minimumSizeHint() const {
  return {fontMetrics().height() * 11, fontMetrics().height() * 8};
}

void PlanChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeTicks();
}

}  // namespace batchwise
