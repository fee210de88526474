// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <sstream>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/journal/journal.h"
#include "core/store/recording/segment_writer.h"
#include "core/store/records.h"
#include "core/store/run_claim.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr int kLinesOfTransaction = 4096;

std::string settingOf(const std::string& run) {
  return "journal." + run;
}

/// How far a journal was imported, stored with the imported rows as text "byte line checksum segment".
struct ImportProgress {
  JournalReader::Position last;  ///< where the newest imported line begins
  std::int64_t checksum = -1;    ///< of that line; -1: none was imported
  std::int64_t segment = -1;     ///< of that line

  std::string text() const {
    std::ostringstream out;
    out << last.byte << ' ' << last.line << ' ' << checksum << ' ' << segment;
    return out.str();
  }
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
    while (more_ && !stop.stop_requested()) {
      const std::int64_t before = lines_;
      const auto work = [&](SQLite::Database& database) { return importSome(database, *opened); };
      if (auto done = workspace_.state().write(work); !done.ok()) return done;
      more_ = more_ && lines_ > before;
      hadRun_ = run_ > 0;
    }
    if (lines_ > 0) report.runs.push_back(id_);
    report.records += lines_;
    for (std::string& gap : gaps_) report.notes.push_back(std::move(gap));
    if (end_) report.notes.push_back(end_->text());
    return {};
  }

 private:
  /// One transaction.
  Result<void> importSome(SQLite::Database& database, JournalReader& reader) {
    loadProgress(database, reader);
    // Deleted meanwhile: Workspace::deleteRun() marks and removes the journal of a run that it deletes.
    const bool isDeleted = run_ == 0 && (hadRun_ || isMarked_ || !fileIdOf(file_));
    more_ = false;
    if (isDeleted || end_) return {};
    const std::int64_t before = lines_;
    ASSIGN_OR_RETURN(more_, importBatch(database, reader));
    return lines_ == before ? Result<void>{} : finishTransaction(database);
  }

  /// Reads the progress inside the transaction, because another thread or program may import the same journal or delete
  /// the run. Ignores the stored progress of a run that does not exist (any more).
  void loadProgress(SQLite::Database& database, JournalReader& reader) {
    const auto number = runNumber(database, id_);
    run_ = number.ok() ? *number : 0;
    ImportProgress stored;
    const auto text = queryText(database, "SELECT value FROM setting WHERE key=?", settingOf(id_));
    isMarked_ = run_ == 0 && text.has_value();
    if (text && run_ > 0)
      std::istringstream(*text) >> stored.last.byte >> stored.last.line >> stored.checksum >> stored.segment;
    if (stored.text() == progress_.text()) return;
    progress_ = stored;
    rows_.reset();
    reader.seek(progress_.last);
    JournalLine line;
    if (progress_.checksum < 0) return;
    const auto again = reader.next(line);
    if (!again.ok() && again.error().code != ErrorCode::Corrupt) end_ = again.error();  // continue with the others
    if (end_ || (again.ok() && *again && reader.checksum() == progress_.checksum)) return;
    // The line is damaged, or a loss of power took lines that were imported, and a resume added its segment instead.
    reader.seek({});
    skips_ = true;
  }

  /// Returns false at the end. A line that contradicts the others ends the journal; the lines before it are kept.
  Result<bool> importBatch(SQLite::Database& database, JournalReader& reader) {
    if (run_ > 0 && progress_.segment >= 0 && !rows_) rows_.emplace(run_, progress_.segment);
    for (int taken = 0; taken < kLinesOfTransaction;) {
      const JournalReader::Position at = reader.position();
      JournalLine line;
      auto done = reader.next(line);
      const bool isSkipped = done.ok() && *done && skips_ && isImported(line, reader.lineStart());
      if (done.ok() && !isSkipped && !reader.gap().empty()) gaps_.push_back(reader.gap());
      if (done.ok() && !*done) return false;
      if (done.ok())  // both validate before they write
        if (auto fine = isSkipped ? checkSegment(database, line) : importLine(database, line); !fine.ok())
          done = fine.error().within(formatText("line {} of '{}'", reader.lineStart().line + 1, file_.native()));
      if (!done.ok()) {
        reader.seek(at);
        end_ = done.error();
        return false;
      }
      if (isSkipped) continue;
      progress_.last = reader.lineStart();
      progress_.checksum = reader.checksum();
      ++lines_;
      ++taken;
    }
    return true;
  }

  /// Returns whether a line is among those that were imported: up to the newest one, but for a later segment, which
  /// stands in place of lines that were lost.
  bool isImported(const JournalLine& line, const JournalReader::Position& at) {
    const auto* segment = std::get_if<JournalSegment>(&line.entry);
    if (at.byte > progress_.last.byte || (segment != nullptr && segment->number > progress_.segment)) skips_ = false;
    return skips_;
  }

  /// Fails with Corrupt if the line begins a segment that is not the one of that number in the database.
  Result<void> checkSegment(SQLite::Database& database, const JournalLine& line) {
    const auto* segment = std::get_if<JournalSegment>(&line.entry);
    if (segment == nullptr) return {};
    const auto known =
        queryInteger(database, "SELECT started_ms FROM segment WHERE run=? AND number=?", run_, segment->number);
    if (!known || *known == line.wallMs) return {};
    return Error::corrupt(
        formatText("the database has segment {} from elsewhere: the run was resumed in two places, or the file server "
                   "lost what was taken in",
                   segment->number));
  }

  Result<void> importLine(SQLite::Database& database, const JournalLine& line) {
    if (const auto* segment = std::get_if<JournalSegment>(&line.entry)) return importSegment(database, line, *segment);
    if (!rows_) return Error::corrupt("the journal does not begin with its run");
    if (line.segment > progress_.segment) return Error::corrupt(kSegmentLineLost);
    if (const auto* event = std::get_if<RunEvent>(&line.entry)) {
      rows_->write(database, {line.wallMs, *event});
      lastMs_ = std::max(lastMs_, line.wallMs);
    } else if (const auto* record = std::get_if<CheckpointRecord>(&line.entry)) {
      importCheckpoint(database, *record);
    } else {  // the writer of the journal deletes the file
      const std::string& id = std::get<RemovedCheckpoint>(line.entry).id;
      if (hasRow(database, "SELECT 1 FROM checkpoint WHERE id=? AND run=?", id, run_))
        deleteCheckpointRow(database, id);
    }
    return {};
  }

  Result<void> importSegment(SQLite::Database& database, const JournalLine& line, const JournalSegment& segment) {
    const std::int64_t wallMs = line.wallMs;
    if (rows_) RETURN_IF_ERROR(rows_->finishTransaction(database));
    if (segment.run != id_ || !isPlainId(id_)) return Error::corrupt("it belongs to another run than its name says");
    if (run_ == 0) RETURN_IF_ERROR(importRun(database, segment, wallMs));
    RETURN_IF_ERROR(checkSegment(database, line));
    if (!hasRow(database, "SELECT 1 FROM segment WHERE run=? AND number=?", run_, segment.number)) {
      if (nextSegment(database, run_) != segment.number) return Error::corrupt("a segment is left out");
      const RunClaim claim{run_, 0, true, segment.host, segment.processId, wallMs};
      // The restart of segment 0 replaces the launch of a run that has waited in the queue.
      RETURN_IF_ERROR(openSegment(database, claim, segment.start, workspace_.folder()));
    }
    progress_.segment = segment.number;
    rows_.emplace(run_, segment.number);
    return {};
  }

  Result<void> importRun(SQLite::Database& database, const JournalSegment& segment, std::int64_t wallMs) {
    if (!segment.start.restart || segment.number != 0) return Error::corrupt("it does not say which run begins");
    RETURN_IF_ERROR(checkRunName(segment.start.restart->name));
    insertRun(database, *segment.start.restart, id_, wallMs);
    ASSIGN_OR_RETURN(run_, runNumber(database, id_));
    return {};
  }

  void importCheckpoint(SQLite::Database& database, CheckpointRecord record) {
    record.segment = progress_.segment;
    record.pinned = record.pinned || hasPinMarker(workspace_.folder(), record.file);  // pinned by a lost database
    if (!hasRow(database, "SELECT 1 FROM checkpoint WHERE id=? OR file=?", record.id, record.file))
      insertCheckpoint(database, run_, record);
  }

  Result<void> finishTransaction(SQLite::Database& database) {
    if (rows_) RETURN_IF_ERROR(rows_->finishTransaction(database));
    if (rows_ && !rows_->finished() && lastMs_ > 0 && !updateClaim(database, run_, progress_.segment, lastMs_))
      reclaimIfAlive(database, writerClaim(database), workspace_.state().clock.wallMs(), workspace_.folder());
    putSetting(database, settingOf(id_), progress_.text());
    return {};
  }

  /// Returns the claim of the process that writes the current segment.
  RunClaim writerClaim(SQLite::Database& database) const {
    RunClaim claim{run_, progress_.segment, true, {}, 0, lastMs_, id_};
    SQLite::Statement segment =
        prepare(database, "SELECT host, process_id FROM segment WHERE run=? AND number=?", run_, progress_.segment);
    if (segment.executeStep()) readRow(segment, claim.host, claim.processId);
    return claim;
  }

  Workspace& workspace_;
  fs::path file_;
  std::string id_;
  std::int64_t run_ = 0;
  bool hadRun_ = false;    // in the transaction before
  bool isMarked_ = false;  // as the journal of a deleted run
  bool more_ = true;
  std::int64_t lastMs_ = 0;
  std::int64_t lines_ = 0;  // imported
  ImportProgress progress_;
  bool skips_ = false;  // lines that were imported
  std::vector<std::string> gaps_;
  std::optional<SegmentEventWriter> rows_;
  std::optional<Error> end_;
};

/// Returns the checksum of the first line, which tells two journals of one run apart; -1 if there is none.
std::int64_t firstChecksum(const fs::path& file) {
  auto reader = JournalReader::open(file, JournalReader::OpenedBy::Writer);
  JournalLine line;
  if (!reader.ok()) return -1;
  const auto first = reader->next(line);
  return first.ok() && *first ? reader->checksum() : -1;
}

/// Deletes what is left of runs whose deletion a crash ended. `notes` takes what stands in the way of one.
Result<void> completeDeletions(Workspace& workspace, std::vector<std::string>& notes) {
  constexpr const char* kMarks =
      "SELECT substr(key, 9) FROM setting WHERE key LIKE 'journal.%' AND NOT EXISTS "
      "(SELECT 1 FROM run WHERE id = substr(key, 9))";
  ASSIGN_OR_RETURN(const auto runs,
                   workspace.state().read([&](SQLite::Database& database) { return queryTexts(database, kMarks); }));
  if (runs.empty()) return {};
  const fs::path& folder = workspace.folder();
  return workspace.state().write([&](SQLite::Database& database) {  // meanwhile nobody deletes a run
    for (const std::string& run : queryTexts(database, kMarks)) {
      const auto mark = queryInteger(database, "SELECT value FROM setting WHERE key=?", settingOf(run));
      if (isPlainId(run) && (!fileIdOf(journalFile(folder, run)) || firstChecksum(journalFile(folder, run)) == mark)) {
        std::vector<std::string> files = checkpointFilesNamedFor(database, folder, run);
        files.push_back("runs/" + run + kJournalEnding);
        auto done = removeFiles(folder, files);
        if (done.ok()) done = syncFolder(folder / "runs");  // else a loss of power might bring the journal back
        if (!done.ok()) {
          notes.push_back(done.error().text());
          continue;
        }
      }  // else a run of the same id has begun
      forgetDeletedJournal(database, run);
    }
  });
}

}  // namespace

Result<FileDescriptor> markJournalDeleted(SQLite::Database& database, const fs::path& folder, const std::string& run) {
  if (!isPlainId(run)) return FileDescriptor();  // no journal has such a name
  const fs::path path = journalFile(folder, run);
  auto file = openLockedJournal(path);
  if (!file.ok() && file.error().code == ErrorCode::NotFound) return FileDescriptor();
  if (file.ok()) putSetting(database, settingOf(run), std::to_string(firstChecksum(path)));
  return file;
}

void forgetDeletedJournal(SQLite::Database& database, const std::string& run) {
  execute(database, "DELETE FROM setting WHERE key=?", settingOf(run));
}

Result<std::set<std::string>> journalOnlyRuns(const Workspace& workspace) {
  return workspace.state().read([](SQLite::Database& database) {
    const auto ids = queryTexts(database, "SELECT id FROM run JOIN run_writer ON run = number WHERE journal=1");
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
  if (!stop.stop_requested()) RETURN_IF_ERROR(workspace.markDeadRuns());  // else a line that was left may say: it lives
  return report;
}

}  // namespace batchwise
