// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/parallel_plot.h"

#include <QtCore/QString>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr double kHitDistance = 10;
constexpr double kAxisHitDistance = 9;  // pixels beside an axis within which the mouse hits it
constexpr double kMinBrush = 4;

}  // namespace

ParallelPlot::ParallelPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
  setAccessibleName(tr("Settings that differ among the runs, and the metric, on parallel axes"));
  connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ParallelPlot::removeBrushes() {
  brushes_.clear();
  drag_.reset();
  emitKept();
  update();
}

void ParallelPlot::setComparison(std::shared_ptr<const RunComparison> comparison) {
  const auto idsOf = [](const std::shared_ptr<const RunComparison>& of) {
    std::set<std::string> ids;
    if (of)
      for (const ComparedRun& run : of->runs) ids.insert(run.summary.id);
    return ids;
  };
  if (idsOf(comparison) != idsOf(comparison_)) brushes_.clear();
  comparison_ = std::move(comparison);
  axes_.clear();
  hovered_ = -1;
  if (comparison_) {
    for (const FieldRow& row : comparison_->differences.rows) axes_.push_back(settingAxis(row));
    if (auto metric = metricAxis(*comparison_)) axes_.push_back(std::move(*metric));
  }
  dropStaleBrushes();
  emitKept();
  update();
}

/// Removes brushes of axes and texts that no longer exist: the user could neither see nor remove them.
void ParallelPlot::dropStaleBrushes() {
  std::erase_if(brushes_, [this](const auto& each) {
    const auto& [key, brush] = each;
    const RunAxis* axis = axisOf(key);
    if (axis == nullptr) return true;
    if (axis->scale && brush.numbers) return false;
    return std::none_of(axis->texts.begin(), axis->texts.end(),
                        [&texts = brush.texts](const QString& text) { return texts.contains(text); });
  });
  if (drag_ && axisOf(drag_->key) == nullptr) drag_.reset();
}

/// Returns the rectangle that the axes span.
QRectF ParallelPlot::axesRect() const {
  const QFontMetricsF metrics(theme_.smallFont());
  const double side = std::min(metrics.averageCharWidth() * 14, width() * 0.15);
  return {QPointF(side, metrics.height() * 2), QPointF(width() - side, height() - metrics.height())};
}

double ParallelPlot::xOf(std::size_t axis) const {
  if (axes_.size() < 2) return axesRect().center().x();
  return axesRect().left() + axesRect().width() * static_cast<double>(axis) / static_cast<double>(axes_.size() - 1);
}

QPointF ParallelPlot::positionOf(std::size_t axis, std::size_t run) const {
  return {xOf(axis), axesRect().bottom() - axes_[axis].places[run] * axesRect().height()};
}

std::optional<std::size_t> ParallelPlot::axisAt(QPointF place) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (std::abs(place.x() - xOf(i)) <= kAxisHitDistance) return i;
  return std::nullopt;
}

const RunAxis* ParallelPlot::axisOf(const QString& key) const {
  const auto found = std::find_if(axes_.begin(), axes_.end(), [&](const RunAxis& u) { return u.key == key; });
  return found == axes_.end() ? nullptr : &*found;
}

/// Returns the brush between two positions in [0, 1].
ParallelPlot::Brush ParallelPlot::brushBetween(const RunAxis& axis, double low, double high) const {
  Brush brush;
  if (axis.scale) brush.numbers = std::pair(axis.scale->numberAt(low), axis.scale->numberAt(high));
  for (std::size_t run = 0; run < axis.places.size(); ++run)
    if (axis.places[run] >= low && axis.places[run] <= high) brush.texts.insert(axis.texts[run]);
  return brush;
}

bool ParallelPlot::isIn(const Brush& brush, const RunAxis& axis, std::size_t run) {
  if (!axis.scale || !brush.numbers) return brush.texts.contains(axis.texts[run]);
  return axis.numbers[run] >= brush.numbers->first && axis.numbers[run] <= brush.numbers->second;
}

bool ParallelPlot::passes(std::size_t run) const {
  return std::all_of(axes_.begin(), axes_.end(), [&](const RunAxis& axis) {
    const auto brush = brushes_.find(axis.key);
    return brush == brushes_.end() || isIn(brush->second, axis, run);
  });
}

void ParallelPlot::emitKept() {
  std::vector<bool> runs;
  for (std::size_t run = 0; comparison_ && run < comparison_->runs.size(); ++run) runs.push_back(passes(run));
  Q_EMIT kept(runs);
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.colors().base);
  painter.setFont(theme_.smallFont());
  if (axes_.empty()) return;
  drawLines(painter);
  const double spacing = axes_.size() < 2 ? width() : xOf(1) - xOf(0);
  for (std::size_t i = 0; i < axes_.size(); ++i) drawAxis(painter, i);
  for (std::size_t i = 0; i < axes_.size(); ++i) drawLabels(painter, i, spacing);
}

void ParallelPlot::drawLines(QPainter& painter) const {
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run) {
    const SeriesStyle style = seriesStyle(comparison_->runs[run].style);
    QColor color = seriesColor(comparison_->runs[run].style, theme_.colors().base);
    const bool meant = hovered_ == static_cast<int>(run);
    color.setAlphaF(!passes(run) ? 0.12F : hovered_ < 0 || meant ? 1.0F : 0.3F);
    painter.setPen(QPen(color, meant ? 2.5 : 1.75, style.dashed ? Qt::DashLine : Qt::SolidLine));
    QPainterPath path;
    bool open = false;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const QPointF place = positionOf(i, run);
      if (std::isnan(place.y())) {
        open = false;
        continue;
      }
      if (open)
        path.lineTo(place);
      else
        path.moveTo(place);
      open = true;
    }
    painter.drawPath(path);
  }
}

void ParallelPlot::drawAxis(QPainter& painter, std::size_t axis) const {
  const double x = xOf(axis);
  painter.setPen(QPen(theme_.colors().muted, 1));
  painter.drawLine(QPointF(x, axesRect().top()), QPointF(x, axesRect().bottom()));
  const auto brush = brushes_.find(axes_[axis].key);
  if (brush == brushes_.end()) return;
  QColor ground = theme_.colors().accent;
  ground.setAlphaF(0.25F);
  painter.setPen(QPen(theme_.colors().accent, 1));
  painter.setBrush(ground);
  drawBrush(painter, axis, brush->second);
  painter.setBrush(Qt::NoBrush);
}

/// Draws a brush between its bounds, clipped to the axis, or as a box on each of its texts.
void ParallelPlot::drawBrush(QPainter& painter, std::size_t axis, const Brush& brush) const {
  const RunAxis& own = axes_[axis];
  const double x = xOf(axis);
  if (own.scale && brush.numbers) {
    const auto yOf = [&](double number) {
      return axesRect().bottom() - std::clamp(own.scale->positionOf(number), 0.0, 1.0) * axesRect().height();
    };
    const double top = yOf(brush.numbers->second), bottom = yOf(brush.numbers->first);
    painter.drawRect(QRectF(x - 5, top, 10, bottom - top));
    return;
  }
  std::set<QString> drawn;
  for (std::size_t run = 0; run < own.texts.size(); ++run)
    if (isIn(brush, own, run) && drawn.insert(own.texts[run]).second)
      painter.drawRect(QRectF(x - 5, positionOf(axis, run).y() - kMinBrush, 10, 2 * kMinBrush));
}

/// Draws the title above the axis and the values beside it, on a background that keeps lines from crossing them.
void ParallelPlot::drawLabels(QPainter& painter, std::size_t axis, double spacing) const {
  const QFontMetricsF metrics(theme_.smallFont());
  const RunAxis& own = axes_[axis];
  const double x = xOf(axis);
  painter.setPen(theme_.colors().text);
  const QString title = metrics.elidedText(own.title, Qt::ElideRight, spacing - 8);
  const double half = metrics.horizontalAdvance(title) / 2;
  painter.drawText(QPointF(std::clamp(x - half, 2.0, std::max(2.0, width() - 2 * half - 2)), metrics.ascent() + 2),
                   title);
  std::vector<std::pair<double, QString>> labels;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    if (!std::isnan(own.places[run])) labels.emplace_back(positionOf(axis, run).y(), own.texts[run]);
  std::sort(labels.begin(), labels.end());
  QColor ground = theme_.colors().base;
  ground.setAlphaF(0.85F);
  painter.setPen(theme_.colors().muted);
  double lastY = -1e9;
  for (const auto& [y, text] : labels) {
    if (y - lastY < metrics.height()) continue;
    const QString shown = metrics.elidedText(text, Qt::ElideRight, spacing * 0.4);
    const double textWidth = metrics.horizontalAdvance(shown);
    // On the side of the axis without lines, if there is one.
    const double left = axis == 0 ? x - 8 - textWidth : x + 8;
    painter.fillRect(QRectF(left - 2, y - metrics.height() / 2, textWidth + 4, metrics.height()), ground);
    painter.drawText(QPointF(left, y + metrics.ascent() / 3), shown);
    lastY = y;
  }
}

int ParallelPlot::runAt(QPointF place) const {
  int found = -1;
  double nearest = kHitDistance;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    for (std::size_t i = 1; i < axes_.size(); ++i) {
      const QPointF from = positionOf(i - 1, run), to = positionOf(i, run);
      if (place.x() < from.x() || place.x() > to.x()) continue;
      const double y = from.y() + (to.y() - from.y()) * (place.x() - from.x()) / std::max(1.0, to.x() - from.x());
      if (const double gap = std::abs(y - place.y()); gap < nearest) {
        nearest = gap;
        found = static_cast<int>(run);
      }
    }
  return found;
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
  const auto axis = axisAt(event->position());
  if (event->button() == Qt::LeftButton && axis) drag_ = Drag{axes_[*axis].key, event->position().y(), false};
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!comparison_) return;
  if (drag_) {
    const double y = event->position().y();
    drag_->moved = drag_->moved || std::abs(y - drag_->from) >= kMinBrush;
    if (!drag_->moved) return;
    const auto placeAt = [this](double at) { return (axesRect().bottom() - at) / axesRect().height(); };
    const auto [low, high] = std::minmax({placeAt(y), placeAt(drag_->from)});
    brushes_[drag_->key] = brushBetween(*axisOf(drag_->key), low, high);
    emitKept();
    update();
    return;
  }
  hovered_ = runAt(event->position());
  const auto axis = axisAt(event->position());
  setCursor(axis ? Qt::SplitVCursor : Qt::ArrowCursor);
  setToolTip(
      hovered_ >= 0 ? plainToolTip(toQt(comparison_->runs[static_cast<std::size_t>(hovered_)].summary.name))
      : axis ? plainToolTip(tr("%1 (%2). Drag along the axis to show only the runs in that range; click to show all.")
                                .arg(axes_[*axis].title, axes_[*axis].about))
             : QString());
  update();
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !drag_) return;
  if (!drag_->moved) brushes_.erase(drag_->key);
  drag_.reset();
  dropStaleBrushes();  // a brush drawn on no text
  emitKept();
  update();
}

void ParallelPlot::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

}  // namespace batchwise
