// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_reader.h"

#include "core/config/config_file.h"
#include "ui/models/words.h"
#include "ui/presenters/plan_preview.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMostPoints = 24'000'000;  // over all series of a run, some 220 MB
constexpr std::int64_t kMostSuperseded = 1'000'000;
constexpr std::int64_t kBuckets = 50'000;
constexpr int kPlanPoints = 400;

/// Point by point as long as `room` lasts, which it takes from.
Result<LongSeries> readSeries(const Workspace& workspace, const RunSummary& run, const std::string& name,
                              std::int64_t& room) {
  if (run.at.batch <= room) {
    const auto points = workspace.series(run.id, name);
    if (!points.ok()) return points.error();
    room -= static_cast<std::int64_t>(points->size());
    return toLongSeries(*points);
  }
  const auto buckets = workspace.seriesBuckets(run.id, name, 0, run.at.batch, kBuckets);
  if (!buckets.ok()) return buckets.error();
  return toLongSeries(*buckets);
}

/// What resumes took up again, of runs that are short enough to be shown row by row.
Result<void> readSuperseded(const Workspace& workspace, RunView& view, const std::string& name) {
  const RunSummary& run = view.detail.summary;
  if (view.detail.segments.size() < 2 || run.at.batch > kMostSuperseded || !RunSeries::hasSuperseded(name)) return {};
  const auto points = workspace.series(run.id, name, Workspace::Rows::WithSuperseded);
  if (!points.ok()) return points.error();
  view.series.setSuperseded(name, supersededStretches(*points));
  return {};
}

/// The dotted lines behind the real ones; none if the plan cannot be made again.
void addPlan(RunView& view) {
  const LoadedConfig config = parseConfig(view.detail.resolvedYaml, view.detail.summary.name, {});
  if (!config.ok() || view.detail.summary.plannedBatches <= 0) return;
  const auto plan = restorePlan(config.config, view.detail.resolvedValues);
  if (plan.ok()) samplePlan(*plan, view.detail.summary.plannedBatches, kPlanPoints, view.plannedRate, view.plannedStep);
}

}  // namespace

Result<StoredRun> readRun(const Workspace& workspace, const std::string& run) {
  StoredRun stored;
  auto detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  stored.view.id = toQt(detail->summary.id);
  stored.view.detail = std::move(*detail);
  addPlan(stored.view);
  auto names = workspace.seriesNames(run);
  if (!names.ok()) return names.error();
  std::int64_t room = kMostPoints;
  for (const std::string& name : *names) {
    if (!RunSeries::wanted(name)) continue;
    auto points = readSeries(workspace, stored.view.detail.summary, name, room);
    if (!points.ok()) return points.error();
    stored.view.series.set(name, std::move(*points));
    if (const auto done = readSuperseded(workspace, stored.view, name); !done.ok()) return done.error();
  }
  auto events = workspace.events(run);
  if (!events.ok()) return events.error();
  stored.events = std::move(*events);
  for (const StoredEvent& event : stored.events)
    if (!event.superseded) addMarks(stored.view, event.event);
  return stored;
}

Result<RunTail> readTail(const Workspace& workspace, const std::string& run, std::int64_t afterBatch,
                         std::int64_t afterEvent) {
  RunTail tail;
  auto detail = workspace.findRun(run);
  if (!detail.ok()) return detail.error();
  tail.summary = detail->summary;
  auto names = workspace.seriesNames(run);
  if (!names.ok()) return names.error();
  for (const std::string& name : *names) {
    if (!RunSeries::wanted(name)) continue;
    auto points = workspace.seriesAfter(run, name, afterBatch);
    if (!points.ok()) return points.error();
    tail.points[name] = toLongSeries(*points);
  }
  auto events = workspace.events(run, afterEvent);
  if (!events.ok()) return events.error();
  tail.events = std::move(*events);
  return tail;
}

}  // namespace batchwise
