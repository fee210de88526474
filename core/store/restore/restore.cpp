// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/restore/restore.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/config/config_file.h"
#include "core/config/sweep.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/file_lock.h"
#include "core/store/integrity.h"
#include "core/store/journal/journal.h"
#include "core/store/process_identity.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/run_queue.h"
#include "core/store/run_rows.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {

namespace fs = std::filesystem;
namespace {

/// The database being made, until it is complete.
constexpr const char* kUnfinishedName = "workspace.unfinished.sqlite";

void removeDatabase(const fs::path& file) {
  std::error_code ignored;
  for (const char* side : {"", "-wal", "-shm", "-journal"}) fs::remove(file.native() + side, ignored);
}

/// Returns whether nothing is damaged in the database, by SQLite and by checksums, and it has runs. Fails if it is of
/// another program or version, or in use.
Result<bool> isIntact(const fs::path& folder, const Clock& clock) {
  const auto workspace = Workspace::open(folder, Workspace::Mode::ReadOnly, clock);
  const auto intact =
      !workspace.ok() ? Result<bool>(workspace.error()) : (*workspace)->state().read([](auto& database) {
        return !damageOf(database) && hasRow(database, "SELECT 1 FROM run");
      });
  const bool isDamaged =
      !intact.ok() && (intact.error().code == ErrorCode::Corrupt || intact.error().code == ErrorCode::NotFound);
  return isDamaged ? Result<bool>(false) : intact;
}

/// Copies a backup to `file`.
Result<void> copyBackup(const fs::path& backup, const fs::path& file, const std::stop_token& stop) {
  std::unique_ptr<SQLite::Database> database;
  ASSIGN_OR_RETURN(const auto header, readDatabaseHeader(backup));
  if (!header.isDatabase || header.applicationId != kWorkspaceApplicationId)
    return Error::corrupt(formatText("'{}' is not a backup of a workspace", backup.native()));
  return catchDatabaseErrors(database, backup, [&] {
    const bool hasWal = fileIdOf(walOf(backup)).has_value();
    database = openDatabase(backup, hasWal ? DatabaseUse::Read : DatabaseUse::ReadImmutable);
    return writeBackup(*database, file, CopyCheck::Pages, stop);
  });
}

/// Deletes rows of checkpoints whose files retention has deleted since the backup. Returns their number.
Result<std::int64_t> dropMissingCheckpoints(Workspace& workspace) {
  std::int64_t dropped = 0;
  std::error_code unknown;
  if (!fs::is_directory(workspace.checkpointFolder(), unknown)) return dropped;  // perhaps on a disk that is not there
  RETURN_IF_ERROR(workspace.state().write([&](SQLite::Database& database) {
    for (const std::string& id : queryTexts(database, "SELECT id FROM checkpoint")) {
      const auto file = queryText(database, "SELECT file FROM checkpoint WHERE id=?", id);
      if (!file || fs::symlink_status(workspace.folder() / *file, unknown).type() != fs::file_type::not_found) continue;
      deleteCheckpointRow(database, id);
      ++dropped;
    }
  }));
  return dropped;
}

std::int64_t changedMs(const fs::path& file) {
  std::error_code ignored;
  const auto changed = std::chrono::file_clock::to_sys(fs::last_write_time(file, ignored)).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(changed).count();
}

/// Takes out of the queue of a backup what was submitted to a cluster since: nobody else is to train it.
Result<void> leaveToCluster(const std::shared_ptr<Workspace>& workspace, RestoreReport& report) {
  const BackupFile& backup = *report.backup;
  const std::int64_t takenMs = backup.takenMs > 0 ? backup.takenMs : changedMs(backup.file);
  RunQueue queue(workspace);
  ASSIGN_OR_RETURN(const auto content, queue.read());
  std::vector<std::string> submitted;
  for (const QueueEntry& entry : content.entries) {
    const fs::path request = slurmRequestFile(workspace->folder(), entry.id);
    if (!entry.waits() || !fileIdOf(request) || changedMs(request) < takenMs) continue;
    submitted.push_back(entry.id);
    report.notes.push_back(
        formatText("run '{}' waits in the queue of the backup and was submitted to a cluster since: "
                   "it is left to that, and `batchwise runs sync` takes in what it does",
                   entry.name));
  }
  return submitted.empty() ? Result<void>() : queue.handOver(submitted);
}

void reportAdoption(const Adoption& adoption, RestoreReport& report) {
  for (const AdoptedRun& run : adoption.runs) {
    report.added.push_back(
        run.isNew ? formatText("run '{}', from its {}", run.name, countText(run.checkpoints, "checkpoint file"))
                  : formatText("{} of run '{}', from {}", countText(run.checkpoints, "checkpoint"), run.name,
                               pluralText(run.checkpoints, "its file", "their files")));
    if (run.batch > run.rowsUntil)
      report.missing.push_back(formatText("metrics and events of run '{}', global batches {} to {}", run.name,
                                          run.rowsUntil + 1, run.batch));
  }
  report.notes.insert(report.notes.end(), adoption.leftOut.begin(), adoption.leftOut.end());
}

/// Adds what the files of the workspace tell.
Result<void> addFromFiles(Workspace& workspace, RestoreReport& report, const std::stop_token& stop) {
  RETURN_IF_ERROR(workspace.markDeadRuns());
  ASSIGN_OR_RETURN(const auto synced, syncJournals(workspace, journalFiles(workspace.folder()), stop));
  for (const std::string& run : synced.runs)
    if (const auto detail = workspace.findRun(run); detail.ok())
      report.added.push_back(formatText("what the journal of run '{}' has", detail->summary.name));
  report.notes.insert(report.notes.end(), synced.notes.begin(), synced.notes.end());
  ASSIGN_OR_RETURN(const auto adoption, adoptCheckpoints(workspace, stop));
  reportAdoption(adoption, report);
  return {};
}

class Restore {
 public:
  Restore(const fs::path& folder, const Clock& clock, const std::stop_token& stop)
      : folder_(folder), unfinished_(folder / kUnfinishedName), clock_(clock), stop_(stop) {}
  ~Restore() { removeDatabase(unfinished_); }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

  Result<RestoreReport> run(const fs::path& from) {
    ASSIGN_OR_RETURN(auto workspace, openBackup(from));
    ASSIGN_OR_RETURN(const auto dropped, dropMissingCheckpoints(*workspace));
    if (dropped > 0)
      report_.notes.push_back(formatText("{} of the backup {} no file any more and {} left out",
                                         countText(dropped, "checkpoint"), pluralText(dropped, "has", "have"),
                                         pluralText(dropped, "is", "are")));
    RETURN_IF_ERROR(addFromFiles(*workspace, report_, stop_));
    if (report_.backup) RETURN_IF_ERROR(leaveToCluster(workspace, report_));
    return complete(std::move(workspace));
  }

 private:
  /// Opens the copy of a backup: the given one, or the newest good one, or of none a new database.
  Result<std::shared_ptr<Workspace>> openBackup(const fs::path& from) {
    if (!from.empty()) return openCopyOf({from, 0, 0});
    for (const BackupFile& backup : backupsOf(folder_)) {
      auto opened = openCopyOf(backup);
      if (opened.ok()) return opened;
      const bool unusable = opened.error().code == ErrorCode::Corrupt || opened.error().code == ErrorCode::Unsupported;
      if (!unusable) return opened;
      report_.notes.push_back(
          formatText("the backup '{}' was skipped: {}", backup.file.native(), opened.error().message));
    }
    if (!hasRunFiles(folder_))
      return Error::notFound(
          formatText("'{}' has no backup, checkpoint or journal to restore a workspace from", folder_.native()));
    removeDatabase(unfinished_);
    report_.missing.push_back("metrics, events, notes and tags of all runs: there is no good backup");
    return Workspace::openFile(folder_, unfinished_, clock_);
  }

  Result<std::shared_ptr<Workspace>> openCopyOf(const BackupFile& backup) {
    removeDatabase(unfinished_);
    RETURN_IF_ERROR(copyBackup(backup.file, unfinished_, stop_));
    auto opened = Workspace::openFile(folder_, unfinished_, clock_);
    if (opened.ok()) {
      ASSIGN_OR_RETURN(const auto damage, (*opened)->state().read([&](auto& database) {
        const WorkLimit limit(database, std::numeric_limits<std::int64_t>::max(), stop_);
        return damageOf(database);
      }));
      if (damage) return Error::corrupt(formatText("damaged: {}", *damage));
    }
    if (opened.ok()) report_.backup = backup;
    if (opened.ok() && backup.takenMs > 0)
      report_.missing.push_back(
          formatText("what was recorded after {}, except what is listed as added; also runs begun since without a "
                     "checkpoint or a journal",
                     isoTime(backup.takenMs, TimeZone::Local)));
    return opened;
  }

  /// Closes the new database and puts it in place.
  Result<RestoreReport> complete(std::shared_ptr<Workspace> workspace) {
    if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
    assert(workspace.use_count() == 1);
    workspace.reset();
    std::unique_ptr<SQLite::Database> database;
    RETURN_IF_ERROR(catchDatabaseErrors(database, unfinished_, [&] {
      database = openDatabase(unfinished_, DatabaseUse::Write);
      checkpointWal(*database, WalCheckpoint::Truncate);
    }));
    database.reset();
    std::error_code missing;
    if (const auto left = fs::file_size(walOf(unfinished_), missing); !missing && left > 0)
      return Error{ErrorCode::Busy, formatText("'{}' is in use by another program", unfinished_.native()), {}};
    RETURN_IF_ERROR(moveDurably(unfinished_, folder_ / kRestoredDatabaseName));
    auto replaced = finishRestore(folder_);
    if (!replaced.ok() && replaced.error().code == ErrorCode::Busy)
      fs::remove(folder_ / kRestoredDatabaseName, missing);
    if (!replaced.ok()) return replaced.error();
    report_.replaced = std::move(*replaced);
    return std::move(report_);
  }

  const fs::path& folder_;
  const fs::path unfinished_;
  const Clock& clock_;
  const std::stop_token& stop_;
  RestoreReport report_;
};

/// A checkpoint file as its name and its content describe it.
struct FoundCheckpoint {
  std::string run;
  CheckpointRecord record;
  std::map<std::string, std::string> facts;
};

Result<bool> allFinite(const CheckpointReader& reader) {
  for (const CheckpointEntry& entry : reader.entries()) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes));
    RETURN_IF_ERROR(reader.read(entry.name, bytes));
    if (!holdsFiniteNumbers(entry.type, bytes)) return false;
  }
  return true;
}

std::string factOf(const FoundCheckpoint& checkpoint, const char* name) {
  const auto found = checkpoint.facts.find(name);
  return found == checkpoint.facts.end() ? "" : found->second;
}

/// Reads and verifies the file of a checkpoint.
Result<FoundCheckpoint> readFoundCheckpoint(const std::string& id, const fs::path& folder,
                                            const std::stop_token& stop) {
  const auto name = parseCheckpointName(id);
  if (!name || !isPlainId(id) || !isPlainId(name->run))
    return Error::corrupt("its name is not that of a checkpoint of a run");
  FoundCheckpoint found;
  found.run = name->run;
  CheckpointRecord& record = found.record;
  record.file = "checkpoints/" + id + ".sqlite";
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::openIn(folder, record.file));
  RETURN_IF_ERROR(reader.verify(stop));
  found.facts = reader.facts();
  const auto state = parseJsonOrDiscarded(factOf(found, "state"));
  if (!state.is_object() || !state.contains("clock")) return Error::corrupt("it does not record when it was taken");
  ASSIGN_OR_RETURN(record.at, timestampFromText(state["clock"].dump()));
  ASSIGN_OR_RETURN(record.finite, allFinite(reader));
  record.id = id;
  record.segment = name->segment;
  record.reason = CheckpointReason::Restored;
  record.pinned = hasPinMarker(folder, record.file);
  record.verified = true;
  if (const auto metric = state.find("metric"); metric != state.end() && metric->is_number())
    record.metric = metric->get<double>();
  ASSIGN_OR_RETURN(record.bytes, checkpointFileBytes(folder, record.file));
  record.createdMs = changedMs(folder / record.file);
  return found;
}

NewRun runOf(const FoundCheckpoint& newest) {
  NewRun run;
  run.configYaml = run.resolvedYaml = factOf(newest, "config");
  run.name = runName(parseConfig(run.configYaml, newest.record.id, {}).config);
  if (!checkRunName(run.name).ok()) run.name = "restored-" + newest.run;
  const auto resolved = parseJsonOrDiscarded(factOf(newest, "resolved"));
  if (resolved.is_object())
    for (const auto& [name, value] : resolved.items())
      if (value.is_string()) run.resolvedValues[name] = value.get<std::string>();
  return run;
}

void addRun(SQLite::Database& database, const FoundCheckpoint& newest) {
  insertRun(database, runOf(newest), newest.run, newest.record.createdMs);
  const std::int64_t number = *runNumber(database, newest.run);
  execute(database, "UPDATE run SET status='interrupted', reason=?2, at=?3 WHERE number=?1", number,
          std::string("its entry was lost; it was restored from its checkpoints"), timestampText(newest.record.at));
  storeChecksum(database, RunPart::Figures, number);
}

/// Adds a missing segment, which starts at its first checkpoint; segment 0 starts with the run.
void addSegment(SQLite::Database& database, std::int64_t run, const FoundCheckpoint& first) {
  if (hasRow(database, "SELECT 1 FROM segment WHERE run=? AND number=?", run, first.record.segment)) return;
  RunSegment segment;
  segment.number = first.record.segment;
  if (first.record.segment > 0) segment.from = first.record.at;
  segment.startedMs = first.record.createdMs;
  const std::string environment = factOf(first, "environment");
  segment.environment = parseJsonOrDiscarded(environment).is_object() ? environment : "{}";
  insertSegment(database, run, segment);
}

/// Adds the checkpoints of one run, oldest first.
Result<AdoptedRun> addCheckpoints(SQLite::Database& database, const std::vector<FoundCheckpoint>& found) {
  AdoptedRun adopted;
  adopted.id = found.front().run;
  adopted.isNew = !runNumber(database, adopted.id).ok();
  if (adopted.isNew) addRun(database, found.back());
  ASSIGN_OR_RETURN(const auto run, runNumber(database, adopted.id));
  adopted.name = queryText(database, "SELECT name FROM run WHERE number=?", run).value_or("");
  if (!adopted.isNew)
    if (const auto at = queryText(database, "SELECT at FROM run WHERE number=?", run)) {
      ASSIGN_OR_RETURN(const auto rows, timestampFromText(*at));
      adopted.rowsUntil = rows.batch;
    }
  for (const FoundCheckpoint& each : found) {
    if (hasRow(database, "SELECT 1 FROM checkpoint WHERE file=?", each.record.file)) continue;  // added meanwhile
    addSegment(database, run, each);
    insertCheckpoint(database, run, each.record);
    ++adopted.checkpoints;
    adopted.batch = std::max(adopted.batch, each.record.at.batch);
  }
  return adopted;
}

bool isBeingWritten(SQLite::Database& database, const Workspace::State& store, const std::string& run) {
  const auto number = runNumber(database, run);
  const auto claim = number.ok() ? claimOn(database, *number) : std::nullopt;
  return claim && !claim->isDeadAt(store.clock.wallMs(), store.folder);
}

/// Returns the ids of the files that are to be read.
Result<std::vector<std::string>> candidates(const Workspace& workspace) {
  const fs::path& folder = workspace.folder();
  return workspace.state().read([&](SQLite::Database& database) {
    const auto files = queryTexts(database, "SELECT file FROM checkpoint");
    const std::set<std::string> known(files.begin(), files.end());
    std::vector<std::string> ids;
    for (const fs::path& file : entriesOf(folder / "checkpoints")) {
      const std::string id = file.stem().native();
      if (file.extension() != ".sqlite" || known.contains("checkpoints/" + id + ".sqlite")) continue;
      const auto name = parseCheckpointName(id);
      const bool fromJournal = name && isPlainId(name->run) && fileIdOf(journalFile(folder, name->run)) &&
                               !runNumber(database, name->run).ok();
      if (!fromJournal && !(name && isBeingWritten(database, workspace.state(), name->run))) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  });
}

}  // namespace

std::vector<std::string> restoreLines(const RestoreReport& report) {
  std::vector<std::string> lines;
  if (report.backup && report.backup->takenMs > 0)
    lines.push_back(formatText("restored the backup of {}: {}", isoTime(report.backup->takenMs, TimeZone::Local),
                               report.backup->file.native()));
  else if (report.backup)
    lines.push_back(formatText("restored the backup {}", report.backup->file.native()));
  else
    lines.push_back(
        report.missing.empty()
            ? "the database is intact and stays; a restore from a named backup (--from) puts that in its place"
            : "made a new database without a backup");
  if (!report.replaced.empty()) lines.push_back(formatText("the former database is now {}", report.replaced.native()));
  for (const std::string& added : report.added) lines.push_back(formatText("added: {}", added));
  for (const std::string& missing : report.missing) lines.push_back(formatText("missing: {}", missing));
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  return lines;
}

Result<RestoreReport> restoreWorkspace(const fs::path& folder, const fs::path& from, const std::stop_token& stop,
                                       const Clock& clock) {
  if (folder.empty()) return Error::config(kWorkspaceFolderUnknown);
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  RETURN_IF_ERROR(checkWorkspaceFolder(absolute));
  if (from.empty() && !fileIdOf(absolute / kDatabaseName) && backupsOf(absolute).empty() && !hasRunFiles(absolute))
    return Error::notFound(
        formatText("'{}' has no backup, checkpoint or journal to restore a workspace from", absolute.native()));
  ASSIGN_OR_RETURN(const auto held, BackupLock::acquire(absolute, std::chrono::seconds{30}));
  RETURN_IF_ERROR(finishRestore(absolute));
  if (const auto network = networkFileSystemOf(absolute))
    RETURN_IF_ERROR(claimForMachine(absolute, *network, currentMachine()));
  ASSIGN_OR_RETURN(const auto intact, from.empty() ? isIntact(absolute, clock) : Result<bool>(false));
  if (intact) {
    RestoreReport report;
    ASSIGN_OR_RETURN(const auto workspace, Workspace::open(absolute, Workspace::Mode::ReadWrite, clock));
    RETURN_IF_ERROR(addFromFiles(*workspace, report, stop));
    return report;
  }
  if (mayHaveAnyWriter(absolute))
    return Error{ErrorCode::Busy, "a run is being written in this workspace; stop it first", {}};
  return Restore(absolute, clock, stop).run(from);
}

namespace fs = std::filesystem;

Result<Adoption> adoptCheckpoints(Workspace& workspace, const std::stop_token& stop) {
  Adoption adoption;
  ASSIGN_OR_RETURN(const auto ids, candidates(workspace));
  std::map<std::string, std::vector<FoundCheckpoint>> byRun;
  for (const std::string& id : ids) {
    auto found = readFoundCheckpoint(id, workspace.folder(), stop);
    if (stop.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
    if (found.ok())
      byRun[found->run].push_back(std::move(*found));
    else
      adoption.leftOut.push_back(
          formatText("checkpoint file {}, which no entry names, is left out: {}", id, found.error().message));
  }
  if (byRun.empty()) return adoption;
  RETURN_IF_ERROR(workspace.state().write([&](SQLite::Database& database) -> Result<void> {
    for (auto& [run, found] : byRun) {
      std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a.record.segment, a.record.at.step) < std::pair(b.record.segment, b.record.at.step);
      });
      ASSIGN_OR_RETURN(auto adopted, addCheckpoints(database, found));
      adoption.runs.push_back(std::move(adopted));
    }
    return {};
  }));
  return adoption;
}

}  // namespace batchwise
