// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/watch/chart_grid.h"

#include <QtCore/QEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QToolTip>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/plot_frame.h"
#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/parts/layouts.h"

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

QSize EventLane::sizeHint() const {
  return {fontMetrics().height() * 13, static_cast<int>(side()) + 6};
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

namespace {

constexpr int kMaxColumns = 3;

/// Returns the measured lines, which the cards of other charts list.
std::vector<const ChartLine*> measuredLines(const ChartContent& content) {
  std::vector<const ChartLine*> lines;
  for (const ChartLine& line : content.lines)
    if ((line.kind == LineKind::Main || line.kind == LineKind::Points) && !line.name.isEmpty()) lines.push_back(&line);
  return lines;
}

/// Returns true if `lines` has a line with the same values: two charts may show the same.
bool containsSameLine(const std::vector<const ChartLine*>& lines, const ChartLine& wanted) {
  return std::any_of(lines.begin(), lines.end(), [&wanted](const ChartLine* line) {
    return line->name == wanted.name && line->points.size() == wanted.points.size() &&
           line->points.back() == wanted.points.back();
  });
}

}  // namespace

ChartGrid::ChartGrid(const Theme& theme, QWidget* parent)
    : QScrollArea(parent), theme_(theme), content_(new QWidget(this)), layout_(new QGridLayout(content_)) {
  layout_->setContentsMargins(8, 0, 8, 8);
  layout_->setSpacing(8);
  fillScrollArea(*this, content_);
}

void ChartGrid::addChart(SeriesChart* chart) {
  chart->setParent(content_);
  charts_.push_back(chart);
  if (lane_ == nullptr) lane_ = new EventLane(*chart, theme_, content_);
  connect(chart, &SeriesChart::cursorMoved, this, [this, chart](std::optional<double> x) { moveCursor(chart, x); });
  connect(chart, &SeriesChart::zoomRequested, this, [this](double factor, double at) {
    view_.zoom(factor, at);
    showView();
  });
  connect(chart, &SeriesChart::panRequested, this, [this](double distance) {
    view_.pan(distance);
    showView();
  });
  connect(chart, &SeriesChart::rangeRequested, this, &ChartGrid::showPart);
  connect(chart, &SeriesChart::fullRangeRequested, this, &ChartGrid::fit);
  columns_ = 0;
  arrange();
}

void ChartGrid::removeChart(SeriesChart* chart) {
  std::erase(charts_, chart);
  chart->hide();
  chart->deleteLater();
  columns_ = 0;
  arrange();
}

void ChartGrid::setContents(std::vector<ChartContent> contents, const std::vector<bool>& hiddenIfEmpty) {
  const ChartContent& first = contents.front();
  if (first.xAxis != clock_) view_.fit();
  clock_ = first.xAxis;
  view_.setExtent({first.xLow, first.xHigh}, first.dataEnd);
  bool changed = false;
  for (std::size_t i = 0; i < charts_.size(); ++i) {
    const bool hidden = hiddenIfEmpty[i] && contents[i].lines.empty();
    changed = changed || hidden != charts_[i]->isHidden();
    charts_[i]->setHidden(hidden);
    charts_[i]->setContent(std::move(contents[i]), view_.part());
  }
  lane_->update();
  if (!changed) return;
  columns_ = 0;
  arrange();
}

void ChartGrid::setView(const AxisView& view, XAxis clock) {
  view_ = view;
  clock_ = clock;
  showView();
}

void ChartGrid::fit() {
  view_.fit();
  showView();
}

void ChartGrid::follow() {
  view_.follow();
  showView();
}

void ChartGrid::toStart() {
  view_.toStart();
  showView();
}

void ChartGrid::showPart(AxisRange part) {
  view_.show(part);
  showView();
}

void ChartGrid::setLogarithmic(bool logarithmic) {
  for (SeriesChart* chart : charts_) chart->setLogarithmic(logarithmic);
}

void ChartGrid::setRobust(bool robust) {
  for (SeriesChart* chart : charts_) chart->setRobust(robust);
}

void ChartGrid::showView() {
  for (SeriesChart* chart : charts_) chart->showPart(view_.part());
  lane_->update();
  Q_EMIT viewChanged();
}

void ChartGrid::moveCursor(SeriesChart* under, std::optional<double> x) {
  for (SeriesChart* chart : charts_) {
    chart->showCursorAt(x);
    chart->showCard(x && chart == under ? card(under, *x) : QStringList());
  }
}

QStringList ChartGrid::card(const SeriesChart* under, double x) const {
  QStringList texts{xAxisText(x, clock_)};
  texts << under->valuesAt(x);
  std::vector<const ChartLine*> listed = measuredLines(under->content());
  for (const SeriesChart* chart : charts_) {
    if (chart == under || chart->isHidden()) continue;
    const auto lines = measuredLines(chart->content());
    for (const ChartLine* line : lines) {
      const QString value = chart->valueText(*line, x);
      if (value.isEmpty() || containsSameLine(listed, *line)) continue;
      const QString& title = chart->spec().title;
      const QString who = lines.size() > 1 ? QStringLiteral("%1, %2").arg(title, line->name) : title;
      texts << QStringLiteral("%1  %2 %3").arg(who, value, chart->spec().unit).trimmed();
      listed.push_back(line);
    }
  }
  return texts;
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

bool ChartGrid::event(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
  return QScrollArea::event(event);
}

void ChartGrid::arrange() {
  if (charts_.empty()) return;
  const int least = charts_.front()->minimumSizeHint().width() + layout_->spacing();
  std::vector<SeriesChart*> small;
  std::copy_if(charts_.begin() + 1, charts_.end(), std::back_inserter(small),
               [](const SeriesChart* chart) { return !chart->isHidden(); });
  const int count = static_cast<int>(small.size());
  const int columns = std::clamp(viewport()->width() / std::max(1, least), 1, std::clamp(count, 1, kMaxColumns));
  if (columns == columns_) return;
  columns_ = columns;
  while (layout_->count() > 0) delete layout_->takeAt(0);
  for (int row = 0; row < layout_->rowCount(); ++row) layout_->setRowStretch(row, 0);
  for (int column = 0; column < kMaxColumns; ++column) layout_->setColumnStretch(column, column < columns ? 1 : 0);
  layout_->addWidget(charts_.front(), 0, 0, 1, columns);
  layout_->addWidget(lane_, 1, 0, 1, columns);
  layout_->setRowStretch(0, 4);
  for (int i = 0; i < count; ++i) {
    const int row = 2 + i / columns;
    const bool last = i == count - 1;
    layout_->addWidget(small[static_cast<std::size_t>(i)], row, i % columns, 1, last ? columns - i % columns : 1);
    layout_->setRowStretch(row, 3);
  }
}

}  // namespace batchwise
