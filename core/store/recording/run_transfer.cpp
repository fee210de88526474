// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/recording/run_transfer.h"

#include <limits>
#include <map>

#include "core/base/format.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr std::int64_t kWindow = 4096;  // positions collected into rows at once
constexpr std::int64_t kLastBatch = std::numeric_limits<std::int64_t>::max();

class RowsReader {
 public:
  RowsReader(SQLite::Database& database, std::int64_t run) : database_(database), run_(run) {}

  std::vector<std::string> readSeries() {
    std::vector<std::string> names;
    for (const auto& [name, key] : readSeriesKeys(database_, run_)) {
      names.push_back(name);
      keys_.push_back(key);
    }
    return names;
  }

  Result<void> readKind(std::int64_t segment, RowKind kind,
                        const std::function<Result<void>(const TransferRow&)>& take) {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();
    while (true) {
      ASSIGN_OR_RETURN(const auto next, firstOf(segment, kind, from));
      if (!next) return {};
      const std::int64_t to = *next > kLastBatch - kWindow ? kLastBatch : *next + kWindow - 1;
      RETURN_IF_ERROR(readWindow(kind, {segment, *next, to}, take));
      if (to == kLastBatch) return {};
      from = to + 1;
    }
  }

 private:
  /// Returns the first position >= `from` that has a row of this kind, sealed or not. Fails with Corrupt.
  Result<std::optional<std::int64_t>> firstOf(std::int64_t segment, RowKind kind, std::int64_t from) {
    auto first = queryInteger(
        database_, "SELECT min(position) FROM metric_row WHERE run=? AND segment=? AND kind=? AND position >= ?", run_,
        segment, kind, from);
    for (const SeriesKey& key : keys_) {
      if (key.kind != kind) continue;
      ASSIGN_OR_RETURN(const auto next, SeriesBlocks(database_, key, segment).next(from));
      if (next && (!first || *next < *first)) first = next;
    }
    return first;
  }

  Result<void> readWindow(RowKind kind, const SegmentRange& range,
                          const std::function<Result<void>(const TransferRow&)>& take) {
    std::map<std::int64_t, TransferRow> rows;
    for (std::size_t series = 0; series < keys_.size(); ++series) {
      if (keys_[series].kind != kind) continue;
      std::vector<SeriesPoint> points;
      RETURN_IF_ERROR(readPoints(database_, keys_[series], range, points));
      for (const SeriesPoint& point : points)
        rows[point.batch].values.push_back({static_cast<std::uint32_t>(series), point.value});
    }
    for (auto& [position, row] : rows) {
      row.segment = range.segment;
      row.kind = static_cast<std::int32_t>(kind);
      row.position = position;
      RETURN_IF_ERROR(take(row));
    }
    return {};
  }

  SQLite::Database& database_;
  std::int64_t run_;
  std::vector<SeriesKey> keys_;
};

/// Inserts an imported run inside one transaction.
class RunImporter {
 public:
  RunImporter(SQLite::Database& database, const IncomingRun& run) : database_(database), run_(run) {}

  Result<ImportedRun> take() {
    const ImportedRun taken{uniqueId(), uniqueRunName(database_, run_.detail.summary.name)};
    insertRun(taken);
    insertResolvedValues(database_, number_, run_.detail.resolvedValues, run_.detail.references);
    replaceTags(database_, number_, run_.detail.summary.tags);
    storeChecksums(database_, number_);
    for (const RunSegment& segment : run_.detail.segments) insertSegment(database_, number_, segment);
    for (const CheckpointRecord& record : run_.checkpoints) insertCheckpoint(database_, number_, record);
    RETURN_IF_ERROR(insertRows());
    RETURN_IF_ERROR(insertEvents(taken));
    if (run_.placeFiles) RETURN_IF_ERROR(run_.placeFiles());
    return taken;
  }

 private:
  std::string uniqueId() {
    SQLite::Statement query = prepare(database_, "SELECT 1 FROM run WHERE id=?", run_.detail.summary.id);
    return query.executeStep() ? newRecordId() : run_.detail.summary.id;
  }

  std::string noteFor(const ImportedRun& taken) const {
    const RunSummary& summary = run_.detail.summary;
    if (taken.id == summary.id) return summary.note;
    return (summary.note.empty()
                ? formatText("{}Imported from an archive, where the id of this run is `{}`.", summary.note, summary.id)
                : formatText("{}\n\nImported from an archive, where the id of this run is `{}`.", summary.note,
                             summary.id));
  }

  void insertRun(const ImportedRun& taken) {
    const RunSummary& summary = run_.detail.summary;
    execute(
        database_,
        "INSERT INTO run(id, name, status, reason, created_ms, ended_ms, planned_batches, parent, archived, note, why, "
        "config_yaml, resolved_yaml, at, loss, eval_loss, learning_rate, samples_per_sec, tokens_per_sec) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        taken.id, taken.name, std::string{choiceName(summary.status)}, summary.reason, summary.createdMs,
        summary.endedMs, summary.plannedBatches, summary.parent, summary.archived ? 1 : 0, noteFor(taken),
        run_.detail.why, run_.detail.configYaml, run_.detail.resolvedYaml, timestampText(summary.at), summary.loss,
        summary.evalLoss, summary.learningRate, summary.samplesPerSec, summary.tokensPerSec);
    number_ = database_.getLastInsertRowid();
  }

  Result<void> insertRows() {
    std::optional<MetricTable> table;
    std::optional<std::int64_t> segment;
    std::vector<NamedValue> values;
    for (std::size_t since = 0;; ++since) {
      ASSIGN_OR_RETURN(const auto row, run_.nextRow());
      const bool ends = !row || segment != row->segment;
      if (table && (ends || since % kBlockPoints == 0)) RETURN_IF_ERROR(table->finishTransaction(database_));
      if (!row) return {};
      if (ends) {
        segment = row->segment;
        table.emplace(number_, *segment);
      }
      values.clear();
      for (const TransferValue& value : row->values) values.push_back({run_.series[value.series], value.value});
      table->insert(database_, static_cast<RowKind>(row->kind), row->position, values);
    }
  }

  Result<void> insertEvents(const ImportedRun& taken) {
    while (true) {
      ASSIGN_OR_RETURN(auto event, run_.nextEvent());
      if (!event) return {};
      StoredEvent& stored = *event;
      if (auto* started = std::get_if<RunStarted>(&stored.event)) started->run = taken.id;
      insertEvent(database_, number_, stored.segment, stored.wallMs, stored.event);
    }
  }

  SQLite::Database& database_;
  const IncomingRun& run_;
  std::int64_t number_ = 0;
};

}  // namespace

std::int32_t rowKindOf(std::string_view series) {
  return static_cast<std::int32_t>(kindOfSeries(series));
}

Result<void> readRunRows(const Workspace& workspace, const std::string& run, std::int64_t segments,
                         const std::function<Result<void>(const std::vector<std::string>&)>& begin,
                         const std::function<Result<void>(const TransferRow&)>& take) {
  return workspace.state().read([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    RowsReader reader(database, number);
    RETURN_IF_ERROR(begin(reader.readSeries()));
    for (std::int64_t segment = 0; segment < segments; ++segment)
      for (int kind = 0; kind < kRowKinds; ++kind)
        RETURN_IF_ERROR(reader.readKind(segment, static_cast<RowKind>(kind), take));
    return {};
  });
}

Result<ImportedRun> storeImportedRun(Workspace& workspace, const IncomingRun& run) {
  ImportedRun taken;
  RETURN_IF_ERROR(workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(auto entered, RunImporter(database, run).take());
    taken = std::move(entered);
    return {};
  }));
  return taken;
}

}  // namespace batchwise
