// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/heartbeat.h"
#include "core/store/journal/journal.h"
#include "core/store/journal/journal_format.h"
#include "core/store/record_text.h"
#include "core/store/recording/segment_writer.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
constexpr std::int64_t kRecordsOfTransaction = 4096;

/// The part of a journal that has been imported, stored with the imported rows: "number byte segment".
struct ImportProgress {
  std::int64_t number = 0;
  std::int64_t byte = 0;
  std::int64_t segment = -1;
};

class JournalImporter {
 public:
  JournalImporter(Workspace& workspace, const fs::path& file)
      : workspace_(workspace), file_(file), id_(file.stem().native()) {}

  Result<void> run(JournalSyncResult& report, const std::stop_token& stop) {
    auto opened = JournalReader::open(file_);
    if (!opened.ok()) {  // a link, a folder, or unreadable; continue with the others
      report.notes.push_back(opened.error().text());
      return {};
    }
    bool more = true, hadRun = false;
    while (more && !stop.stop_requested()) {
      ImportProgress before;
      RETURN_IF_ERROR(workspace_.state().write([&](SQLite::Database& database) -> Result<void> {
        loadProgress(database, *opened);
        before = progress_;
        // Deleted meanwhile: Workspace::deleteRun() takes the journal away in the transaction that deletes the run.
        if (run_ == 0 && (hadRun || !fileIdOf(file_))) {
          more = false;
          return {};
        }
        ASSIGN_OR_RETURN(const auto some, importBatch(database, *opened));
        more = some;
        return progress_.number == before.number ? Result<void>{} : finishTransaction(database);
      }));
      hadRun = hadRun || run_ > 0;
      if (progress_.number > before.number && (report.runs.empty() || report.runs.back() != id_))
        report.runs.push_back(id_);
      report.records += progress_.number - before.number;
      if (end_) report.notes.push_back(end_->text());
    }
    for (const JournalGap& gap : opened->gaps()) {
      report.records -= gap.records;
      report.notes.push_back(formatText("the journal '{}' is {}", file_.native(), gap.text()));
    }
    return {};
  }

 private:
  std::string key() const { return "journal." + id_; }

  /// Reads the progress inside the transaction, because another thread or program may import the same journal or delete
  /// the run. Ignores the stored progress of a run that does not exist (any more).
  void loadProgress(SQLite::Database& database, JournalReader& reader) {
    const auto number = runNumber(database, id_);
    run_ = number.ok() ? *number : 0;
    ImportProgress stored;
    const auto text =
        run_ > 0 ? queryText(database, "SELECT value FROM setting WHERE key=?", key()) : std::optional<std::string>{};
    if (text) std::istringstream(*text) >> stored.number >> stored.byte >> stored.segment;
    if (stored.number == progress_.number) return;
    progress_ = stored;
    rows_.reset();
    reader.seek(progress_.number, progress_.byte);
  }

  /// Returns false at the end. A damaged record ends the journal; the records before it are kept.
  Result<bool> importBatch(SQLite::Database& database, JournalReader& reader) {
    if (run_ > 0 && progress_.segment >= 0 && !rows_) rows_.emplace(run_, progress_.segment);
    for (std::int64_t i = 0; i < kRecordsOfTransaction; ++i) {
      Json record;
      auto next = reader.next(record);
      if (!next.ok()) {
        end_ = next.error();
        return false;
      }
      if (!*next) return false;
      if (auto taken = importRecord(database, record, reader);
          !taken.ok()) {  // importRecord() validates before it writes
        end_ = taken.error().within(formatText("record {}", progress_.number));
        return false;
      }
      progress_.number = reader.number();
      progress_.byte = reader.byte();
    }
    return true;
  }

  Result<void> importRecord(SQLite::Database& database, const Json& record, const JournalReader& reader) {
    if (record.contains("journal")) return importRun(database, record);
    if (run_ == 0) return Error::corrupt(formatText("the journal '{}' does not begin with its run", file_.native()));
    if (record.contains("segment")) return importSegment(database, record);
    if (!rows_) return Error::corrupt(formatText("the journal '{}' has no segment", file_.native()));
    if (reader.segment() != progress_.segment)
      return Error::corrupt(
          formatText("the journal '{}' has lost the beginning of segment {}", file_.native(), reader.segment()));
    for (; gaps_ < reader.gaps().size(); ++gaps_)
      recordGap(database, reader.gaps()[gaps_], numberIn(record, "wall_ms"));
    if (record.contains("checkpoint")) return importCheckpoint(database, record);
    if (record.contains("removed")) {  // the writer of the journal deletes the file
      const std::string id = textIn(record, "removed");
      if (hasRow(database, "SELECT 1 FROM checkpoint WHERE id=? AND run=?", id, run_))
        deleteCheckpointRow(database, id);
      return {};
    }
    if (const auto found = record.find("event"); found != record.end())
      return importEvent(database, *found, numberIn(record, "wall_ms"));
    return {};  // a record type of a later version
  }

  Result<void> importRun(SQLite::Database& database, const Json& record) {
    if (const auto format = numberIn(record, "journal"); format != kJournalFormat)
      return Error::unsupported(
          formatText("the journal '{}' has a newer version; use a newer Batchwise", file_.native()));
    if (textIn(record, "run") != id_ || !isPlainId(id_))
      return Error::corrupt(formatText("the journal '{}' belongs to another run than its name says", file_.native()));
    const NewRun run = newRunFrom(record);
    RETURN_IF_ERROR(checkRunName(run.name));
    if (run_ == 0) insertRun(database, run, id_, numberIn(record, "created_ms"));
    run_ = *runNumber(database, id_);
    if (nextSegment(database, run_) == 0) replaceLaunch(database, run_, run);  // it has waited in the queue
    return {};
  }

  Result<void> importSegment(SQLite::Database& database, const Json& record) {
    if (rows_) RETURN_IF_ERROR(rows_->finishTransaction(database));
    ASSIGN_OR_RETURN(const auto from, timestampFromText(textIn(record, "from")));
    const std::int64_t number = numberIn(record, "segment");
    const auto known = queryInteger(database, "SELECT started_ms FROM segment WHERE run=? AND number=?", run_, number);
    if (known) {
      if (*known != numberIn(record, "started_ms"))
        return Error::corrupt(
            formatText("the journal '{}' continues with segment {}, which the database has from elsewhere: the run was "
                       "resumed in two places",
                       file_.native(), number));
    } else {
      if (nextSegment(database, run_) != number)
        return Error::corrupt(formatText("the journal '{}' leaves out a segment", file_.native()));
      const RunClaim claim{run_,
                           0,
                           {textIn(record, "host"), kJournalWriterSystem, numberIn(record, "process_id"), 0},
                           numberIn(record, "started_ms")};
      RETURN_IF_ERROR(openSegment(database, claim,
                                  {from, textIn(record, "checkpoint"), textIn(record, "environment"),
                                   textIn(record, "resolved_yaml"), restartIn(record)},
                                  workspace_.folder()));
    }
    progress_.segment = number;
    rows_.emplace(run_, number);
    return {};
  }

  /// Records the gap as an event, so that the run shows why its curve is incomplete.
  void recordGap(SQLite::Database& database, const JournalGap& gap, std::int64_t wallMs) {
    const std::string text = formatText("the journal '{}' is {}", file_.native(), gap.text());
    rows_->write(database, {wallMs, RunNote{NoteLevel::Warning, text, {}}});
  }

  Result<void> importEvent(SQLite::Database& database, const Json& json, std::int64_t wallMs) {
    ASSIGN_OR_RETURN(auto event, eventFromJson(json));
    rows_->write(database, {wallMs, std::move(event)});
    lastMs_ = std::max(lastMs_, wallMs);
    return {};
  }

  Result<void> importCheckpoint(SQLite::Database& database, const Json& json) {
    auto read = checkpointFrom(json);
    if (!read.ok()) return read.error().within(formatText("the journal '{}'", file_.native()));
    CheckpointRecord record = std::move(*read);
    record.segment = progress_.segment;
    record.pinned = record.pinned || hasPinMarker(workspace_.folder(), record.file);  // pinned by a lost database
    if (!hasRow(database, "SELECT 1 FROM checkpoint WHERE id=? OR file=?", record.id, record.file))
      insertCheckpoint(database, run_, record);
    return {};
  }

  Result<void> finishTransaction(SQLite::Database& database) {
    if (rows_) RETURN_IF_ERROR(rows_->finishTransaction(database));
    if (rows_ && !rows_->finished() && lastMs_ > 0 && !advanceHeartbeat(database, run_, lastMs_))
      reclaimIfAlive(database, writerClaim(database), workspace_.state().clock.wallMs(), workspace_.folder());
    putSetting(database, key(),
               std::to_string(progress_.number) + " " + std::to_string(progress_.byte) + " " +
                   std::to_string(progress_.segment));
    return {};
  }

  /// Returns the claim of the process that writes the current segment.
  RunClaim writerClaim(SQLite::Database& database) const {
    RunClaim claim{run_, progress_.segment, {}, lastMs_, id_};
    SQLite::Statement segment =
        prepare(database, "SELECT host, process_id FROM segment WHERE run=? AND number=?", run_, progress_.segment);
    if (segment.executeStep()) readRow(segment, claim.process.host, claim.process.processId);
    claim.process.system = kJournalWriterSystem;
    return claim;
  }

  Workspace& workspace_;
  fs::path file_;
  std::string id_;
  std::int64_t run_ = 0;
  std::int64_t lastMs_ = 0;
  ImportProgress progress_;
  std::optional<SegmentEventWriter> rows_;
  std::size_t gaps_ = 0;  // recorded so far
  std::optional<Error> end_;
};

/// Returns the ids of the runs whose journals are hidden.
std::vector<std::string> hiddenJournals(const fs::path& folder) {
  std::vector<std::string> ids;
  for (const fs::path& entry : entriesOf(folder / "runs")) {
    std::string name = entry.filename().native();
    if (!name.ends_with(kHiddenJournal)) continue;
    name.resize(name.size() - std::string_view(kHiddenJournal).size());
    if (isPlainId(name)) ids.push_back(std::move(name));
  }
  return ids;
}

/// Completes deletions of runs that a crash ended after hideJournal(): restores the journal of a run that still exists,
/// deletes that of another. `notes` takes what stands in the way of one.
Result<void> completeDeletions(Workspace& workspace, std::vector<std::string>& notes) {
  const fs::path& folder = workspace.folder();
  if (hiddenJournals(folder).empty()) return {};
  return workspace.state().write([&](SQLite::Database& database) -> Result<void> {  // meanwhile nobody deletes a run
    for (const std::string& id : hiddenJournals(folder)) {
      Result<void> done;
      if (!hasRow(database, "SELECT 1 FROM run WHERE id=?", id)) {
        std::vector<std::string> files = {"runs/" + id + kHiddenJournal};
        if (!fileIdOf(journalFile(folder, id)))  // else a run of the same id has begun, and is not imported yet
          for (std::string& file : checkpointFilesNamedFor(database, folder, id)) files.push_back(std::move(file));
        done = removeFiles(folder, files);
      } else if (!fileIdOf(journalFile(folder, id))) {
        done = restoreJournal(folder, id);
      }
      if (!done.ok()) notes.push_back(done.error().text());
    }
    return {};
  });
}

}  // namespace

Result<std::set<std::string>> journalOnlyRuns(const Workspace& workspace) {
  return workspace.state().read([](SQLite::Database& database) {
    const auto ids =
        queryTexts(database, "SELECT id FROM run JOIN run_writer ON run = number WHERE system=?", kJournalWriterSystem);
    return std::set<std::string>(ids.begin(), ids.end());
  });
}

Result<JournalSyncResult> syncJournals(Workspace& workspace) {
  return syncJournals(workspace, journalFiles(workspace.folder()));
}

Result<JournalSyncResult> syncJournals(Workspace& workspace, const std::vector<fs::path>& files,
                                       const std::stop_token& stop) {
  JournalSyncResult report;
  RETURN_IF_ERROR(completeDeletions(workspace, report.notes));
  for (const fs::path& file : files) {
    auto taken = JournalImporter(workspace, file).run(report, stop);
    if (taken.ok()) continue;
    const bool itsOwn = taken.error().code == ErrorCode::Corrupt || taken.error().code == ErrorCode::Unsupported ||
                        taken.error().code == ErrorCode::Config || taken.error().code == ErrorCode::NotFound;
    if (!itsOwn) return taken.error();
    report.notes.push_back(taken.error().text());
  }
  RETURN_IF_ERROR(workspace.markDeadRuns());
  return report;
}

}  // namespace batchwise
