// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/integrity.h"
#include "core/store/records.h"
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

/// Only a run with a journal needs the marker.
Result<void> markPinned(const fs::path& folder, const CheckpointRecord& record, bool pinned) {
  std::error_code failure;
  const fs::path mark = pinMarkerPath(folder, record.file);
  if (pinned && fs::exists(journalFile(folder, record.run), failure)) return writeFileAtomically(mark, "");
  if (!pinned) fs::remove(mark, failure);
  return failure ? Result<void>(Error::fromErrno(failure.value(), "cannot delete '{}'", mark.native()))
                 : Result<void>();
}

constexpr const char* kWeights = "model/";
constexpr const char* kAverageOf = "average_of";

using Bytes = std::vector<std::byte>;

Result<Bytes> readEntry(const CheckpointReader& reader, const CheckpointEntry& entry) {
  const auto found = std::ranges::find(reader.entries(), entry.name, &CheckpointEntry::name);
  if (found == reader.entries().end() || found->type != entry.type || found->shape != entry.shape)
    return Error::config(formatText(
        "the checkpoints do not have the same weights: '{}' is missing in one or has another shape", entry.name));
  Bytes bytes(static_cast<std::size_t>(entry.bytes));
  RETURN_IF_ERROR(reader.read(entry.name, bytes));
  return bytes;
}

Result<Bytes> meanOf(const std::vector<CheckpointReader>& readers, const CheckpointEntry& entry) {
  if (static_cast<std::size_t>(entry.bytes) % sizeof(float) != 0)  // from an imported file
    return Error::corrupt(formatText("the description of entry '{}' is invalid", entry.name));
  const std::size_t count = static_cast<std::size_t>(entry.bytes) / sizeof(float);
  std::vector<double> sum(count);
  std::vector<float> values(count);
  for (const CheckpointReader& reader : readers) {
    ASSIGN_OR_RETURN(const auto bytes, readEntry(reader, entry));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(sum[i] / static_cast<double>(readers.size()));
  const auto bytes = std::as_bytes(std::span(values));
  return Bytes(bytes.begin(), bytes.end());
}

/// Writes a checkpoint whose fp32 weights are the means of those of `files`; everything else is as in the first file,
/// with `ids` as a further fact. Sums are exact to fp64. Requires at least one file. Fails with Config if an entry is
/// missing in a file or has another shape. Source: Izmailov et al. 2018 (averaging of weights).
Result<void> writeAverage(const std::vector<std::filesystem::path>& files, const nlohmann::json& ids,
                          const std::filesystem::path& target) {
  std::vector<CheckpointReader> readers;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(auto reader, CheckpointReader::open(file));
    readers.push_back(std::move(reader));
  }
  const CheckpointReader& first = readers.front();
  std::int64_t size = 0;
  for (const CheckpointEntry& entry : first.entries()) size += entry.bytes;
  ASSIGN_OR_RETURN(auto writer, CheckpointWriter::create(target, size));
  for (const CheckpointEntry& entry : first.entries()) {
    const bool mean = entry.type == "fp32" && entry.name.starts_with(kWeights);
    ASSIGN_OR_RETURN(const auto bytes, mean ? meanOf(readers, entry) : readEntry(first, entry));
    RETURN_IF_ERROR(writer.add(entry, bytes));
  }
  auto facts = first.facts();
  facts[kAverageOf] = ids.dump();
  return writer.finish(facts);
}

/// Verifies the staged file of a new checkpoint, inserts its record, whose size and verification it sets, and places
/// the file.
Result<void> insertVerified(Workspace& workspace, CheckpointRecord& record, const std::filesystem::path& staged) {
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(staged));
  RETURN_IF_ERROR(reader.verify());
  record.verified = true;
  std::error_code failure;
  record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(staged, failure));
  if (failure) return Error::fromErrno(failure.value(), "cannot read '{}'", staged.native());
  return workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, record.run));
    insertCheckpoint(database, number, record);
    return placeStagedCheckpoint(staged, workspace.folder(), record.file);
  });
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

Result<CheckpointRecord> addAveragedCheckpoint(Workspace& workspace, const std::string& run, std::int64_t count) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(const auto all, workspace.checkpoints(detail.summary.id));
  const std::vector<CheckpointRecord> newest = resumeOrder(detail.segments, all);
  if (count < 2)
    return Error::config(formatText("an average takes 2 or more checkpoints, and {} {} requested", formatInteger(count),
                                    pluralText(count, "was", "were")));
  if (count > std::ssize(newest))
    return Error::config(
        formatText("run '{}' has {} to average, and {} were requested; keep more of them with checkpoint.keep_last, "
                   "or average fewer, at least 2",
                   detail.summary.name, countText(newest.size(), "checkpoint"), formatInteger(count)));
  std::vector<std::filesystem::path> files;
  nlohmann::json ids = nlohmann::json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    const CheckpointRecord& record = newest[static_cast<std::size_t>(i)];
    ASSIGN_OR_RETURN(auto file, findCheckpointFile(workspace.folder(), record.file));
    files.push_back(std::move(file));
    ids.push_back(record.id);
  }
  CheckpointRecord record = newest.front();
  record.id = newRecordId();
  record.file = "checkpoints/" + record.id + ".sqlite";
  record.reason = CheckpointReason::Average;
  record.metric = std::nullopt;
  record.pinned = true;
  record.createdMs = workspace.state().clock.wallMs();
  ASSIGN_OR_RETURN(const auto staging, stageCheckpoints(workspace));
  const std::filesystem::path staged = staging.path() / (record.id + ".sqlite");
  RETURN_IF_ERROR(writeAverage(files, ids, staged));
  if (auto inserted = insertVerified(workspace, record, staged); !inserted.ok()) {
    (void)removeFiles(workspace.folder(), {record.file});
    return inserted.error();
  }
  return record;
}

}  // namespace batchwise
