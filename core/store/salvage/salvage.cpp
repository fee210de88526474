// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/salvage.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/base/file.h"
#include "core/store/foreign_database.h"
#include "core/store/journal/journal_run.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/record_text.h"
#include "core/store/salvage/salvage_checkpoints.h"
#include "core/store/salvage/salvage_rules.h"
#include "core/store/schema.h"
#include "core/store/workspace_folder.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kStandIns = 10'000;  // runs that are only known by their rows

/// Parents first. Not copied: who writes a run, the summaries of blocks and up to where rows are in blocks, which
/// follow from the blocks.
constexpr std::array kTables{"setting", "run",        "run_value",    "run_reference", "run_tag",   "segment",
                             "series",  "metric_row", "metric_block", "event",         "checkpoint"};

class Salvage {
 public:
  Salvage(SQLite::Database& from, SQLite::Database& into, SalvageLog& log) : from_(from), into_(into), log_(log) {}

  void copyAll() {
    readNames();
    for (const char* table : kTables) {
      copyTable(shapeOf(into_, table));
      // The index of names holds the whole table once more.
      if (table == std::string_view("series")) copyTable({"series", {"run", "name", "id"}, 2});
    }
    const auto rebuilt = into_.exec(kMissingSegments);
    if (rebuilt > 0)
      log_.lose("the start of " + std::to_string(rebuilt) + " segments, taken from their first rows instead");
    into_.exec(kSealed);
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

  /// The names of runs as their index knows them, for those whose row is lost.
  void readNames() {
    (void)scanTable(from_, {"run", {"name", "number"}, 1}, [this](const Row& row) {
      const auto* name = std::get_if<std::string>(&row[0]);
      const auto* number = std::get_if<std::int64_t>(&row[1]);
      if (name != nullptr && number != nullptr && checkRunName(*name).ok()) names_.try_emplace(*number, *name);
    });
  }

  void copyTable(const TableShape& shape) {
    std::string columns, marks;
    for (const std::string& column : shape.columns) {
      columns += (columns.empty() ? "" : ", ") + column;
      marks += marks.empty() ? "?" : ", ?";
    }
    SQLite::Statement insert(into_, "INSERT INTO " + shape.name + "(" + columns + ") VALUES(" + marks + ")");
    std::int64_t& copied = log_.count(shape.name);
    const auto unread = scanTable(from_, shape, [&](const Row& row) { copied += copyRow(shape, row, insert) ? 1 : 0; });
    for (const std::string& what : unread) log_.lose(what);
  }

  bool copyRow(const TableShape& shape, Row row, SQLite::Statement& insert) try {
    if (const auto why = rules_.judge(shape, row)) {
      log_.lose(*why);
      return false;
    }
    if (const auto id = idOfSeries(shape, row); id && series_.contains(*id)) return false;  // the second look
    if (!hasRun(shape, row)) return false;
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
    log_.lose("a row of table " + shape.name + ": " + failure.what());
    return false;
  }

  static std::optional<std::int64_t> idOfSeries(const TableShape& shape, const Row& row) {
    if (shape.name != "series") return std::nullopt;
    const auto column = std::find(shape.columns.begin(), shape.columns.end(), "id");
    return std::get<std::int64_t>(row[static_cast<std::size_t>(column - shape.columns.begin())]);
  }

  /// Rows of a run whose own row is lost get a run to belong to.
  bool hasRun(const TableShape& shape, const Row& row) {
    const auto column = std::find(shape.columns.begin(), shape.columns.end(), "run");
    if (column == shape.columns.end()) return true;
    const auto* number = std::get_if<std::int64_t>(&row[static_cast<std::size_t>(column - shape.columns.begin())]);
    if (number == nullptr || *number < 1 || standIns_ == kStandIns) {
      log_.lose("a row of table " + shape.name + " that belongs to no run");
      return false;
    }
    if (!runs_.insert(*number).second) return true;
    ++standIns_;
    SQLite::Statement insert(
        into_,
        "INSERT INTO run(number, id, name, status, reason, created_ms, planned_batches, parent, why, "
        "config_yaml, resolved_yaml) VALUES(?1,?2,?3,'interrupted','its entry was lost',0,0,'','','','')");
    insert.bind(1, *number);
    insert.bind(2, newRecordId());
    const auto known = names_.find(*number);
    const std::string name = known != names_.end() ? known->second : "salvaged-" + std::to_string(*number);
    insert.bind(3, name);
    insert.exec();
    log_.lose("texts and state of run number " + std::to_string(*number) + "; its figures are under '" + name + "'");
    return true;
  }

  /// Columns: id, series, segment, first, last, data.
  bool copyBlock(const Row& row) {
    const auto* series = std::get_if<std::int64_t>(&row[1]);
    const auto* segment = std::get_if<std::int64_t>(&row[2]);
    const auto* data = std::get_if<Bytes>(&row[5]);
    if (series == nullptr || segment == nullptr || data == nullptr || !series_.contains(*series)) {
      log_.lose("a block of metrics that belongs to no series");
      return false;
    }
    const auto points = decodeBlock(*series, *data);
    std::int64_t& until =
        blocksUntil_.try_emplace({*series, *segment}, std::numeric_limits<std::int64_t>::min()).first->second;
    const bool rises =
        points.ok() && !points->empty() && points->front().batch > until &&
        std::is_sorted(points->begin(), points->end(), [](const auto& a, const auto& b) { return a.batch <= b.batch; });
    if (!rises || !insertBlock(into_, *series, *segment, *points).ok()) {
      log_.lose("a block of metrics that fails its checksum (series number " + std::to_string(*series) + ")");
      return false;
    }
    until = points->back().batch;
    return true;
  }

  static void bind(SQLite::Statement& insert, int index, const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return insert.bind(index, *number);
    if (const auto* real = std::get_if<double>(&cell)) return insert.bind(index, *real);
    if (const auto* text = std::get_if<std::string>(&cell)) return insert.bind(index, *text);
    if (const auto* bytes = std::get_if<Bytes>(&cell)) return bindBlob(insert, index, *bytes);
    insert.bind(index);
  }

  SQLite::Database& from_;
  SQLite::Database& into_;
  SalvageLog& log_;
  SalvageRules rules_;
  std::size_t standIns_ = 0;
  std::set<std::int64_t> runs_, series_;
  std::map<std::int64_t, std::string> names_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> blocksUntil_;
};

Result<void> checkTarget(const fs::path& target) {
  std::error_code ignored;
  if (fs::exists(target, ignored) && !(fs::is_directory(target, ignored) && fs::is_empty(target, ignored)))
    return Error::config("'" + target.native() +
                         "' exists already; name a folder that does not, for the new workspace");
  return makeFolders(target);
}

/// Journals of runs on other hosts that have not been taken in, perhaps.
Result<void> copyJournals(const fs::path& from, const fs::path& target, SalvageLog& log) {
  for (const fs::path& journal : journalFiles(from)) {
    std::error_code failure;
    if (!fs::is_regular_file(fs::symlink_status(journal, failure)) || !isPlainId(journal.stem().native())) continue;
    if (auto made = makeFolders(target / "runs"); !made.ok()) return made;
    fs::copy_file(journal, target / "runs" / journal.filename(), failure);
    if (failure) return Error::fromErrno(failure.value(), "cannot copy", journal.native());
    ++log.count("journals");
  }
  return {};
}

/// Of `source` (none: its database gives nothing) and of the files in its folder.
Result<void> copyParts(const ForeignDatabase* source, const fs::path& folder, const fs::path& target,
                       SQLite::Database& into, SalvageLog& log) {
  if (source != nullptr) Salvage(source->database(), into, log).copyAll();
  if (auto done = copyKnownCheckpoints(folder, target, into, log); !done.ok()) return done;
  if (auto done = copyJournals(folder, target, log); !done.ok()) return done;
  return copyUnknownCheckpoints(folder, target, into, log);
}

Result<SalvageReport> copyInto(const fs::path& file, const fs::path& target) {
  const auto source = ForeignDatabase::open(file, target);
  const bool lost = !source.ok();
  const bool isForeign = lost && source.error().code == ErrorCode::Unsupported;
  if (lost && (isForeign || !tellsOfRuns(file.parent_path()))) return source.error();
  const auto all = workspaceMigrations();
  const std::size_t version = lost ? all.size() : static_cast<std::size_t>(source->version());
  const fs::path fresh = target / kDatabaseName;
  if (auto made = createDatabase(fresh, all.first(version)); !made.ok()) return made.error();
  std::unique_ptr<SQLite::Database> into;
  return guarded(into, fresh, [&]() -> Result<SalvageReport> {
    into = openDatabase(fresh, DatabaseUse::Write);
    SalvageLog log;
    if (lost) log.lose("everything that only the database held: " + source.error().text());
    if (!lost && source->descriptionsRestored()) log.lose("the pages that describe the tables, which were put back");
    WriteTransaction transaction(*into);
    auto copied = guarded(into, file,
                          [&] { return copyParts(lost ? nullptr : &*source, file.parent_path(), target, *into, log); });
    if (!copied.ok()) return copied.error();
    transaction.commit();
    checkpointWal(*into, WalCheckpoint::Truncate);
    return log.take();
  });
}

}  // namespace

Result<SalvageReport> salvageWorkspace(const fs::path& source, const fs::path& target) {
  if (target.empty()) return Error::config("the folder for the new workspace is missing; name one that does not exist");
  std::error_code ignored;
  const fs::path file = fs::is_directory(source, ignored) ? source / kDatabaseName : source;
  const bool existed = fs::exists(target, ignored);
  const fs::path absolute = fs::absolute(target);
  if (auto free = checkTarget(absolute); !free.ok()) return free.error();
  auto report = copyInto(fs::absolute(file), absolute);
  if (report.ok()) {
    const auto opened = Workspace::open(absolute);  // brings it to the newest version
    const auto problems = opened.ok() ? (*opened)->check() : Result<std::vector<std::string>>(opened.error());
    if (!problems.ok()) return problems.error().within("the new workspace");
    report->lost.insert(report->lost.end(), problems->begin(), problems->end());
    return report;
  }
  for (const fs::path& entry : entriesOf(absolute)) fs::remove_all(entry, ignored);
  if (!existed) fs::remove(absolute, ignored);
  return report;
}

}  // namespace batchwise
