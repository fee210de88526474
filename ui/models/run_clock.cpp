// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_clock.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

/// The context of these words for translators.
struct RunClockWords {
  Q_DECLARE_TR_FUNCTIONS(RunClockWords)
};

QString countText(double value) {
  return std::abs(value) < 1e6 ? integerText(std::llround(value)) : toQt(formatCount(value));
}

}  // namespace

std::string clockSeries(RunClock clock) {
  switch (clock) {
    case RunClock::Batches: return {};
    case RunClock::Steps: return "steps";
    case RunClock::Samples:
    case RunClock::Epochs: return "sp";
    case RunClock::Tokens: return "tok";
    case RunClock::Time: return "sec";
  }
  return {};
}

QString clockWord(RunClock clock) {
  switch (clock) {
    case RunClock::Batches: return RunClockWords::tr("Global batches");
    case RunClock::Steps: return RunClockWords::tr("Steps");
    case RunClock::Samples: return RunClockWords::tr("Samples");
    case RunClock::Tokens: return RunClockWords::tr("Tokens");
    case RunClock::Epochs: return RunClockWords::tr("Epochs");
    case RunClock::Time: return RunClockWords::tr("Training time");
  }
  return {};
}

QString clockText(double value, RunClock clock) {
  switch (clock) {
    case RunClock::Batches: return RunClockWords::tr("Batch %1").arg(integerText(std::llround(std::floor(value))));
    case RunClock::Steps: return RunClockWords::tr("Step %1").arg(countText(value));
    case RunClock::Samples: return RunClockWords::tr("Sample %1").arg(countText(value));
    case RunClock::Tokens: return RunClockWords::tr("Token %1").arg(countText(value));
    case RunClock::Epochs: return RunClockWords::tr("Epoch %1").arg(toQt(formatValue(value)));
    case RunClock::Time: return RunClockWords::tr("After %1").arg(toQt(formatDuration(value)));
  }
  return {};
}

QString clockTickText(double value, RunClock clock) {
  if (clock == RunClock::Time) return value == 0 ? QStringLiteral("0") : toQt(formatDuration(value));
  if (clock == RunClock::Epochs) return QString::number(value, 'g', 6);
  return std::abs(value) < 10'000 ? integerText(std::llround(value)) : toQt(formatCount(value));
}

ClockMap::ClockMap(std::span<const QPointF> rows, double scale) {
  if (rows.empty()) return;
  rows_.reserve(rows.size() + 1);
  rows_.emplace_back(0.0, 0.0);
  for (const QPointF& row : rows)
    if (row.x() > rows_.back().x() && std::isfinite(row.y())) rows_.emplace_back(row.x(), row.y() * scale);
  if (rows_.size() < 2) {
    rows_.clear();
    return;
  }
  const QPointF& last = rows_.back();
  const QPointF& before = rows_[rows_.size() - 1 - std::max<std::size_t>(1, rows_.size() / 10)];
  slopeBehind_ = (last.y() - before.y()) / (last.x() - before.x());
}

double ClockMap::at(double batch) const {
  if (rows_.empty() || batch <= 0) return batch;
  const QPointF& last = rows_.back();
  if (batch >= last.x()) return last.y() + (batch - last.x()) * slopeBehind_;
  const auto next = std::upper_bound(rows_.begin(), rows_.end(), batch,
                                     [](double value, const QPointF& row) { return value < row.x(); });
  const QPointF& from = *std::prev(next);
  return from.y() + (batch - from.x()) / (next->x() - from.x()) * (next->y() - from.y());
}

void ClockMap::apply(std::vector<QPointF>& points) const {
  if (rows_.empty()) return;
  for (QPointF& point : points) point.setX(at(point.x()));
}

}  // namespace batchwise
