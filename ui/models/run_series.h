// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/smoothing.h"
#include "core/events/run_event.h"
#include "core/store/records.h"
#include "ui/models/long_series.h"

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
  void add(const MetricsRow& row);
  void add(const EvalResult& result);
  /// Takes everything after `batch` for superseded: a resume goes on from there.
  void truncate(std::int64_t batch);

  /// Empty if there is no such series.
  const LongSeries& points(const std::string& name) const;
  /// Their moving average, see core/analysis/smoothing.h. Kept, so that only what is new is computed.
  const LongSeries& smoothed(const std::string& name, double weight) const;
  /// Rows that a resume took up again, one list for each time that happened; for those series that have a line over all
  /// batches (see hasSuperseded).
  const std::vector<LongSeries>& superseded(const std::string& name) const;
  void setSuperseded(const std::string& name, std::vector<LongSeries> stretches);
  static bool hasSuperseded(const std::string& name);
  /// Devices with memory series, in the order of their names.
  std::vector<std::string> devices() const;
  /// Largest x of the loss; 0 if there is none.
  std::int64_t lastBatch() const;

  /// The store's names that this class uses for a run with these series.
  static bool wanted(const std::string& name);

 private:
  void append(const std::string& name, std::int64_t batch, double value);

  struct Average {
    double weight;
    Smoother next;
    LongSeries points;
  };

  std::map<std::string, LongSeries> series_;
  std::map<std::string, std::vector<LongSeries>> superseded_;
  mutable std::map<std::string, Average> averages_;  // follow from series_
};

/// Points of a stored series as they are.
LongSeries toLongSeries(const std::vector<SeriesPoint>& points);
/// Of all points of a series, segment after segment, those that a later segment took up again: one list per segment.
std::vector<LongSeries> supersededStretches(const std::vector<SeriesPoint>& points);
/// Lowest and highest value of each bucket, in order; a bucket with a value that is not finite begins with a NaN.
LongSeries toLongSeries(const std::vector<SeriesBucket>& buckets);

}  // namespace batchwise
