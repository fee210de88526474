// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_painter.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr double kMargin = 8;  // pixels left and right of the title and inside the card

struct PainterTexts {
  Q_DECLARE_TR_FUNCTIONS(PainterTexts)
};

/// Writes texts from the left into one row until its room ends.
class TextRow {
 public:
  TextRow(QPainter& painter, double left, double right, double baseline)
      : painter_(painter), left_(left), right_(right), baseline_(baseline) {}

  void add(const QString& text, const QFont& font, const QColor& color, Qt::TextElideMode elide) {
    const QFontMetricsF metrics(font);
    if (text.isEmpty() || right_ - left_ < 4 * metrics.averageCharWidth()) return;
    const QString shown = metrics.elidedText(text, elide, right_ - left_);
    draw(shown, left_, font, color);
    left_ += metrics.horizontalAdvance(shown) + 0.6 * metrics.height();
  }
  /// No effect if it does not fit whole.
  void addAtEnd(const QString& text, const QFont& font, const QColor& color) {
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(text);
    if (text.isEmpty() || width > right_ - left_) return;
    draw(text, right_ - width, font, color);
    right_ -= width + 0.6 * metrics.height();
  }

 private:
  void draw(const QString& text, double x, const QFont& font, const QColor& color) {
    painter_.setFont(font);
    painter_.setPen(color);
    painter_.drawText(QPointF(x, baseline_), text);
  }

  QPainter& painter_;
  double left_, right_, baseline_;
};

void drawTitle(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  const QFont small = scene.theme.smallFont();
  QFont bold = small;
  bold.setBold(true);
  const QFontMetricsF metrics(bold);
  TextRow row(painter, kMargin, scene.size.width() - kMargin, 0.3 * metrics.height() + metrics.ascent());
  row.add(scene.spec.title, bold, colors.text, Qt::ElideMiddle);
  for (auto text = scene.frame.outside.rbegin(); text != scene.frame.outside.rend(); ++text)
    row.addAtEnd(*text, small, colors.muted);
  row.add(scene.spec.unit, small, colors.muted, Qt::ElideRight);
  if (!scene.content.note.isEmpty())
    row.add(QStringLiteral("· ") + scene.content.note, small, colors.muted, Qt::ElideRight);
  if (scene.frame.hasValues) return;
  painter.setFont(small);
  painter.setPen(colors.muted);
  painter.drawText(scene.frame.plot, Qt::AlignCenter | Qt::TextWordWrap, scene.spec.emptyText);
}

void drawTicks(QPainter& painter, const ChartScene& scene) {
  const QFontMetricsF metrics(scene.theme.smallFont());
  painter.setFont(scene.theme.smallFont());
  painter.setPen(scene.theme.colors().muted);
  if (scene.frame.hasValues) {
    const double apart = tickSpacing(scene.frame.yTicks);
    for (const double tick : scene.frame.yTicks) {
      const QRectF box(0, scene.frame.pixelY(tick) - metrics.height() / 2, scene.frame.plot.left() - 6,
                       metrics.height());
      painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tickText(tick, scene.spec.format, apart));
    }
  }
  const auto& ticks = scene.frame.xTicks;
  const double spacing = tickSpacing(ticks);
  for (const double tick : ticks) {
    const QString text = xTickText(tick, scene.content.xAxis, spacing);
    const double half = metrics.horizontalAdvance(text) / 2;
    const double x = std::clamp(scene.frame.pixelX(tick), half + 2, std::max(half + 2, scene.size.width() - half - 2));
    painter.drawText(QPointF(x - half, scene.frame.plot.bottom() + 8 + metrics.ascent()), text);
  }
}

void drawEvents(QPainter& painter, const ChartScene& scene) {
  painter.setPen(QPen(scene.theme.colors().muted, 1.5));
  for (const ChartEvent& event : scene.content.events) {
    if (event.x < scene.frame.xLow || event.x > scene.frame.xHigh) continue;
    const double x = scene.frame.pixelX(event.x);
    painter.drawLine(QPointF(x, scene.frame.plot.bottom() + 1), QPointF(x, scene.frame.plot.bottom() + 6));
  }
}

/// Marks non-finite values at the top edge, at most one per pixel.
void drawNonFinite(QPainter& painter, const ChartScene& scene) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(scene.theme.colors().bad);
  const double top = scene.frame.plot.top();
  double last = -1e9;
  for (const double x : nonFinitePlaces(scene.content, scene.frame)) {
    const double at = scene.frame.pixelX(x);
    if (at - last < 1) continue;
    last = at;
    painter.drawPolygon(QPolygonF({QPointF(at - 4, top), QPointF(at + 4, top), QPointF(at, top + 7)}));
  }
}

/// Draws arrows at the edges for values outside the axis.
void drawBeyond(QPainter& painter, const ChartScene& scene) {
  if (scene.frame.beyond == 0) return;
  const PlotFrame& frame = scene.frame;
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < scene.content.lines.size(); ++i) {
    const ChartLine& line = scene.content.lines[i];
    if (!line.isMeasured()) continue;
    painter.setBrush(seriesColor(line.color, scene.theme.colors().base));
    for (const QPointF& point : scene.drawn.lines[i]) {
      if (point.x() < frame.xLow || point.x() > frame.xHigh) continue;
      const double x = frame.pixelX(point.x());
      if (point.y() > frame.yHigh) {
        const double tip = frame.plot.top();
        painter.drawPolygon(QPolygonF({QPointF(x - 3.5, tip + 6), QPointF(x + 3.5, tip + 6), QPointF(x, tip)}));
      } else if (point.y() < frame.yLow) {
        const double tip = frame.plot.bottom();
        painter.drawPolygon(QPolygonF({QPointF(x - 3.5, tip - 6), QPointF(x + 3.5, tip - 6), QPointF(x, tip)}));
      }
    }
  }
}

void drawLegend(QPainter& painter, const ChartScene& scene) {
  const ChartLegend& legend = scene.frame.legend;
  const QColor text = scene.theme.colors().text, muted = scene.theme.colors().muted;
  const QFontMetricsF metrics(scene.theme.smallFont());
  painter.setFont(scene.theme.smallFont());
  const auto write = [&](const QRectF& box, double indent, const QColor& color, const QString& label) {
    painter.setPen(color);
    painter.drawText(QPointF(box.left() + indent, box.center().y() + metrics.ascent() / 2 - 1), label);
  };
  for (const ChartLegend::Entry& entry : legend.entries) {
    paintSwatch(painter, scene.content.lines[entry.line].kind, linePen(scene, entry.line),
                {entry.box.left(), entry.box.center().y()});
    write(entry.box, kSwatchWidth + kSwatchGap, text, entry.text);
  }
  if (!legend.more.isEmpty()) write(legend.moreBox, 0, muted, legend.more);
}

/// Lays out and paints a card.
class CardPainter {
 public:
  /// `at`: pixel of the cursor.
  CardPainter(QPainter& painter, const ChartScene& scene, const ChartCard& card, double at)
      : painter_(painter), scene_(scene), card_(card), metrics_(scene.theme.smallFont()), at_(at) {
    chooseRows();
    chooseWidths();
  }

  void draw() {
    const ThemeColors& colors = scene_.theme.colors();
    box_ = place();
    painter_.setPen(QPen(colors.line, 1));
    painter_.setBrush(colors.raised);
    painter_.drawRoundedRect(box_, 3, 3);
    painter_.setFont(scene_.theme.smallFont());
    y_ = box_.top() + kMargin / 2;
    for (const QString& head : heads_) write(head, head == heads_.front() ? colors.text : colors.muted);
    for (std::size_t i = 0; i < rows_; ++i) writeRow(i);
    for (qsizetype i = 0; i < events_; ++i) write(card_.events[i], colors.muted);
    if (left_ > 0) write(moreText(), colors.muted);
  }

 private:
  QString moreText() const { return PainterTexts::tr("and %1 more").arg(left_); }

  /// Chooses how many rows and events fit into the height of the chart, after the heads.
  void chooseRows() {
    for (const QString& head : {card_.place, card_.title})
      if (!head.isEmpty()) heads_ << head;
    const qsizetype all = std::ssize(card_.rows) + card_.events.size();
    const auto most = static_cast<qsizetype>((scene_.size.height() - kMargin - 2) / metrics_.height());
    const qsizetype fitting = std::max<qsizetype>(0, most - heads_.size());
    const qsizetype shown = all <= fitting ? all : std::max<qsizetype>(0, fitting - 1);
    left_ = all - shown;
    rows_ = static_cast<std::size_t>(std::min<qsizetype>(shown, std::ssize(card_.rows)));
    events_ = shown - static_cast<qsizetype>(rows_);
  }

  /// Returns the room beside the cursor, at its wider side.
  double room() const {
    const double widerSide = std::max(at_, scene_.size.width() - at_) - kAway - 2;
    return std::min(scene_.size.width() - 4, std::max(kNarrowest, widerSide));
  }

  /// Values are whole; names take at most half of the chart.
  void chooseWidths() {
    const double most = room();
    const double indent = 2 * kMargin + kSwatchWidth + kSwatchGap;
    double names = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      names_ << card_.rows[i].name;
      names = std::max(names, metrics_.horizontalAdvance(card_.rows[i].name));
      values_ = std::max(values_, metrics_.horizontalAdvance(card_.rows[i].value));
    }
    names = std::max(0.0, std::min({names, scene_.size.width() / 2, most - indent - kBetween - values_}));
    names_ = elidedApart(names_, names, metrics_);
    width_ = rows_ > 0 ? indent + names + kBetween + values_ : 0;
    for (const QString& text : heads_ + card_.events)
      width_ = std::max(width_, std::min(metrics_.horizontalAdvance(text) + 2 * kMargin, most));
  }

  /// Right of the cursor, or left of it, and always inside the chart.
  QRectF place() const {
    const qsizetype lines = heads_.size() + static_cast<qsizetype>(rows_) + events_ + (left_ > 0 ? 1 : 0);
    const double height = metrics_.height() * static_cast<double>(lines) + kMargin;
    const double right = at_ + kAway, left = at_ - kAway - width_;
    const double most = scene_.size.width() - 2 - width_;
    const double x = right <= most || left < 2 ? std::min(right, most) : left;
    const double y = std::min(scene_.frame.plot.top(), scene_.size.height() - 2 - height);
    return {std::max(1.0, x), std::max(1.0, y), width_, height};
  }

  void write(const QString& text, const QColor& color) {
    painter_.setPen(color);
    painter_.drawText(QPointF(box_.left() + kMargin, y_ + metrics_.ascent()),
                      metrics_.elidedText(text, Qt::ElideRight, width_ - 2 * kMargin));
    y_ += metrics_.height();
  }

  void writeRow(std::size_t at) {
    const ChartCard::Row& row = card_.rows[at];
    const double left = box_.left() + kMargin, baseline = y_ + metrics_.ascent();
    paintSwatch(painter_, row.kind, chartPen(row.kind, row.color, scene_.theme.colors()),
                {left, y_ + metrics_.height() / 2});
    painter_.setPen(scene_.theme.colors().text);
    painter_.drawText(QPointF(left + kSwatchWidth + kSwatchGap, baseline), names_[static_cast<qsizetype>(at)]);
    painter_.drawText(QPointF(box_.right() - kMargin - metrics_.horizontalAdvance(row.value), baseline), row.value);
    y_ += metrics_.height();
  }

  static constexpr double kAway = 10;  // pixels between cursor and card
  static constexpr double kNarrowest = 240;
  static constexpr double kBetween = 12;  // pixels between name and value

  QPainter& painter_;
  const ChartScene& scene_;
  const ChartCard& card_;
  QFontMetricsF metrics_;
  double at_;
  QStringList heads_, names_;
  std::size_t rows_ = 0;
  qsizetype events_ = 0, left_ = 0;
  double values_ = 0, width_ = 0, y_ = 0;
  QRectF box_;
};

}  // namespace

void paintBackground(QPainter& painter, const ChartScene& scene) {
  const ThemeColors& colors = scene.theme.colors();
  const PlotFrame& frame = scene.frame;
  painter.fillRect(QRectF(QPointF(), scene.size), colors.base);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(colors.line, 1));
  for (const double tick : frame.hasValues ? frame.yTicks : std::vector<double>()) {
    const double y = std::round(frame.pixelY(tick));
    painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
  }
  painter.setPen(QPen(colors.muted, 1, Qt::DashLine));
  for (const double x : scene.content.resumePositions) {
    if (x < frame.xLow || x > frame.xHigh) continue;
    const double at = std::round(frame.pixelX(x));
    painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  paintLinesBehind(painter, scene);
}

void paintForeground(QPainter& painter, const ChartScene& scene) {
  paintEmphasized(painter, scene);
  paintDots(painter, scene);
  drawTitle(painter, scene);
  drawTicks(painter, scene);
  drawEvents(painter, scene);
  drawNonFinite(painter, scene);
  drawBeyond(painter, scene);
  drawLegend(painter, scene);
}

void paintCursor(QPainter& painter, const ChartScene& scene, double x, const ChartCard& card) {
  const PlotFrame& frame = scene.frame;
  if (x < frame.xLow || x > frame.xHigh || !frame.hasValues) return;
  const double at = frame.pixelX(x);
  painter.setPen(QPen(scene.theme.colors().muted, 1));
  painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
  if (!card.empty()) CardPainter(painter, scene, card, at).draw();
}

}  // namespace batchwise
