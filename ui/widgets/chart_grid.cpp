// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_grid.h"

#include <QtCore/QEvent>
#include <QtWidgets/QGridLayout>
#include <algorithm>

#include "ui/widgets/series_chart.h"

namespace batchwise {
namespace {
constexpr int kMostColumns = 3;
}

ChartGrid::ChartGrid(QWidget* parent)
    : QScrollArea(parent), content_(new QWidget(this)), layout_(new QGridLayout(content_)) {
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
  connect(chart, &SeriesChart::cursorMoved, this, [this](std::optional<double> x) {
    for (SeriesChart* each : charts_) each->showCursorAt(x);
  });
  columns_ = 0;
  arrange();
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
  const int small = static_cast<int>(charts_.size()) - 1;
  const int columns = std::clamp(viewport()->width() / std::max(1, least), 1, std::clamp(small, 1, kMostColumns));
  if (columns == columns_) return;
  columns_ = columns;
  while (layout_->count() > 0) delete layout_->takeAt(0);
  for (int row = 0; row < layout_->rowCount(); ++row) layout_->setRowStretch(row, 0);
  for (int column = 0; column < kMostColumns; ++column) layout_->setColumnStretch(column, column < columns ? 1 : 0);
  layout_->addWidget(charts_.front(), 0, 0, 1, columns);
  layout_->setRowStretch(0, 4);
  for (int i = 0; i < small; ++i) {
    const int row = 1 + i / columns;
    const bool lastAlone = i == small - 1 && i % columns == 0;
    layout_->addWidget(charts_[static_cast<std::size_t>(i + 1)], row, i % columns, 1, lastAlone ? columns : 1);
    layout_->setRowStretch(row, 3);
  }
}

}  // namespace batchwise
