// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_export.h"

#include <algorithm>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/base/format.h"
#include "core/config/events/metric.h"
#include "core/store/metrics/metrics_csv.h"
#include "core/text/table_library.h"
#include "core/trackers/tensorboard_writer.h"

namespace batchwise {
namespace {

/// Returns the value of a clock at a position: the last one measured up to there.
double clockAtBatch(const std::vector<SeriesPoint>& clock, std::int64_t batch, double before) {
  const auto after = std::ranges::upper_bound(clock, batch, {}, &SeriesPoint::batch);
  return after == clock.begin() ? before : std::prev(after)->value;
}

double startedSec(const RunDetail& run) {
  return static_cast<double>(run.summary.createdMs) / 1000;
}

Result<std::vector<SeriesRows>> allRows(const Workspace& workspace, const RunDetail& run) {
  ASSIGN_OR_RETURN(const auto all, readSeries(workspace, run.summary.id, {}, Workspace::Rows::Current));
  const auto clock = [&all](std::string_view name) {
    const auto found = std::ranges::find(all, name, &NamedSeries::name);
    return found == all.end() ? std::vector<SeriesPoint>() : found->points;
  };
  const std::vector<SeriesPoint> wall = clock("wall"), steps = clock("steps");
  std::vector<SeriesPoint> wallOfSteps;  // by optimizer steps
  for (const SeriesPoint& point : wall)
    wallOfSteps.push_back({static_cast<std::int64_t>(clockAtBatch(steps, point.batch, 0)), point.value});
  std::vector<SeriesRows> rows;
  for (const auto& [name, points] : all) {
    const bool isOfSteps = name.starts_with(kStepPrefix);
    SeriesRows& series = rows.emplace_back(SeriesRows{name, {}, {}, {}});
    for (const SeriesPoint& point : points) {
      series.steps.push_back(isOfSteps
                                 ? point.batch
                                 : static_cast<std::int64_t>(clockAtBatch(
                                       steps, point.batch, steps.empty() ? static_cast<double>(point.batch) : 0)));
      series.wallSecs.push_back(clockAtBatch(isOfSteps ? wallOfSteps : wall, point.batch, startedSec(run)));
      series.values.push_back(point.value);
    }
  }
  return rows;
}

}  // namespace

Result<void> exportTensorBoard(const Workspace& workspace, const RunDetail& run, const std::filesystem::path& folder,
                               Replaces replaces) {
  ASSIGN_OR_RETURN(auto rows, allRows(workspace, run));
  ASSIGN_OR_RETURN(const auto settings, configValuesOf(run));
  ASSIGN_OR_RETURN(auto logged, workspace.loggedNames(run.summary.id));
  std::erase_if(rows, [&logged](const SeriesRows& series) {  // each event has its time; the others make clocks of it
    return series.name == "wall" || (!logged.empty() && (series.name == "steps" || series.name == "sec"));
  });
  const auto file = folder / formatText("events.out.tfevents.{}.{}", run.summary.createdMs / 1000, run.summary.id);
  RETURN_IF_ERROR(checkOutputFile(file, replaces));
  RETURN_IF_ERROR(makeFolders(folder));
  return writeOutput(file, replaces, [&](const FileSink& sink) {
    return writeEventFile(sink, startedSec(run), settings, rows, logged);
  });
}

Result<void> exportParquet(const Workspace& workspace, const RunDetail& run, const std::filesystem::path& file,
                           Replaces replaces) {
  ASSIGN_OR_RETURN(const auto rows, allRows(workspace, run));
  ASSIGN_OR_RETURN(auto output, OutputFile::open(file, replaces));
  RETURN_IF_ERROR(writeTable(output.unfinishedFile().value_or(file), run.summary.name, rows));
  return output.commit();
}

}  // namespace batchwise
