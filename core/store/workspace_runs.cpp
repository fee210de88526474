// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/format.h"
#include "core/store/process_identity.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSummaryQuery =
    "SELECT id, name, status, reason, created_ms, ended_ms, planned_batches, at, loss, eval_loss, learning_rate, "
    "samples_per_sec, tokens_per_sec, (SELECT count(*) FROM checkpoint WHERE checkpoint.run = run.number), parent, "
    "archived, note, number FROM run ";

Result<RunSummary> summaryFromRow(SQLite::Statement& row) {
  RunSummary run;
  run.id = row.getColumn(0).getString();
  run.name = row.getColumn(1).getString();
  const auto status = runStatusFromName(row.getColumn(2).getString());
  if (!status) return Error::corrupt("run '" + run.name + "' has the unknown status '" + row.getColumn(2).getString() + "'");
  run.status = *status;
  run.reason = row.getColumn(3).getString();
  run.createdMs = row.getColumn(4).getInt64();
  run.endedMs = row.getColumn(5).getInt64();
  run.plannedBatches = row.getColumn(6).getInt64();
  const auto at = timestampFromText(row.getColumn(7).getString());
  if (!at.ok()) return at.error().within("run '" + run.name + "'");
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
  return run;
}

std::vector<std::string> tagsOf(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement query(database, "SELECT tag FROM run_tag WHERE run=? ORDER BY position");
  query.bind(1, run);
  std::vector<std::string> tags;
  while (query.executeStep()) tags.push_back(query.getColumn(0).getString());
  return tags;
}

void writeTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags) {
  SQLite::Statement remove(database, "DELETE FROM run_tag WHERE run=?");
  remove.bind(1, run);
  remove.exec();
  SQLite::Statement insert(database, "INSERT INTO run_tag(run, position, tag) VALUES(?,?,?)");
  std::vector<std::string> seen;
  for (const std::string& tag : tags) {
    if (tag.empty() || std::find(seen.begin(), seen.end(), tag) != seen.end()) continue;
    insert.reset();
    insert.bind(1, run);
    insert.bind(2, static_cast<std::int64_t>(seen.size()));
    insert.bind(3, tag);
    insert.exec();
    seen.push_back(tag);
  }
}

bool nameIsTaken(SQLite::Database& database, const std::string& name) {
  SQLite::Statement query(database, "SELECT 1 FROM run WHERE name=?");
  query.bind(1, name);
  return query.executeStep();
}

/// `wanted`, or with "-2", "-3", … if there is one already.
std::string freeName(SQLite::Database& database, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; nameIsTaken(database, name); ++number) name = wanted + "-" + std::to_string(number);
  return name;
}

void insertRun(SQLite::Database& database, const NewRun& run, const std::string& id, const std::string& name,
               std::int64_t nowMs) {
  SQLite::Statement insert(database,
                           "INSERT INTO run(id, name, status, created_ms, planned_batches, parent, why, config_yaml, "
                           "resolved_yaml) VALUES(?,?,?,?,?,?,?,?,?)");
  insert.bind(1, id);
  insert.bind(2, name);
  insert.bind(3, std::string{runStatusName(RunStatus::Created)});
  insert.bind(4, nowMs);
  insert.bind(5, run.plannedBatches);
  insert.bind(6, run.parent);
  insert.bind(7, run.why);
  insert.bind(8, run.configYaml);
  insert.bind(9, run.resolvedYaml);
  insert.exec();
}

void insertFacts(SQLite::Database& database, std::int64_t number, const NewRun& run) {
  SQLite::Statement value(database, "INSERT INTO run_value(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, text] : run.resolvedValues) {
    value.reset();
    value.bind(1, number);
    value.bind(2, name);
    value.bind(3, text);
    value.exec();
  }
  SQLite::Statement reference(database, "INSERT INTO run_reference(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, level] : run.references) {
    reference.reset();
    reference.bind(1, number);
    reference.bind(2, name);
    bindDouble(reference, 3, level);
    reference.exec();
  }
}

Error noSuchRun(SQLite::Database& database, std::string_view asked) {
  std::vector<std::string> names;
  SQLite::Statement query(database, "SELECT name FROM run");
  while (query.executeStep()) names.push_back(query.getColumn(0).getString());
  if (names.empty()) return Error::notFound("there is no run '" + std::string{asked} + "': the workspace has none yet");
  const std::string nearest = nearestName(asked, names);
  const std::string hint = nearest.empty() ? "`batchwise runs list` shows those there are" : "did you mean '" + nearest + "'?";
  return Error::notFound("there is no run '" + std::string{asked} + "'; " + hint);
}

std::optional<std::int64_t> numberWhere(SQLite::Database& database, const char* sql, std::string_view value) {
  SQLite::Statement query(database, sql);
  query.bind(1, std::string{value});
  if (!query.executeStep()) return std::nullopt;
  return query.getColumn(0).getInt64();
}

Result<std::int64_t> runByPrefix(SQLite::Database& database, std::string_view prefix) {
  constexpr std::size_t kShortest = 4;
  if (prefix.size() < kShortest) return noSuchRun(database, prefix);
  SQLite::Statement query(database, "SELECT number, id FROM run WHERE substr(id, 1, ?) = ?");
  query.bind(1, static_cast<std::int64_t>(prefix.size()));
  query.bind(2, std::string{prefix});
  std::vector<std::int64_t> numbers;
  std::string ids;
  while (query.executeStep()) {
    numbers.push_back(query.getColumn(0).getInt64());
    ids += (ids.empty() ? "" : ", ") + query.getColumn(1).getString();
  }
  if (numbers.empty()) return noSuchRun(database, prefix);
  if (numbers.size() > 1)
    return Error::notFound("'" + std::string{prefix} + "' begins more than one run id (" + ids + "); type more of it");
  return numbers.front();
}

Result<std::int64_t> resolveRun(SQLite::Database& database, std::string_view asked) {
  if (const auto exact = numberWhere(database, "SELECT number FROM run WHERE id=?", asked)) return *exact;
  if (asked == "latest") {
    if (const auto newest = queryInteger(database, "SELECT max(number) FROM run")) return *newest;
    return noSuchRun(database, asked);
  }
  if (const auto named = numberWhere(database, "SELECT number FROM run WHERE name=?", asked)) return *named;
  return runByPrefix(database, asked);
}

Result<std::vector<RunSegment>> segmentsOf(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement query(database,
                          "SELECT number, from_at, checkpoint, started_ms, host, process_id, environment FROM segment "
                          "WHERE run=? ORDER BY number");
  query.bind(1, run);
  std::vector<RunSegment> segments;
  while (query.executeStep()) {
    RunSegment segment;
    segment.number = query.getColumn(0).getInt64();
    const auto from = timestampFromText(query.getColumn(1).getString());
    if (!from.ok()) return from.error();
    segment.from = *from;
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
  auto read = summaryFromRow(summary);
  if (!read.ok()) return read.error();
  detail.summary = std::move(*read);
  detail.summary.tags = tagsOf(database, number);
  SQLite::Statement texts(database, "SELECT why, config_yaml, resolved_yaml FROM run WHERE number=?");
  texts.bind(1, number);
  texts.executeStep();
  detail.why = texts.getColumn(0).getString();
  detail.configYaml = texts.getColumn(1).getString();
  detail.resolvedYaml = texts.getColumn(2).getString();
  SQLite::Statement values(database, "SELECT name, value FROM run_value WHERE run=?");
  values.bind(1, number);
  while (values.executeStep()) detail.resolvedValues[values.getColumn(0).getString()] = values.getColumn(1).getString();
  SQLite::Statement references(database, "SELECT name, value FROM run_reference WHERE run=?");
  references.bind(1, number);
  while (references.executeStep())
    detail.references[references.getColumn(0).getString()] = readDouble(references.getColumn(1)).value_or(0);
  auto segments = segmentsOf(database, number);
  if (!segments.ok()) return segments.error().within("run '" + detail.summary.name + "'");
  detail.segments = std::move(*segments);
  return detail;
}

struct Writer {
  std::int64_t run = 0;
  ProcessIdentity process;
  std::int64_t heartbeatMs = 0;
};

std::vector<Writer> writersIn(SQLite::Database& database) {
  SQLite::Statement query(database, "SELECT run, host, system, process_id, start_ticks, heartbeat_ms FROM run_writer");
  std::vector<Writer> writers;
  while (query.executeStep())
    writers.push_back({query.getColumn(0).getInt64(),
                       {query.getColumn(1).getString(), query.getColumn(2).getString(), query.getColumn(3).getInt64(),
                        query.getColumn(4).getInt64()},
                       query.getColumn(5).getInt64()});
  return writers;
}

void markInterrupted(SQLite::Database& database, const Writer& writer) {
  SQLite::Statement mark(database,
                         "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=? AND status='running'");
  mark.bind(1, std::string{runStatusName(RunStatus::Interrupted)});
  mark.bind(2, writer.process.processId == 0 ? std::string{"its program closed without ending the run"}
                                             : "process " + std::to_string(writer.process.processId) + " on '" +
                                                   writer.process.host + "' ended without ending the run");
  mark.bind(3, writer.heartbeatMs);
  mark.bind(4, writer.run);
  mark.exec();
  SQLite::Statement remove(database, "DELETE FROM run_writer WHERE run=?");
  remove.bind(1, writer.run);
  remove.exec();
}

/// UPDATE of one text or number of one run.
Result<void> updateRun(Workspace::State& state, const std::string& run, const char* sql,
                       const std::function<void(SQLite::Statement&)>& bindFirst) {
  return state.write([&](SQLite::Database& database) -> Result<void> {
    const auto number = runNumber(database, run);
    if (!number.ok()) return number.error();
    SQLite::Statement update(database, sql);
    bindFirst(update);
    update.bind(2, *number);
    update.exec();
    return {};
  });
}

}  // namespace

Result<std::int64_t> runNumber(SQLite::Database& database, const std::string& id) {
  if (const auto number = numberWhere(database, "SELECT number FROM run WHERE id=?", id)) return *number;
  return noSuchRun(database, id);
}

Result<std::string> Workspace::createRun(const NewRun& run) {
  const std::int64_t nowMs = state_->clock.wallMs();
  const std::string wanted = run.name.empty() ? runNameFromDate(nowMs) : run.name;
  if (auto fine = checkRunName(wanted); !fine.ok()) return fine.error();
  const std::string id = newRecordId();
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    insertRun(database, run, id, freeName(database, wanted), nowMs);
    const std::int64_t number = database.getLastInsertRowid();
    insertFacts(database, number, run);
    writeTags(database, number, run.tags);
    return {};
  });
  if (!done.ok()) return done.error();
  return id;
}

Result<std::vector<RunSummary>> Workspace::listRuns(bool withArchived) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<RunSummary>> {
    SQLite::Statement query(database, std::string{kSummaryQuery} + "WHERE archived <= ? ORDER BY number DESC");
    query.bind(1, withArchived ? 1 : 0);
    std::vector<RunSummary> runs;
    while (query.executeStep()) {
      auto run = summaryFromRow(query);
      if (!run.ok()) return run.error();
      run->tags = tagsOf(database, query.getColumn(17).getInt64());
      runs.push_back(std::move(*run));
    }
    return runs;
  });
}

Result<RunDetail> Workspace::findRun(std::string_view idOrName) const {
  return state_->read([&](SQLite::Database& database) -> Result<RunDetail> {
    const auto number = resolveRun(database, idOrName);
    if (!number.ok()) return number.error();
    return detailOf(database, *number);
  });
}

Result<void> Workspace::setArchived(const std::string& run, bool archived) {
  return updateRun(*state_, run, "UPDATE run SET archived=? WHERE number=?",
                   [&](SQLite::Statement& update) { update.bind(1, archived ? 1 : 0); });
}

Result<void> Workspace::setNote(const std::string& run, const std::string& markdown) {
  return updateRun(*state_, run, "UPDATE run SET note=? WHERE number=?",
                   [&](SQLite::Statement& update) { update.bind(1, markdown); });
}

Result<void> Workspace::renameRun(const std::string& run, const std::string& name) {
  if (auto fine = checkRunName(name); !fine.ok()) return fine;
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    const auto number = runNumber(database, run);
    if (!number.ok()) return number.error();
    const auto holder = numberWhere(database, "SELECT number FROM run WHERE name=?", name);
    if (holder && *holder != *number)
      return Error::config("there is another run named '" + name + "'; for example '" + freeName(database, name) + "' is free");
    SQLite::Statement update(database, "UPDATE run SET name=? WHERE number=?");
    update.bind(1, name);
    update.bind(2, *number);
    update.exec();
    return {};
  });
}

Result<void> Workspace::setTags(const std::string& run, const std::vector<std::string>& tags) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    const auto number = runNumber(database, run);
    if (!number.ok()) return number.error();
    writeTags(database, *number, tags);
    return {};
  });
}

Result<std::int64_t> Workspace::markDeadRuns() {
  const std::int64_t nowMs = state_->clock.wallMs();
  std::int64_t marked = 0;
  const auto anyDead = state_->read([&](SQLite::Database& database) -> Result<bool> {
    const auto writers = writersIn(database);
    return std::any_of(writers.begin(), writers.end(),
                       [&](const Writer& writer) { return isDead(writer.process, writer.heartbeatMs, nowMs); });
  });
  if (!anyDead.ok()) return anyDead.error();
  if (!*anyDead) return marked;
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    for (const Writer& writer : writersIn(database)) {
      if (!isDead(writer.process, writer.heartbeatMs, nowMs)) continue;
      markInterrupted(database, writer);
      ++marked;
    }
    return {};
  });
  if (!done.ok()) return done.error();
  return marked;
}

Result<void> Workspace::deleteRun(const std::string& run) {
  std::vector<std::string> files;
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    const auto number = runNumber(database, run);
    if (!number.ok()) return number.error();
    for (const Writer& writer : writersIn(database))
      if (writer.run == *number && !isDead(writer.process, writer.heartbeatMs, state_->clock.wallMs()))
        return Error{ErrorCode::Busy, "run '" + run + "' is running; stop it first", {}};
    SQLite::Statement query(database, "SELECT file FROM checkpoint WHERE run=?");
    query.bind(1, *number);
    while (query.executeStep()) files.push_back(query.getColumn(0).getString());
    SQLite::Statement remove(database, "DELETE FROM run WHERE number=?");
    remove.bind(1, *number);
    remove.exec();
    return {};
  });
  if (!done.ok()) return done;
  return removeFiles(state_->folder, files);
}

}  // namespace batchwise
