// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/segment_event_writer.h"

#include <nlohmann/json.hpp>

#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {

void SegmentEventWriter::write(SQLite::Database& database, const StampedEvent& stamped) {
  if (std::holds_alternative<PhaseProgress>(stamped.event)) return;
  if (const auto* row = std::get_if<MetricsRow>(&stamped.event)) {
    auto values = valuesOf(*row);
    const bool ofBatch = kindOf(*row) == RowKind::Batch;
    if (ofBatch) values.push_back({"wall", static_cast<double>(stamped.wallMs) / 1000.0});
    table_.insert(database, kindOf(*row), positionOf(*row), values);
    if (ofBatch) newest_ = *row;
    return;
  }
  insertEvent(database, run_, segment_, stamped.wallMs, stamped.event);
  if (const auto* result = std::get_if<EvalResult>(&stamped.event)) {
    table_.insert(database, RowKind::Eval, result->at.batch, valuesOf(*result));
    evalLoss_ = result->loss;
  } else if (const auto* started = std::get_if<RunStarted>(&stamped.event); started && started->plannedBatches > 0) {
    SQLite::Statement update(database, "UPDATE run SET planned_batches=? WHERE number=?");
    update.bind(1, started->plannedBatches);
    update.bind(2, run_);
    update.exec();
  } else if (const auto* ended = std::get_if<RunFinished>(&stamped.event)) {
    finish(database, *ended, stamped.wallMs);
  }
}

Result<void> SegmentEventWriter::finishTransaction(SQLite::Database& database) {
  if (newest_) {
    SQLite::Statement update(database,
                             "UPDATE run SET at=?, loss=?, learning_rate=?, samples_per_sec=?, tokens_per_sec=? "
                             "WHERE number=?");
    update.bind(1, timestampText(newest_->at));
    bindDouble(update, 2, newest_->loss);
    bindDouble(update, 3, newest_->learningRate);
    bindDouble(update, 4, newest_->samplesPerSec);
    bindDouble(update, 5, newest_->tokensPerSec);
    update.bind(6, run_);
    update.exec();
  }
  if (evalLoss_) {
    SQLite::Statement update(database, "UPDATE run SET eval_loss=? WHERE number=?");
    bindDouble(update, 1, *evalLoss_);
    update.bind(2, run_);
    update.exec();
  }
  newest_.reset();
  evalLoss_.reset();
  return table_.sealFullBlocks(database);
}

void SegmentEventWriter::onRollback() {
  newest_.reset();
  evalLoss_.reset();
  table_.onRollback();
}

void SegmentEventWriter::finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs) {
  // A writer that counted as dead and was replaced must not change the run.
  SQLite::Statement update(database,
                           "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=?4 AND NOT EXISTS "
                           "(SELECT 1 FROM segment_checked WHERE run=?4 AND number > ?5)");
  update.bind(1, std::string{runStatusName(event.status)});
  update.bind(2, event.reason);
  update.bind(3, wallMs);
  update.bind(4, run_);
  update.bind(5, segment_);
  update.exec();
  SQLite::Statement remove(database, "DELETE FROM run_writer WHERE run=? AND segment=?");
  remove.bind(1, run_);
  remove.bind(2, segment_);
  remove.exec();
  finished_ = true;
}

void insertEvent(SQLite::Database& database, std::int64_t run, std::int64_t segment, std::int64_t wallMs,
                 const RunEvent& event) {
  SQLite::Statement insert(database, "INSERT INTO event(run, segment, wall_ms, step, json) VALUES(?,?,?,?,?)");
  insert.bind(1, run);
  insert.bind(2, segment);
  insert.bind(3, wallMs);
  if (const auto at = timestampOf(event)) insert.bind(4, at->step);
  insert.bind(5, eventToLine(event));
  insert.exec();
}

}  // namespace batchwise
