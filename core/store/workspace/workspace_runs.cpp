// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/file.h"
#include "core/base/return_if_error.h"
#include "core/base/utf8.h"
#include "core/store/journal/journal.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

/// Ignores the run with number `except`.
bool nameIsTaken(SQLite::Database& database, const std::string& name, std::int64_t except = 0) {
  SQLite::Statement query(database, "SELECT 1 FROM run_checked WHERE name=? AND number<>?");
  query.bind(1, name);
  query.bind(2, except);
  return query.executeStep();
}

void insertRunRow(SQLite::Database& database, const NewRun& run, const std::string& id, const std::string& name,
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

/// Runs an UPDATE of one column of a run.
Result<void> updateRun(Workspace::State& state, const std::string& run, const char* sql,
                       const std::function<void(SQLite::Statement&)>& bindFirst) {
  return state.write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    SQLite::Statement update(database, sql);
    bindFirst(update);
    update.bind(2, number);
    update.exec();
    return {};
  });
}

/// Returns the length of the longest prefix of `text` with at most `most` bytes that ends at a character boundary.
std::size_t utf8PrefixBytes(const std::string& text, std::size_t most) {
  std::size_t bytes = std::min(text.size(), most);
  while (bytes > 0 && bytes < text.size() && isUtf8Continuation(text[bytes])) --bytes;
  return bytes;
}

}  // namespace

void replaceTags(SQLite::Database& database, std::int64_t run, const std::vector<std::string>& tags) {
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

void insertResolvedValues(SQLite::Database& database, std::int64_t run,
                          const std::map<std::string, std::string>& resolvedValues,
                          const std::map<std::string, double>& references) {
  SQLite::Statement value(database, "INSERT INTO run_value(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, text] : resolvedValues) {
    value.reset();
    value.bind(1, run);
    value.bind(2, name);
    value.bind(3, text);
    value.exec();
  }
  SQLite::Statement reference(database, "INSERT INTO run_reference(run, name, value) VALUES(?,?,?)");
  for (const auto& [name, level] : references) {
    reference.reset();
    reference.bind(1, run);
    reference.bind(2, name);
    bindDouble(reference, 3, level);
    reference.exec();
  }
}

std::string uniqueRunName(SQLite::Database& database, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; nameIsTaken(database, name); ++number) {
    const std::string ending = "-" + std::to_string(number);
    name = wanted.substr(0, utf8PrefixBytes(wanted, kMaxRunNameBytes - ending.size())) + ending;
  }
  return name;
}

void insertRun(SQLite::Database& database, const NewRun& run, const std::string& id, std::int64_t nowMs) {
  insertRunRow(database, run, id, uniqueRunName(database, run.name), nowMs);
  const std::int64_t number = database.getLastInsertRowid();
  insertResolvedValues(database, number, run.resolvedValues, run.references);
  replaceTags(database, number, run.tags);
}

Result<std::string> Workspace::createRun(const NewRun& run) {
  const std::int64_t nowMs = state_->clock.wallMs();
  const std::string wanted = run.name.empty() ? runNameFromDate(nowMs) : run.name;
  RETURN_IF_ERROR(checkRunName(wanted));
  const std::string id = newRecordId();
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    NewRun named = run;
    named.name = wanted;
    insertRun(database, named, id, nowMs);
    return {};
  });
  if (!done.ok()) return done.error();
  return id;
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
  RETURN_IF_ERROR(checkRunName(name));
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    if (nameIsTaken(database, name, number))
      return Error::config(messages::runNameTaken(name, uniqueRunName(database, name)));
    SQLite::Statement update(database, "UPDATE run SET name=? WHERE number=?");
    update.bind(1, name);
    update.bind(2, number);
    update.exec();
    return {};
  });
}

Result<void> Workspace::setTags(const std::string& run, const std::vector<std::string>& tags) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    replaceTags(database, number, tags);
    return {};
  });
}

Result<std::int64_t> Workspace::markDeadRuns() {
  const std::int64_t nowMs = state_->clock.wallMs();
  std::int64_t marked = 0;
  const auto anyDead = state_->read([&](SQLite::Database& database) -> Result<bool> {
    const auto claims = claimsIn(database);
    return std::any_of(claims.begin(), claims.end(),
                       [&](const RunClaim& claim) { return claim.isDeadAt(nowMs, state_->folder); });
  });
  if (!anyDead.ok()) return anyDead.error();
  if (!*anyDead) return marked;
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    for (const RunClaim& claim : claimsIn(database)) {
      if (!claim.isDeadAt(nowMs, state_->folder)) continue;
      interruptRun(database, claim);
      ++marked;
    }
    return {};
  });
  if (!done.ok()) return done.error();
  return marked;
}

Result<void> Workspace::setInterruptionReason(const std::string& run, const Message& reason) {
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    if (const auto claim = claimOn(database, number)) {
      if (!claim->isDeadAt(state_->clock.wallMs(), state_->folder)) return {};
      interruptRun(database, *claim, reason);
      return {};
    }
    SQLite::Statement update(database, "UPDATE run SET reason=?1 WHERE number=?2 AND status=?3 AND reason<>?1");
    update.bind(1, reason.text());
    update.bind(2, number);
    update.bind(3, std::string{runStatusName(RunStatus::Interrupted)});
    if (update.exec() > 0) noteInterruption(database, number, state_->clock.wallMs(), reason);
    return {};
  });
}

Result<void> Workspace::deleteRun(const std::string& run) {
  std::vector<std::string> files;
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    if (const auto claim = claimOn(database, number); claim && !claim->isDeadAt(state_->clock.wallMs(), state_->folder))
      return Error{ErrorCode::Busy, messages::workspaceRunIsRunning(run), {}};
    SQLite::Statement query(database, "SELECT file FROM checkpoint_checked WHERE run=?");
    query.bind(1, number);
    while (query.executeStep()) {
      files.push_back(query.getColumn(0).getString());
      files.push_back(files.back() + ".pin");
    }
    // Delete the journal first, inside the transaction, so that no concurrent import inserts the run again.
    RETURN_IF_ERROR(removeJournal(state_->folder, run));
    // Also deletes the progress of external journals, "journal.<id>@<folder>".
    SQLite::Statement progress(database,
                               "DELETE FROM setting WHERE key=?1 OR substr(key, 1, length(?1) + 1) = ?1 || '@'");
    progress.bind(1, "journal." + run);
    progress.exec();
    SQLite::Statement remove(database, "DELETE FROM run WHERE number=?");
    remove.bind(1, number);
    remove.exec();
    return {};
  });
  if (!done.ok()) return done;
  for (const std::filesystem::path& file : entriesOf(state_->folder / "runs"))  // files of a Slurm job
    if (file.filename().native().starts_with(run + ".")) files.push_back("runs/" + file.filename().native());
  return removeFiles(state_->folder, files);
}

}  // namespace batchwise
