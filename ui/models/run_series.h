// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <map>
#include <string>
#include <vector>

#include "core/events/run_event.h"
#include "core/store/records.h"

namespace batchwise {

/// The series of one run as charts need them, under the store's names; x is the clock ba. Grows with events. GUI
/// thread.
class RunSeries {
 public:
  void clear() {
    series_.clear();
    superseded_.clear();
  }
  /// Replaces a series by what the store gave.
  void set(const std::string& name, std::vector<QPointF> points) { series_[name] = std::move(points); }
  /// Adds points behind those that are there; older ones are passed over.
  void extend(const std::string& name, const std::vector<QPointF>& points);
  /// Adds a row. One that is already there, or older, is passed over.
  void add(const MetricsRow& row);
  void add(const EvalResult& result);
  /// Takes everything after `batch` for superseded: a resume goes on from there.
  void truncate(std::int64_t batch);

  /// Empty if there is no such series.
  const std::vector<QPointF>& points(const std::string& name) const;
  /// Rows that a resume took up again, one list for each time that happened; for those series that have a line over all
  /// batches (see hasSuperseded).
  const std::vector<std::vector<QPointF>>& superseded(const std::string& name) const;
  void setSuperseded(const std::string& name, std::vector<std::vector<QPointF>> stretches);
  static bool hasSuperseded(const std::string& name);
  /// Devices with memory series, in the order of their names.
  std::vector<std::string> devices() const;
  /// Largest x of the loss; 0 if there is none.
  std::int64_t lastBatch() const;

  /// The store's names that this class uses for a run with these series.
  static bool wanted(const std::string& name);

 private:
  void append(const std::string& name, std::int64_t batch, double value);

  std::map<std::string, std::vector<QPointF>> series_;
  std::map<std::string, std::vector<std::vector<QPointF>>> superseded_;
};

/// Points of a stored series as they are.
std::vector<QPointF> toPoints(const std::vector<SeriesPoint>& points);
/// Of all points of a series, segment after segment, those that a later segment took up again: one list per segment.
std::vector<std::vector<QPointF>> supersededStretches(const std::vector<SeriesPoint>& points);
/// Lowest and highest value of each bucket, in order; buckets without a finite value leave a NaN.
std::vector<QPointF> toPoints(const std::vector<SeriesBucket>& buckets);

}  // namespace batchwise
