// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart_content.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

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

constexpr double kLeastShare = 1e-7;  // of the extent: below that, doubles lack precision
constexpr double kFollowShare = 0.2;  // of the data, if following starts from the full extent
constexpr double kRoomAtEnd = 0.02;   // of the width: margin right of the newest value

struct ChartTable {
  Q_DECLARE_TR_FUNCTIONS(ChartTable)
};

QString lineTitle(const ChartLine& line) {
  if (line.kind == LineKind::Superseded) return ChartTable::tr("superseded");
  if (line.name.isEmpty()) return ChartTable::tr("every value");
  return line.derived ? ChartTable::tr("%1, smoothed").arg(line.name) : line.name;
}

/// A step within a global batch has a fractional position.
std::string batchText(double batch) {
  return batch == std::floor(batch) ? std::to_string(static_cast<std::int64_t>(batch)) : formatExact(batch);
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

ChartRows::ChartRows(ChartContent content, std::optional<AxisRange> part) : content_(std::move(content)) {
  columns_.push_back({xAxisTitle(XAxis::Batches).toStdString(), true});
  if (content_.xAxis != XAxis::Batches) columns_.push_back({xAxisTitle(content_.xAxis).toStdString(), true});
  for (std::size_t i = 0; i < content_.lines.size(); ++i) {
    const ChartLine& line = content_.lines[i];
    if (line.kind == LineKind::Reference) continue;
    Cursor cursor{i, 0, line.points.size()};
    if (part) {
      cursor.next = line.points.firstAtOrAfter(content_.map.batchAt(part->low));
      cursor.end = std::max(cursor.next, line.points.firstAfter(content_.map.batchAt(part->high)));
    }
    totalValues_ += cursor.end - cursor.next;
    cursors_.push_back(cursor);
    columns_.push_back({lineTitle(line).toStdString(), true});
  }
}

TextTable ChartRows::next(std::size_t most) {
  TextTable table{columns_, {}};
  while (table.rows.size() < most && !atEnd()) table.rows.push_back(row());
  return table;
}

bool ChartRows::atEnd() const {
  return std::all_of(cursors_.begin(), cursors_.end(), [](const Cursor& cursor) { return cursor.done(); });
}

double ChartRows::progress() const {
  std::size_t left = 0;
  for (const Cursor& cursor : cursors_) left += cursor.end - cursor.next;
  return totalValues_ == 0 ? 1 : 1 - static_cast<double>(left) / static_cast<double>(totalValues_);
}

std::vector<std::string> ChartRows::row() {
  double first = std::numeric_limits<double>::infinity();
  for (const Cursor& cursor : cursors_)
    if (!cursor.done()) first = std::min(first, batch(cursor));
  std::vector<std::string> cells{batchText(first)};
  if (content_.xAxis != XAxis::Batches) cells.push_back(formatExact(content_.map.at(first)));
  for (Cursor& cursor : cursors_) {
    const bool has = !cursor.done() && batch(cursor) == first;
    cells.push_back(has ? formatExact(points(cursor).y(cursor.next++)) : std::string());
  }
  return cells;
}

}  // namespace batchwise
