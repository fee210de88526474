// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/archive/run_copy.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/format.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/records.h"
#include "core/store/run_rows.h"

namespace batchwise {
namespace {

using Copied = std::function<Result<void>(std::int64_t bytes)>;

/// Returns the number of the new run.
Result<std::int64_t> insertContent(SQLite::Database& into, const RunContent& content) {
  const RunDetail& detail = content.detail;
  const RunSummary& summary = detail.summary;
  execute(into,
          "INSERT INTO run(id, name, status, reason, cause, created_ms, ended_ms, planned_batches, parent, archived, "
          "note, why, "
          "config_yaml, resolved_yaml, source, source_path, at, loss, eval_loss, learning_rate, samples_per_sec, "
          "tokens_per_sec) "
          "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
          summary.id, summary.name, summary.status, summary.reason, summary.cause, summary.createdMs, summary.endedMs,
          summary.plannedBatches, summary.parent, summary.archived, summary.note, detail.why, detail.configYaml,
          detail.resolvedYaml, summary.source, "", timestampText(summary.at), summary.loss, summary.evalLoss,
          summary.learningRate, summary.samplesPerSec, summary.tokensPerSec);
  const std::int64_t run = into.getLastInsertRowid();
  insertResolvedValues(into, run, detail.resolvedValues, detail.references);
  replaceTags(into, run, summary.tags);
  storeChecksums(into, run);
  for (const RunSegment& segment : detail.segments) insertSegment(into, run, segment);
  for (const CheckpointRecord& record : content.checkpoints) insertCheckpoint(into, run, record);
  for (const StoredEvent& event : content.events) insertEvent(into, run, event.segment, event.wallMs, event.event);
  for (const Score& score : content.scores)
    if (std::ranges::find(content.checkpoints, score.model, &CheckpointRecord::file) != content.checkpoints.end())
      RETURN_IF_ERROR(insertScore(into, run, score));
  return run;
}

/// Copies what is stored under keys that hold the number of the run or of a series, and so do checksums.
class MetricsCopy {
 public:
  MetricsCopy(const NamedDatabase& from, std::int64_t fromRun, SQLite::Database& into, std::int64_t intoRun,
              std::int64_t segments, const Copied& copied)
      : from_(from.database),
        file_(from.file),
        fromRun_(fromRun),
        into_(into),
        intoRun_(intoRun),
        segments_(segments),
        copied_(copied) {}

  Result<void> run() {
    for (const auto& [name, key] : readSeriesKeys(from_, fromRun_)) {
      const auto logged = queryText(from_, "SELECT logged FROM series WHERE id=?", key.series);
      execute(into_, "INSERT INTO series(run, name, logged) VALUES(?,?,?)", intoRun_, name, logged.value_or(""));
      series_[key.series] = {into_.getLastInsertRowid(), key.kind};
    }
    storeChecksum(into_, RunPart::Series, intoRun_);
    RETURN_IF_ERROR(copyExtents());
    RETURN_IF_ERROR(copyRows());
    return copyBlocks();
  }

 private:
  struct Series {
    std::int64_t id = 0;
    RowKind kind = RowKind::Batch;
  };

  Error misfit() const { return Error::corrupt(formatText("the metrics in '{}' do not fit together", file_.native())); }

  /// Returns the id of a series in `into_`. Fails with Corrupt unless it has rows of this kind.
  Result<std::int64_t> newSeries(std::int64_t series, std::int64_t kind) const {
    const auto found = series_.find(series);
    if (found == series_.end() || static_cast<std::int64_t>(found->second.kind) != kind) return misfit();
    return found->second.id;
  }
  /// A segment that began after the run was read is left out.
  bool isLeftOut(std::int64_t segment) const { return segment >= segments_; }

  Result<void> copyExtents() {
    SQLite::Statement query = prepare(from_, "SELECT segment, kind, data FROM metric_extent WHERE run=?", fromRun_);
    while (query.executeStep()) {
      std::int64_t segment = 0, kind = 0;
      readRow(query, segment, kind);
      if (isLeftOut(segment)) continue;
      if (segment < 0 || kind < 0 || kind >= kRowKinds) return misfit();
      ASSIGN_OR_RETURN(auto extent, decodeExtent({fromRun_, segment, kind}, blobOf(query.getColumn(2))));
      for (const auto& [series, count] : std::exchange(extent.blocks, {})) {
        ASSIGN_OR_RETURN(const auto id, newSeries(series, kind));
        extent.blocks[id] = count;
      }
      execute(into_, "INSERT INTO metric_extent(run, segment, kind, data) VALUES(?,?,?,?)", intoRun_, segment, kind,
              encodeExtent({intoRun_, segment, kind}, extent));
    }
    return {};
  }

  Result<void> copyRows() {
    SQLite::Statement insert(into_, "INSERT INTO metric_row(run, segment, kind, position, data) VALUES(?,?,?,?,?)");
    SQLite::Statement query =
        prepare(from_, "SELECT segment, kind, position, data FROM metric_row WHERE run=?", fromRun_);
    while (query.executeStep()) {
      std::int64_t segment = 0, kind = 0, position = 0;
      readRow(query, segment, kind, position);
      if (isLeftOut(segment)) continue;
      const auto data = blobOf(query.getColumn(3));
      ASSIGN_OR_RETURN(auto values, decodeRow({fromRun_, segment, kind, position}, data));
      if (segment < 0 || position < 0 || values.empty()) return misfit();
      for (RowValue& value : values) {
        ASSIGN_OR_RETURN(value.series, newSeries(value.series, kind));
      }
      execute(insert, intoRun_, segment, kind, position, encodeRow({intoRun_, segment, kind, position}, values));
      RETURN_IF_ERROR(copied_(std::ssize(data)));
    }
    return {};
  }

  Result<void> copyBlocks() {
    SQLite::Statement insert(into_, "INSERT INTO metric_block(series, segment, number, data) VALUES(?,?,?,?)");
    for (const auto& [old, series] : series_) {
      SQLite::Statement query =
          prepare(from_, "SELECT segment, number, data FROM metric_block WHERE series=? ORDER BY segment, number", old);
      while (query.executeStep()) {
        std::int64_t segment = 0, number = 0;
        readRow(query, segment, number);
        if (isLeftOut(segment)) continue;
        const auto data = blobOf(query.getColumn(2));
        ASSIGN_OR_RETURN(const auto points, decodeBlock({old, segment, number}, data));
        execute(insert, series.id, segment, number, encodeBlock({series.id, segment, number}, points));
        RETURN_IF_ERROR(copied_(std::ssize(data)));
      }
    }
    return {};
  }

  SQLite::Database& from_;
  const std::filesystem::path& file_;  // of from_
  const std::int64_t fromRun_;
  SQLite::Database& into_;
  const std::int64_t intoRun_;
  const std::int64_t segments_;
  const Copied& copied_;
  std::map<std::int64_t, Series> series_;  // by their ids in `from_`
};

}  // namespace

Result<void> copyRun(const NamedDatabase& from, std::int64_t number, const RunContent& content,
                     const NamedDatabase& into, const Copied& copied) try {
  ASSIGN_OR_RETURN(const std::int64_t run, insertContent(into.database, content));
  return MetricsCopy(from, number, into.database, run, std::ssize(content.detail.segments), copied).run();
} catch (const SQLite::Exception& failure) {
  const bool isOfTarget = into.database.getErrorCode() == failure.getErrorCode();
  const NamedDatabase& failed = isOfTarget ? into : from;
  return databaseError(failure, &failed.database, failed.file);
}

}  // namespace batchwise
