// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <array>
#include <string>

#include "ui/models/long_series.h"

namespace batchwise {

/// What the charts of a run are drawn over. Time is training time: without evaluations, checkpoints and pauses; Elapsed
/// has all of them. Work is the floating-point operations of the model, see core/exchange/training_cost.h.
enum class RunClock { Batches, Steps, Samples, Tokens, Epochs, Time, Elapsed, Work };
inline constexpr std::array kRunClocks = {RunClock::Batches, RunClock::Steps, RunClock::Samples, RunClock::Tokens,
                                          RunClock::Epochs,  RunClock::Time,  RunClock::Elapsed, RunClock::Work};

/// A clock in seconds.
inline bool isTime(RunClock clock) {
  return clock == RunClock::Time || clock == RunClock::Elapsed;
}
QString clockWord(RunClock clock);                ///< "Global batches", translated
QString clockText(double value, RunClock clock);  ///< with its unit, for cards: "global batch 1,240", "3 h 12 min"
/// Short, for axes, with as many digits as tell ticks apart that are `spacing` apart; 0: three digits.
QString clockTickText(double value, RunClock clock, double spacing = 0);

/// Where a global batch lies on another clock, and back. Between rows in proportion, and between `start` and the first
/// row; behind the last row as fast as over the last tenth of the rows. A value.
class ClockMap {
 public:
  /// Global batches stay as they are.
  ClockMap() = default;
  /// `rows`: (global batch, clock), both ascending and finite, behind `start`. `scale` is multiplied on the clock. No
  /// rows: as they are.
  explicit ClockMap(LongSeries rows, double scale = 1.0, QPointF start = {});

  double at(double batch) const;
  /// The global batch, perhaps between two, at which the clock shows `x`; the first of them where it stands still.
  double batchAt(double x) const;

 private:
  QPointF row(std::size_t at) const;

  LongSeries rows_;
  double scale_ = 1.0;
  QPointF start_;  // scaled
  double slopeBehind_ = 1.0;
};

}  // namespace batchwise
