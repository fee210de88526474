// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_reader.h"

#include <QtCore/QElapsedTimer>
#include <algorithm>

#include "core/config/config_file.h"
#include "core/store/metrics/metric_codec.h"
#include "ui/edit/plan_preview.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxPoints = 24'000'000;  // over all series of a run, about 220 MB
constexpr std::int64_t kMaxSuperseded = 1'000'000;
constexpr std::int64_t kBuckets = 50'000;
constexpr int kIntervalMs = 100;
constexpr int kFurtherReads = 2;  // an event is stored at most two ticks of WriterThread, 0.2 s, after it is reported
constexpr int kIdlePerRead = 3;   // reading a run of many series uses at most a quarter of a core

/// Adds the planned curves; none if the plan cannot be restored.
void addPlan(RunView& view) {
  const LoadedConfig config = parseConfig(view.detail.resolvedYaml, view.detail.summary.name, {});
  if (!config.ok() || view.detail.summary.plannedBatches <= 0) return;
  const auto plan = restorePlan(config.config, currentResolvedValues(view.detail));
  if (plan.ok()) samplePlan(*plan, view.detail.summary.plannedBatches, view.plannedRate, view.plannedStep);
}

RunView viewOf(const RunUpdate& update) {
  RunView view;
  view.id = toQt(update.detail.summary.id);
  view.detail = update.detail;
  view.cost = trainingCostOf(view.detail);
  view.availableExtras = update.extraSeries;
  view.thinned = update.thinned;
  if (!view.detail.segments.empty()) view.series.setStart(view.detail.segments.front().from);
  view.series.extend(update.points);
  for (const StoredEvent& event : update.events)
    if (!event.superseded) addMarkers(view, event.event);
  addPlan(view);
  return view;
}

}  // namespace

/// What has been read so far.
struct RunReader::Position {
  std::shared_ptr<const Workspace> workspace;
  std::string run;
  std::vector<std::string> extraSeries;
  std::optional<std::int64_t> version;       // of the store; none: nothing is read yet
  std::string segments;                      // segmentsKey(): when it changes, rows are superseded
  std::map<std::string, std::int64_t> last;  // global batch, or step, of the last point of each series
  std::int64_t lastEvent = 0;
  std::int64_t room = kMaxPoints;
  bool selectsAnew = false;  // read though the store has not changed

  Result<RunUpdate> read();
  void select(std::vector<std::string> chosen) {
    extraSeries = std::move(chosen);
    selectsAnew = true;
  }
  Result<RunUpdate> readNew();
  bool isCharted(const std::string& name) const;
  Result<LongSeries> readSeries(const std::string& name, RunUpdate& update);
  Result<void> readSuperseded(RunView& view);
};

Result<RunUpdate> RunReader::Position::read() {
  ASSIGN_OR_RETURN(const auto now, workspace->dataVersion());  // before reading: later commits are read the next time
  if (version == now && !selectsAnew) return RunUpdate{};
  Position before = *this;
  auto update = readNew();
  if (update.ok())
    version = now, selectsAnew = false;
  else
    *this = std::move(before);  // what was read before the error is read again
  return update;
}

Result<RunUpdate> RunReader::Position::readNew() {
  RunUpdate update;
  update.changed = true;
  ASSIGN_OR_RETURN(update.detail, workspace->findRun(run));
  const bool whole = !version || segmentsKey(update.detail) != segments;
  if (whole) {
    segments = segmentsKey(update.detail);
    last.clear();
    lastEvent = 0;
    room = kMaxPoints;
  }
  ASSIGN_OR_RETURN(const auto names, workspace->seriesNames(run));
  for (const std::string& name : names) {
    if (!RunSeries::isStandard(name)) update.extraSeries.insert(name);
    const bool isAxis = name == "ep" && isExternal(update.detail.summary);
    if (!isCharted(name) && !isAxis) continue;
    ASSIGN_OR_RETURN(update.points[name], readSeries(name, update));
  }
  ASSIGN_OR_RETURN(update.events, workspace->events(run, lastEvent));
  if (!update.events.empty()) lastEvent = update.events.back().id;
  if (!whole) return update;
  update.view = viewOf(update);
  RETURN_IF_ERROR(readSuperseded(*update.view));
  return update;
}

bool RunReader::Position::isCharted(const std::string& name) const {
  return RunSeries::isStandard(name) || name == "mlm_probability" ||
         std::find(extraSeries.begin(), extraSeries.end(), name) != extraSeries.end();
}

Result<LongSeries> RunReader::Position::readSeries(const std::string& name, RunUpdate& update) {
  const RunSummary& summary = update.detail.summary;
  const bool first = !last.contains(name);
  const std::int64_t end = kindOfSeries(name) == RowKind::Step ? summary.at.step : summary.at.batch;
  if (first && end > room) {
    ASSIGN_OR_RETURN(const auto buckets, workspace->seriesBuckets(run, name, 0, end, kBuckets));
    if (!buckets.empty()) last[name] = buckets.back().lastBatch;
    update.thinned.insert(name);
    return toLongSeries(buckets);
  }
  ASSIGN_OR_RETURN(auto points, first ? workspace->series(run, name) : workspace->seriesAfter(run, name, last[name]));
  // Steps wait for the row of their global batch, and the rows of a global batch for all of its series.
  if (summary.status == RunStatus::Running && kindOfSeries(name) != RowKind::Eval)
    std::erase_if(points, [end](const SeriesPoint& point) { return point.batch > end; });
  if (!points.empty()) last[name] = points.back().batch;
  room -= static_cast<std::int64_t>(points.size());
  return toLongSeries(points);
}

/// For runs short enough to be shown row by row.
Result<void> RunReader::Position::readSuperseded(RunView& view) {
  if (view.detail.segments.size() < 2 || view.detail.summary.at.batch > kMaxSuperseded) return {};
  for (const auto& [name, position] : last) {
    if (!RunSeries::hasSuperseded(name)) continue;
    ASSIGN_OR_RETURN(const auto points, workspace->series(run, name, Workspace::Rows::WithSuperseded));
    view.series.setSuperseded(name, supersededRanges(points));
  }
  return {};
}

RunReader::RunReader(TaskQueue& tasks, std::shared_ptr<const Workspace> workspace, const QString& run,
                     std::vector<std::string> extraSeries, Arrived arrived)
    : tasks_(tasks), position_(std::make_shared<Position>()), arrived_(std::move(arrived)) {
  position_->workspace = std::move(workspace);
  position_->run = run.toStdString();
  position_->extraSeries = std::move(extraSeries);
  timer_.setSingleShot(true);
  timer_.setInterval(kIntervalMs);
  connect(&timer_, &QTimer::timeout, this, &RunReader::read);
}

void RunReader::wake() {
  readsLeft_ = kFurtherReads;
  if (!reading_ && !timer_.isActive()) timer_.start();
}

void RunReader::read() {
  if (reading_)
    again_ = true;
  else
    post();
}

void RunReader::select(std::vector<std::string> extraSeries) {
  extraSeries_ = std::move(extraSeries);
  read();
}

void RunReader::post() {
  reading_ = true;
  tasks_.post(
      this,
      [position = position_, selected = std::exchange(extraSeries_, {})] {
        QElapsedTimer timer;
        timer.start();
        if (selected) position->select(*selected);
        auto update = position->read();
        return std::pair(std::move(update), timer.elapsed());
      },
      [this](std::pair<Result<RunUpdate>, qint64> done) { finish(std::move(done.first), done.second); });
}

void RunReader::finish(Result<RunUpdate> update, qint64 tookMs) {
  reading_ = false;
  if (std::exchange(again_, false)) {
    post();
  } else if (readsLeft_ > 0) {
    --readsLeft_;
    timer_.start(std::max(kIntervalMs, static_cast<int>(tookMs) * kIdlePerRead));
  }
  const Arrived arrived = arrived_;  // may delete this
  arrived(std::move(update));
}

}  // namespace batchwise
