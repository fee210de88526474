// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/store/integrity.h"
#include "core/store/metrics/metric_store.h"
#include "core/store/workspace_state.h"

namespace batchwise {
namespace {

/// Fails with NotFound if the run has no such series, suggesting the nearest name.
Result<SeriesKey> findSeries(SQLite::Database& database, const std::string& run, const std::string& name) {
  ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
  std::vector<std::string> names;
  for (const auto& [known, key] : readSeriesKeys(database, number)) {
    if (known == name) return key;
    names.push_back(known);
  }
  return Error::notFound(formatText("run '{}' has no series '{}'{}", run, name, nearestNameText(name, names)));
}

/// Returns an empty list if the run exists: a run that has not reported anything yet has no series.
template <typename Value>
Result<std::vector<Value>> emptyIfUnknown(const Error& error, const std::string& run, SQLite::Database& database) {
  if (error.code == ErrorCode::NotFound && runNumber(database, run).ok()) return std::vector<Value>{};
  return error;
}

/// Adds the name of the series to a Corrupt error.
template <typename Value>
Result<Value> withSeriesName(const std::string& name, Result<Value> read) {
  if (read.ok() || read.error().code != ErrorCode::Corrupt) return read;
  return read.error().within(formatText("series '{}'", name));
}

/// Returns the points from global batch `from` on.
Result<std::vector<SeriesPoint>> seriesPoints(Workspace::State& state, const std::string& run, const std::string& name,
                                              Workspace::Rows rows, std::int64_t from) {
  return withSeriesName(name, state.read([&](SQLite::Database& database) -> Result<std::vector<SeriesPoint>> {
    const auto key = findSeries(database, run, name);
    if (!key.ok()) return emptyIfUnknown<SeriesPoint>(key.error(), run, database);
    const auto ranges =
        rows == Workspace::Rows::Current ? currentRanges(database, key->run, key->kind) : allRanges(database, key->run);
    std::vector<SeriesPoint> points;
    for (SegmentRange range : ranges) {
      range.from = std::max(range.from, from);
      RETURN_IF_ERROR(readPoints(database, *key, range, points));
    }
    return points;
  }));
}

}  // namespace

Result<std::vector<std::string>> Workspace::seriesNames(const std::string& run) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<std::string>> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    checkPart(database, RunPart::Series, number);
    return queryTexts(database, "SELECT name FROM series WHERE run=? ORDER BY id", number);
  });
}

Result<std::vector<SeriesPoint>> Workspace::series(const std::string& run, const std::string& name, Rows rows) const {
  return seriesPoints(*state_, run, name, rows, std::numeric_limits<std::int64_t>::min());
}

Result<std::vector<SeriesPoint>> Workspace::seriesAfter(const std::string& run, const std::string& name,
                                                        std::int64_t afterBatch) const {
  return seriesPoints(*state_, run, name, Rows::Current, afterBatch + 1);
}

Result<std::vector<SeriesBucket>> Workspace::seriesBuckets(const std::string& run, const std::string& name,
                                                           std::int64_t fromBatch, std::int64_t toBatch,
                                                           std::int64_t buckets) const {
  if (buckets < 1)
    return Error::config(formatText("a chart of {} buckets was requested; at least 1 is needed", buckets));
  if (fromBatch > toBatch) return std::vector<SeriesBucket>{};
  const std::int64_t width = (toBatch - fromBatch) / buckets + 1;
  return withSeriesName(name, state_->read([&](SQLite::Database& database) -> Result<std::vector<SeriesBucket>> {
    const auto key = findSeries(database, run, name);
    if (!key.ok()) return emptyIfUnknown<SeriesBucket>(key.error(), run, database);
    std::vector<SeriesPoint> points;
    for (SegmentRange range : currentRanges(database, key->run, key->kind)) {
      range.from = std::max(range.from, fromBatch);
      range.to = std::min(range.to, toBatch);
      RETURN_IF_ERROR(readPoints(database, *key, range, points));
    }
    std::vector<SeriesBucket> filled;
    std::int64_t bucket = -1;
    for (const SeriesPoint& point : points) {
      if (const std::int64_t own = (point.batch - fromBatch) / width; filled.empty() || own != bucket) {
        filled.emplace_back();
        bucket = own;
      }
      addPoint(filled.back(), point);
    }
    return filled;
  }));
}

Result<std::vector<StoredEvent>> Workspace::events(const std::string& run, std::int64_t afterId) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<StoredEvent>> {
    ASSIGN_OR_RETURN(const auto number, runNumber(database, run));
    std::map<std::int64_t, std::int64_t> lastStepOf;
    for (const SegmentRange& range : currentRanges(database, number, RowKind::Step))
      lastStepOf[range.segment] = range.to;
    SQLite::Statement query =
        prepare(database, "SELECT id, segment, wall_ms, step, json FROM event WHERE run=? AND id>? ORDER BY id", number,
                afterId);
    std::vector<StoredEvent> events;
    while (query.executeStep()) {
      const std::int64_t id = query.getColumn(0).getInt64(), segment = query.getColumn(1).getInt64();
      const std::int64_t wallMs = query.getColumn(2).getInt64();
      std::optional<std::int64_t> step;
      if (!query.getColumn(3).isNull()) step = query.getColumn(3).getInt64();
      auto event = eventFromLine(query.getColumn(4).getString());
      if (!event.ok()) return event.error().within(formatText("event {}", id));
      events.push_back({id, segment, wallMs, std::move(*event), step > lastStepOf[segment]});
    }
    return events;
  });
}

Result<std::int64_t> Workspace::newestEvent() const {
  return state_->read([](SQLite::Database& database) -> Result<std::int64_t> {
    SQLite::Statement query(database, "SELECT ifnull(max(id), 0) FROM event");
    query.executeStep();
    return query.getColumn(0).getInt64();
  });
}

Result<std::vector<EventOfRun>> Workspace::eventsOfAllRuns(std::int64_t afterId) const {
  return state_->read([&](SQLite::Database& database) -> Result<std::vector<EventOfRun>> {
    SQLite::Statement query = prepare(database,
                                      "SELECT event.id, run.id, run.name, wall_ms, json FROM event JOIN run ON "
                                      "run.number = event.run WHERE event.id > ? ORDER BY event.id",
                                      afterId);
    std::vector<EventOfRun> events;
    while (query.executeStep())
      if (auto event = eventFromJson(parseJsonOrDiscarded(query.getColumn(4).getString())); event.ok())
        events.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(), query.getColumn(2).getString(),
                          query.getColumn(3).getInt64(), std::move(*event)});
    return events;
  });
}

Result<std::vector<std::string>> Workspace::check() const {
  std::vector<std::string> problems;
  // Records damage of one part as a problem and continues with the other parts.
  const auto look = [&](auto&& part) -> Result<void> {
    auto done = state_->read(part);
    if (done.ok() || done.error().code != ErrorCode::Corrupt) return done;
    problems.push_back(done.error().message);
    return {};
  };
  auto done = look([&](SQLite::Database& database) { checkStructure(database, problems); });
  if (done.ok()) done = look([&](SQLite::Database& database) { checkMetrics(database, problems); });
  if (done.ok())
    done = look([&](SQLite::Database& database) { checkCheckpointFiles(database, state_->folder, problems); });
  if (!done.ok()) return done.error();
  return problems;
}

}  // namespace batchwise
