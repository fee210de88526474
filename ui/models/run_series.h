// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/smoothing.h"
#include "core/events/run_event.h"
#include "core/exchange/training_cost.h"
#include "core/store/metrics/metric_values.h"
#include "core/store/records.h"
#include "ui/models/long_series.h"
#include "ui/models/x_axis.h"

namespace batchwise {

/// Metric series of one run for its charts, by the store's names; x is the global batch. Grows with events. GUI thread.
class RunSeries {
 public:
  void clear() { *this = {}; }
  void set(const std::string& name, LongSeries points);
  /// Appends points; those that are not newer than the last are ignored.
  void extend(const std::string& name, const LongSeries& points);
  /// Appends a row; one that is not newer than the last is ignored. `wallMs`: when it arrived, ms since 1970; 0:
  /// unknown.
  void add(const MetricsRow& row, std::int64_t wallMs = 0);
  void add(const EvalResult& result);
  /// Moves everything after `from` to superseded(): a resume continues there.
  void truncate(const Timestamp& from);
  /// Position before the first row; not 0 in a fork.
  void setStart(const Timestamp& start) {
    start_ = {static_cast<double>(start.batch), static_cast<double>(start.step - start.partInBatch)};
  }
  /// Maps global batches to optimizer steps.
  XAxisMap stepMap() const { return XAxisMap(points("steps"), 1.0, start_); }

  /// Returns an empty series if there is none of this name.
  const LongSeries& points(const std::string& name) const;
  /// Moving average, see core/analysis/smoothing.h. Cached and extended incrementally.
  const LongSeries& smoothed(const std::string& name, double weight) const;
  /// Rows that a resume trained again, one list per resume; kept for the series of hasSuperseded() only.
  const std::vector<LongSeries>& superseded(const std::string& name) const;
  void setSuperseded(const std::string& name, std::vector<LongSeries> stretches);
  static bool hasSuperseded(const std::string& name);
  /// Floating-point operations up to each row; empty if `cost` is unknown. Cached and extended incrementally.
  const LongSeries& flops(const TrainingCost& cost) const;
  /// Seconds from `startMs` (ms since 1970) until each row was recorded. Monotonic even if the system clock is set
  /// back. Cached and extended incrementally.
  const LongSeries& elapsed(std::int64_t startMs) const;
  /// Selects further series to collect from live rows, besides the standard ones.
  void setExtra(const std::vector<std::string>& names);
  /// True for a series per optimizer step. The store has it over steps; here its x is converted to global batches.
  static bool isStepSeries(const std::string& name) { return name.starts_with("step."); }
  /// Treatment of steps after the last row of a global batch.
  enum class TrailingSteps {
    Buffer,       ///< buffered until the row of their global batch arrives
    Extrapolate,  ///< no more rows: positions are extrapolated
  };
  /// Converts the x of a series from steps to global batches. Requires the series "steps".
  void mapStepsToBatches(const std::string& name, TrailingSteps trailing);
  /// Appends points over steps; those beyond the series "steps" are treated as `trailing` says.
  void extendStepSeries(const std::string& name, const LongSeries& points, TrailingSteps trailing);
  /// Names of devices with memory series, sorted.
  std::vector<std::string> devices() const;
  /// Last global batch with a loss; 0 if none.
  std::int64_t lastBatch() const;
  /// Last optimizer step; 0 if none.
  std::int64_t lastStep() const;

  /// True for the names of the standard series.
  static bool isStandard(const std::string& name);

 private:
  void append(const std::string& name, std::int64_t batch, double value);

  void clearDerived();
  void bufferSteps(const std::string& name, const LongSeries& points, std::size_t from);
  void flushSteps();
  void appendExtra(std::int64_t batch, const std::vector<NamedValue>& values);

  struct Average {
    double weight;
    Smoother next;
    LongSeries points;
  };

  std::map<std::string, LongSeries> series_;
  std::map<std::string, std::vector<LongSeries>> superseded_;
  std::set<std::string> extra_;
  std::map<std::string, LongSeries> bufferedSteps_;  // over steps; of the unfinished global batch
  QPointF start_;                                    // (global batch, step) before the first row
  // DerivedValues from series_.
  mutable std::map<std::string, Average> averages_;
  mutable LongSeries flops_, elapsed_;
};

/// Converts the points of a stored series.
LongSeries toLongSeries(const std::vector<SeriesPoint>& points);
/// From all points of a series in order of segments, the ones that a later segment trained again: one list per segment.
std::vector<LongSeries> supersededRanges(const std::vector<SeriesPoint>& points);
/// Minimum and maximum of each bucket, in order of x; a bucket with non-finite values starts with a NaN.
LongSeries toLongSeries(const std::vector<SeriesBucket>& buckets);

}  // namespace batchwise
