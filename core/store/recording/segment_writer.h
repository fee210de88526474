// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"

namespace batchwise {

/// Opens the next segment of `claim.run` for the process of the claim: stores segment and claim, sets the run to
/// Running and its summary to the values at `start.from`. Returns the segment's number. Inside the caller's
/// transaction; validates before it writes. Fails with Busy if a live writer holds the run of the workspace `folder`,
/// or with Corrupt. A claim of a journal does not block the next segment of that journal, which has one writer at a
/// time: its segment then ends as interruptRun() does.
Result<std::int64_t> openSegment(SQLite::Database& database, RunClaim claim, const RunRecorder::SegmentStart& start,
                                 const std::filesystem::path& folder);

/// Writes the events of one segment of a run: metrics rows, events, and the summary of the run. Inside the caller's
/// transactions; requires the same connection each time, which outlives it. Throws what SQLite throws.
class SegmentEventWriter {
 public:
  SegmentEventWriter(std::int64_t run, std::int64_t segment) : run_(run), segment_(segment), table_(run, segment) {}

  /// Does nothing if it is a metrics row that exists.
  void write(SQLite::Database& database, const StampedEvent& stamped);
  /// Call at the end of a transaction: stores the latest values and seals full blocks. Fails with Corrupt.
  Result<void> finishTransaction(SQLite::Database& database);
  /// Call after a rollback.
  void onRollback();
  /// Returns whether the run has ended and needs no writer any more.
  bool finished() const { return finished_; }
  void setFinished(bool finished) { finished_ = finished; }

 private:
  /// A writer that counted as dead and was replaced must not change the run.
  bool isNewest(SQLite::Database& database) const;
  void finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs);

  std::int64_t run_;
  std::int64_t segment_;
  MetricTable table_;
  std::optional<MetricsRow> newest_;
  std::optional<double> evalLoss_;
  bool finished_ = false;
};

}  // namespace batchwise
