// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/card_view.h"

#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_lines.h"

namespace batchwise {
namespace {

constexpr double kAway = 10;     // pixels between cursor and card
constexpr double kBetween = 12;  // pixels between name and value
constexpr double kNarrowest = 240;
constexpr double kIndent = 2 * kChartMargin + kSwatchWidth + kSwatchGap;

}  // namespace

CardView::CardView(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_OpaquePaintEvent);
  hide();
}

void CardView::showCard(const ChartCard& card, QPointF at) {
  if (card.empty()) return hide();
  const QFontMetricsF metrics(theme_.smallFont());
  card_ = card;
  chooseRows(metrics);
  const double width = chooseWidth(metrics, at.x());
  const qsizetype lines = heads_.size() + std::ssize(card_.rows) + card_.events.size() + (left_ > 0 ? 1 : 0);
  const double height = metrics.height() * static_cast<double>(lines) + kChartMargin;
  const QSizeF area = parentWidget()->size();
  const double right = at.x() + kAway, left = at.x() - kAway - width, most = area.width() - 2 - width;
  const double x = right <= most || left < 2 ? std::min(right, most) : left;
  setGeometry(QRectF(std::max(1.0, x), std::max(1.0, std::min(at.y(), area.height() - 2 - height)), width, height)
                  .toAlignedRect());
  raise();
  show();
  update();
}

/// Keeps the rows and events that fit into the height, after the heads.
void CardView::chooseRows(const QFontMetricsF& metrics) {
  heads_.clear();
  for (const QString& head : {card_.place, card_.title})
    if (!head.isEmpty()) heads_ << head;
  const qsizetype all = std::ssize(card_.rows) + card_.events.size();
  const auto most = static_cast<qsizetype>((parentWidget()->height() - kChartMargin - 2) / metrics.height());
  const qsizetype fitting = std::max<qsizetype>(0, most - heads_.size());
  const qsizetype shown = all <= fitting ? all : std::max<qsizetype>(0, fitting - 1);
  left_ = all - shown;
  card_.rows.resize(std::min(card_.rows.size(), static_cast<std::size_t>(shown)));
  card_.events = card_.events.mid(0, shown - std::ssize(card_.rows));
}

/// Returns the width at the wider side of the cursor. Names take at most half of the parent.
double CardView::chooseWidth(const QFontMetricsF& metrics, double at) {
  const double area = parentWidget()->width();
  const double most = std::min(area - 4, std::max(kNarrowest, std::max(at, area - at) - kAway - 2));
  names_.clear();
  double names = 0, values = 0;
  for (const ChartCard::Row& row : card_.rows) {
    names_ << row.name;
    names = std::max(names, metrics.horizontalAdvance(row.name));
    values = std::max(values, metrics.horizontalAdvance(row.value));
  }
  names = std::ceil(std::max(0.0, std::min({names, area / 2, most - kIndent - kBetween - values})));
  names_ = elidedApart(names_, names, metrics);
  double width = names_.isEmpty() ? 0 : kIndent + names + kBetween + values;
  for (const QString& text : heads_ + card_.events)
    width = std::max(width, std::min(metrics.horizontalAdvance(text) + 2 * kChartMargin + 1, most));
  return width;
}

void CardView::paintEvent(QPaintEvent*) {
  const ThemeColors& colors = theme_.colors();
  const QFontMetricsF metrics(theme_.smallFont());
  QPainter painter(this);
  painter.fillRect(rect(), colors.raised);
  painter.setPen(colors.line);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(theme_.smallFont());
  double y = kChartMargin / 2;
  const auto write = [&](const QString& text, const QColor& color) {
    painter.setPen(color);
    painter.drawText(QPointF(kChartMargin, y + metrics.ascent()),
                     metrics.elidedText(text, Qt::ElideRight, width() - 2 * kChartMargin));
    y += metrics.height();
  };
  for (const QString& head : heads_) write(head, head == heads_.front() ? colors.text : colors.muted);
  for (std::size_t i = 0; i < card_.rows.size(); ++i, y += metrics.height()) {
    const ChartCard::Row& row = card_.rows[i];
    paintSwatch(painter, row.kind, chartPen(row.kind, row.color, colors), {kChartMargin, y + metrics.height() / 2});
    painter.setPen(colors.text);
    painter.drawText(QPointF(kChartMargin + kSwatchWidth + kSwatchGap, y + metrics.ascent()),
                     names_[static_cast<qsizetype>(i)]);
    painter.drawText(QPointF(width() - kChartMargin - metrics.horizontalAdvance(row.value), y + metrics.ascent()),
                     row.value);
  }
  for (const QString& event : card_.events) write(event, colors.muted);
  if (left_ > 0) write(tr("and %1 more").arg(left_), colors.muted);
}

}  // namespace batchwise
