// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/effects_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtCore/QStringList>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QTreeWidget>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/axis_ticks.h"
#include "core/base/format.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

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
  if (!isHeatmap()) return drawPoints(painter);
  for (int column = 0; column < static_cast<int>(columns_.texts.size()); ++column)
    for (int row = 0; row < static_cast<int>(rows_.texts.size()); ++row) drawCell(painter, column, row);
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

namespace {

QString correlationText(double value) {
  return QString::number(value, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−"));
}

}  // namespace

EffectsPane::EffectsPane(const Theme& theme, QWidget* parent) : QWidget(parent) {
  auto* area = new QScrollArea(this);  // where the pane is too small for what it holds
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  auto* splitter = new QSplitter(Qt::Horizontal, area);
  area->setWidget(splitter);
  splitter->setChildrenCollapsible(false);
  auto* left = new QWidget(splitter);
  plot_ = named(new SweepPlot(theme, left), "sweepPlot");
  column(left, {makeChoices(), {plot_, 1}}, {{0, 4, 0, 0}, 4});
  auto* right = new QWidget(splitter);
  table_ = new QTreeWidget(right);
  setUpTable(*table_, "settingEffects", tr("How strongly each setting is correlated with the metric"));
  table_->setHeaderLabels({tr("Setting"), tr("Correlation"), tr("95 % interval")});
  table_->setItemDelegate(new IconDelegate(theme, table_));
  about_ = textLabel(right, TextLook::Small);
  column(right, {{table_, 1}, about_}, {{0, 4, 8, 4}, 4});
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({1000, 1000});  // in proportion
  column(this, {{area, 1}}, {{0, 0, 0, 0}, 0});
  connect(&theme, &Theme::changed, this, &EffectsPane::sizeTable);
  sizeTable();
}

void EffectsPane::sizeTable() {
  constexpr int kChars = 32, kRows = 2;
  table_->setMinimumSize(kChars * fontMetrics().averageCharWidth(), kRows * rowHeight(fontMetrics()));
}

QWidget* EffectsPane::makeChoices() {
  auto* bar = new QWidget(this);
  first_ = named(new QComboBox(bar), "effectFirst", tr("Setting on the horizontal axis"));
  second_ = named(new QComboBox(bar), "effectSecond", tr("Second setting, for a heatmap"));
  for (QComboBox* each : {first_, second_}) {
    each->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    each->setMinimumContentsLength(12);
  }
  connect(first_, &QComboBox::activated, this, [this] {
    fillSecond();
    showChosen();
  });
  connect(second_, &QComboBox::activated, this, &EffectsPane::showChosen);
  row(bar,
      {plainLabel(bar, TextLook::Muted, tr("Over")),
       {first_, 1},
       plainLabel(bar, TextLook::Muted, tr("and", "over this setting and that one")),
       {second_, 1}},
      {{8, 0, 8, 0}, 8});
  return bar;
}

void EffectsPane::setComparison(const std::shared_ptr<const RunComparison>& comparison) {
  plot_->setComparison(comparison);
  if (!comparison) return;
  fillTable(*comparison);
  fields_.clear();
  for (const FieldRow& row : comparison->differences.rows) fields_ << toQt(row.field);
  fillFirst();
  fillSecond();
  showChosen();
}

/// Keeps what is chosen; else the strongest setting comes first.
void EffectsPane::fillFirst() {
  const QString chosen = first_->currentData().toString();
  first_->clear();
  for (const QString& field : fields_) first_->addItem(fieldLabel(field.toStdString()), field);
  const QTreeWidgetItem* strongest = table_->topLevelItem(0);
  const QString otherwise = strongest == nullptr ? QString() : strongest->data(0, Qt::UserRole).toString();
  first_->setCurrentIndex(std::max(0, first_->findData(fields_.contains(chosen) ? chosen : otherwise)));
}

/// Offers the settings but the first, and keeps what is chosen.
void EffectsPane::fillSecond() {
  const QString first = first_->currentData().toString(), chosen = second_->currentData().toString();
  second_->clear();
  second_->addItem(tr("no other setting"), QString());
  for (const QString& field : fields_)
    if (field != first) second_->addItem(fieldLabel(field.toStdString()), field);
  second_->setCurrentIndex(std::max(0, second_->findData(chosen)));
}

void EffectsPane::fillTable(const RunComparison& comparison) {
  const auto effects = settingEffects(comparison);
  table_->clear();
  for (const SettingEffect& effect : effects) {
    const QString label = fieldLabel(effect.field);
    const bool hasInterval = effect.low > -1 || effect.high < 1;
    auto* item = new QTreeWidgetItem(
        table_, {effect.log ? tr("%1 (log)", "a setting whose logarithm is correlated").arg(label) : label,
                 effect.correlation ? correlationText(*effect.correlation) : QStringLiteral("–"),
                 !effect.correlation ? tr("cannot be separated")
                 : hasInterval       ? tr("%1 to %2").arg(correlationText(effect.low), correlationText(effect.high))
                                     : tr("unknown: too few runs")});
    item->setData(0, Qt::UserRole, toQt(effect.field));
    item->setToolTip(0, plainToolTip(toQt(effect.field)));
    if (!effect.correlation)
      item->setToolTip(2, tr("It changes with other settings, so that its effect cannot be told apart from theirs"));
  }
  const auto runs = static_cast<int>(effects.empty() ? 0 : effects.front().runs);
  about_->setText(effects.empty() ? tr("The settings of these runs do not differ.")
                                  : plural(runs,
                                           tr("Linear correlation with %1 over %n run, without the part of the other "
                                              "settings. An interval that contains 0 shows no effect."),
                                           tr("Linear correlation with %1 over %n runs, without the part of the other "
                                              "settings. An interval that contains 0 shows no effect."))
                                        .arg(seriesLabel(comparison.options.metric).title));
}

void EffectsPane::showChosen() {
  plot_->setSettings(first_->currentData().toString(), second_->currentData().toString());
}

}  // namespace batchwise
