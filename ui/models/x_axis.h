// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <array>
#include <string>

#include "ui/models/long_series.h"

namespace batchwise {

/// Quantity on the x axis of a run's charts. Time: training time without evaluation, checkpoints and pauses; Elapsed:
/// wall time; Flops: floating-point operations of the model, see core/exchange/training_cost.h.
enum class XAxis { Batches, Steps, Samples, Tokens, Epochs, Time, Elapsed, Flops };
inline constexpr std::array kXAxes = {XAxis::Batches, XAxis::Steps, XAxis::Samples, XAxis::Tokens,
                                      XAxis::Epochs,  XAxis::Time,  XAxis::Elapsed, XAxis::Flops};

/// True for quantities in seconds.
inline bool isDuration(XAxis xAxis) {
  return xAxis == XAxis::Time || xAxis == XAxis::Elapsed;
}
QString xAxisTitle(XAxis xAxis);               ///< axis title: "Global batches", translated
QString xAxisText(double value, XAxis xAxis);  ///< with its unit, for hover cards: "Batch 1,240", "After 3 h 12 min"
/// Short text for axis ticks, with enough digits to distinguish ticks that are `spacing` apart; 0: three digits.
QString xTickText(double value, XAxis xAxis, double spacing = 0);

/// Maps a global batch to another quantity, and back, by linear interpolation between rows and from `start` to the
/// first row. Behind the last row it extrapolates with the slope of the last tenth of the rows. A value type.
class XAxisMap {
 public:
  /// Identity.
  XAxisMap() = default;
  /// `rows`: (global batch, value), both ascending and finite, after `start`. `scale` multiplies the values. Without
  /// rows: identity.
  explicit XAxisMap(LongSeries rows, double scale = 1.0, QPointF start = {});

  double at(double batch) const;
  /// Returns the (fractional) global batch for `x`; the first one where the value is constant.
  double batchAt(double x) const;

 private:
  QPointF row(std::size_t at) const;

  LongSeries rows_;
  double scale_ = 1.0;
  QPointF start_;  // scaled
  double endSlope_ = 1.0;
};

}  // namespace batchwise
