// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/texts.h"
#include "core/store/integrity.h"
#include "core/store/record_text.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheckpointQuery =
    "SELECT checkpoint.id, run.id, segment, checkpoint.at, file, bytes, checkpoint.created_ms, checkpoint.reason, "
    "metric, "
    "pinned, verified, finite FROM checkpoint JOIN run ON run.number = checkpoint.run ";

Result<CheckpointRecord> checkpointFromRow(SQLite::Statement& row) {
  CheckpointRecord record;
  std::string at;
  readRow(row, record.id, record.run, record.segment, at, record.file, record.bytes, record.createdMs, record.reason,
          record.metric, record.pinned, record.verified, record.finite);
  const auto clocks = timestampFromText(at);
  if (!clocks.ok()) return clocks.error().within(checkpointContextText(record.id));
  record.at = *clocks;
  if (!isPlainId(record.id)) return Error::corrupt(formatText("'{}' is not a checkpoint id", record.id));
  if (auto inside = checkCheckpointPath(record.file); !inside.ok())
    return inside.error().within(checkpointContextText(record.id));
  return record;
}

}  // namespace

void checkCheckpointFiles(SQLite::Database& database, const fs::path& folder, std::vector<std::string>& problems) {
  SQLite::Statement query(database, "SELECT id, file, bytes FROM checkpoint");
  while (query.executeStep()) {
    std::string id, file;
    std::int64_t bytes = 0;
    readRow(query, id, file, bytes);
    const std::string name = formatText("checkpoint {} ('{}')", id, file);
    std::error_code failure;
    const auto path = findCheckpointFile(folder, file);
    const auto size = path.ok() ? fs::file_size(*path, failure) : 0;
    if (!path.ok() || failure) {
      problems.push_back(inContextText(name, path.ok() ? std::string(failure.message()) : path.error().message));
    } else if (static_cast<std::int64_t>(size) != bytes) {
      problems.push_back(formatText("{} has {} bytes, but {} were written", name, size, bytes));
    }
  }
}

Result<std::vector<CheckpointRecord>> Workspace::checkpoints(const std::string& run) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<CheckpointRecord>> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    checkPart(database, RunPart::Checkpoints, number);
    SQLite::Statement query =
        prepare(database, std::string{kCheckpointQuery} + "WHERE checkpoint.run=? ORDER BY checkpoint.number", number);
    std::vector<CheckpointRecord> records;
    while (query.executeStep()) {
      ASSIGN_OR_RETURN(auto record, checkpointFromRow(query));
      records.push_back(std::move(record));
    }
    return records;
  });
}

Result<CheckpointRecord> Workspace::findCheckpoint(std::string_view id) const {
  return state_->read([&](SQLite::Database& database) -> Result<CheckpointRecord> {
    const auto run = queryInteger(database, "SELECT run FROM checkpoint WHERE id=?", id);
    if (run) checkPart(database, RunPart::Checkpoints, *run);
    SQLite::Statement query = prepare(database, std::string{kCheckpointQuery} + "WHERE checkpoint.id=?", id);
    if (!query.executeStep())
      return Error::notFound(
          formatText("there is no checkpoint '{}'; `batchwise checkpoints list` lists all checkpoints", id));
    return checkpointFromRow(query);
  });
}

namespace {

/// Only a run with a journal needs the marker.
Result<void> markPinned(const fs::path& folder, const CheckpointRecord& record, bool pinned) {
  std::error_code failure;
  const fs::path mark = pinMarkerPath(folder, record.file);
  if (pinned && fs::exists(journalFile(folder, record.run), failure)) return writeFileAtomically(mark, "");
  if (!pinned) fs::remove(mark, failure);
  return failure ? Result<void>(Error::fromErrno(failure.value(), "cannot delete '{}'", mark.native()))
                 : Result<void>();
}

}  // namespace

Result<void> Workspace::setPinned(const std::string& checkpoint, bool pinned) {
  ASSIGN_OR_RETURN(const auto record, findCheckpoint(checkpoint));
  RETURN_IF_ERROR(markPinned(state_->folder, record, pinned));
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    const auto run = queryInteger(database, "SELECT run FROM checkpoint WHERE id=?", checkpoint);
    if (!run) return Error::notFound(formatText("there is no checkpoint '{}'", checkpoint));
    changePart(database, RunPart::Checkpoints, *run,
               [&] { execute(database, "UPDATE checkpoint SET pinned=? WHERE id=?", pinned, checkpoint); });
    return {};
  });
}

Result<void> Workspace::deleteCheckpoint(const std::string& checkpoint) {
  ASSIGN_OR_RETURN(const auto record, findCheckpoint(checkpoint));
  // Delete the row first: a row without a file would fail later, a file without a row only wastes space until
  // removeUnlistedCheckpoints().
  RETURN_IF_ERROR(state_->write([&](SQLite::Database& database) { deleteCheckpointRow(database, checkpoint); }));
  return removeFiles(state_->folder, {record.file, record.file + ".pin"});
}

}  // namespace batchwise
