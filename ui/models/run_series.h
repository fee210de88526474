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
#include "ui/models/run_clock.h"

namespace batchwise {

/// The series of one run as charts need them, under the store's names; x is the clock ba. Grows with events. GUI
/// thread.
class RunSeries {
 public:
  void clear() { *this = {}; }
  /// Replaces a series by what the store gave.
  void set(const std::string& name, LongSeries points);
  /// Adds points behind those that are there; older ones are passed over.
  void extend(const std::string& name, const LongSeries& points);
  /// Adds a row. One that is already there, or older, is passed over.
  /// `wallMs`: when it came, since 1970; 0: not known.
  void add(const MetricsRow& row, std::int64_t wallMs = 0);
  void add(const EvalResult& result);
  /// Takes everything after `from` for superseded: a resume goes on from there.
  void truncate(const Timestamp& from);
  /// Where the first row goes on from: elsewhere than at 0 in a fork.
  void setStart(const Timestamp& start) {
    start_ = {static_cast<double>(start.batch), static_cast<double>(start.step - start.partInBatch)};
  }
  /// Where global batches lie on the clock of optimiser steps.
  ClockMap stepClock() const { return ClockMap(points("steps"), 1.0, start_); }

  /// Empty if there is no such series.
  const LongSeries& points(const std::string& name) const;
  /// Their moving average, see core/analysis/smoothing.h. Kept, so that only what is new is computed.
  const LongSeries& smoothed(const std::string& name, double weight) const;
  /// Rows that a resume took up again, one list for each time that happened; for those series that have a line over all
  /// batches (see hasSuperseded).
  const std::vector<LongSeries>& superseded(const std::string& name) const;
  void setSuperseded(const std::string& name, std::vector<LongSeries> stretches);
  static bool hasSuperseded(const std::string& name);
  /// The operations of the model up to each row; empty if `cost` is not known. Kept as the averages are.
  const LongSeries& work(const TrainingCost& cost) const;
  /// Seconds from `startMs` (since 1970) until each row was recorded. Never falls, though the machine's clock may be
  /// set back. Kept likewise.
  const LongSeries& elapsed(std::int64_t startMs) const;
  /// Series beside those that every chart page has; live rows bring them along too.
  void setExtra(const std::vector<std::string>& names);
  /// A series of steps inside global batches: the store has it over steps, here it is over batches too.
  static bool ofSteps(const std::string& name) { return name.starts_with("step."); }
  /// What happens to steps behind the last row of a global batch.
  enum class Behind {
    Wait,  ///< they are put aside until the row tells their place
    Keep,  ///< no row follows: they are placed as the rows before foretell
  };
  /// After set() with points over steps, once "steps" is set.
  void putStepsOverBatches(const std::string& name, Behind behind);
  /// Adds points over steps behind those that are there, once "steps" reaches as far.
  void extendOverSteps(const std::string& name, const LongSeries& points, Behind behind);
  /// Devices with memory series, in the order of their names.
  std::vector<std::string> devices() const;
  /// Largest x of the loss; 0 if there is none.
  std::int64_t lastBatch() const;
  /// Optimiser steps up to there.
  std::int64_t lastStep() const;

  /// The store's names that this class uses for a run with these series.
  static bool wanted(const std::string& name);

 private:
  void append(const std::string& name, std::int64_t batch, double value);

  void forgetDerived();
  void wait(const std::string& name, const LongSeries& points, std::size_t from);
  void addSteps();
  void appendExtra(std::int64_t batch, const std::vector<NamedValue>& values);

  struct Average {
    double weight;
    Smoother next;
    LongSeries points;
  };

  std::map<std::string, LongSeries> series_;
  std::map<std::string, std::vector<LongSeries>> superseded_;
  std::set<std::string> extra_;
  std::map<std::string, LongSeries> waiting_;  // over steps, of the running global batch: its end tells their place
  QPointF start_;                              // (global batch, step) before the first row
  // These follow from series_.
  mutable std::map<std::string, Average> averages_;
  mutable LongSeries work_, elapsed_;
};

/// Points of a stored series as they are.
LongSeries toLongSeries(const std::vector<SeriesPoint>& points);
/// Of all points of a series, segment after segment, those that a later segment took up again: one list per segment.
std::vector<LongSeries> supersededStretches(const std::vector<SeriesPoint>& points);
/// Lowest and highest value of each bucket, in order; a bucket with a value that is not finite begins with a NaN.
LongSeries toLongSeries(const std::vector<SeriesBucket>& buckets);

}  // namespace batchwise
