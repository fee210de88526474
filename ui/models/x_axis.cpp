// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/x_axis.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

/// Translation context.
struct XAxisTexts {
  Q_DECLARE_TR_FUNCTIONS(XAxisTexts)
};

QString countText(double value) {
  return std::abs(value) < 1e6 ? integerText(std::llround(value)) : toQt(formatCount(value));
}

/// Significant digits that distinguish `value` from its neighbor.
int digitsFor(double value, double spacing) {
  return std::clamp(static_cast<int>(std::ceil(std::log10(std::abs(value) / spacing))) + 1, 2, 15);
}

}  // namespace

QString xAxisTitle(XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return XAxisTexts::tr("Global batches");
    case XAxis::Steps: return XAxisTexts::tr("Steps");
    case XAxis::Samples: return XAxisTexts::tr("Samples");
    case XAxis::Tokens: return XAxisTexts::tr("Tokens");
    case XAxis::Epochs: return XAxisTexts::tr("Epochs");
    case XAxis::Time: return XAxisTexts::tr("Training time");
    case XAxis::Elapsed: return XAxisTexts::tr("Elapsed time");
    case XAxis::Flops: return XAxisTexts::tr("Operations (FLOP)");
  }
  return {};
}

QString xAxisText(double value, XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return XAxisTexts::tr("Batch %1").arg(integerText(std::llround(std::floor(value))));
    case XAxis::Steps: return XAxisTexts::tr("Step %1").arg(countText(value));
    case XAxis::Samples: return XAxisTexts::tr("Sample %1").arg(countText(value));
    case XAxis::Tokens: return XAxisTexts::tr("Token %1").arg(countText(value));
    case XAxis::Epochs: return XAxisTexts::tr("Epoch %1").arg(toQt(formatValue(value)));
    case XAxis::Time: return XAxisTexts::tr("After %1").arg(toQt(formatDuration(value)));
    case XAxis::Elapsed: return XAxisTexts::tr("%1 after the start").arg(toQt(formatDuration(value)));
    case XAxis::Flops: return XAxisTexts::tr("After %1 FLOP").arg(toQt(formatCount(value)));
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

QPointF XAxisMap::row(std::size_t at) const {
  return {rows_.x(at), scale_ * rows_.y(at)};
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

double XAxisMap::batchAt(double x) const {
  if (rows_.empty()) return x;
  if (x <= start_.y()) return start_.y() > 0 ? start_.x() * x / start_.y() : start_.x() + x;
  std::size_t low = 0, high = rows_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (row(middle).y() < x)
      low = middle + 1;
    else
      high = middle;
  }
  const QPointF before = low == 0 ? start_ : row(low - 1);
  if (low < rows_.size())
    return before.x() + (x - before.y()) / (row(low).y() - before.y()) * (row(low).x() - before.x());
  return endSlope_ > 0 ? before.x() + (x - before.y()) / endSlope_ : before.x();
}

}  // namespace batchwise
