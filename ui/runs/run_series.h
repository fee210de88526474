// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/group_curve.h"
#include "core/model/shape/training_cost.h"
#include "core/store/records.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/long_series.h"
#include "ui/parts/table_model.h"

namespace batchwise {

/// Metric series of one run for its charts, by the store's names; x is the global batch. Only grows: a resume, which
/// supersedes rows, starts a new one. Not thread-safe.
class RunSeries {
 public:
  /// Appends points; those that are not newer than the last are ignored. The x of a series per optimizer step are steps
  /// and are converted to global batches: needs the rows of "steps" around them, and extrapolates behind the last.
  void extend(const std::string& name, LongSeries points);
  /// Extends each of these series.
  void extend(const std::map<std::string, LongSeries>& points);
  /// Position before the first row; not 0 in a fork.
  void setStart(const Timestamp& start) {
    start_ = {static_cast<double>(start.batch), static_cast<double>(start.step - start.stepInBatch)};
  }
  /// Maps global batches to optimizer steps.
  XAxisMap stepMap() const { return XAxisMap(points("steps"), 1.0, start_); }

  /// Returns an empty series if there is none of this name.
  const LongSeries& points(const std::string& name) const;
  /// Moving average, see core/analysis/group_curve.h. Cached; Trailing is extended incrementally.
  const LongSeries& smoothed(const std::string& name, double weight, Smoothing smoothing) const;
  /// Rows that a resume trained again, one list per resume; kept for the series of hasSuperseded() only.
  const std::vector<LongSeries>& superseded(const std::string& name) const;
  void setSuperseded(const std::string& name, std::vector<LongSeries> ranges) { superseded_[name] = std::move(ranges); }
  static bool hasSuperseded(const std::string& name);
  /// Samples per step, and apart from them the smaller ones of the last step of each epoch.
  struct StepSizes {
    LongSeries full, epochEnds;
  };
  /// Splits "step_samples". `samplesPerEpoch` 0: unknown; then a single smaller step between equal ones ends an epoch.
  /// Cached and extended incrementally.
  StepSizes stepSizes(double samplesPerEpoch) const;
  /// Floating-point operations up to each row; empty if `cost` is unknown. Cached and extended incrementally.
  const LongSeries& flops(const TrainingCost& cost) const;
  /// Seconds from `startMs` (ms since 1970) until each row was recorded. Monotonic even if the system clock is set
  /// back. Cached and extended incrementally.
  const LongSeries& elapsed(std::int64_t startMs) const;
  /// Names of devices with memory series, sorted.
  std::vector<std::string> devices() const;
  /// Last global batch with a loss; 0 if none.
  std::int64_t lastBatch() const;

  /// True for the names of the standard series.
  static bool isStandard(const std::string& name);

 private:
  bool endsEpoch(std::size_t row, double samplesPerEpoch) const;

  struct Average {
    double weight;
    Smoothing smoothing;
    Smoother next;
    LongSeries points;
  };

  std::map<std::string, LongSeries> series_;
  std::map<std::string, std::vector<LongSeries>> superseded_;
  QPointF start_;  // (global batch, step) before the first row
  // Derived from series_.
  mutable std::map<std::string, Average> averages_;
  mutable LongSeries flops_, elapsed_;
  mutable QPointF counted_;  // (tokens, samples) of the last row of flops_
  mutable StepSizes stepSizes_;
};

/// Converts the points of a stored series.
LongSeries toLongSeries(const std::vector<SeriesPoint>& points);
/// From all points of a series in order of segments, the ones that a later segment trained again: one list per segment.
std::vector<LongSeries> supersededRanges(const std::vector<SeriesPoint>& points);
/// Minimum and maximum of each bucket, in order of x; a bucket with non-finite values starts with a NaN.
LongSeries toLongSeries(const std::vector<SeriesBucket>& buckets);

/// Memory of a device, in bytes; total 0: no limit known.
struct DeviceUsage {
  std::string id;  ///< its name
  double used = 0, peak = 0, total = 0;
  bool operator==(const DeviceUsage&) const = default;
};

/// Memory of each device of a run at its newest row: in use, peak, limit, peak as share of the limit. GUI thread.
class DeviceModel final : public RowTable<std::vector<DeviceUsage>> {
  Q_OBJECT

 public:
  enum Column { NameColumn, UsedColumn, PeakColumn, LimitColumn, ShareColumn, ColumnCount };

  explicit DeviceModel(QObject* parent = nullptr);

  void update(const RunSeries& series);

 private:
  QVariant cell(int at, int column, int role) const override;
};

/// A run as displayed by the charts. A value type.
struct RunView {
  QString id;
  RunDetail detail;
  RunSeries series;
  TrainingCost cost;                              ///< zero if unknown
  std::set<std::string> availableExtras;          ///< stored series that are not standard
  std::set<std::string> thinned;                  ///< series of which only extremes of stretches were read
  std::vector<QPointF> plannedRate, plannedStep;  ///< x: global batches; empty if the plan is unknown
  std::vector<ChartEvent> events;                 ///< x: global batches
  std::vector<double> resumePositions;            ///< global batches
};

/// Maps global batches to `xAxis`, from the run's rows. Epochs are samples divided by the samples per epoch. Elapsed
/// time of a run whose rows lack record times is interpolated between its starts, resumes and end. Requires hasAxis().
XAxisMap axisMapOf(const RunView& view, XAxis xAxis);

/// Returns whether the run can be drawn over `xAxis`: false for operations if their cost is unknown, and for epochs if
/// their length is, or if stages of the run differ in it.
bool hasAxis(const RunView& view, XAxis xAxis);

/// Samples of an epoch; 0 if unknown, or if stages of the run differ in it.
double samplesPerEpoch(const RunDetail& run);

/// The cost stored at launch; if missing, computed from the configuration, or zero if that needs the vocabulary.
TrainingCost trainingCostOf(const RunDetail& run);

/// Adds the marker of an event, and the position of a resume. Info notes before the first global batch get no marker.
void addMarkers(RunView& view, const RunEvent& event);

}  // namespace batchwise
