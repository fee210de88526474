// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/import/config_import.h"
#include "core/store/database.h"
#include "core/trackers/other_runs.h"
#include "core/trackers/records.h"
#include "core/trackers/table_runs.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// `name`: as MLflow has it, "FINISHED", or "3" in files.
RunStatus mlflowStatus(std::string_view name) {
  if (name == "FINISHED" || name == "3") return RunStatus::Finished;
  if (name == "FAILED" || name == "4") return RunStatus::Failed;
  return name == "KILLED" || name == "5" ? RunStatus::Stopped : RunStatus::Running;
}

constexpr std::int64_t kMostMetaBytes = 64 << 10;
constexpr std::size_t kPieceBytes = 8 << 20;  // of a metric
constexpr std::size_t kMostFiles = 20'000;

using Meta = std::map<std::string, std::string>;

Meta metaOf(const fs::path& folder) {
  const auto text = readFile(folder / kMlflowMeta, kMostMetaBytes);
  return text.ok() ? flatSettings(*text) : Meta();
}

/// Calls `take` with the files in a folder and those inside it, and their names below it: a name may have slashes.
void forEachFile(const fs::path& folder, const std::function<void(const fs::path&, const std::string&)>& take) {
  std::error_code failure, ignored;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end && count < kMostFiles;
       entry.increment(failure), ++count)
    if (entry->is_regular_file(ignored)) take(entry->path(), entry->path().lexically_relative(folder).generic_string());
}

/// A run whose metrics are read on where they have ended, and the rest whenever a file of it has changed.
class MlflowRun final : public RunSource {
 public:
  explicit MlflowRun(fs::path folder) : folder_(std::move(folder)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    std::map<std::string, FileState> states{{kMlflowMeta, fileState(folder_ / kMlflowMeta)}};
    news.run.writtenMs = states[kMlflowMeta].changedMs;
    if (hasEnded_ && states[kMlflowMeta] == states_[kMlflowMeta]) return news;
    bool isOther = false;
    forEachFile(folder_ / "metrics", [&](const fs::path& file, const std::string& name) {
      const FileState its = states["metrics/" + name] = fileState(file);
      isOther = isOther || its.bytes < logs_[name].offset;
      news.run.writtenMs = std::max(news.run.writtenMs, its.changedMs);
    });
    if (states == states_) return news;
    if (isOther) *this = MlflowRun(folder_);
    const Meta meta = metaOf(folder_);
    if (!meta.contains("start_time"))
      return Error::corrupt("no run of MLflow").within((folder_ / kMlflowMeta).native());
    news.run.startedMs = numberNamed<std::int64_t>(meta, "start_time").value_or(0);
    if (const auto status = meta.find("status"); status != meta.end()) news.run.status = mlflowStatus(status->second);
    for (const char* kind : {"params", "tags"})
      forEachFile(folder_ / kind, [&](const fs::path& file, const std::string& name) {
        const auto value = readFile(file, kMostMetaBytes);
        if (value.ok() && !name.starts_with("mlflow."))
          addSetting(news.run.config, (*kind == 't' ? "tags." : "") + name, *value);
      });
    forEachFile(folder_ / "metrics", [&](const fs::path& file, const std::string& name) {
      news.more = news.more || !readOn(file, name, news.problems);
    });
    points_.tellLosses(folder_, /*saysAgain=*/true, news.problems);
    news.hasNews = true;
    news.run.series = points_.take();
    news.run.isWhole = !std::exchange(hasBegun_, true) && !news.more;
    hasEnded_ = news.run.status != RunStatus::Running && !news.more;
    if (!news.more) states_ = std::move(states);
    return news;
  }

 private:
  struct Log {
    std::int64_t offset = 0, lines = 0;  // that have been read
  };

  /// Returns whether all of a metric has been read.
  bool readOn(const fs::path& file, const std::string& name, std::vector<std::string>& problems) {
    Log& log = logs_[name];
    while (points_.size() < kPointsPerRead) {
      const auto piece = readFrom(file, static_cast<std::uint64_t>(log.offset), kPieceBytes);
      if (!piece.ok()) return true;
      const std::string_view read = textOf(*piece), text = read.substr(0, read.rfind('\n') + 1);
      log.offset += std::ssize(text);
      addLines(text, file, name, log.lines, problems);
      if (read.size() < kPieceBytes || text.empty()) return true;
    }
    return false;
  }

  void addLines(std::string_view text, const fs::path& file, const std::string& name, std::int64_t& number,
                std::vector<std::string>& problems) {
    std::int64_t leftOut = 0;
    for (; !text.empty(); ++number) {
      std::string_view line = takePart(text, '\n');
      const auto time = numberFrom<double>(takePart(line, ' ')), value = numberFrom<double>(takePart(line, ' '));
      const auto step = numberFrom<std::int64_t>(takePart(line, ' '));
      if (time && value && step)
        points_.add(name, *step, *value, *time / 1000);
      else if (leftOut++ == 0)
        problems.push_back(formatText("'{}': line {} has no time, value and step; such lines are left out",
                                      file.native(), number + 1));
    }
  }

  fs::path folder_;
  std::map<std::string, FileState> states_;  // of the files that have been read
  std::map<std::string, Log> logs_;          // by the names of their metrics
  PointCollector points_;
  bool hasBegun_ = false, hasEnded_ = false;
};

constexpr int kMostValueBytes = 4 << 20;
constexpr int kRowsPerRead = 100'000;

/// Statements for one program; ?1 is the id of the run, ?2 the last row of points that is known, ?3 how many to read.
struct Statements {
  const char* runs;    // id, name
  const char* states;  // state, start and end in milliseconds, settings as JSON
  const char* points;  // row, series or empty, step, value or JSON, whether NaN, seconds since 1970 UTC
};

const Statements& statementsOf(RunSourceKind kind) {
  static constexpr Statements kMlflow{
      "SELECT r.run_uuid, e.name || '/' || coalesce(nullif(r.name, ''), r.run_uuid) FROM runs r JOIN experiments e ON "
      "e.experiment_id = r.experiment_id WHERE r.lifecycle_stage = 'active' ORDER BY r.start_time",
      "SELECT status, start_time, end_time, (SELECT json_group_object(key, value) FROM (SELECT key, value FROM params "
      "WHERE run_uuid = ?1 UNION ALL SELECT 'tags.' || key, value FROM tags WHERE run_uuid = ?1 AND key NOT LIKE "
      "'mlflow.%')) FROM runs WHERE run_uuid = ?1",
      "SELECT rowid, key, step, value, is_nan, timestamp / 1000.0 FROM metrics WHERE rowid IN (SELECT rowid FROM "
      "metrics WHERE run_uuid = ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3) ORDER BY rowid"};
  static constexpr Statements kTrackio{
      // From one run of the index to the next: there may be millions of rows.
      "WITH RECURSIVE logged(run) AS (SELECT min(run_id) FROM metrics UNION ALL SELECT (SELECT min(run_id) FROM "
      "metrics WHERE run_id > logged.run) FROM logged WHERE run IS NOT NULL) SELECT run_id, max(run_name) FROM (SELECT "
      "run_id, run_name FROM configs UNION SELECT run, (SELECT run_name FROM metrics WHERE run_id = logged.run LIMIT "
      "1) FROM logged WHERE run IS NOT NULL) GROUP BY run_id",
      "SELECT '', 0, 0, config FROM configs WHERE run_id = ?1",
      "SELECT id, '', step, metrics, 0, (julianday(timestamp) - 2440587.5) * 86400 FROM metrics WHERE id IN (SELECT id "
      "FROM metrics WHERE run_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3) ORDER BY id"};
  return kind == RunSourceKind::Mlflow ? kMlflow : kTrackio;
}

Error noDatabase(const fs::path& file) {
  return Error::unsupported(formatText("'{}' is no database of MLflow or Trackio", file.native()));
}

/// Calls `work` with the database, in a transaction. `waits`: for locks.
template <typename Work>
Result<void> readDatabase(const fs::path& file, Work&& work, bool waits = true) {
  ASSIGN_OR_RETURN(const auto header, readDatabaseHeader(file));
  if (!header.isDatabase || header.applicationId != 0) return noDatabase(file);
  // One whose writer has ended has no WAL: to read it like one that is written would leave files beside it.
  const bool isLeft = header.usesWal && fileState(walOf(file)).bytes <= 0;
  std::unique_ptr<SQLite::Database> database;
  return catchDatabaseErrors(database, file, [&]() -> Result<void> {
    database = openDatabase(file, isLeft ? DatabaseUse::ReadImmutable : DatabaseUse::Read);
    if (!waits) database->setBusyTimeout(0);
    hardenForUntrustedFile(*database, kMostValueBytes);
    const WorkLimit limit(*database, vmStepLimit(file));
    const ReadTransaction snapshot(*database);
    return work(*database);
  });
}

/// Returns whose tables these are; nothing for those of another program.
std::optional<RunSourceKind> kindOf(SQLite::Database& database) {
  const auto has = [&database](const std::string& table) {
    return hasRow(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", table);
  };
  if (!has("metrics")) return std::nullopt;
  if (has("experiments")) return RunSourceKind::Mlflow;
  return has("configs") ? std::optional(RunSourceKind::Trackio) : std::nullopt;
}

class DatabaseRun final : public RunSource {
 public:
  DatabaseRun(RunSourceKind kind, fs::path file, std::string id)
      : kind_(kind), file_(std::move(file)), id_(std::move(id)) {}

  Result<ReadNews> read() override {
    ReadNews news;
    const std::int64_t state = databaseState(file_);
    if (state != 0 && state == state_) return news;
    RETURN_IF_ERROR(readDatabase(file_, [&](SQLite::Database& database) -> Result<void> {
      readState(database, news.run);
      news.more = readPoints(database);
      return {};
    }));
    if (!news.more) state_ = state;
    points_.tellLosses(file_ / id_, kind_ == RunSourceKind::Mlflow, news.problems);
    news.run.series = points_.take();
    if (news.run.startedMs == 0) news.run.startedMs = points_.startedMs();
    if (news.run.writtenMs == 0) news.run.writtenMs = std::max(writtenMs_, news.run.startedMs);
    const bool isKnown = config_ == news.run.config && status_ == news.run.status;
    news.hasNews = std::exchange(isFirst_, false) || !isKnown || !news.run.series.empty();
    config_ = news.run.config;
    status_ = news.run.status;
    return news;
  }

 private:
  void readState(SQLite::Database& database, ExternalRun& run) const {
    SQLite::Statement state = prepare(database, statementsOf(kind_).states, id_);
    if (!state.executeStep()) return;
    std::string status, settings;
    readRow(state, status, run.startedMs, run.writtenMs, settings);
    run.status = mlflowStatus(status);
    addJsonSetting(run.config, "", settings);
    if (const auto group = run.config.extract("_Group"); !group.empty() && group.mapped() != "null")
      addSetting(run.config, "group", group.mapped());
    if (kind_ == RunSourceKind::Trackio)
      std::erase_if(run.config, [](const auto& setting) { return setting.first.starts_with('_'); });
  }

  /// Returns whether there is more.
  bool readPoints(SQLite::Database& database) {
    SQLite::Statement points = prepare(database, statementsOf(kind_).points, id_, last_, kRowsPerRead);
    int rows = 0;
    for (; points.executeStep(); ++rows) {
      if (points_.size() >= kPointsPerRead) return true;
      last_ = points.getColumn(0).getInt64();
      const std::int64_t step = points.getColumn(2).getInt64();
      const double seconds = points.getColumn(5).isNull() ? std::nan("") : points.getColumn(5).getDouble();
      if (seconds > 0 && seconds < 1e11) writtenMs_ = std::max<std::int64_t>(writtenMs_, std::llround(seconds * 1000));
      if (kind_ == RunSourceKind::Trackio) {
        for (const auto& [name, number] : jsonRow(points.getColumn(3).getString(), "."))
          if (number) points_.add(name, step, *number, seconds);
        continue;
      }
      double value = points.getColumn(4).getInt() != 0 ? std::nan("") : points.getColumn(3).getDouble();
      if (std::abs(value) == std::numeric_limits<double>::max()) value *= 2;  // how MLflow stores infinities
      points_.add(points.getColumn(1).getString(), step, value, seconds);
    }
    return rows == kRowsPerRead;
  }

  const RunSourceKind kind_;
  const fs::path file_;
  const std::string id_;
  std::int64_t state_ = 0, last_ = -1, writtenMs_ = 0;
  bool isFirst_ = true;
  std::map<std::string, std::string> config_;
  RunStatus status_ = RunStatus::Running;
  PointCollector points_;
};

}  // namespace

RunTitle mlflowTitle(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder / "metrics", ignored)) return {};
  Meta meta = metaOf(folder), experiment = metaOf(folder.parent_path());
  if (meta["run_id"].empty() || meta["lifecycle_stage"] == "deleted") return {};
  const std::string& name = meta["run_name"];
  const bool isUnnamed = name.empty() || name == "null";  // flatSettings() has no other word for a null
  return {experiment["name"] + "/" + (isUnnamed ? meta["run_id"] : name), {}};
}

std::unique_ptr<RunSource> mlflowRun(const fs::path& folder) {
  return std::make_unique<MlflowRun>(folder);
}

Result<DatabaseRuns> runsInDatabase(const fs::path& file) {
  DatabaseRuns found;
  RETURN_IF_ERROR(readDatabase(file, [&](SQLite::Database& database) -> Result<void> {
    const auto kind = kindOf(database);
    if (!kind) return noDatabase(file);
    found.kind = *kind;
    SQLite::Statement runs(database, statementsOf(found.kind).runs);
    while (runs.executeStep() && found.runs.size() < kMostRuns) {
      std::string id, name;
      readRow(runs, id, name);
      name.resize(std::min(name.size(), kMaxRunNameBytes));
      if (*kind == RunSourceKind::Trackio) name = file.stem().native() + "/" + name;
      if (id.size() < 100 && id.find_first_of("./") == std::string::npos && !id.empty())
        found.runs.emplace_back(std::move(id), RunTitle{std::move(name), {}});
    }
    return {};
  }));
  return found;
}

bool holdsRuns(const fs::path& file) {
  const auto look = [&file](SQLite::Database& database) -> Result<void> {
    return kindOf(database) ? Result<void>() : noDatabase(file);
  };
  return readDatabase(file, look, /*waits=*/false).ok();
}

bool isDatabaseFile(const fs::path& file) {
  const auto header = readDatabaseHeader(file);
  return header.ok() && header->isDatabase;
}

std::unique_ptr<RunSource> databaseRun(RunSourceKind kind, const fs::path& file, const std::string& id) {
  return std::make_unique<DatabaseRun>(kind, file, id);
}

std::int64_t databaseState(const fs::path& file) {
  const FileState base = fileState(file), log = fileState(walOf(file));
  const std::int64_t changedMs = std::max(base.changedMs, log.changedMs);
  return SystemClock().wallMs() - changedMs > kSettledMs ? changedMs * 31 + base.bytes + log.bytes * 7 : 0;
}

}  // namespace batchwise
