// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_content.h"

#include <QtCore/QObject>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

QString countText(double value) {
  return std::abs(value) < 1e6 ? integerText(std::llround(value)) : toQt(formatCount(value));
}

/// Significant digits that distinguish `value` from its neighbor.
int digitsFor(double value, double spacing) {
  return std::clamp(static_cast<int>(std::ceil(std::log10(std::abs(value) / spacing))) + 1, 2, 15);
}

constexpr double kLeastShare = 1e-7;  // of the extent: below that, doubles lack precision
constexpr double kFollowShare = 0.2;  // of the data, if following starts from the full extent
constexpr double kRoomAtEnd = 0.02;   // of the width: margin right of the newest value

}  // namespace

QString groupName(const QString& label, int runs) {
  return QObject::tr("%1 (n = %2)").arg(label, QString::number(runs));
}

QString xAxisTitle(XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return QObject::tr("Global batches");
    case XAxis::Steps: return QObject::tr("Steps");
    case XAxis::Samples: return QObject::tr("Samples");
    case XAxis::Tokens: return QObject::tr("Tokens");
    case XAxis::Epochs: return QObject::tr("Epochs");
    case XAxis::Time: return QObject::tr("Training time");
    case XAxis::Elapsed: return QObject::tr("Elapsed time");
    case XAxis::Flops: return QObject::tr("Operations (FLOP)");
  }
  return {};
}

QString xAxisText(double value, XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return QObject::tr("Batch %1").arg(integerText(std::llround(std::floor(value))));
    case XAxis::Steps: return QObject::tr("Step %1").arg(countText(value));
    case XAxis::Samples: return QObject::tr("Sample %1").arg(countText(value));
    case XAxis::Tokens: return QObject::tr("Token %1").arg(countText(value));
    case XAxis::Epochs: return QObject::tr("Epoch %1").arg(toQt(formatValue(value)));
    case XAxis::Time: return QObject::tr("After %1").arg(toQt(formatDuration(value)));
    case XAxis::Elapsed: return QObject::tr("%1 after the start").arg(toQt(formatDuration(value)));
    case XAxis::Flops: return QObject::tr("After %1 FLOP").arg(toQt(formatCount(value)));
  }
  return {};
}

QString xTickText(double value, XAxis xAxis, double spacing) {
  if (value == 0) return QStringLiteral("0");
  if (xAxis == XAxis::Epochs) return QString::number(value, 'g', spacing > 0 ? digitsFor(value, spacing) : 6);
  if (isDuration(xAxis)) {
    if (value < 3600 || spacing <= 0 || spacing >= 60) return toQt(formatDuration(value));
    const auto seconds = std::llround(value);
    return QStringLiteral("%1:%2:%3")
        .arg(seconds / 3600)
        .arg(seconds / 60 % 60, 2, 10, QLatin1Char('0'))
        .arg(seconds % 60, 2, 10, QLatin1Char('0'));
  }
  return countTickText(value, spacing);
}

QString countTickText(double value, double spacing) {
  if (std::abs(value) < 10'000) return integerText(std::llround(value));
  if (spacing <= 0) return toQt(formatCount(value));
  constexpr std::array kPrefixes = {"k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  double unit = 1000;
  for (; std::abs(value) >= 999.5 * unit && prefix + 1 < kPrefixes.size(); unit *= 1000) ++prefix;
  const int decimals = std::max(0, static_cast<int>(std::ceil(std::log10(unit / spacing) - 1e-9)));
  return QString::number(value / unit, 'f', decimals) + QLatin1String(kPrefixes[prefix]);
}

XAxisMap::XAxisMap(LongSeries rows, double scale, QPointF start)
    : rows_(std::move(rows)), scale_(scale), start_(start.x(), scale * start.y()) {
  if (rows_.empty()) return;
  const QPointF last = rows_.back();
  const std::size_t tenth = std::max<std::size_t>(1, rows_.size() / 10);
  const QPointF before = tenth < rows_.size() ? row(rows_.size() - 1 - tenth) : start_;
  endSlope_ = (scale_ * last.y() - before.y()) / (last.x() - before.x());
}

double XAxisMap::at(double batch) const {
  if (rows_.empty()) return batch;
  if (batch <= start_.x()) return start_.x() > 0 ? start_.y() * batch / start_.x() : start_.y() + batch;
  const std::size_t next = rows_.firstAfter(batch);
  if (next == rows_.size()) {
    const QPointF last = row(next - 1);
    return last.y() + (batch - last.x()) * endSlope_;
  }
  const QPointF from = next == 0 ? start_ : row(next - 1), to = row(next);
  return from.y() + (batch - from.x()) / (to.x() - from.x()) * (to.y() - from.y());
}

/// Returns the first row from `begin` on whose value is not below `x`. Fast if that is about `step` rows behind.
std::size_t XAxisMap::firstRowAt(double x, std::size_t begin, std::size_t step) const {
  std::size_t end = begin;
  for (; end < rows_.size() && value(end) < x; step *= 2) {
    begin = end + 1;
    end = std::min(end + step, rows_.size());
  }
  // Rows lie nearly on a line, so that a guess is rarely far off.
  double low = begin > 0 ? value(begin - 1) : start_.y(), high = end < rows_.size() ? value(end) : value(end - 1);
  for (int guesses = 0; begin < end; ++guesses) {
    const double share = guesses < 8 ? std::clamp((x - low) / (high - low), 0.0, 1.0) : 0.5;
    const std::size_t middle =
        std::min(end - 1, begin + static_cast<std::size_t>(share * static_cast<double>(end - begin)));
    const double found = value(middle);
    if (found < x)
      begin = middle + 1, low = found;
    else
      end = middle, high = found;
  }
  return begin;
}

std::vector<double> XAxisMap::batchesAt(std::span<const double> ascending) const {
  std::vector<double> batches;
  batches.reserve(ascending.size());
  std::size_t next = 0, ahead = 0;  // rows between neighbors
  for (const double x : ascending) {
    if (rows_.empty()) {
      batches.push_back(x);
    } else if (x <= start_.y()) {
      batches.push_back(start_.y() > 0 ? start_.x() * x / start_.y() : start_.x() + x);
    } else {
      const std::size_t before = std::exchange(next, firstRowAt(x, next, std::max<std::size_t>(1, ahead)));
      ahead = next - before;
      const QPointF last = next == 0 ? start_ : row(next - 1);
      if (next < rows_.size())
        batches.push_back(std::lerp(last.x(), row(next).x(), (x - last.y()) / (row(next).y() - last.y())));
      else
        batches.push_back(endSlope_ > 0 ? last.x() + (x - last.y()) / endSlope_ : last.x());
    }
  }
  return batches;
}

void AxisView::setExtent(AxisRange all, double end) {
  all_ = all;
  end_ = std::clamp(end, all.low, all.high);
  if (!part_) return;
  if (follows_)
    placeAtEnd(part_->width());
  else
    place(part_->low, part_->width());
}

void AxisView::fit() {
  part_.reset();
  follows_ = false;
}

void AxisView::follow() {
  follows_ = true;
  placeAtEnd(part_ ? part_->width() : kFollowShare * (end_ - all_.low));
}

void AxisView::toStart() {
  follows_ = false;
  place(all_.low, part_ ? part_->width() : kFollowShare * (end_ - all_.low));
}

void AxisView::show(AxisRange part) {
  follows_ = false;
  const double low = std::max(part.low, all_.low);
  place(low, std::min(part.high, all_.high) - low);
}

void AxisView::zoom(double factor, double at) {
  const AxisRange before = shown();
  const double width = before.width() * factor;
  if (width >= all_.width()) {
    fit();
    return;
  }
  if (follows_)
    placeAtEnd(width);
  else
    place(at - (at - before.low) * factor, width);
}

void AxisView::pan(double distance) {
  if (!part_) return;
  follows_ = false;
  place(part_->low + distance, part_->width());
}

void AxisView::place(double low, double width) {
  width = std::max(width, kLeastShare * all_.width());
  if (width >= all_.width()) {
    fit();
    return;
  }
  low = std::clamp(low, all_.low, all_.high - width);
  part_ = AxisRange{low, low + width};
}

void AxisView::placeAtEnd(double width) {
  width = std::clamp(width, kLeastShare * all_.width(), all_.width());
  const double high = end_ + kRoomAtEnd * width;  // may exceed the extent, to keep the margin
  part_ = AxisRange{high - width, high};
}

}  // namespace batchwise
