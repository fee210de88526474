// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/return_if_error.h"
#include "core/store/journal/journal_run.h"
#include "core/store/messages.h"
#include "core/store/record_text.h"
#include "core/store/row_checksum.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheckpointQuery =
    "SELECT checkpoint.id, run.id, segment, checkpoint.at, file, bytes, checkpoint.created_ms, checkpoint.reason, "
    "metric, "
    "pinned, verified, finite FROM checkpoint_checked AS checkpoint JOIN run_checked AS run ON run.number = "
    "checkpoint.run ";

Result<CheckpointRecord> checkpointFromRow(SQLite::Statement& row) {
  CheckpointRecord record;
  record.id = row.getColumn(0).getString();
  record.run = row.getColumn(1).getString();
  record.segment = row.getColumn(2).getInt64();
  const auto at = timestampFromText(row.getColumn(3).getString());
  if (!at.ok()) return at.error().within(messages::archivedCheckpointName(record.id));
  record.at = *at;
  record.file = row.getColumn(4).getString();
  if (!isPlainId(record.id)) return Error::corrupt(messages::storedCheckpointIdInvalid(record.id));
  if (auto inside = checkCheckpointPath(record.file); !inside.ok())
    return inside.error().within(messages::archivedCheckpointName(record.id));
  record.bytes = row.getColumn(5).getInt64();
  record.createdMs = row.getColumn(6).getInt64();
  record.reason = row.getColumn(7).getString();
  record.metric = readDouble(row.getColumn(8));
  record.pinned = row.getColumn(9).getInt() != 0;
  record.verified = row.getColumn(10).getInt() != 0;
  record.finite = row.getColumn(11).getInt() != 0;
  return record;
}

}  // namespace

void insertCheckpoint(SQLite::Database& database, std::int64_t run, const CheckpointRecord& record) {
  SQLite::Statement insert(
      database,
      "INSERT INTO checkpoint(id, run, segment, at, file, bytes, created_ms, reason, metric, pinned, "
      "verified, finite) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
  insert.bind(1, record.id);
  insert.bind(2, run);
  insert.bind(3, record.segment);
  insert.bind(4, timestampText(record.at));
  insert.bind(5, record.file);
  insert.bind(6, record.bytes);
  insert.bind(7, record.createdMs);
  insert.bind(8, record.reason);
  bindDouble(insert, 9, record.metric);
  insert.bind(10, record.pinned ? 1 : 0);
  insert.bind(11, record.verified ? 1 : 0);
  insert.bind(12, record.finite ? 1 : 0);
  insert.exec();
}

namespace {

Result<void> removeFile(const Folder& workspace, const std::string& file) {
  const std::size_t slash = file.find('/');
  const std::string folder = file.substr(0, slash);
  if (slash == std::string::npos || (folder != "checkpoints" && folder != "runs"))
    return Error::corrupt(messages::storedCheckpointPathInvalid(file));
  const auto inner = workspace.inner(folder);
  if (!inner.ok()) return inner.error().code == ErrorCode::NotFound ? Result<void>() : inner.error();
  return inner->remove(file.substr(slash + 1));
}

}  // namespace

Result<void> removeFiles(const fs::path& folder, const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(const auto workspace, Folder::open(folder));
  Result<void> done;
  for (const std::string& file : files)
    if (auto removed = removeFile(workspace, file); !removed.ok()) done = removed;
  return done;
}

bool hasRunFiles(const fs::path& folder) {
  const auto checkpoints = entriesOf(folder / "checkpoints");
  const bool some = std::any_of(checkpoints.begin(), checkpoints.end(),
                                [](const fs::path& entry) { return entry.extension() == ".sqlite"; });
  return some || !journalFiles(folder).empty();
}

std::int64_t checkpointFilesWithoutJournal(const fs::path& folder) {
  std::int64_t count = 0;
  for (const fs::path& entry : entriesOf(folder / "checkpoints")) {
    if (entry.extension() != ".sqlite") continue;
    const std::string id = entry.stem().native();
    std::error_code ignored;
    if (!fs::exists(journalFile(folder, id.substr(0, id.find('-'))), ignored)) ++count;
  }
  return count;
}

fs::path pinMarkerPath(const fs::path& folder, const std::string& file) {
  return folder / (file + ".pin");
}

bool hasPinMarker(const fs::path& folder, const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(pinMarkerPath(folder, file), ignored));
}

void checkCheckpointFiles(SQLite::Database& database, const fs::path& folder, std::vector<Message>& problems) {
  SQLite::Statement query(database, "SELECT id, file, bytes FROM checkpoint_checked AS checkpoint");
  while (query.executeStep()) {
    const Message name =
        messages::checkedCheckpointFile(query.getColumn(0).getString(), query.getColumn(1).getString());
    std::error_code failure;
    const auto path = findCheckpointFile(folder, query.getColumn(1).getString());
    const auto size = path.ok() ? fs::file_size(*path, failure) : 0;
    if (!path.ok() || failure) {
      problems.push_back(messages::inContext(name, path.ok() ? Message(failure.message()) : path.error().message));
    } else if (static_cast<std::int64_t>(size) != query.getColumn(2).getInt64()) {
      problems.push_back(messages::checkpointFileSizeMismatch(name, size, query.getColumn(2).getInt64()));
    }
  }
}

Result<std::vector<CheckpointRecord>> Workspace::checkpoints(const std::string& run) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<CheckpointRecord>> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    requireRowCount(database, {"checkpoint", {number}});
    SQLite::Statement query(database,
                            std::string{kCheckpointQuery} + "WHERE checkpoint.run=? ORDER BY checkpoint.number");
    query.bind(1, number);
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
    SQLite::Statement query(database, std::string{kCheckpointQuery} + "WHERE checkpoint.id=?");
    query.bind(1, std::string{id});
    if (!query.executeStep()) {
      requireRowCounts(database, "checkpoint");
      return Error::notFound(messages::checkpointNotFoundWithHint(id));
    }
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
  return failure ? Result<void>(Error::fromErrno(failure.value(), messages::cannotDelete, mark.native()))
                 : Result<void>();
}

}  // namespace

Result<void> Workspace::setPinned(const std::string& checkpoint, bool pinned) {
  ASSIGN_OR_RETURN(const auto record, findCheckpoint(checkpoint));
  RETURN_IF_ERROR(markPinned(state_->folder, record, pinned));
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement update(database, "UPDATE checkpoint SET pinned=? WHERE id=?");
    update.bind(1, pinned ? 1 : 0);
    update.bind(2, checkpoint);
    if (update.exec() == 0) return Error::notFound(messages::checkpointNotFound(checkpoint));
    return {};
  });
}

Result<void> Workspace::deleteCheckpoint(const std::string& checkpoint) {
  ASSIGN_OR_RETURN(const auto record, findCheckpoint(checkpoint));
  // Delete the row first: a file without a row only wastes space, a row without a file would fail later.
  auto done = state_->write([&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement remove(database, "DELETE FROM checkpoint WHERE id=?");
    remove.bind(1, checkpoint);
    remove.exec();
    return {};
  });
  if (!done.ok()) return done;
  return removeFiles(state_->folder, {record.file, record.file + ".pin"});
}

}  // namespace batchwise
