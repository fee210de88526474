// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare/compare_chart.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr double kHitDistance = 12;  // pixels within which the mouse hits a line
constexpr std::size_t kCardLines = 12;

QPointF toQt(const FigurePoint& point) {
  return {point.x, point.y};
}

QPolygonF polygonOf(const FigurePath& path) {
  QPolygonF polygon;
  polygon.reserve(static_cast<qsizetype>(path.points.size()));
  for (const FigurePoint& point : path.points) polygon << toQt(point);
  return polygon;
}

double distance(QPointF place, const FigurePoint& from, const FigurePoint& to) {
  const QPointF along(to.x - from.x, to.y - from.y), own = place - toQt(from);
  const double length = QPointF::dotProduct(along, along);
  const double part = length > 0 ? std::clamp(QPointF::dotProduct(own, along) / length, 0.0, 1.0) : 0;
  const QPointF gap = own - part * along;
  return std::hypot(gap.x(), gap.y());
}

/// Value of a line at x. `group`: for a group of runs, its interpolated point, with the smaller count of the two
/// neighbors; nothing for a single run.
struct Shown {
  double value;
  std::optional<GroupPoint> group;
};
std::optional<Shown> shownAt(const FigureLine& line, double x) {
  if (line.group.empty()) {
    const auto value = valueAt(line.points, x);
    return value ? std::optional(Shown{*value, std::nullopt}) : std::nullopt;
  }
  const auto after = std::upper_bound(line.group.begin(), line.group.end(), x,
                                      [](double place, const GroupPoint& point) { return place < point.x; });
  if (after == line.group.begin()) return std::nullopt;
  const GroupPoint& from = *(after - 1);
  if (from.x < x && after == line.group.end()) return std::nullopt;
  const GroupPoint& to = from.x < x ? *after : from;
  if (!std::isfinite(from.center) || !std::isfinite(to.center)) return std::nullopt;
  const double part = to.x > from.x ? (x - from.x) / (to.x - from.x) : 0;
  const GroupPoint there{x, std::lerp(from.center, to.center, part), std::lerp(from.low, to.low, part),
                         std::lerp(from.high, to.high, part), std::min(from.count, to.count)};
  return Shown{there.center, there};
}

}  // namespace

CompareChart::CompareChart(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Chart of the compared runs"));
  setObjectName(QStringLiteral("compareChart"));
  connect(&theme_, &Theme::changed, this, [this] { layOutAgain(); });
}

QSize CompareChart::minimumSizeHint() const {
  const int em = fontMetrics().height();
  return {em * 12, em * 6};
}
QSize CompareChart::sizeHint() const {
  const int em = fontMetrics().height();
  return {em * 50, em * 20};
}

void CompareChart::setFigure(Figure figure) {
  figure_ = std::move(figure);
  hovered_ = -1;
  kept_.clear();
  layOutAgain();
}

void CompareChart::setKept(std::vector<bool> lines) {
  kept_ = std::move(lines);
  update();
}

void CompareChart::emphasize(int line) {
  if (line == hovered_) return;
  hovered_ = line;
  update();
}

void CompareChart::layOutAgain() {
  const QFontMetricsF plain(theme_.smallFont());
  QFont heavy = theme_.smallFont();
  heavy.setBold(true);
  const QFontMetricsF bold(heavy);
  layout_ = batchwise::layoutFigure(figure_, width() - 16, height() - 8, plain.height() * 0.85,
                                    [&](const std::string& text, bool isBold) {
                                      return (isBold ? bold : plain).horizontalAdvance(QString::fromStdString(text));
                                    });
  update();
}

void CompareChart::resizeEvent(QResizeEvent*) {
  layOutAgain();
}

void CompareChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) layOutAgain();
}

QColor CompareChart::colorOf(int line) const {
  return QColor(QLatin1String(seriesStyle(figure_.lines[static_cast<std::size_t>(line)].style).color));
}

double CompareChart::opacityOf(int line) const {
  const auto place = static_cast<std::size_t>(line);
  if (place < kept_.size() && !kept_[place]) return 0.15;
  return hovered_ < 0 || line == hovered_ ? 1.0 : 0.35;
}

void CompareChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.colors().base);
  painter.translate(8, 4);
  painter.setRenderHint(QPainter::Antialiasing);
  drawPaths(painter);
  drawTexts(painter);
  if (cursor_ >= 0 && !figure_.lines.empty()) drawCard(painter);
}

void CompareChart::drawPaths(QPainter& painter) const {
  const auto draw = [&](const FigurePath& path) {
    if (path.kind == FigurePathKind::Grid) {
      painter.setPen(QPen(theme_.colors().line, 1));
      painter.drawPolyline(polygonOf(path));
      return;
    }
    QColor color = colorOf(path.line);
    if (path.kind == FigurePathKind::Band) {
      color.setAlphaF(static_cast<float>(0.18 * opacityOf(path.line)));
      painter.setPen(Qt::NoPen);
      painter.setBrush(color);
      painter.drawPolygon(polygonOf(path));
      painter.setBrush(Qt::NoBrush);
      return;
    }
    const bool unsmoothed = path.kind == FigurePathKind::Unsmoothed;
    color.setAlphaF(static_cast<float>((unsmoothed ? 0.25 : 1.0) * opacityOf(path.line)));
    QPen pen(color, path.kind != FigurePathKind::Line ? 1 : path.line == hovered_ ? 2.5 : 1.75);
    if (seriesStyle(figure_.lines[static_cast<std::size_t>(path.line)].style).dashed && !unsmoothed)
      pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.drawPolyline(polygonOf(path));
  };
  for (const FigurePath& path : layout_.paths) draw(path);
  for (const FigurePath& path : layout_.samples) draw(path);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.colors().bad);
  for (const FigureMark& mark : layout_.marks)
    painter.drawPolygon(QPolygonF{QPointF(mark.at.x, mark.at.y + 6), QPointF(mark.at.x - 4, mark.at.y),
                                  QPointF(mark.at.x + 4, mark.at.y)});
  painter.setBrush(Qt::NoBrush);
}

void CompareChart::drawTexts(QPainter& painter) const {
  for (const FigureText& text : layout_.texts) {
    QFont font = theme_.smallFont();
    font.setBold(text.bold || (text.line >= 0 && text.line == hovered_));
    painter.setFont(font);
    // Names use the text color: not every series color is readable on both backgrounds.
    QColor color = text.line >= 0 || text.bold ? theme_.colors().text : theme_.colors().muted;
    if (text.line >= 0) color.setAlphaF(static_cast<float>(opacityOf(text.line)));
    painter.setPen(color);
    const QString words = QString::fromStdString(text.text);
    const double width = QFontMetricsF(font).horizontalAdvance(words);
    const double left = text.place == TextAnchor::Left ? 0 : text.place == TextAnchor::Middle ? width / 2 : width;
    painter.drawText(QPointF(text.at.x - left, text.at.y), words);
  }
}

void CompareChart::drawCard(QPainter& painter) const {
  const double x = layout_.xAt(cursor_);
  struct Row {
    int line;
    Shown shown;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < figure_.lines.size(); ++i)
    if (const auto shown = shownAt(figure_.lines[i], x)) rows.push_back({static_cast<int>(i), *shown});
  if (rows.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.shown.value > b.shown.value; });
  const std::size_t shown = std::min(rows.size(), kCardLines);
  const QFontMetricsF metrics(theme_.smallFont());
  const QString head = coreText(axisValueText(figure_.axis, x));
  const double room = metrics.averageCharWidth() * 32;
  const auto textOf = [&](const Row& row) {
    const QString name = QString::fromStdString(figure_.lines[static_cast<std::size_t>(row.line)].label);
    QString value = valueText(row.shown.value, ValueFormat::Plain);
    if (const std::optional<GroupPoint>& group = row.shown.group) {
      const auto text = [](double bound) { return valueText(bound, ValueFormat::Plain); };
      value = std::isfinite(group->low)
                  ? tr("%1 (%2 to %3, n = %4)").arg(value, text(group->low), text(group->high)).arg(group->count)
                  : tr("%1 (n = %2)").arg(value).arg(group->count);
    }
    return tr("%1  %2").arg(value, metrics.elidedText(name, Qt::ElideRight, room));
  };
  double width = metrics.horizontalAdvance(head);
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, metrics.horizontalAdvance(textOf(rows[i])) + 16);
  const double step = metrics.height() + 2;
  QRectF card(cursor_ + 12, layout_.plot.top, width + 20, step * static_cast<double>(shown + 1) + 10);
  if (card.right() > layout_.plot.right) card.moveRight(cursor_ - 12);
  painter.setPen(QPen(theme_.colors().muted, 1));
  painter.drawLine(QPointF(cursor_, layout_.plot.top), QPointF(cursor_, layout_.plot.bottom));
  painter.setPen(QPen(theme_.colors().line, 1));
  painter.setBrush(theme_.colors().raised);
  painter.drawRoundedRect(card, 4, 4);
  painter.setFont(theme_.smallFont());
  painter.setPen(theme_.colors().muted);
  double y = card.top() + 5 + metrics.ascent();
  painter.drawText(QPointF(card.left() + 10, y), head);
  for (std::size_t i = 0; i < shown; ++i) {
    y += step;
    painter.fillRect(QRectF(card.left() + 10, y - metrics.ascent() * 0.75, 8, 8), colorOf(rows[i].line));
    painter.setPen(theme_.colors().text);
    painter.drawText(QPointF(card.left() + 26, y), textOf(rows[i]));
  }
  painter.setBrush(Qt::NoBrush);
}

int CompareChart::lineAt(QPointF place) const {
  int found = -1;
  double nearest = kHitDistance;
  for (const FigurePath& path : layout_.paths) {
    if (path.kind != FigurePathKind::Line && path.kind != FigurePathKind::Part) continue;
    for (std::size_t i = 1; i < path.points.size(); ++i) {
      const double x = place.x();
      if (std::min(path.points[i - 1].x, path.points[i].x) - kHitDistance > x ||
          std::max(path.points[i - 1].x, path.points[i].x) + kHitDistance < x)
        continue;
      if (const double gap = distance(place, path.points[i - 1], path.points[i]); gap < nearest) {
        nearest = gap;
        found = path.line;
      }
    }
  }
  if (found >= 0) return found;
  for (const FigureText& text : layout_.texts)
    if (text.line >= 0 && place.x() >= layout_.plot.right && std::abs(place.y() - text.at.y + 4) < kHitDistance)
      return text.line;
  return -1;
}

void CompareChart::moveCursor(double x) {
  cursor_ = x >= layout_.plot.left && x <= layout_.plot.right ? x : -1;
  update();
}

void CompareChart::mouseMoveEvent(QMouseEvent* event) {
  const QPointF place = event->position() - QPointF(8, 4);
  hovered_ = lineAt(place);
  moveCursor(place.x());
}

void CompareChart::leaveEvent(QEvent*) {
  hovered_ = -1;
  cursor_ = -1;
  update();
}

void CompareChart::keyPressEvent(QKeyEvent* event) {
  const double start = cursor_ < 0 ? layout_.plot.right : cursor_;
  if (event->key() == Qt::Key_Left)
    moveCursor(std::max(layout_.plot.left, start - 8));
  else if (event->key() == Qt::Key_Right)
    moveCursor(std::min(layout_.plot.right, start + 8));
  else
    QWidget::keyPressEvent(event);
}

}  // namespace batchwise
