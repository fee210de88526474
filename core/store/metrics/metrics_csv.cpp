// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/metrics/metrics_csv.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/metrics/metric_store.h"

namespace batchwise {
namespace {

/// Quotes where necessary. Prefixes an apostrophe to text that a spreadsheet would take for a formula.
std::string csvText(std::string text) {
  if (!text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
  return quoted + "\"";
}

Error unknownSeries(const std::string& run, const std::string& name, const std::vector<std::string>& known) {
  return Error::notFound(
      formatText("run '{}' has no series '{}'{} (known: {})", run, name, nearestNameText(name, known), joined(known)));
}

}  // namespace

Result<std::vector<NamedSeries>> readSeries(const Workspace& workspace, const std::string& run,
                                            const std::vector<std::string>& names, Workspace::Rows rows) {
  ASSIGN_OR_RETURN(const auto known, workspace.seriesNames(run));
  std::vector<NamedSeries> all;
  for (const std::string& name : names.empty() ? known : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) return unknownSeries(run, name, known);
    ASSIGN_OR_RETURN(auto points, workspace.series(run, name, rows));
    all.push_back({name, std::move(points)});
  }
  return all;
}

std::string metricsCsv(const std::vector<NamedSeries>& series) {
  bool steps = false;
  std::map<std::pair<bool, std::int64_t>, std::vector<std::optional<double>>> rows;  // by (is a step, position)
  for (std::size_t column = 0; column < series.size(); ++column) {
    const bool ofSteps = kindOfSeries(series[column].name) == RowKind::Step;
    steps = steps || ofSteps;
    for (const SeriesPoint& point : series[column].points) {
      auto& row = rows[{ofSteps, point.batch}];
      row.resize(series.size());
      row[column] = point.value;
    }
  }
  std::string text = steps ? "ba,step" : "ba";
  for (const NamedSeries& one : series) text += "," + csvText(one.name);
  text += "\r\n";
  for (const auto& [place, row] : rows) {
    const std::string position = std::to_string(place.second);
    text += place.first ? "," + position : position + (steps ? "," : "");
    for (const auto& value : row) text += "," + (value ? formatExact(*value) : std::string());
    text += "\r\n";
  }
  return text;
}

}  // namespace batchwise
