// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/event_lane.h"

#include <QtCore/QEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/charts/plot_frame.h"
#include "ui/charts/series_chart.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kMaxTooltipEvents = 8;  // lines in one tooltip

QColor eventColor(const ChartEvent& event, const ThemeColors& colors) {
  if (event.icon == levelIcon(NoteLevel::Error)) return colors.bad;
  return event.icon == levelIcon(NoteLevel::Warning) ? colors.warning : colors.muted;
}

}  // namespace

EventLane::EventLane(const SeriesChart& chart, const Theme& theme, QWidget* parent)
    : QWidget(parent), chart_(chart), theme_(theme) {
  setAccessibleName(tr("Events of the run"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

double EventLane::side() const {
  return std::round(0.9 * fontMetrics().height());
}

QString EventLane::textAt(double x) const {
  const PlotFrame& frame = chart_.frame();
  QStringList texts;
  int more = 0;
  for (const ChartEvent& event : chart_.content().events) {
    if (event.x < frame.xLow || event.x > frame.xHigh || std::abs(frame.pixelX(event.x) - x) > side() / 2) continue;
    if (texts.size() < kMaxTooltipEvents)
      texts << QStringLiteral("%1: %2").arg(xAxisText(event.x, chart_.content().xAxis), event.text);
    else
      ++more;
  }
  if (more > 0) texts << tr("and %1 more").arg(more);
  return texts.join(QLatin1Char('\n'));
}

void EventLane::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ThemeColors& colors = theme_.colors();
  painter.fillRect(rect(), colors.base);
  const PlotFrame& frame = chart_.frame();
  const double middle = height() / 2.0;
  painter.setPen(QPen(colors.line, 1));
  painter.drawLine(QPointF(frame.plot.left(), middle), QPointF(frame.plot.right(), middle));
  std::vector<const ChartEvent*> events;
  for (const ChartEvent& event : chart_.content().events)
    if (event.x >= frame.xLow && event.x <= frame.xHigh) events.push_back(&event);
  std::stable_sort(events.begin(), events.end(), [](const ChartEvent* a, const ChartEvent* b) { return a->x < b->x; });
  const QSize pixels = QSizeF(side(), side()).toSize() * devicePixelRatioF();
  double free = -1e9;
  for (const ChartEvent* event : events) {
    const double x = frame.pixelX(event->x);
    if (x - side() / 2 < free) {
      painter.setPen(QPen(eventColor(*event, colors), 1.5));
      painter.drawLine(QPointF(x, height() - 4.0), QPointF(x, height()));
      continue;
    }
    const QRectF box(x - side() / 2, middle - side() / 2, side(), side());
    painter.fillRect(box.adjusted(-2, 0, 2, 0), colors.base);
    painter.drawPixmap(box, iconPixmap(event->icon, eventColor(*event, colors), pixels), QRectF(QPointF(), pixels));
    free = x + side() / 2 + 2;
  }
}

bool EventLane::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), plainToolTip(textAt(help->pos().x())), this);
  return true;
}

}  // namespace batchwise
