// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare/parallel_plot.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/models/field_words.h"
#include "ui/models/series_words.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr double kNear = 10;
constexpr double kGrip = 9;  // pixels beside an axis that belong to it
constexpr double kLeastStretch = 4;

}  // namespace

void ParallelPlot::Upright::placeNumbers(std::vector<double> of) {
  numbers = std::move(of);
  scale = NumberScale::around(numbers);
  for (const double number : numbers) places.push_back(std::isfinite(number) ? scale->placeOf(number) : NAN);
}

void ParallelPlot::Upright::placeTexts() {
  const std::set<QString> different(texts.begin(), texts.end());
  for (const QString& text : texts) {
    const auto rank = static_cast<double>(std::distance(different.begin(), different.find(text)));
    places.push_back(different.size() < 2 ? 0.5 : rank / static_cast<double>(different.size() - 1));
  }
}

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
  forgetWhatIsGone();
  tellKept();
  update();
}

/// Stretches of axes and texts that are no more, which nobody could see or take away.
void ParallelPlot::forgetWhatIsGone() {
  std::erase_if(stretches_, [this](const auto& each) {
    const auto& [key, stretch] = each;
    const Upright* upright = axisOf(key);
    if (upright == nullptr) return true;
    if (upright->scale && stretch.numbers) return false;
    return std::none_of(upright->texts.begin(), upright->texts.end(),
                        [&texts = stretch.texts](const QString& text) { return texts.contains(text); });
  });
  if (drawing_ && axisOf(drawing_->key) == nullptr) drawing_.reset();
}

void ParallelPlot::addField(const FieldRow& row) {
  Upright upright;
  upright.key = toQt(row.field);
  upright.title = fieldLabel(row.field);
  upright.about = upright.key;
  for (const std::string& value : row.values) upright.texts.push_back(toQt(value));
  const auto numbers = axisNumbers(row.values);
  if (numbers)
    upright.placeNumbers(*numbers);
  else
    upright.placeTexts();
  uprights_.push_back(std::move(upright));
}

void ParallelPlot::addMetric() {
  if (!comparison_->end) return;
  const std::string& metric = comparison_->options.metric;
  Upright upright;
  upright.key = QStringLiteral("metric ") + toQt(metric);
  upright.title = seriesWords(metric).title;
  upright.about = coreText(comparedAtText(*comparison_));
  std::vector<double> numbers;
  for (const ComparedRun& run : comparison_->runs) {
    const auto value = valueAt(run.smooth, comparison_->end->x, betweenOf(metric));
    numbers.push_back(value.value_or(NAN));
    upright.texts.push_back(value ? valueText(*value, ValueFormat::Plain) : QStringLiteral("–"));
  }
  upright.placeNumbers(std::move(numbers));
  uprights_.push_back(std::move(upright));
}

/// Between the outermost axes, from their upper ends to their lower ones.
QRectF ParallelPlot::lane() const {
  const QFontMetricsF metrics(theme_.smallFont());
  const double side = std::min(metrics.averageCharWidth() * 14, width() * 0.15);
  return {QPointF(side, metrics.height() * 2), QPointF(width() - side, height() - metrics.height())};
}

double ParallelPlot::xOf(std::size_t upright) const {
  if (uprights_.size() < 2) return lane().center().x();
  return lane().left() + lane().width() * static_cast<double>(upright) / static_cast<double>(uprights_.size() - 1);
}

QPointF ParallelPlot::placeOf(std::size_t upright, std::size_t run) const {
  return {xOf(upright), lane().bottom() - uprights_[upright].places[run] * lane().height()};
}

std::optional<std::size_t> ParallelPlot::axisAt(QPointF place) const {
  for (std::size_t i = 0; i < uprights_.size(); ++i)
    if (std::abs(place.x() - xOf(i)) <= kGrip) return i;
  return std::nullopt;
}

const ParallelPlot::Upright* ParallelPlot::axisOf(const QString& key) const {
  const auto found = std::find_if(uprights_.begin(), uprights_.end(), [&](const Upright& u) { return u.key == key; });
  return found == uprights_.end() ? nullptr : &*found;
}

/// Of two places.
ParallelPlot::Stretch ParallelPlot::stretchBetween(const Upright& upright, double low, double high) const {
  Stretch stretch;
  if (upright.scale) stretch.numbers = std::pair(upright.scale->numberAt(low), upright.scale->numberAt(high));
  for (std::size_t run = 0; run < upright.places.size(); ++run)
    if (upright.places[run] >= low && upright.places[run] <= high) stretch.texts.insert(upright.texts[run]);
  return stretch;
}

bool ParallelPlot::isIn(const Stretch& stretch, const Upright& upright, std::size_t run) {
  if (!upright.scale || !stretch.numbers) return stretch.texts.contains(upright.texts[run]);
  return upright.numbers[run] >= stretch.numbers->first && upright.numbers[run] <= stretch.numbers->second;
}

bool ParallelPlot::passes(std::size_t run) const {
  return std::all_of(uprights_.begin(), uprights_.end(), [&](const Upright& upright) {
    const auto stretch = stretches_.find(upright.key);
    return stretch == stretches_.end() || isIn(stretch->second, upright, run);
  });
}

void ParallelPlot::tellKept() {
  std::vector<bool> runs;
  for (std::size_t run = 0; comparison_ && run < comparison_->runs.size(); ++run) runs.push_back(passes(run));
  Q_EMIT kept(runs);
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.colors().base);
  painter.setFont(theme_.smallFont());
  if (uprights_.empty()) return;
  drawLines(painter);
  const double spacing = uprights_.size() < 2 ? width() : xOf(1) - xOf(0);
  for (std::size_t i = 0; i < uprights_.size(); ++i) drawAxis(painter, i);
  for (std::size_t i = 0; i < uprights_.size(); ++i) drawLabels(painter, i, spacing);
}

void ParallelPlot::drawLines(QPainter& painter) const {
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run) {
    const SeriesStyle style = seriesStyle(comparison_->runs[run].style);
    QColor color{QLatin1String(style.color)};
    const bool meant = hovered_ == static_cast<int>(run);
    color.setAlphaF(!passes(run) ? 0.12F : hovered_ < 0 || meant ? 1.0F : 0.3F);
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
}

void ParallelPlot::drawAxis(QPainter& painter, std::size_t upright) const {
  const double x = xOf(upright);
  painter.setPen(QPen(theme_.colors().muted, 1));
  painter.drawLine(QPointF(x, lane().top()), QPointF(x, lane().bottom()));
  const auto stretch = stretches_.find(uprights_[upright].key);
  if (stretch == stretches_.end()) return;
  QColor ground = theme_.colors().accent;
  ground.setAlphaF(0.25F);
  painter.setPen(QPen(theme_.colors().accent, 1));
  painter.setBrush(ground);
  drawStretch(painter, upright, stretch->second);
  painter.setBrush(Qt::NoBrush);
}

/// Between its bounds as far as the axis goes, or around each of its texts.
void ParallelPlot::drawStretch(QPainter& painter, std::size_t upright, const Stretch& stretch) const {
  const Upright& own = uprights_[upright];
  const double x = xOf(upright);
  if (own.scale && stretch.numbers) {
    const auto yOf = [&](double number) {
      return lane().bottom() - std::clamp(own.scale->placeOf(number), 0.0, 1.0) * lane().height();
    };
    const double top = yOf(stretch.numbers->second), bottom = yOf(stretch.numbers->first);
    painter.drawRect(QRectF(x - 5, top, 10, bottom - top));
    return;
  }
  std::set<QString> drawn;
  for (std::size_t run = 0; run < own.texts.size(); ++run)
    if (isIn(stretch, own, run) && drawn.insert(own.texts[run]).second)
      painter.drawRect(QRectF(x - 5, placeOf(upright, run).y() - kLeastStretch, 10, 2 * kLeastStretch));
}

/// The title above the axis and the values beside it, on a ground of their own, so that no line runs through them.
void ParallelPlot::drawLabels(QPainter& painter, std::size_t upright, double spacing) const {
  const QFontMetricsF metrics(theme_.smallFont());
  const Upright& own = uprights_[upright];
  const double x = xOf(upright);
  painter.setPen(theme_.colors().text);
  const QString title = metrics.elidedText(own.title, Qt::ElideRight, spacing - 8);
  const double half = metrics.horizontalAdvance(title) / 2;
  painter.drawText(QPointF(std::clamp(x - half, 2.0, std::max(2.0, width() - 2 * half - 2)), metrics.ascent() + 2),
                   title);
  std::vector<std::pair<double, QString>> labels;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    if (!std::isnan(own.places[run])) labels.emplace_back(placeOf(upright, run).y(), own.texts[run]);
  std::sort(labels.begin(), labels.end());
  QColor ground = theme_.colors().base;
  ground.setAlphaF(0.85F);
  painter.setPen(theme_.colors().muted);
  double lastY = -1e9;
  for (const auto& [y, text] : labels) {
    if (y - lastY < metrics.height()) continue;
    const QString shown = metrics.elidedText(text, Qt::ElideRight, spacing * 0.4);
    const double textWidth = metrics.horizontalAdvance(shown);
    // Beside the axis where no lines go, if there is such a side.
    const double left = upright == 0 ? x - 8 - textWidth : x + 8;
    painter.fillRect(QRectF(left - 2, y - metrics.height() / 2, textWidth + 4, metrics.height()), ground);
    painter.drawText(QPointF(left, y + metrics.ascent() / 3), shown);
    lastY = y;
  }
}

int ParallelPlot::runAt(QPointF place) const {
  int found = -1;
  double nearest = kNear;
  for (std::size_t run = 0; run < comparison_->runs.size(); ++run)
    for (std::size_t i = 1; i < uprights_.size(); ++i) {
      const QPointF from = placeOf(i - 1, run), to = placeOf(i, run);
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
  if (event->button() == Qt::LeftButton && axis) drawing_ = Drawing{uprights_[*axis].key, event->position().y(), false};
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!comparison_) return;
  if (drawing_) {
    const double y = event->position().y();
    drawing_->moved = drawing_->moved || std::abs(y - drawing_->from) >= kLeastStretch;
    if (!drawing_->moved) return;
    const auto placeAt = [this](double at) { return (lane().bottom() - at) / lane().height(); };
    const auto [low, high] = std::minmax({placeAt(y), placeAt(drawing_->from)});
    stretches_[drawing_->key] = stretchBetween(*axisOf(drawing_->key), low, high);
    tellKept();
    update();
    return;
  }
  hovered_ = runAt(event->position());
  const auto axis = axisAt(event->position());
  setCursor(axis ? Qt::SplitVCursor : Qt::ArrowCursor);
  setToolTip(hovered_ >= 0 ? plainToolTip(toQt(comparison_->runs[static_cast<std::size_t>(hovered_)].summary.name))
             : axis
                 ? plainToolTip(tr("%1 (%2). Draw along the axis to keep the runs that pass there; click to keep all.")
                                    .arg(uprights_[*axis].title, uprights_[*axis].about))
                 : QString());
  update();
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !drawing_) return;
  if (!drawing_->moved) stretches_.erase(drawing_->key);
  drawing_.reset();
  forgetWhatIsGone();  // a stretch that was drawn around no text
  tellKept();
  update();
}

void ParallelPlot::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

}  // namespace batchwise
