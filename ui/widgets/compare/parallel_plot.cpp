// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare/parallel_plot.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr double kLogSpan = 50;
constexpr double kNear = 10;

/// Places numbers between 0 and 1.
std::vector<double> placedNumbers(const std::vector<double>& numbers) {
  double low = INFINITY, high = -INFINITY;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  const bool log = low > 0 && high / low > kLogSpan;
  std::vector<double> places;
  for (const double number : numbers) {
    if (!std::isfinite(number))
      places.push_back(NAN);
    else if (high == low)
      places.push_back(0.5);
    else
      places.push_back(log ? std::log(number / low) / std::log(high / low) : (number - low) / (high - low));
  }
  return places;
}

std::vector<double> placedTexts(const std::vector<QString>& texts) {
  const std::set<QString> different(texts.begin(), texts.end());
  std::vector<double> places;
  for (const QString& text : texts) {
    const auto rank = static_cast<double>(std::distance(different.begin(), different.find(text)));
    places.push_back(different.size() < 2 ? 0.5 : rank / static_cast<double>(different.size() - 1));
  }
  return places;
}

}  // namespace

ParallelPlot::ParallelPlot(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
  setAccessibleName(tr("Fields in which the runs differ, and the metric, as parallel axes"));
  connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize ParallelPlot::minimumSizeHint() const {
  return {fontMetrics().height() * 12, fontMetrics().height() * 5};
}

void ParallelPlot::setComparison(std::shared_ptr<const RunComparison> comparison) {
  comparison_ = std::move(comparison);
  uprights_.clear();
  hovered_ = -1;
  if (comparison_) {
    for (const FieldRow& row : comparison_->differences.rows) addField(row);
    addMetric();
  }
  update();
}

void ParallelPlot::addField(const FieldRow& row) {
  Upright upright;
  upright.title = toQt(row.field);
  std::vector<double> numbers;
  bool all = true;
  for (const std::string& value : row.values) {
    upright.texts.push_back(toQt(value));
    bool isNumber = false;
    numbers.push_back(toQt(value).toDouble(&isNumber));
    all = all && isNumber;
  }
  upright.places = all ? placedNumbers(numbers) : placedTexts(upright.texts);
  uprights_.push_back(std::move(upright));
}

void ParallelPlot::addMetric() {
  if (!comparison_->end) return;
  Upright upright;
  upright.title = toQt(comparison_->options.metric);
  std::vector<double> numbers;
  for (const ComparedRun& run : comparison_->runs) {
    const auto value = valueAt(run.smooth, comparison_->end->x, betweenOf(comparison_->options.metric));
    numbers.push_back(value.value_or(NAN));
    upright.texts.push_back(value ? valueText(*value, ValueFormat::Plain) : QStringLiteral("–"));
  }
  upright.places = placedNumbers(numbers);
  uprights_.push_back(std::move(upright));
}

QPointF ParallelPlot::placeOf(std::size_t upright, std::size_t run) const {
  const QFontMetricsF metrics(theme_.smallFont());
  const double top = metrics.height() * 2, bottom = height() - metrics.height();
  const double side = std::min(metrics.averageCharWidth() * 14, width() * 0.15);
  const double room = width() - 2 * side;
  const double x =
      side + (uprights_.size() < 2 ? room / 2
                                   : room * static_cast<double>(upright) / static_cast<double>(uprights_.size() - 1));
  return {x, bottom - uprights_[upright].places[run] * (bottom - top)};
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.colors().base);
  painter.setFont(theme_.smallFont());
  const QFontMetricsF metrics(theme_.smallFont());
  if (uprights_.empty()) return;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run) {
    const SeriesStyle style = seriesStyle(comparison_->runs[run].style);
    QColor color{QLatin1String(style.color)};
    const bool meant = hovered_ == static_cast<int>(run);
    color.setAlphaF(hovered_ < 0 || meant ? 1.0F : 0.3F);
    painter.setPen(QPen(color, meant ? 2.5 : 1.75, style.dashed ? Qt::DashLine : Qt::SolidLine));
    QPainterPath path;
    bool open = false;
    for (std::size_t i = 0; i < uprights_.size(); ++i) {
      const QPointF place = placeOf(i, run);
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
  const double spacing = uprights_.size() < 2 ? width() : placeOf(1, 0).x() - placeOf(0, 0).x();
  for (std::size_t i = 0; i < uprights_.size(); ++i) {
    const double x = placeOf(i, 0).x();
    painter.setPen(QPen(theme_.colors().muted, 1));
    painter.drawLine(QPointF(x, metrics.height() * 2), QPointF(x, height() - metrics.height()));
    painter.setPen(theme_.colors().text);
    const QString title = metrics.elidedText(uprights_[i].title, Qt::ElideLeft, spacing - 8);
    const double half = metrics.horizontalAdvance(title) / 2;
    painter.drawText(QPointF(std::clamp(x - half, 2.0, std::max(2.0, width() - 2 * half - 2)), metrics.ascent() + 2),
                     title);
    double lastY = -1e9;
    std::vector<std::pair<double, QString>> labels;
    for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
      if (!std::isnan(uprights_[i].places[run])) labels.emplace_back(placeOf(i, run).y(), uprights_[i].texts[run]);
    std::sort(labels.begin(), labels.end());
    painter.setPen(theme_.colors().muted);
    for (const auto& [y, text] : labels) {
      if (y - lastY < metrics.height()) continue;
      const QString shown = metrics.elidedText(text, Qt::ElideRight, spacing * 0.4);
      const double textWidth = metrics.horizontalAdvance(shown);
      // Beside the axis where no lines go, if there is such a side.
      const double left = i == 0 ? x - 6 - textWidth : x + 6;
      const QRectF ground(left - 1, y - metrics.height() / 2, textWidth + 2, metrics.height());
      if (i > 0 && i + 1 < uprights_.size()) painter.fillRect(ground, theme_.colors().base);
      painter.drawText(QPointF(left, y + metrics.ascent() / 3), shown);
      lastY = y;
    }
  }
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!comparison_) return;
  hovered_ = -1;
  double nearest = kNear;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    for (std::size_t i = 1; i < uprights_.size(); ++i) {
      const QPointF from = placeOf(i - 1, run), to = placeOf(i, run);
      if (event->position().x() < from.x() || event->position().x() > to.x()) continue;
      const double y =
          from.y() + (to.y() - from.y()) * (event->position().x() - from.x()) / std::max(1.0, to.x() - from.x());
      if (const double gap = std::abs(y - event->position().y()); gap < nearest) {
        nearest = gap;
        hovered_ = static_cast<int>(run);
      }
    }
  setToolTip(hovered_ < 0 ? QString()
                          : plainToolTip(toQt(comparison_->runs[static_cast<std::size_t>(hovered_)].summary.name)));
  update();
}

void ParallelPlot::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

}  // namespace batchwise
