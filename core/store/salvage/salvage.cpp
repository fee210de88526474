// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/integrity.h"
#include "core/store/journal/journal_run.h"
#include "core/store/messages.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/output_file.h"
#include "core/store/record_text.h"
#include "core/store/run_rows.h"
#include "core/store/salvage/salvage_checkpoints.h"
#include "core/store/salvage/salvage_rules.h"
#include "core/store/salvage/sqlite_rows.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kStagingMark = ".batchwise-salvage-";
constexpr std::size_t kMaxPlaceholderRuns = 10'000;  // maximum number of runs that only their rows show

/// Parents first. Omits run_writer and the tables that follow from the blocks: metric_level, metric_sealed.
constexpr std::array kTables{"setting", "run",        "run_value",    "run_reference", "run_tag",   "segment",
                             "series",  "metric_row", "metric_block", "event",         "checkpoint"};

/// Of these, rows that are imported from a journal.
constexpr std::array<std::string_view, 6> kJournaledTables{"segment",      "series", "metric_row",
                                                           "metric_block", "event",  "checkpoint"};

class Salvage {
 public:
  /// `folder`: the damaged workspace.
  Salvage(RecoveredRows& from, SQLite::Database& into, const fs::path& folder, SalvageLog& log)
      : from_(from), into_(into), folder_(folder), log_(log) {}

  void copyAll() {
    if (!from_.hasChecksums()) log_.note(messages::salvagedRowsLackChecksums());
    rowsToVisit_ = from_.foundRows();
    indexed_ = indexedRunNames(from_.indexedTexts(), checkpointIds());
    skipIdsWithJournals();
    for (const char* table : kTables) {
      copyTable(shapeOf(into_, table));
      if (table == std::string_view("series")) copyIndexedSeries();
    }
    rebuilt_ = into_.exec(kMissingSegments);
    const bool proven = counted_ && !uncounted_;  // only newer versions store row counts
    const bool incomplete = from_.end() == SearchEnd::Early || (from_.end() == SearchEnd::Uncertain && !proven);
    if (lostRows_ || rebuilt_ > 0 || incomplete) resetJournaledRuns();
    if (rebuilt_ > 0) log_.addLoss(messages::salvageRebuildsSegmentStarts(rebuilt_));
    into_.exec(kSealed);
    log_.count("setting") -= into_.exec(kOrphanedProgress);
    if (incomplete) log_.addLoss(messages::salvageSearchIncomplete());
  }

 private:
  static constexpr const char* kMissingSegments =
      "INSERT INTO segment(run, number, from_at, from_batch, from_step, checkpoint, started_ms, host, process_id, "
      "environment) SELECT r, s, '{}', max(min(p), 1) - 1, max(min(p), 1) - 1, '', 0, '', 0, '{}' FROM "
      "(SELECT run AS r, segment AS s, position AS p FROM metric_row UNION ALL SELECT series.run, segment, first FROM "
      "metric_block JOIN series ON series.id = metric_block.series) "
      "WHERE NOT EXISTS (SELECT 1 FROM segment WHERE run = r AND number = s) GROUP BY r, s";
  static constexpr const char* kSealed =
      "INSERT INTO metric_sealed(run, segment, kind, until) SELECT run, segment, "
      "CASE WHEN name GLOB 'eval.*' THEN 1 WHEN name GLOB 'step.*' THEN 2 ELSE 0 END, max(last) "
      "FROM metric_block JOIN series ON series.id = metric_block.series GROUP BY 1, 2, 3";

  // Import progress of journals ("journal.<run>", "journal.<run>@<folder>") whose run was not salvaged.
  static constexpr const char* kOrphanedProgress =
      "DELETE FROM setting WHERE key GLOB 'journal.*' AND "
      "substr(key, 9, CASE instr(key, '@') WHEN 0 THEN length(key) ELSE instr(key, '@') - 9 END) NOT IN "
      "(SELECT id FROM run)";

  SQLite::Statement insertInto(const TableShape& shape) {
    const std::string marks = joined(shape.columns, ", ", [](const std::string&) { return "?"; });
    return {into_, "INSERT INTO " + shape.name + "(" + joined(shape.columns) + ") VALUES(" + marks + ")"};
  }

  void copyTable(const TableShape& shape) {
    SQLite::Statement insert = insertInto(shape);
    std::int64_t& copied = log_.count(shape.name);
    const std::int64_t copiedBefore = copied;
    std::int64_t found = 0;
    from_.forEach(shape, [&](const Row& row) {
      ++found;
      constexpr std::int64_t kPerReport = 1000;
      if (visited_++ % kPerReport == 0)
        log_.progress(messages::salvageCopyingRowsPhase(), visited_, rowsToVisit_, "rows");
      copied += copyRow(shape, row, insert) ? 1 : 0;
    });
    const auto counted = from_.storedRowCount(shape.name);
    counted_ = counted_ || counted.has_value();
    uncounted_ = uncounted_ || (counted ? *counted > found : found > 0);
    if (counted && *counted > found)
      log_.addLoss(messages::salvageLosesUnreadableRows(shape.name, *counted - found, *counted));
    const bool ofJournal =
        std::find(kJournaledTables.begin(), kJournaledTables.end(), shape.name) != kJournaledTables.end();
    if (ofJournal && (copied - copiedBefore < found || (counted && *counted > found))) lostRows_ = true;
  }

  /// Where rows may be lost, the stored progress of a journal does not stand for what was copied. Deletes what the
  /// journals of runs hold as well, with the progress, so that the next `runs sync` imports it again. What only the
  /// database has (name, note, tags, pins) stays, except events that note an interruption.
  void resetJournaledRuns() {
    std::vector<std::pair<std::int64_t, std::string>> runs;
    SQLite::Statement query(
        into_,
        "SELECT number, id FROM run WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'journal.' || id) "
        "AND NOT EXISTS (SELECT 1 FROM setting WHERE key GLOB 'journal.' || id || '@*')");
    while (query.executeStep()) runs.emplace_back(query.getColumn(0).getInt64(), query.getColumn(1).getString());
    query.reset();
    for (const auto& [number, id] : runs) {
      if (!isPlainId(id)) continue;
      const auto journal = readJournalRun(journalFile(folder_, id));
      if (journal.ok() && journal->notes.empty() && holdsAllOf(*journal, number, id)) resetRun(number, id);
    }
  }

  /// Returns whether all that was imported from the journal of a run is still there, and the run has no segment from
  /// elsewhere. Segments without a start were rebuilt.
  bool holdsAllOf(const JournalRun& journal, std::int64_t number, const std::string& id) {
    const auto progress = queryText(into_, "SELECT value FROM setting WHERE key=?", "journal." + id);
    std::int64_t imported = 0;
    std::istringstream(progress.value_or("")) >> imported;
    if (imported > journal.records) return false;
    SQLite::Statement query = prepare(into_, "SELECT number, started_ms FROM segment WHERE run=?", number);
    while (query.executeStep()) {
      const std::int64_t segment = query.getColumn(0).getInt64(), startedMs = query.getColumn(1).getInt64();
      if (segment < 0 || segment >= std::ssize(journal.run.segments)) return false;
      if (startedMs != 0 && startedMs != journal.run.segments[static_cast<std::size_t>(segment)].startedMs)
        return false;
    }
    return true;
  }

  void resetRun(std::int64_t number, const std::string& id) {
    log_.count("metric_block") -=
        execute(into_, "DELETE FROM metric_block WHERE series IN (SELECT id FROM series WHERE run=?)", number);
    rebuilt_ -= execute(into_, "DELETE FROM segment WHERE run=? AND started_ms = 0 AND environment = '{}'", number);
    for (const char* table : {"event", "metric_row", "series", "segment"})
      log_.count(table) -= execute(into_, std::string("DELETE FROM ") + table + " WHERE run=?", number);
    log_.count("setting") -= execute(into_, "DELETE FROM setting WHERE key=?", "journal." + id);
    log_.note(messages::salvageTakesJournalAgain(id));
  }

  /// A lost run that has a journal is restored from it, under its id, by the next `runs sync`.
  void skipIdsWithJournals() {
    for (auto& [number, names] : indexed_) {
      std::error_code ignored;
      if (isPlainId(names.id) && fs::exists(folder_ / "runs" / (names.id + ".journal"), ignored)) names.id.clear();
    }
  }

  std::set<std::string> checkpointIds() {
    std::set<std::string> ids;
    const TableShape shape = shapeOf(into_, "checkpoint");
    from_.forEach(shape, [&](const Row& row) {
      if (const auto* id = findCell<std::string>(shape, row, "id")) ids.insert(*id);
    });
    return ids;
  }

  /// The index on series names contains the whole table again, without checksums.
  void copyIndexedSeries() {
    const TableShape shape = shapeOf(into_, "series");
    SQLite::Statement insert = insertInto(shape);
    from_.forEachIndexedSeries([&](const Row& row) {
      const auto before = series_.size();
      if (!copyRow(shape, row, insert) || series_.size() == before) return;
      ++log_.count(shape.name);
      log_.addLoss(messages::salvageSeriesNameUnverified(std::get<std::string>(row[2])));
    });
  }

  bool copyRow(const TableShape& shape, Row row, SQLite::Statement& insert) try {
    if (const auto why = rules_.validate(shape, row)) {
      log_.addLoss(*why);
      return false;
    }
    if (const auto id = idOfSeries(shape, row); id && series_.contains(*id)) return false;  // copied before
    if (!ensureRun(shape, row)) return false;
    if (shape.name == "metric_block") return copyBlock(row);
    insert.reset();
    for (std::size_t i = 0; i < row.size(); ++i) bind(insert, static_cast<int>(i) + 1, row[i]);
    insert.exec();
    if (shape.name == "run") runs_.insert(std::get<std::int64_t>(row[0]));
    if (const auto id = idOfSeries(shape, row)) series_.insert(*id);
    return true;
  } catch (const SQLite::Exception& failure) {
    insert.tryReset();
    constexpr int kConstraint = 19;
    constexpr int kMismatch = 20;
    if (failure.getErrorCode() != kConstraint && failure.getErrorCode() != kMismatch) throw;
    log_.addLoss(messages::salvageLosesRow(shape.name, failure.what()));
    return false;
  }

  static std::optional<std::int64_t> idOfSeries(const TableShape& shape, const Row& row) {
    if (shape.name != "series") return std::nullopt;
    return *findCell<std::int64_t>(shape, row, "id");
  }

  /// Inserts a placeholder run for rows whose run is lost. Returns false if the row cannot be kept.
  bool ensureRun(const TableShape& shape, const Row& row) {
    if (std::find(shape.columns.begin(), shape.columns.end(), "run") == shape.columns.end()) return true;
    const auto* number = findCell<std::int64_t>(shape, row, "run");
    if (number != nullptr && runs_.contains(*number)) return true;
    if (number == nullptr || *number < 1 || placeholderRuns_ == kMaxPlaceholderRuns) {
      log_.addLoss(messages::salvageLosesOrphanRow(shape.name));
      return false;
    }
    runs_.insert(*number);
    ++placeholderRuns_;
    if (!insertPlaceholderRun_)
      insertPlaceholderRun_.emplace(
          into_,
          "INSERT INTO run(number, id, name, status, reason, created_ms, planned_batches, parent, why, "
          "config_yaml, resolved_yaml) VALUES(?1,?2,?3,'interrupted','its entry was lost',0,0,'','','','')");
    const auto [id, name] = rules_.namesOfLostRun(*number, indexed_);
    execute(*insertPlaceholderRun_, *number, id, name);
    log_.addLoss(indexed_.contains(*number) ? messages::salvageLosesRunTextsNameFromIndex(*number, name)
                                            : messages::salvageLosesRunTexts(*number, name));
    return true;
  }

  /// Columns: id, series, segment, first, last, data
  bool copyBlock(const Row& row) {
    const auto* series = std::get_if<std::int64_t>(&row[1]);
    const auto* segment = std::get_if<std::int64_t>(&row[2]);
    const auto* data = std::get_if<ByteVector>(&row[5]);
    if (series == nullptr || segment == nullptr || data == nullptr || !series_.contains(*series)) {
      log_.addLoss(messages::salvageLosesOrphanBlock());
      return false;
    }
    const auto points = decodeBlock(*series, *data);
    std::int64_t& until =
        blocksUntil_.try_emplace({*series, *segment}, std::numeric_limits<std::int64_t>::min()).first->second;
    const bool rises =
        points.ok() && !points->empty() && points->front().batch > until &&
        std::is_sorted(points->begin(), points->end(), [](const auto& a, const auto& b) { return a.batch <= b.batch; });
    if (!rises || !insertBlock(into_, *series, *segment, *points).ok()) {
      log_.addLoss(messages::salvageLosesDamagedBlock(*series));
      return false;
    }
    until = points->back().batch;
    return true;
  }

  static void bind(SQLite::Statement& insert, int index, const Cell& cell) {
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
            insert.bind(index);
          else
            bindValue(insert, index, value);
        },
        cell);
  }

  RecoveredRows& from_;
  SQLite::Database& into_;
  const fs::path folder_;
  SalvageLog& log_;
  SalvageRules rules_;
  std::size_t placeholderRuns_ = 0;
  int rebuilt_ = 0;  // segments whose rows were lost
  // Whether a table has a stored row count, and whether rows are missing or a table with rows has no stored count.
  bool counted_ = false, uncounted_ = false;
  bool lostRows_ = false;                                  // of kJournaledTables
  std::optional<SQLite::Statement> insertPlaceholderRun_;  // a hostile file may need many
  std::map<std::int64_t, RunNames> indexed_;
  std::int64_t visited_ = 0, rowsToVisit_ = 0;
  std::set<std::int64_t> runs_, series_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> blocksUntil_;
};

/// Returns the folder to work in: an empty existing target (which may be a mount point or the only writable folder),
/// otherwise the target's parent.
Result<fs::path> prepareTarget(const fs::path& target) {
  std::error_code ignored;
  removeLeftovers(target, kStagingMark);
  if (fs::exists(target, ignored) && !(fs::is_directory(target, ignored) && fs::is_empty(target, ignored)))
    return Error::config(messages::salvageTargetExists(target.native()));
  const fs::path place = fs::exists(target, ignored) ? target : target.parent_path();
  RETURN_IF_ERROR(makeFolders(place));
  return place;
}

/// Copies journals of runs on other hosts, which may not be imported yet.
Result<void> copyJournals(const fs::path& from, const fs::path& target, SalvageLog& log) {
  for (const fs::path& journal : journalFiles(from)) {
    std::error_code failure;
    if (!fs::is_regular_file(fs::symlink_status(journal, failure)) || !isPlainId(journal.stem().native())) continue;
    RETURN_IF_ERROR(makeFolders(target / "runs"));
    fs::copy_file(journal, target / "runs" / journal.filename(), failure);
    if (failure) return Error::fromErrno(failure.value(), messages::cannotCopy, journal.native());
    ++log.count("journals");
  }
  return {};
}

/// Copies rows of `source` (null: the database is unreadable) and the files in its folder.
Result<void> copyParts(RecoveredRows* source, const fs::path& folder, const fs::path& target, SQLite::Database& into,
                       SalvageLog& log) {
  if (source != nullptr) Salvage(*source, into, folder, log).copyAll();
  RETURN_IF_ERROR(copyKnownCheckpoints(folder, target, into, log));
  RETURN_IF_ERROR(copyJournals(folder, target, log));
  return copyUnknownCheckpoints(folder, target, into, log);
}

/// Copies into a new database in `target`, in one transaction.
Result<SalvageReport> copyInto(RecoveredRows* source, const fs::path& folder, const fs::path& target, SalvageLog& log) {
  const fs::path fresh = target / kDatabaseName;
  RETURN_IF_ERROR(createDatabase(fresh, workspaceMigrations()));
  std::unique_ptr<SQLite::Database> into;
  return catchDatabaseErrors(into, fresh, [&]() -> Result<SalvageReport> {
    into = openDatabase(fresh, DatabaseUse::Write);
    WriteTransaction transaction(*into);
    checksumRowsOnWrite(*into);
    RETURN_IF_ERROR(catchDatabaseErrors(into, folder, [&] { return copyParts(source, folder, target, *into, log); }));
    transaction.commit();
    checkpointWal(*into, WalCheckpoint::Truncate);
    return log.takeReport();
  });
}

Message ignoredWalText(const fs::path& file) {
  return messages::salvageLosesUnfittingWal(file.filename().native());
}

/// Parameters of both attempts, with and without the WAL.
struct SalvageJob {
  fs::path source;   ///< the database file
  fs::path staging;  ///< an empty folder
  SalvageProgress progress;
  std::stop_token stop;
};

/// Salvages into the new folder `target`. Sets `uncertain` if the WAL may belong to another file.
Result<SalvageReport> salvageWith(SourceWal wal, const SalvageJob& job, const fs::path& target, bool& uncertain) {
  const fs::path scratch = target.native() + ".scratch", folder = job.source.parent_path();
  for (const fs::path& made : {scratch, target}) RETURN_IF_ERROR(makeFolders(made));
  SalvageLog log(job.progress, job.stop);
  const auto searched = [&log](std::int64_t done, std::int64_t total) {
    log.progress(messages::salvageSearchingRowsPhase(), done, total, "pages");
  };
  const auto found = findRows(job.source, scratch, wal, searched, job.stop);
  auto rows = found.ok() ? RecoveredRows::open(*found, job.stop) : Result<RecoveredRows>(found.error());
  uncertain = !found.ok() || found->shrunkByWal;
  if (rows.ok()) {
    if (found->walIgnored) log.addLoss(ignoredWalText(job.source));
    if (found->headerLost) log.addLoss(messages::salvageLosesSchemaPages());
    if (found->skippedRows > 0) log.addLoss(messages::salvageLosesOversizedRows(found->skippedRows));
    return copyInto(&*rows, folder, target, log);
  }
  const ErrorCode code = rows.error().code;
  const bool gone = code == ErrorCode::NotFound || code == ErrorCode::Corrupt;
  if (!gone || !hasRunFiles(folder)) return rows.error();
  log.addLoss(messages::salvageLosesDatabaseContent(rows.error().full()));
  return copyInto(nullptr, folder, target, log);
}

std::int64_t rowsIn(const Result<SalvageReport>& report) {
  std::int64_t rows = 0;
  if (report.ok())
    for (const auto& [table, count] : report->copied) rows += count;
  return rows;
}

/// Sets `made` to the folder of the new workspace. A WAL of another file hides readable pages, so the attempt without
/// it may find more.
Result<SalvageReport> salvageFile(const SalvageJob& job, fs::path& made) {
  bool uncertain = false;
  made = job.staging / "with-wal";
  auto report = salvageWith(SourceWal::Apply, job, made, uncertain);
  std::error_code none;
  if (job.stop.stop_requested() || !uncertain || !fs::is_regular_file(walOf(job.source), none)) return report;
  const fs::path other = job.staging / "without-wal";
  auto without = salvageWith(SourceWal::Ignore, job, other, uncertain);
  if (rowsIn(without) <= rowsIn(report)) return report;
  without->lost.insert(without->lost.begin(), ignoredWalText(job.source));
  made = other;
  return without;
}

/// Syncs all files and folders in `folder`.
Result<void> syncTree(const fs::path& folder) {
  for (const fs::path& entry : entriesOf(folder)) {
    std::error_code failure;
    const fs::file_type type = fs::symlink_status(entry, failure).type();
    Result<void> done = type == fs::file_type::directory ? syncTree(entry)
                        : type == fs::file_type::regular ? syncFile(entry)
                                                         : Result<void>();
    if (!done.ok()) return done;
  }
  return syncFolder(folder);
}

/// Moves the new workspace to `target`; into an existing folder entry by entry, the database last. On failure that
/// folder is empty again except for the staging folder.
Result<void> installWorkspace(const fs::path& made, const fs::path& target) {
  std::error_code failure;
  const bool isThere = fs::exists(target, failure);
  std::vector<fs::path> moved = isThere ? entriesOf(made) : std::vector<fs::path>{};
  std::partition(moved.begin(), moved.end(), [](const fs::path& entry) { return entry.filename() != kDatabaseName; });
  if (!isThere) fs::rename(made, target, failure);
  for (const fs::path& entry : moved)
    if (!failure) fs::rename(entry, target / entry.filename(), failure);
  const auto synced = failure ? Result<void>(Error::fromErrno(failure.value(), messages::cannotWrite, target.native()))
                              : syncFolder(isThere ? target : target.parent_path());
  std::error_code ignored;
  if (!synced.ok())
    for (const fs::path& entry : moved) fs::remove_all(target / entry.filename(), ignored);
  return synced;
}

/// Opens and checks the new workspace, syncs it and moves it to `target`.
Result<void> finish(const fs::path& made, const fs::path& target, SalvageReport& report) {
  {
    const auto opened = Workspace::open(made);
    const auto problems = opened.ok() ? (*opened)->check() : Result<std::vector<Message>>(opened.error());
    if (!problems.ok()) return problems.error().within(messages::salvagedWorkspaceContext());
    report.lost.insert(report.lost.end(), problems->begin(), problems->end());
  }
  RETURN_IF_ERROR(syncTree(made));
  return installWorkspace(made, target);
}

}  // namespace

Result<SalvageReport> salvageWorkspace(const fs::path& source, const fs::path& target, const SalvageProgress& progress,
                                       const std::stop_token& stop) {
  if (target.empty()) return Error::config(messages::salvageTargetMissing());
  std::error_code ignored;
  const fs::path file = fs::is_directory(source, ignored) ? source / kDatabaseName : source;
  const fs::path absolute = fs::absolute(target).lexically_normal();
  const fs::path wanted = absolute.has_filename() ? absolute : absolute.parent_path();
  ASSIGN_OR_RETURN(const auto place, prepareTarget(wanted));
  ASSIGN_OR_RETURN(const auto staging, StagedEntry::folder(place, kStagingMark));
  const SalvageJob job{fs::absolute(file), staging.path(), progress, stop};
  fs::path made;
  auto report = salvageFile(job, made);
  if (stop.stop_requested())
    return Error{ErrorCode::Stopped, messages::storeWorkCanceled(), {}};  // regardless of the error it caused
  if (!report.ok()) return report;
  RETURN_IF_ERROR(finish(made, wanted, *report));
  return report;
}

}  // namespace batchwise
