// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/analysis/group_curve.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/metric.h"
#include "core/store/metrics/metrics_csv.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct MetricsArguments {
  std::string run;
  std::vector<std::string> series;
  bool all = false;
  bool csv = false;
};

/// Returns whether the values of a series are integers.
bool isCount(const std::string& series) {
  const Metric* metric = findMetric(series);
  return metric != nullptr && (metric->format == MetricFormat::Count || metric->format == MetricFormat::Gibibytes);
}

Json seriesJson(const NamedSeries& series) {
  Json points = Json::array();
  const bool counts = isCount(series.name);
  for (const SeriesPoint& point : series.points) {
    const bool whole = counts && std::isfinite(point.value) && point.value == std::floor(point.value);
    points.push_back({point.batch, whole ? Json(std::llround(point.value)) : jsonNumber(point.value)});
  }
  return points;
}

/// Finite values of a series, and the number of the others.
struct SeriesSummary {
  double least = std::nan(""), largest = std::nan(""), mean = std::nan("");
  std::size_t notFinite = 0;
};

SeriesSummary summaryOf(const std::vector<SeriesPoint>& points) {
  SeriesSummary summary;
  double count = 0;
  for (const SeriesPoint& point : points) {
    if (!std::isfinite(point.value)) {
      ++summary.notFinite;
      continue;
    }
    const bool first = count++ == 0;
    summary.least = first ? point.value : std::min(summary.least, point.value);
    summary.largest = first ? point.value : std::max(summary.largest, point.value);
    summary.mean = first ? point.value : summary.mean + (point.value - summary.mean) / count;
  }
  return summary;
}

/// Prints display units, as comparisons do; CSV and JSON have the stored values.
void printSummary(const std::vector<NamedSeries>& all) {
  using enum Table::Align;
  Table table({{"series", Left},
               {"unit", Left},
               {"points", Right},
               {"first", Right},
               {"last", Right},
               {"least", Right},
               {"largest", Right},
               {"mean", Right},
               {"not finite", Right}});
  for (const NamedSeries& series : all) {
    if (series.points.empty()) continue;
    const SeriesSummary of = summaryOf(series.points);
    const auto shown = [factor = seriesFactor(series.name)](double value) { return formatValue(value * factor); };
    table.add({series.name, seriesUnit(series.name), std::to_string(series.points.size()),
               shown(series.points.front().value), shown(series.points.back().value), shown(of.least),
               shown(of.largest), shown(of.mean), std::to_string(of.notFinite)});
  }
  table.print(std::cout);
}

Result<int> metrics(const Globals& globals, const MetricsArguments& arguments) {
  if (globals.json && arguments.csv)
    return Error::config("--json and --csv ask for two formats of the same output; give one of them");
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(arguments.run));
  const auto rows = arguments.all ? Workspace::Rows::WithSuperseded : Workspace::Rows::Current;
  ASSIGN_OR_RETURN(const auto all, readSeries(*workspace, run.summary.id, arguments.series, rows));
  if (arguments.csv) {
    std::cout << metricsCsv(all);
  } else if (globals.json) {
    Json series = Json::object();
    for (const NamedSeries& one : all) series[one.name] = seriesJson(one);
    printJson({{"schema", "batchwise.metrics/1"}, {"run", run.summary.id}, {"series", series}});
  } else {
    printSummary(all);
  }
  return kDone;
}

}  // namespace

void addMetricsCommand(Commands& commands) {
  const auto arguments = std::make_shared<MetricsArguments>();
  CLI::App* command =
      commands.add(nullptr, "metrics", "The recorded series of a run: loss, lr, batch sizes, memory and so on",
                   "batchwise metrics latest --series loss,lr --csv > loss.csv",
                   [&commands, arguments] { return metrics(commands.globals(), *arguments); });
  addRunArgument(*command, arguments->run);
  command->add_option("--series", arguments->series, "Names, separated by commas (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* all = command->add_flag("--all", arguments->all, "Include rows that a later resume has superseded");
  command->add_flag("--csv", arguments->csv, "A table with one row per global batch")->excludes(all);
}

}  // namespace batchwise::cli
