// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/watch/chart_grid.h"

#include <QtCore/QEvent>
#include <QtWidgets/QGridLayout>
#include <algorithm>
#include <iterator>

#include "ui/widgets/charts/event_lane.h"
#include "ui/widgets/charts/plot_frame.h"
#include "ui/widgets/charts/series_chart.h"

namespace batchwise {
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
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(content_);
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
