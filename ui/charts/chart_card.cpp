// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_card.h"

#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/format.h"
#include "ui/charts/chart_legend.h"
#include "ui/charts/chart_painter.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

bool isSparse(const ChartLine& line) {
  return line.kind == LineKind::Points || line.kind == LineKind::Dots;
}

bool hasOneMap(const ChartContent& content) {
  return std::ranges::all_of(content.lines,
                             [&](const ChartLine& line) { return line.map == content.lines.front().map; });
}

/// Returns the x up to which the run of `line` has values.
double runEnd(const ChartContent& content, const ChartLine& line) {
  if (isSparse(line) || hasOneMap(content)) return content.dataEnd;
  double end = std::numeric_limits<double>::lowest();
  for (const ChartLine& other : content.lines)
    if ((other.isMeasured() || other.derived) && other.map == line.map && !other.points.empty())
      end = std::max(end, other.toAxis(other.points.back().x()));
  return end;
}

QString rowName(const ChartLine& line) {
  return line.derived ? QObject::tr("%1, smoothed").arg(line.name) : line.name;
}

double sortKey(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace

QStringList ChartCard::texts() const {
  QStringList texts;
  for (const QString& head : {place, title})
    if (!head.isEmpty()) texts << head;
  for (const Row& row : rows) texts << QStringLiteral("%1  %2").arg(row.name, row.value);
  return texts + events;
}

std::optional<QPointF> pointAt(const ChartContent& content, const ChartLine& line, double x) {
  if (line.points.empty()) return std::nullopt;
  if (line.isMeasured() || line.derived) {
    const double end = runEnd(content, line);
    if (x > end && xAxisText(x, content.xAxis) != xAxisText(end, content.xAxis)) return std::nullopt;
  }
  std::size_t after = line.points.firstAfter(line.fromAxis(x));
  if (after < line.points.size() && line.toAxis(line.points.x(after)) <= x) ++after;  // fromAxis() rounds
  if (after == 0 || (line.hasGaps && std::isnan(line.points.y(after - 1)))) return std::nullopt;
  return line.points[after - 1];
}

double nearestPlace(const ChartContent& content, AxisRange shown, double x) {
  std::optional<double> nearest;
  const auto offer = [&](double place) {
    if (place < shown.low || place > shown.high) return;
    if (!nearest || std::abs(place - x) < std::abs(*nearest - x)) nearest = place;
  };
  if (x <= content.dataEnd)
    for (const ChartLine& line : content.lines) {
      if (line.name.isEmpty() || !(line.isMeasured() || line.derived)) continue;
      const std::size_t next = line.points.firstAtOrAfter(line.fromAxis(x));
      if (next > 0) offer(line.toAxis(line.points.x(next - 1)));
      if (next < line.points.size()) offer(line.toAxis(line.points.x(next)));
    }
  if (nearest) return *nearest;
  return content.xAxis == XAxis::Batches ? std::clamp(std::round(x), shown.low, shown.high) : x;
}

QString cardValue(const ChartContent& content, const ChartLine& line, ValueFormat format, double x) {
  const auto point = pointAt(content, line, x);
  if (!point) return {};
  const bool isPlain = format == ValueFormat::Plain;
  const QString value = isPlain ? toQt(formatAligned(point->y())) : valueText(point->y(), format);
  const QString place = xAxisText(line.toAxis(point->x()), content.xAxis);
  const bool isElsewhere = isSparse(line) && place != xAxisText(x, content.xAxis);
  return isElsewhere ? QStringLiteral("%1 (%2)").arg(value, place) : value;
}

ChartCard chartCard(const ChartContent& content, ValueFormat format, const QString& title, double x, double reach) {
  std::vector<std::pair<double, ChartCard::Row>> found;
  for (const ChartLine& line : content.lines) {
    if (line.name.isEmpty()) continue;
    if (const auto point = pointAt(content, line, x))
      found.push_back(
          {sortKey(point->y()), {rowName(line), cardValue(content, line, format, x), line.kind, line.color}});
  }
  std::ranges::stable_sort(found, std::greater<>(), [](const auto& each) { return each.first; });
  std::stable_partition(found.begin(), found.end(),
                        [](const auto& each) { return each.second.kind != LineKind::Points; });
  ChartCard card{xAxisText(x, content.xAxis), found.empty() ? QString() : title, {}, {}};
  for (auto& [key, row] : found) card.rows.push_back(std::move(row));
  for (const ChartEvent& event : content.events)
    if (std::abs(event.x - x) <= reach) card.events << event.text;
  return card;
}

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
