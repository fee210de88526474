// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/long_series.h"
#include "ui/parts/display_text.h"

namespace batchwise {

/// Quantity on the x axis of a run's charts. Time: training time without evaluation, checkpoints and pauses; Elapsed:
/// wall time; Flops: floating-point operations of the model, see core/model/shape/training_cost.h.
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
/// Returns such a text for a count: "9,500", "41k".
QString countTickText(double value, double spacing);

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
  double batchAt(double x) const { return batchesAt(std::span(&x, 1)).front(); }
  /// Returns batchAt() of each of these, ascending, values.
  std::vector<double> batchesAt(std::span<const double> ascending) const;

 private:
  double value(std::size_t at) const { return scale_ * rows_.y(at); }
  QPointF row(std::size_t at) const { return {rows_.x(at), value(at)}; }
  std::size_t firstRowAt(double x, std::size_t begin, std::size_t step) const;

  LongSeries rows_;
  double scale_ = 1.0;
  QPointF start_;  // scaled
  double endSlope_ = 1.0;
};

/// A range of axis values.
struct AxisRange {
  double low = 0, high = 1;
  double width() const { return high - low; }
  bool operator==(const AxisRange&) const = default;
};

/// Visible range of an x axis shared by several charts: the full extent, a fixed range, or one that follows the newest
/// value. In axis units, not pixels. A value type.
class AxisView {
 public:
  /// Sets the full extent, and the x of the newest value within it. A followed range moves along.
  void setExtent(AxisRange all, double end);

  /// Returns none if the full extent is shown.
  const std::optional<AxisRange>& part() const { return part_; }
  AxisRange shown() const { return part_.value_or(all_); }
  bool follows() const { return follows_; }

  void fit();
  /// Follows the newest value, keeping the width of the range; from the full extent, shows the last fifth of the data.
  void follow();
  void toStart();
  /// Shows `part`, clipped to the extent. Ends following.
  void show(AxisRange part);
  /// Scales the range by `factor` around `at`, or around the newest value while following. A factor below 1 magnifies;
  /// beyond the extent, equals fit().
  void zoom(double factor, double at);
  /// Moves the range by `distance`. Ends following. No effect while the full extent is shown.
  void pan(double distance);

 private:
  void place(double low, double width);
  void placeAtEnd(double width);

  AxisRange all_;
  double end_ = 1;
  std::optional<AxisRange> part_;
  bool follows_ = false;
};

/// Drawing style of a line in a chart.
enum class LineKind {
  Main,        ///< 1.75 px
  Raw,         ///< 25 % opacity, behind a smoothed line
  Thin,        ///< 1 px
  Planned,     ///< dotted, muted gray, behind the others
  Reference,   ///< dashed, muted, thin; labeled at the edge if out of range
  Superseded,  ///< 25 % opacity: rows that a resume trained again
  Points,      ///< a line with a dot at each point
  Dots,        ///< dots without a line, for values that do not continue each other
};

struct ChartLine {
  QString name;  ///< label on the hover card, and in the legend; empty: on neither
  LineKind kind = LineKind::Main;
  int color = 0;                             ///< index of the series color
  bool steps = false;                        ///< drawn as a staircase
  LongSeries points;                         ///< x: global batches of its run; non-finite values break the line
  bool hasGaps = false;                      ///< NaN is a gap where nothing is shown, not a value
  bool derived = false;                      ///< computed from another line of the chart (smoothed)
  std::shared_ptr<const XAxisMap> map = {};  ///< of its run; null: x is in axis units already
  QString legend = {};  ///< label in the legend, shared with other lines of the same color; empty: `name`
  QString owner = {};   ///< label of the run or group that it is of, see ChartGroup; empty: of none
  int runs = 0;         ///< of a group: how many were measured; 0: no group

  const QString& legendLabel() const { return legend.isEmpty() ? name : legend; }
  /// Returns true for measured data: its points are counted, and those that are not finite or out of range are marked.
  bool isMeasured() const { return kind != LineKind::Reference && kind != LineKind::Planned && !derived; }
  /// Convert between the x of `points` and axis units.
  double toAxis(double x) const { return map ? map->at(x) : x; }
  double fromAxis(double x) const { return map ? map->batchAt(x) : x; }
  std::vector<double> fromAxis(const std::vector<double>& ascending) const {
    return map ? map->batchesAt(ascending) : ascending;
  }
};

/// Returns "base (n = 3)", the name of a group of this many runs.
QString groupName(const QString& label, int runs);

/// A filled area between two curves, drawn behind the lines.
struct ChartBand {
  int color = 0;            ///< index of the series color
  LongSeries lower, upper;  ///< the same x in both, in axis units; a value that is not finite leaves a gap
};

/// A marker below the x axis.
struct ChartEvent {
  double x = 0;
  QString icon;  ///< in resources/icons
  QString text;
};

/// Data of one chart, of one run or several. Lines have x as their `map` says, all else has `xAxis` as x. A value type:
/// copies share the points of the lines.
struct ChartContent {
  std::vector<ChartLine> lines;
  std::vector<ChartBand> bands;
  std::vector<double> resumePositions;  ///< x of each resume
  std::vector<ChartEvent> events;
  double xLow = 0, xHigh = 1;  ///< full extent of the x axis
  double dataEnd = 1;          ///< x of the newest value
  XAxis xAxis = XAxis::Batches;
  std::optional<AxisRange> values;  ///< the value axis shows at least these, as charts to be compared share them
  QString note;                     ///< text beside the title, such as the window of a smoothed line; may be empty
  QString shortNote;                ///< in its place where it does not fit; may be empty
  bool legendElsewhere = false;     ///< on the screen, the names of the lines stand outside the chart
};

}  // namespace batchwise
