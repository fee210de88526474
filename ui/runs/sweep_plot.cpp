// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/sweep_plot.h"

#include <QtCore/QStringList>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QToolTip>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/axis_ticks.h"
#include "core/base/format.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr double kPointRadius = 4;

/// Mean over runs; nothing if none has a value.
std::optional<double> meanOver(const RunAxis& metric, const std::vector<std::size_t>& runs) {
  std::vector<double> values;
  for (const std::size_t run : runs) values.push_back(metric.numbers[run]);
  return values.empty() ? std::nullopt : std::optional(meanOf(values));
}

}  // namespace

SweepPlot::SweepPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setAccessibleName(tr("The metric over one or two settings"));
  connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize SweepPlot::minimumSizeHint() const {
  return {fontMetrics().height() * 12, fontMetrics().height() * 6};
}

void SweepPlot::setComparison(std::shared_ptr<const RunComparison> comparison) {
  comparison_ = std::move(comparison);
  readAxes();
}

void SweepPlot::setSettings(const QString& first, const QString& second) {
  firstPath_ = first;
  secondPath_ = second;
  readAxes();
}

void SweepPlot::readAxes() {
  first_.reset();
  second_.reset();
  metric_ = comparison_ ? metricAxis(*comparison_) : std::nullopt;
  if (comparison_)
    for (const FieldRow& row : comparison_->differences.rows) {
      if (toQt(row.field) == firstPath_) first_ = settingAxis(row);
      if (toQt(row.field) == secondPath_) second_ = settingAxis(row);
    }
  if (first_) columns_ = levelsOf(*first_);
  if (second_) rows_ = levelsOf(*second_);
  update();
}

SweepPlot::Levels SweepPlot::levelsOf(const RunAxis& axis) {
  std::map<double, QString> different;
  for (std::size_t run = 0; run < axis.places.size(); ++run)
    if (!std::isnan(axis.places[run])) different.emplace(axis.places[run], axis.texts[run]);
  Levels levels;
  for (const auto& [place, text] : different) {
    levels.places.push_back(place);
    levels.texts.push_back(text);
  }
  for (const double place : axis.places) {
    const auto found = different.find(place);
    levels.ofRun.push_back(found == different.end() ? -1 : static_cast<int>(std::distance(different.begin(), found)));
  }
  return levels;
}

bool SweepPlot::hasValue(std::size_t run) const {
  return std::isfinite(metric_->numbers[run]) && columns_.ofRun[run] >= 0 && (!isHeatmap() || rows_.ofRun[run] >= 0);
}

/// Leaves room for the labels beside and below.
QRectF SweepPlot::plotRect() const {
  const QFontMetricsF metrics(theme_.smallFont());
  const double side = std::min(metrics.averageCharWidth() * 16, width() * 0.25);
  const QPointF bottomRight(width() - metrics.averageCharWidth() * 6, height() - metrics.height() * 2.4);
  return {QPointF(side, metrics.height() * 1.8), bottomRight};
}

QRectF SweepPlot::cellAt(int column, int row) const {
  const QRectF plot = plotRect();
  const double wide = plot.width() / static_cast<double>(columns_.texts.size());
  const double high = plot.height() / static_cast<double>(rows_.texts.size());
  return {plot.left() + column * wide, plot.bottom() - (row + 1) * high, wide, high};
}

std::optional<QPointF> SweepPlot::positionOf(std::size_t run) const {
  if (!first_ || !metric_ || !hasValue(run)) return std::nullopt;
  if (isHeatmap()) return cellAt(columns_.ofRun[run], rows_.ofRun[run]).center();
  const QRectF plot = plotRect();
  return QPointF(plot.left() + first_->places[run] * plot.width(),
                 plot.bottom() - metric_->places[run] * plot.height());
}

void SweepPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.colors().base);
  painter.setFont(theme_.smallFont());
  if (!first_ || !metric_) return;
  drawFrame(painter);
  isHeatmap() ? drawCells(painter) : drawPoints(painter);
}

/// Draws the titles, and the values of the settings where they have room.
void SweepPlot::drawFrame(QPainter& painter) const {
  const QFontMetricsF metrics(theme_.smallFont());
  const QRectF plot = plotRect();
  const QString about = isHeatmap() ? tr("%1, by %2 and %3").arg(metric_->title, first_->title, second_->title)
                                    : tr("%1, by %2").arg(metric_->title, first_->title);
  painter.setPen(theme_.colors().text);
  painter.drawText(QPointF(plot.left(), metrics.ascent() + 2), metrics.elidedText(about, Qt::ElideRight, plot.width()));
  painter.setPen(theme_.colors().muted);
  double free = -1e9;
  for (std::size_t i = 0; i < columns_.texts.size(); ++i) {
    const double x =
        isHeatmap() ? cellAt(static_cast<int>(i), 0).center().x() : plot.left() + columns_.places[i] * plot.width();
    const double half = metrics.horizontalAdvance(columns_.texts[i]) / 2;
    if (x - half < free) continue;
    painter.drawText(QPointF(x - half, plot.bottom() + metrics.height() * 1.2), columns_.texts[i]);
    free = x + half + metrics.averageCharWidth();
  }
  const auto label = [&](double y, const QString& text) {
    const QString shown = metrics.elidedText(text, Qt::ElideRight, plot.left() - 8);
    painter.drawText(QPointF(plot.left() - 6 - metrics.horizontalAdvance(shown), y + metrics.ascent() / 2), shown);
  };
  if (isHeatmap()) {
    for (std::size_t i = 0; i < rows_.texts.size(); ++i)
      if (cellAt(0, static_cast<int>(i)).height() >= metrics.height())
        label(cellAt(0, static_cast<int>(i)).center().y(), rows_.texts[i]);
    return;
  }
  const NumberScale& scale = *metric_->scale;
  const int wanted = std::max(2, static_cast<int>(plot.height() / (metrics.height() * 2)));
  for (const double tick :
       axisTicks({.low = scale.low, .high = scale.high, .wanted = wanted, .logarithmic = scale.log})) {
    const double y = plot.bottom() - scale.positionOf(tick) * plot.height();
    painter.setPen(theme_.colors().line);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(theme_.colors().muted);
    label(y, toQt(formatAligned(tick)));
  }
}

/// Draws the runs, and a line through the means of runs with equal values.
void SweepPlot::drawPoints(QPainter& painter) const {
  const QRectF plot = plotRect();
  std::vector<std::vector<std::size_t>> at(columns_.texts.size());
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    if (hasValue(run)) at[static_cast<std::size_t>(columns_.ofRun[run])].push_back(run);
  QPolygonF means;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (const auto mean = meanOver(*metric_, at[i]))
      means << QPointF(plot.left() + columns_.places[i] * plot.width(),
                       plot.bottom() - metric_->scale->positionOf(*mean) * plot.height());
  painter.setPen(QPen(theme_.colors().muted, 1, Qt::DotLine));
  if (first_->scale) painter.drawPolyline(means);
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run) {
    const auto place = positionOf(run);
    if (!place) continue;
    const QColor color = seriesColor(comparison_->runs[run].style, theme_.colors().base);
    painter.setPen(QPen(theme_.colors().base, 1));
    painter.setBrush(color);
    painter.drawEllipse(*place, kPointRadius, kPointRadius);
  }
}

void SweepPlot::drawCells(QPainter& painter) const {
  for (int column = 0; column < static_cast<int>(columns_.texts.size()); ++column)
    for (int row = 0; row < static_cast<int>(rows_.texts.size()); ++row) drawCell(painter, column, row);
}

void SweepPlot::drawCell(QPainter& painter, int column, int row) const {
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    if (hasValue(run) && columns_.ofRun[run] == column && rows_.ofRun[run] == row) runs.push_back(run);
  const QRectF cell = cellAt(column, row).adjusted(1, 1, -1, -1);
  const auto mean = meanOver(*metric_, runs);
  painter.setPen(mean ? Qt::NoPen : QPen(theme_.colors().line, 1));
  if (!mean) return painter.drawRect(cell);
  const double place = std::clamp(metric_->scale->positionOf(*mean), 0.0, 1.0);
  const bool lower = directionOf(comparison_->options.metric) == Direction::LowerIsBetter;
  const auto strength = static_cast<float>(0.08 + 0.77 * (lower ? 1 - place : place));
  const QColor ground = theme_.colors().base, accent = theme_.colors().accent;
  const QColor color = QColor::fromRgbF(ground.redF() + (accent.redF() - ground.redF()) * strength,
                                        ground.greenF() + (accent.greenF() - ground.greenF()) * strength,
                                        ground.blueF() + (accent.blueF() - ground.blueF()) * strength);
  painter.fillRect(cell, color);
  QString text = toQt(formatAligned(*mean));
  if (runs.size() > 1) text += QStringLiteral(" (n = %1)").arg(runs.size());
  const QFontMetricsF metrics(theme_.smallFont());
  if (metrics.horizontalAdvance(text) > cell.width() || metrics.height() > cell.height()) return;
  // One of them has a contrast of at least 4.5 to 1 on any ground; the theme's softer colors do not.
  painter.setPen(contrastRatio(Qt::white, color) >= contrastRatio(Qt::black, color) ? Qt::white : Qt::black);
  painter.drawText(cell, Qt::AlignCenter, text);
}

bool SweepPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const QString text = textAt(help->pos());
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
  return true;
}

/// Returns the runs at a place, with their settings and values.
QString SweepPlot::textAt(QPointF place) const {
  QStringList lines;
  for (std::size_t run = 0; comparison_ && run < comparison_->runs.size(); ++run) {
    const auto own = positionOf(run);
    if (!own) continue;
    const bool isHere = isHeatmap() ? cellAt(columns_.ofRun[run], rows_.ofRun[run]).contains(place)
                                    : QLineF(*own, place).length() <= 2 * kPointRadius;
    if (isHere)
      lines << tr("%1: %2", "a run and its value").arg(toQt(comparison_->runs[run].summary.name), metric_->texts[run]);
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace batchwise
