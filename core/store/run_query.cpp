// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "core/base/format.h"
#include "core/base/return_if_error.h"
#include "core/base/strict_json.h"
#include "core/events/run_event.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/row_checksum.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr const char* kSummaryQuery =
    "SELECT id, name, status, reason, created_ms, ended_ms, planned_batches, at, loss, eval_loss, learning_rate, "
    "samples_per_sec, tokens_per_sec, coalesce((SELECT rows FROM table_count_checked WHERE name = 'checkpoint' AND a = "
    "run.number), 0), parent, "
    "archived, note, number, "
    // Whether the newest event with "paused" in the current segment says so. Inside JSON strings quotation marks are
    // escaped, so instr() finds only keys.
    "CASE status WHEN 'running' THEN (SELECT instr(json, '\"paused\":true') > 0 FROM event_checked AS event "
    "WHERE event.run = run.number AND instr(json, '\"paused\":') > 0 AND event.segment = "
    "(SELECT max(segment.number) FROM segment_checked AS segment WHERE segment.run = run.number) ORDER BY event.id "
    "DESC LIMIT 1) END, "
    // The newest event, which has the reason as a message.
    "CASE WHEN reason <> '' THEN (SELECT json FROM event_checked AS event WHERE event.run = run.number ORDER BY "
    "event.id DESC LIMIT 1) END "
    "FROM run_checked AS run ";

/// Sets reason and cause from the newest event if that is the one that gave the stored reason.
void setReason(RunSummary& run, const std::string& reason, const std::string& newestEvent) {
  run.reason = reason;
  if (newestEvent.empty()) return;
  const auto event = eventFromJson(parseJsonOrDiscarded(newestEvent));
  if (!event.ok()) return;
  const auto* note = std::get_if<RunNote>(&*event);
  const auto* finished = std::get_if<RunFinished>(&*event);
  if (note != nullptr && note->text.text() == reason) run.reason = note->text;
  if (finished == nullptr || finished->reason.text() != reason) return;
  run.reason = finished->reason;
  run.cause = finished->cause;
}

Result<RunSummary> summaryFromRow(SQLite::Statement& row) {
  RunSummary run;
  run.id = row.getColumn(0).getString();
  run.name = row.getColumn(1).getString();
  if (!isPlainId(run.id))  // ids become part of file names
    return Error::corrupt(messages::storedRunIdInvalid(run.name, run.id));
  const auto status = runStatusFromName(row.getColumn(2).getString());
  if (!status) return Error::corrupt(messages::storedRunStatusUnknown(run.name, row.getColumn(2).getString()));
  run.status = *status;
  setReason(run, row.getColumn(3).getString(), row.getColumn(19).getString());
  run.createdMs = row.getColumn(4).getInt64();
  run.endedMs = row.getColumn(5).getInt64();
  run.plannedBatches = row.getColumn(6).getInt64();
  const auto at = timestampFromText(row.getColumn(7).getString());
  if (!at.ok()) return at.error().within(messages::runContext(run.name));
  run.at = *at;
  run.loss = readDouble(row.getColumn(8));
  run.evalLoss = readDouble(row.getColumn(9));
  run.learningRate = readDouble(row.getColumn(10));
  run.samplesPerSec = readDouble(row.getColumn(11));
  run.tokensPerSec = readDouble(row.getColumn(12));
  run.checkpoints = row.getColumn(13).getInt64();
  run.parent = row.getColumn(14).getString();
  run.archived = row.getColumn(15).getInt() != 0;
  run.note = row.getColumn(16).getString();
  run.paused = row.getColumn(18).getInt() != 0;  // 0 for NULL
  return run;
}

std::vector<std::string> tagsOf(SQLite::Database& database, std::int64_t run) {
  requireRowCount(database, {"run_tag", {run}});
  SQLite::Statement query(database, "SELECT tag FROM run_tag_checked WHERE run=? ORDER BY position");
  query.bind(1, run);
  std::vector<std::string> tags;
  while (query.executeStep()) tags.push_back(query.getColumn(0).getString());
  return tags;
}

/// Returns the tags of all runs by run number.
std::map<std::int64_t, std::vector<std::string>> allTags(SQLite::Database& database) {
  requireRowCounts(database, "run_tag");
  SQLite::Statement query(database, "SELECT run, tag FROM run_tag_checked ORDER BY run, position");
  std::map<std::int64_t, std::vector<std::string>> tags;
  while (query.executeStep()) tags[query.getColumn(0).getInt64()].push_back(query.getColumn(1).getString());
  return tags;
}

Error noSuchRun(SQLite::Database& database, std::string_view asked) {
  requireRowCount(database, {"run"});
  std::vector<std::string> names;
  SQLite::Statement query(database, "SELECT name FROM run_checked");
  while (query.executeStep()) names.push_back(query.getColumn(0).getString());
  if (names.empty()) return Error::notFound(messages::runNotFoundWorkspaceEmpty(asked));
  const std::string nearest = nearestName(asked, names);
  const Message hint = nearest.empty() ? messages::runsListHint() : messages::didYouMean(nearest);
  return Error::notFound(messages::runNotFoundWithHint(asked, hint));
}

/// Returns the number of the run whose `column` is `value`. The second query ("+column") avoids the index, because a
/// damaged index must not hide a run.
std::optional<std::int64_t> numberWhere(SQLite::Database& database, const std::string& column, std::string_view value) {
  for (const char* direct : {"", "+"}) {
    SQLite::Statement query(database, "SELECT number FROM run_checked WHERE " + (direct + column) + " = ?");
    query.bind(1, std::string{value});
    if (query.executeStep()) return query.getColumn(0).getInt64();
  }
  return std::nullopt;
}

Result<std::int64_t> runByPrefix(SQLite::Database& database, std::string_view prefix) {
  constexpr std::size_t kShortest = 4;
  if (prefix.size() < kShortest) return noSuchRun(database, prefix);
  SQLite::Statement query(database, "SELECT number, id FROM run_checked WHERE substr(id, 1, ?) = ?");
  query.bind(1, static_cast<std::int64_t>(prefix.size()));
  query.bind(2, std::string{prefix});
  std::vector<std::int64_t> numbers;
  std::string ids;
  while (query.executeStep()) {
    numbers.push_back(query.getColumn(0).getInt64());
    ids += (ids.empty() ? "" : ", ") + query.getColumn(1).getString();
  }
  if (numbers.empty()) return noSuchRun(database, prefix);
  if (numbers.size() > 1) return Error::notFound(messages::runIdPrefixAmbiguous(prefix, ids));
  return numbers.front();
}

Result<std::int64_t> resolveRun(SQLite::Database& database, std::string_view asked) {
  if (const auto exact = numberWhere(database, "id", asked)) return *exact;
  if (asked == "latest") {
    if (const auto newest = queryInteger(database, "SELECT max(number) FROM run_checked")) return *newest;
    return noSuchRun(database, asked);
  }
  if (const auto named = numberWhere(database, "name", asked)) return *named;
  return runByPrefix(database, asked);
}

Result<std::vector<RunSegment>> segmentsOf(SQLite::Database& database, std::int64_t run) {
  requireRowCount(database, {"segment", {run}});
  SQLite::Statement query(
      database,
      "SELECT number, from_at, checkpoint, started_ms, host, process_id, environment FROM segment_checked "
      "WHERE run=? ORDER BY number");
  query.bind(1, run);
  std::vector<RunSegment> segments;
  while (query.executeStep()) {
    RunSegment segment;
    segment.number = query.getColumn(0).getInt64();
    ASSIGN_OR_RETURN(const auto from, timestampFromText(query.getColumn(1).getString()));
    segment.from = from;
    segment.checkpoint = query.getColumn(2).getString();
    segment.startedMs = query.getColumn(3).getInt64();
    segment.host = query.getColumn(4).getString();
    segment.processId = query.getColumn(5).getInt64();
    segment.environment = query.getColumn(6).getString();
    segments.push_back(std::move(segment));
  }
  return segments;
}

Result<RunDetail> detailOf(SQLite::Database& database, std::int64_t number) {
  RunDetail detail;
  SQLite::Statement summary(database, std::string{kSummaryQuery} + "WHERE number=?");
  summary.bind(1, number);
  summary.executeStep();
  ASSIGN_OR_RETURN(auto read, summaryFromRow(summary));
  detail.summary = std::move(read);
  detail.summary.tags = tagsOf(database, number);
  SQLite::Statement texts(database, "SELECT why, config_yaml, resolved_yaml FROM run_checked WHERE number=?");
  texts.bind(1, number);
  texts.executeStep();
  detail.why = texts.getColumn(0).getString();
  detail.configYaml = texts.getColumn(1).getString();
  detail.resolvedYaml = texts.getColumn(2).getString();
  requireRowCount(database, {"run_value", {number}});
  SQLite::Statement values(database, "SELECT name, value FROM run_value_checked WHERE run=?");
  values.bind(1, number);
  while (values.executeStep()) detail.resolvedValues[values.getColumn(0).getString()] = values.getColumn(1).getString();
  requireRowCount(database, {"run_reference", {number}});
  SQLite::Statement references(database, "SELECT name, value FROM run_reference_checked WHERE run=?");
  references.bind(1, number);
  while (references.executeStep())
    detail.references[references.getColumn(0).getString()] = readDouble(references.getColumn(1)).value_or(0);
  auto segments = segmentsOf(database, number);
  if (!segments.ok()) return segments.error().within(messages::runContext(detail.summary.name));
  detail.segments = std::move(*segments);
  return detail;
}

}  // namespace

std::string_view stateName(const RunSummary& run) {
  return run.paused ? "paused" : runStatusName(run.status);
}

Result<std::int64_t> runNumber(SQLite::Database& database, const std::string& id) {
  if (const auto number = numberWhere(database, "id", id)) return *number;
  return noSuchRun(database, id);
}

Result<std::vector<RunSummary>> Workspace::listRuns(bool withArchived) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<RunSummary>> {
    requireRowCount(database, {"run"});
    SQLite::Statement query(database, std::string{kSummaryQuery} + "WHERE archived <= ? ORDER BY number DESC");
    query.bind(1, withArchived ? 1 : 0);
    auto tags = allTags(database);
    std::vector<RunSummary> runs;
    while (query.executeStep()) {
      ASSIGN_OR_RETURN(auto run, summaryFromRow(query));
      run.tags = std::move(tags[query.getColumn(17).getInt64()]);
      runs.push_back(std::move(run));
    }
    return runs;
  });
}

Result<RunDetail> Workspace::findRun(std::string_view idOrName) const {
  return state_->read([&](SQLite::Database& database) -> Result<RunDetail> {
    ASSIGN_OR_RETURN(const auto number, resolveRun(database, idOrName));
    return detailOf(database, number);
  });
}

}  // namespace batchwise
