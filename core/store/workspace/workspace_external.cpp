// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/store/external_run.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

constexpr const char* kAliasesKey = "series.aliases";

std::vector<SeriesAlias> aliasesIn(SQLite::Database& database) {
  const auto stored = queryText(database, "SELECT value FROM setting WHERE key=?", kAliasesKey);
  const nlohmann::json list = stored ? parseJsonOrDiscarded(*stored) : nlohmann::json();
  if (!list.is_array()) return standardSeriesAliases();
  std::vector<SeriesAlias> aliases;
  for (const nlohmann::json& pair : list)
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      aliases.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
  return aliases;
}

const std::string kFindRun = "SELECT number, id FROM run WHERE ";

struct KnownSeries {
  std::int64_t id = 0;
  std::string name;
};

/// Returns the series of a run by the names that were logged.
std::map<std::string, KnownSeries> loggedSeriesOf(SQLite::Database& database, std::int64_t run) {
  checkPart(database, RunPart::Series, run);
  SQLite::Statement query = prepare(database, "SELECT logged, id, name FROM series WHERE run=?", run);
  std::map<std::string, KnownSeries> known;
  while (query.executeStep())
    known[query.getColumn(0).getString()] = {query.getColumn(1).getInt64(), query.getColumn(2).getString()};
  return known;
}

/// Makes readers that follow the run read it anew.
void noteRewrite(SQLite::Database& database, std::int64_t run) {
  changePart(database, RunPart::Segments, run, [&] {
    const nlohmann::json before = parseJsonOrDiscarded(
        queryText(database, "SELECT environment FROM segment WHERE run=? AND number=0", run).value_or("{}"));
    const std::int64_t count = before.is_object() ? before.value("rewrites", std::int64_t{0}) : 0;
    execute(database, "UPDATE segment SET environment=? WHERE run=? AND number=0",
            jsonText(nlohmann::json{{"rewrites", count + 1}}), run);
  });
}

/// Returns the points of a clock that do not fall, and are finite, after the last of those before them in the store.
Result<std::vector<SeriesPoint>> risingPoints(SQLite::Database& database, const SeriesKey& key,
                                              std::span<const SeriesPoint> points, PointsRemoved removed) {
  std::vector<SeriesPoint> rising;
  double last = std::numeric_limits<double>::lowest();
  if (SeriesBlocks blocks(database, key, 0); blocks.count() > 0 && !removed.earlier) {
    const std::int64_t from = points.front().batch;
    ASSIGN_OR_RETURN(const auto number, blocks.lastBlockFrom(from - 1));
    ASSIGN_OR_RETURN(const auto before, blocks.block(number));
    for (const SeriesPoint& point : before)
      if (point.batch < from) last = point.value;
  }
  for (const SeriesPoint& point : points) {
    if (!std::isfinite(point.value) || point.value < last) continue;
    rising.push_back(point);
    last = point.value;
  }
  return rising;
}

/// Stores one run in the transaction of the caller.
class ExternalRunWriter {
 public:
  ExternalRunWriter(SQLite::Database& database, const ExternalRun& run, std::int64_t nowMs)
      : database_(database), run_(run), nowMs_(nowMs) {}

  Result<StoredExternalRun> store(const std::vector<SeriesAlias>& aliases) {
    if (!findOrInsert()) return StoredExternalRun{};
    storeStart();
    storeConfig();
    RETURN_IF_ERROR(storeSeries(aliases));
    storeFigures();
    const std::int64_t endedMs = run_.writtenMs > 0 ? run_.writtenMs : nowMs_;
    const bool isRead = run_.status != RunStatus::Created;
    if (isRead || stored_.isNew)
      execute(database_, "UPDATE run SET status=?, reason=?, ended_ms=? WHERE number=?",
              isRead ? run_.status : RunStatus::Running, run_.reason, endedMs, number_);
    else
      execute(database_, "UPDATE run SET ended_ms=? WHERE number=? AND status='running'", endedMs, number_);
    return stored_;
  }

 private:
  /// Returns false if the run was deleted.
  bool findOrInsert() {
    const std::string deleted = deletedRunKey(run_.source, run_.path);
    const bool isUnwanted =
        !run_.bringsBack && queryText(database_, "SELECT value FROM setting WHERE key=?", deleted).has_value();
    if (run_.id.empty() ? findNewest() : takeRow(prepare(database_, kFindRun + "id=?", run_.id))) {
      if (!startsAfterItsEnd() || (findNewest() && !startsAfterItsEnd())) return true;
      if (isUnwanted) return false;
      stored_.note = "holds another run than before, which is entered as a new one";
    } else if (!run_.id.empty() || isUnwanted) {
      return false;
    }
    execute(database_, "DELETE FROM setting WHERE key=?", deleted);
    NewRun added;
    added.name = run_.name;
    added.tags = run_.tags;
    added.source = run_.source;
    added.sourcePath = run_.path;
    stored_.id = newRecordId();
    stored_.isNew = true;
    const std::int64_t startedMs = run_.startedMs > 0 ? run_.startedMs : run_.writtenMs > 0 ? run_.writtenMs : nowMs_;
    insertRun(database_, added, stored_.id, startedMs);
    number_ = queryInteger(database_, "SELECT number FROM run WHERE id=?", stored_.id).value_or(0);
    RunSegment segment;
    segment.startedMs = startedMs;
    segment.environment = "{}";
    insertSegment(database_, number_, segment);
    return true;
  }

  bool takeRow(SQLite::Statement query) {
    if (!query.executeStep()) return false;
    readRow(query, number_, stored_.id);
    return true;
  }
  bool findNewest() {
    return takeRow(prepare(database_, kFindRun + "source_path=? AND source=? AND source<>'' ORDER BY number DESC",
                           run_.path, run_.source));
  }

  /// Returns whether the first point of what is read is later than the last of the run: its path was used again.
  bool startsAfterItsEnd() {
    if (run_.startedMs <= 0 || !hasRow(database_, "SELECT 1 FROM series WHERE run=? AND name='wall'", number_))
      return false;
    const auto at = timestampFromText(queryText(database_, "SELECT at FROM run WHERE number=?", number_).value_or(""));
    const auto startedMs = queryInteger(database_, "SELECT started_ms FROM segment WHERE run=? AND number=0", number_);
    return at.ok() && startedMs && run_.startedMs > *startedMs + std::llround(at->seconds * 1000) + 1;
  }

  /// A run is entered before its first point is read.
  void storeStart() {
    if (run_.startedMs <= 0 ||
        queryInteger(database_, "SELECT started_ms FROM segment WHERE run=? AND number=0", number_) == run_.startedMs)
      return;
    changePart(database_, RunPart::Segments, number_, [&] {
      execute(database_, "UPDATE segment SET started_ms=? WHERE run=? AND number=0", run_.startedMs, number_);
    });
    execute(database_, "UPDATE run SET created_ms=? WHERE number=?", run_.startedMs, number_);
  }

  void storeConfig() {
    if (run_.config.empty()) return;
    changePart(database_, RunPart::Launch, number_, [&] {
      for (const auto& [name, value] : run_.config)
        execute(database_,
                "INSERT INTO run_value(run, name, value) VALUES(?,?,?) ON CONFLICT(run, name) DO UPDATE SET "
                "value=excluded.value",
                number_, name, value);
    });
  }

  Result<void> storeSeries(const std::vector<SeriesAlias>& aliases) {
    auto known = loggedSeriesOf(database_, number_);
    addNames(known, aliases);
    bool rewritten = false;
    // Where others were taken back, the clocks end there too, and all series of a file that was written anew.
    for (const auto& [clocks, again] : {std::pair(false, false), std::pair(false, true), std::pair(true, true)}) {
      if (again && !clocks && !(run_.isWhole && rewritten)) continue;
      const PointsRemoved removed{.earlier = run_.isWhole, .later = again && rewritten};
      for (const LoggedSeries& series : run_.series) {
        const auto found = known.find(series.name);
        if (found == known.end() || series.points.empty() || isClockSeries(found->second.name) != clocks) continue;
        const auto& [id, name] = found->second;
        const SeriesKey key{number_, id, kindOfSeries(name)};
        std::vector<SeriesPoint> rising;
        if (clocks) {
          ASSIGN_OR_RETURN(rising, risingPoints(database_, key, series.points, removed));
        }
        const auto& points = clocks ? rising : series.points;
        const auto done = replacePoints(database_, key, points, removed);
        if (!done.ok()) return done.error().within(formatText("series '{}'", name));
        if (!clocks) stored_.points += done->added;
        rewritten = rewritten || done->rewritten;
        if (run_.isWhole && done->anew && !clocks)
          stored_.note = "was written anew: its points replace those from before";
        if (done->added > 0 || done->rewritten) newest_[name] = points.back();
      }
    }
    if (rewritten && run_.isWhole) removeOthers(known);
    if (rewritten) noteRewrite(database_, number_);
    return {};
  }

  /// Removes the series that are not among those read.
  void removeOthers(const std::map<std::string, KnownSeries>& known) {
    changePart(database_, RunPart::Series, number_, [&] {
      for (const auto& [logged, series] : known) {
        if (std::ranges::find(run_.series, logged, &LoggedSeries::name) != run_.series.end()) continue;
        removePoints(database_, {number_, series.id, kindOfSeries(series.name)});
        execute(database_, "DELETE FROM series WHERE id=?", series.id);
      }
    });
  }

  /// Adds series that the run does not have yet.
  void addNames(std::map<std::string, KnownSeries>& known, const std::vector<SeriesAlias>& aliases) {
    std::vector<std::string> all, added;
    for (const LoggedSeries& series : run_.series) {
      if (series.points.empty()) continue;
      all.push_back(series.name);
      if (!known.contains(series.name)) added.push_back(series.name);
    }
    if (added.empty()) return;
    std::map<std::string, bool> taken;
    for (const auto& [logged, series] : known) taken[series.name] = true;
    const auto names = namesOfLogged(all, aliases);
    changePart(database_, RunPart::Series, number_, [&] {
      for (const std::string& logged : added) {
        const auto found = names.find(logged);
        if (found == names.end()) continue;
        std::string name = found->second;
        if (taken[name]) name = logged;  // what came first keeps the name
        if (taken[name]) name = "logged/" + logged;
        if (std::exchange(taken[name], true)) continue;
        execute(database_, "INSERT INTO series(run, name, logged) VALUES(?,?,?)", number_, name, logged);
        known[logged] = {database_.getLastInsertRowid(), name};
      }
    });
  }

  void storeFigures() {
    if (newest_.empty()) return;
    changePart(database_, RunPart::Figures, number_, [&] {
      auto at = timestampFromText(queryText(database_, "SELECT at FROM run WHERE number=?", number_).value_or("{}"));
      Timestamp clocks = at.ok() ? *at : Timestamp();
      if (const auto steps = newest_.find("steps"); steps != newest_.end())
        clocks.batch = clocks.step = steps->second.batch;
      const auto clock = [&](const char* name) -> std::optional<double> {
        const auto found = newest_.find(name);
        if (found == newest_.end() || !std::isfinite(found->second.value)) return std::nullopt;
        return std::clamp(found->second.value, 0.0, 1e18);
      };
      if (const auto value = clock("ep")) clocks.epoch = static_cast<std::int64_t>(*value);
      if (const auto value = clock("sp")) clocks.sample = static_cast<std::int64_t>(*value);
      if (const auto value = clock("tok")) clocks.token = static_cast<std::int64_t>(*value);
      if (const auto value = clock("sec")) clocks.seconds = *value;
      execute(database_, "UPDATE run SET at=? WHERE number=?", timestampText(clocks), number_);
      for (const auto& [series, column] : std::map<std::string, std::string>{{"loss", "loss"},
                                                                             {"eval.loss", "eval_loss"},
                                                                             {"lr", "learning_rate"},
                                                                             {"samples_per_sec", "samples_per_sec"},
                                                                             {"tokens_per_sec", "tokens_per_sec"}})
        if (const auto found = newest_.find(series); found != newest_.end())
          execute(database_, "UPDATE run SET " + column + "=? WHERE number=?", found->second.value, number_);
    });
  }

  SQLite::Database& database_;
  const ExternalRun& run_;
  const std::int64_t nowMs_;
  std::int64_t number_ = 0;
  StoredExternalRun stored_;
  std::map<std::string, SeriesPoint> newest_;  // of the series that have new points
};

/// Gives the series of a run the names that the table says, except that of a clock to one that falls.
Result<void> renameSeries(SQLite::Database& database, std::int64_t run, const std::vector<SeriesAlias>& aliases) {
  const auto known = loggedSeriesOf(database, run);
  std::vector<std::string> logged;
  for (const auto& [name, series] : known) logged.push_back(name);
  const auto names = namesOfLogged(logged, aliases);
  std::vector<std::pair<KnownSeries, std::string>> renamed;
  for (const auto& [name, series] : known) {
    const auto found = names.find(name);
    if (found == names.end() || found->second == series.name) continue;
    if (isClockSeries(found->second)) {
      const SeriesKey key{run, series.id, kindOfSeries(series.name)};
      std::vector<SeriesPoint> points;
      RETURN_IF_ERROR(SeriesBlocks(database, key, 0).read(kFirstPosition, kLastPosition, points));
      const auto falls = [](const SeriesPoint& one, const SeriesPoint& next) { return !(one.value <= next.value); };
      if (std::ranges::adjacent_find(points, falls) != points.end() || !std::isfinite(points.back().value)) continue;
    }
    renamed.emplace_back(series, found->second);
  }
  if (renamed.empty()) return {};
  changePart(database, RunPart::Series, run, [&] {
    for (const auto& [series, name] : renamed)  // out of the way: two may exchange their names
      execute(database, "UPDATE series SET name=? WHERE id=?", "\n" + std::to_string(series.id), series.id);
    for (const auto& [series, name] : renamed)
      execute(database, "UPDATE series SET name=? WHERE id=?", name, series.id);
  });
  for (const auto& [series, name] : renamed)
    moveBlocks(database, {run, series.id, kindOfSeries(series.name)}, kindOfSeries(name));
  noteRewrite(database, run);
  return {};
}

}  // namespace

Result<std::vector<StoredExternalRun>> Workspace::storeExternalRuns(std::span<const ExternalRun> runs) {
  std::vector<StoredExternalRun> stored;
  RETURN_IF_ERROR(state_->write([&](SQLite::Database& database) -> Result<void> {
    stored.clear();
    const auto aliases = aliasesIn(database);
    for (const ExternalRun& run : runs) {
      auto one = ExternalRunWriter(database, run, state_->clock.wallMs()).store(aliases);
      if (!one.ok()) return one.error().within(runContextText(run.name));
      stored.push_back(std::move(*one));
    }
    return {};
  }));
  return stored;
}

Result<std::map<std::string, std::string>> Workspace::loggedNames(const std::string& run) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::map<std::string, std::string>> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    std::map<std::string, std::string> names;
    for (const auto& [logged, series] : loggedSeriesOf(database, number))
      if (!logged.empty()) names[series.name] = logged;
    return names;
  });
}

Result<std::vector<SeriesAlias>> Workspace::seriesAliases() const {
  return state_->read([](SQLite::Database& database) { return aliasesIn(database); });
}

Result<void> Workspace::setSeriesAliases(const std::vector<SeriesAlias>& aliases) {
  nlohmann::json list = nlohmann::json::array();
  for (const SeriesAlias& alias : aliases) list.push_back({alias.logged, alias.name});
  return state_->write([&](SQLite::Database& database) -> Result<void> {
    putSetting(database, kAliasesKey, jsonText(list));
    SQLite::Statement runs(database, "SELECT number FROM run WHERE source <> ''");
    std::vector<std::int64_t> numbers;
    while (runs.executeStep()) numbers.push_back(runs.getColumn(0).getInt64());
    for (const std::int64_t run : numbers) RETURN_IF_ERROR(renameSeries(database, run, aliases));
    return {};
  });
}

}  // namespace batchwise
