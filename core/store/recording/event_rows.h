// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/events/run_event.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/stamped_event.h"

namespace batchwise {

/// Writes the events of one segment of a run: rows of metrics, events, and what the list of runs shows. Inside the
/// caller's transactions, always on the same connection, which outlives it; throws what SQLite throws.
class EventRows {
 public:
  EventRows(std::int64_t run, std::int64_t segment) : run_(run), segment_(segment), table_(run, segment) {}

  /// A row of metrics that is there already is left as it is.
  void write(SQLite::Database& database, const StampedEvent& stamped);
  /// To be called at the end of a transaction: the newest values, and full blocks. Fails with Corrupt.
  Result<void> settle(SQLite::Database& database);
  /// To be called when a transaction was rolled back.
  void forget();
  /// The run has ended and needs no writer any more.
  bool finished() const { return finished_; }
  void setFinished(bool finished) { finished_ = finished; }

 private:
  void finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs);

  std::int64_t run_;
  std::int64_t segment_;
  MetricTable table_;
  std::optional<MetricsRow> newest_;
  std::optional<double> evalLoss_;
  bool finished_ = false;
};

}  // namespace batchwise
