// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_reader.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/return_if_error.h"
#include "core/config/config_file.h"
#include "core/run/launch/current_values.h"
#include "ui/models/display_text.h"
#include "ui/presenters/plan_preview.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxPoints = 24'000'000;  // over all series of a run, about 220 MB
constexpr std::int64_t kMaxSuperseded = 1'000'000;
constexpr std::int64_t kBuckets = 50'000;

/// Reads every point while `room` lasts and decreases it; else buckets. x: global batches, or optimizer steps.
Result<LongSeries> readSeries(const Workspace& workspace, const RunSummary& run, const std::string& name,
                              std::int64_t& room) {
  const std::int64_t last = RunSeries::isStepSeries(name) ? run.at.step : run.at.batch;
  if (last <= room) {
    ASSIGN_OR_RETURN(const auto points, workspace.series(run.id, name));
    room -= static_cast<std::int64_t>(points.size());
    return toLongSeries(points);
  }
  ASSIGN_OR_RETURN(const auto buckets, workspace.seriesBuckets(run.id, name, 0, last, kBuckets));
  return toLongSeries(buckets);
}

/// Reads superseded rows, for runs short enough to be shown row by row.
Result<void> readSuperseded(const Workspace& workspace, RunView& view, const std::string& name) {
  const RunSummary& run = view.detail.summary;
  if (view.detail.segments.size() < 2 || run.at.batch > kMaxSuperseded || !RunSeries::hasSuperseded(name)) return {};
  ASSIGN_OR_RETURN(const auto points, workspace.series(run.id, name, Workspace::Rows::WithSuperseded));
  view.series.setSuperseded(name, supersededRanges(points));
  return {};
}

using ValueSetter = std::function<void(MetricsRow&, double)>;

DeviceMemory& deviceOf(MetricsRow& row, const std::string& name) {
  for (DeviceMemory& device : row.devices)
    if (device.name == name) return device;
  row.devices.emplace_back().name = name;
  return row.devices.back();
}

/// Returns the setter of a series in MetricsRow; null if no alert uses the series.
ValueSetter valueSetter(const std::string& series) {
  if (series == "loss") return [](MetricsRow& row, double value) { row.loss = value; };
  if (series == "grad_norm") return [](MetricsRow& row, double value) { row.gradNorm = value; };
  if (series == "tokens_per_sec") return [](MetricsRow& row, double value) { row.tokensPerSec = value; };
  const auto last = series.rfind('.');
  constexpr std::string_view kMemory = "memory.";
  if (!series.starts_with(kMemory) || last == std::string::npos) return {};
  const std::string device = series.substr(kMemory.size(), last - kMemory.size()), kind = series.substr(last);
  const auto put = [&device](std::int64_t DeviceMemory::*member) -> ValueSetter {
    return [device, member](MetricsRow& row, double value) {
      deviceOf(row, device).*member = static_cast<std::int64_t>(value);
    };
  };
  if (kind == ".peak") return put(&DeviceMemory::peak);
  return kind == ".total" ? put(&DeviceMemory::total) : ValueSetter();
}

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Adds the planned curves; none if the plan cannot be restored.
void addPlan(RunView& view) {
  const LoadedConfig config = parseConfig(view.detail.resolvedYaml, view.detail.summary.name, {});
  if (!config.ok() || view.detail.summary.plannedBatches <= 0) return;
  const auto plan = restorePlan(config.config, currentResolvedValues(view.detail));
  if (plan.ok()) samplePlan(*plan, view.detail.summary.plannedBatches, view.plannedRate, view.plannedStep);
}

}  // namespace

Result<StoredRun> readRun(const Workspace& workspace, const std::string& run,
                          const std::vector<std::string>& extraSeries) {
  StoredRun stored;
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  stored.view.id = toQt(detail.summary.id);
  stored.view.detail = std::move(detail);
  stored.view.cost = trainingCostOf(stored.view.detail);
  stored.view.series.setExtra(extraSeries);
  if (!stored.view.detail.segments.empty()) stored.view.series.setStart(stored.view.detail.segments.front().from);
  addPlan(stored.view);
  ASSIGN_OR_RETURN(auto names, workspace.seriesNames(run));
  std::int64_t room = kMaxPoints;
  for (const std::string& name : names) {
    if (!RunSeries::isStandard(name)) stored.view.availableExtras.insert(name);
    if (!RunSeries::isStandard(name) && !isAmong(extraSeries, name)) continue;
    ASSIGN_OR_RETURN(auto points, readSeries(workspace, stored.view.detail.summary, name, room));
    stored.view.series.set(name, std::move(points));
    RETURN_IF_ERROR(readSuperseded(workspace, stored.view, name));
  }
  for (const std::string& name : extraSeries)
    if (RunSeries::isStepSeries(name))
      stored.view.series.mapStepsToBatches(name, trailingStepsOf(stored.view.detail.summary.status));
  ASSIGN_OR_RETURN(auto events, workspace.events(run));
  stored.events = std::move(events);
  for (const StoredEvent& event : stored.events)
    if (!event.superseded) addMarkers(stored.view, event.event);
  return stored;
}

Result<RunTail> readTail(const Workspace& workspace, const std::string& run, const TailStart& after,
                         const std::vector<std::string>& extraSeries) {
  RunTail tail;
  ASSIGN_OR_RETURN(auto detail, workspace.findRun(run));
  tail.summary = detail.summary;
  ASSIGN_OR_RETURN(auto names, workspace.seriesNames(run));
  for (const std::string& name : names) {
    if (!RunSeries::isStandard(name)) tail.availableExtras.insert(name);
    if (!RunSeries::isStandard(name) && !isAmong(extraSeries, name)) continue;
    ASSIGN_OR_RETURN(auto points,
                     workspace.seriesAfter(run, name, RunSeries::isStepSeries(name) ? after.step : after.batch));
    tail.points[name] = toLongSeries(points);
  }
  ASSIGN_OR_RETURN(auto events, workspace.events(run, after.event));
  tail.events = std::move(events);
  return tail;
}

Result<std::vector<MetricsRow>> readRows(const Workspace& workspace, const std::string& run, std::int64_t batch) {
  ASSIGN_OR_RETURN(auto names, workspace.seriesNames(run));
  std::map<std::int64_t, MetricsRow> rows;
  for (const std::string& name : names) {
    const auto put = valueSetter(name);
    if (!put) continue;
    ASSIGN_OR_RETURN(const auto points, workspace.seriesAfter(run, name, batch));
    for (const SeriesPoint& point : points) {
      MetricsRow& row = rows[point.batch];
      row.at.batch = point.batch;
      put(row, point.value);
    }
  }
  std::vector<MetricsRow> out;
  for (auto& [at, row] : rows) out.push_back(std::move(row));
  return out;
}

}  // namespace batchwise
