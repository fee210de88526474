// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/run_claim.h"

#include "core/events/run_event.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/row_checksum.h"
#include "core/store/workspace_state.h"
#include "core/store/writer_lock.h"

namespace batchwise {
namespace {

constexpr const char* kClaimQuery = "SELECT run, segment, host, system, process_id, start_ticks, heartbeat_ms FROM ";

RunClaim claimFromRow(SQLite::Statement& row) {
  return {row.getColumn(0).getInt64(),
          row.getColumn(1).getInt64(),
          {row.getColumn(2).getString(), row.getColumn(3).getString(), row.getColumn(4).getInt64(),
           row.getColumn(5).getInt64()},
          row.getColumn(6).getInt64()};
}

std::vector<RunClaim> allClaims(SQLite::Database& database, const std::string& table) {
  SQLite::Statement query(database, kClaimQuery + table);
  std::vector<RunClaim> claims;
  while (query.executeStep()) claims.push_back(claimFromRow(query));
  return claims;
}

Message reasonFor(const ProcessIdentity& process) {
  if (process.processId == 0) return messages::programClosedWithoutRunEnd();
  return messages::processEndedWithoutRunEnd(process.processId, process.host);
}

}  // namespace

bool RunClaim::isDeadAt(std::int64_t nowMs, const std::filesystem::path& folder) const {
  if (isDead(process, heartbeatMs, nowMs)) return true;
  return livenessOf(process) == Liveness::Alive && !mayHaveWriter(folder, run);
}

std::vector<RunClaim> claimsIn(SQLite::Database& database) {
  requireRowCount(database, {"run_writer"});
  return allClaims(database, "run_writer_checked");
}

std::vector<RunClaim> uncheckedClaims(SQLite::Database& database) {
  return allClaims(database, "run_writer");
}

std::optional<RunClaim> claimOn(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement query(database, std::string{kClaimQuery} + "run_writer_checked WHERE run=?");
  query.bind(1, run);
  if (!query.executeStep()) {
    requireRowCount(database, {"run_writer"});
    return std::nullopt;
  }
  return claimFromRow(query);
}

void storeClaim(SQLite::Database& database, const RunClaim& claim) {
  SQLite::Statement insert(database,
                           "INSERT INTO run_writer(run, segment, host, system, process_id, start_ticks, heartbeat_ms) "
                           "VALUES(?,?,?,?,?,?,?) ON CONFLICT(run) DO UPDATE SET segment=excluded.segment, "
                           "host=excluded.host, system=excluded.system, process_id=excluded.process_id, "
                           "start_ticks=excluded.start_ticks, heartbeat_ms=excluded.heartbeat_ms");
  insert.bind(1, claim.run);
  insert.bind(2, claim.segment);
  insert.bind(3, claim.process.host);
  insert.bind(4, claim.process.system);
  insert.bind(5, claim.process.processId);
  insert.bind(6, claim.process.startTicks);
  insert.bind(7, claim.heartbeatMs);
  insert.exec();
}

void noteInterruption(SQLite::Database& database, std::int64_t run, std::int64_t wallMs, const Message& reason) {
  SQLite::Statement query(
      database, "SELECT at, (SELECT max(number) FROM segment_checked WHERE run=?1) FROM run_checked WHERE number=?1");
  query.bind(1, run);
  if (!query.executeStep() || query.getColumn(1).isNull()) return;
  const auto at = timestampFromText(query.getColumn(0).getString());
  const std::int64_t segment = query.getColumn(1).getInt64();
  query.reset();
  if (at.ok()) insertEvent(database, run, segment, wallMs, RunNote{NoteLevel::Warning, reason, *at});
}

void interruptRun(SQLite::Database& database, const RunClaim& claim, const Message& reason) {
  SQLite::Statement mark(database, "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=? AND status=?");
  mark.bind(1, std::string{runStatusName(RunStatus::Interrupted)});
  const Message why = reason.empty() ? reasonFor(claim.process) : reason;
  mark.bind(2, why.text());
  mark.bind(3, claim.heartbeatMs);
  mark.bind(4, claim.run);
  mark.bind(5, std::string{runStatusName(RunStatus::Running)});
  if (mark.exec() > 0) noteInterruption(database, claim.run, claim.heartbeatMs, why);
  SQLite::Statement remove(database, "DELETE FROM run_writer WHERE run=?");
  remove.bind(1, claim.run);
  remove.exec();
}

}  // namespace batchwise
