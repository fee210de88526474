// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/segment_writer.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/store/integrity.h"
#include "core/store/records.h"
#include "core/store/run_rows.h"

namespace batchwise {
namespace {

std::int64_t appendSegment(SQLite::Database& database, const RunClaim& claim, const RunRecorder::SegmentStart& start) {
  const std::int64_t number = nextSegment(database, claim.run);
  insertSegment(
      database, claim.run,
      {number, start.from, start.checkpoint, claim.writtenMs, claim.host, claim.processId, start.environment});
  if (start.restart) replaceLaunch(database, claim.run, *start.restart);
  if (!start.resolvedYaml.empty())
    changePart(database, RunPart::Launch, claim.run, [&] {
      execute(database, "UPDATE run SET resolved_yaml=? WHERE number=?", start.resolvedYaml, claim.run);
    });
  return number;
}

/// Returns the newest value of a series that is not superseded, in [from, to].
Result<std::optional<double>> valueAt(SQLite::Database& database, std::int64_t run, const std::string& name,
                                      std::int64_t from, std::int64_t to) {
  const auto all = readSeriesKeys(database, run);
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
  if (found == all.end()) return std::optional<double>{};
  const SeriesKey& key = found->second;
  std::vector<SeriesPoint> points;
  for (SegmentRange range : currentRanges(database, run, key.kind)) {
    range.from = std::max(range.from, from);
    range.to = std::min(range.to, to);
    RETURN_IF_ERROR(readPoints(database, key, range, points));
  }
  if (points.empty()) return std::optional<double>{};
  return std::optional{points.back().value};
}

/// The values of a run where it resumes.
struct SummaryValues {
  std::optional<double> loss, evalLoss, learningRate, samplesPerSec, tokensPerSec;
};

Result<SummaryValues> summaryAt(SQLite::Database& database, std::int64_t run, const Timestamp& from) {
  const auto at = [&](const char* series, std::int64_t since) {
    return valueAt(database, run, series, since, from.batch);
  };
  SummaryValues values;
  ASSIGN_OR_RETURN(values.loss, at("loss", from.batch));
  ASSIGN_OR_RETURN(values.evalLoss, at("eval.loss", 0));
  ASSIGN_OR_RETURN(values.learningRate, at("lr", from.batch));
  ASSIGN_OR_RETURN(values.samplesPerSec, at("samples_per_sec", from.batch));
  ASSIGN_OR_RETURN(values.tokensPerSec, at("tokens_per_sec", from.batch));
  return values;
}

void resetSummary(SQLite::Database& database, std::int64_t run, const Timestamp& from, const SummaryValues& values) {
  execute(database,
          "UPDATE run SET status='running', reason='', cause='unknown', paused=0, ended_ms=0, at=?, loss=?, "
          "eval_loss=?, learning_rate=?, "
          "samples_per_sec=?, tokens_per_sec=? WHERE number=?",
          timestampText(from), values.loss, values.evalLoss, values.learningRate, values.samplesPerSec,
          values.tokensPerSec, run);
  storeChecksum(database, RunPart::Figures, run);
}

}  // namespace

Result<std::int64_t> openSegment(SQLite::Database& database, RunClaim claim, const RunRecorder::SegmentStart& start,
                                 const std::filesystem::path& folder) {
  const auto holder = claimOn(database, claim.run);
  const bool ofSameJournal = holder && claim.ofJournal && holder->ofJournal;
  if (holder && !ofSameJournal && !holder->isDeadAt(claim.writtenMs, folder))
    return Error{ErrorCode::Busy,
                 formatText("the run is being written by process {} on '{}'; stop that process first",
                            holder->processId, holder->host),
                 {}};
  ASSIGN_OR_RETURN(const auto values, summaryAt(database, claim.run, start.from));
  if (ofSameJournal) interruptRun(database, *holder);
  claim.segment = appendSegment(database, claim, start);
  storeClaim(database, claim);
  resetSummary(database, claim.run, start.from, values);
  return claim.segment;
}

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
  } else if (const auto* started = std::get_if<RunStarted>(&stamped.event);
             started && started->plannedBatches > 0 && isNewest(database)) {
    execute(database, "UPDATE run SET planned_batches=? WHERE number=?", started->plannedBatches, run_);
  } else if (const auto* note = std::get_if<RunNote>(&stamped.event); note && note->paused && isNewest(database)) {
    execute(database, "UPDATE run SET paused=? WHERE number=?", *note->paused, run_);
  } else if (const auto* ended = std::get_if<RunFinished>(&stamped.event)) {
    finish(database, *ended, stamped.wallMs);
  }
}

Result<void> SegmentEventWriter::finishTransaction(SQLite::Database& database) {
  if ((newest_ || evalLoss_) && isNewest(database)) {
    changePart(database, RunPart::Figures, run_, [&] {
      if (newest_)
        execute(database,
                "UPDATE run SET at=?, loss=?, learning_rate=?, samples_per_sec=?, tokens_per_sec=? WHERE number=?",
                timestampText(newest_->at), newest_->loss, newest_->learningRate, newest_->samplesPerSec,
                newest_->tokensPerSec, run_);
      if (evalLoss_) execute(database, "UPDATE run SET eval_loss=? WHERE number=?", *evalLoss_, run_);
    });
  }
  newest_.reset();
  evalLoss_.reset();
  return table_.finishTransaction(database);
}

bool SegmentEventWriter::isNewest(SQLite::Database& database) const {
  return nextSegment(database, run_) == segment_ + 1;
}

void SegmentEventWriter::onRollback() {
  newest_.reset();
  evalLoss_.reset();
  table_.onRollback();
}

void SegmentEventWriter::finish(SQLite::Database& database, const RunFinished& event, std::int64_t wallMs) {
  if (isNewest(database))
    execute(database, "UPDATE run SET status=?, reason=?, cause=?, ended_ms=? WHERE number=?", event.status,
            event.reason, event.cause, wallMs, run_);
  removeClaim(database, run_, segment_);
  finished_ = true;
}

}  // namespace batchwise
