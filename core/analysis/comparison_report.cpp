// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/analysis/comparison_tables.h"
#include "core/base/clock.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/events/metric.h"

namespace batchwise {

// By packaging/report_page.py: style, and what the page may load; the script.
extern const std::string_view kReportHead, kReportScript;

namespace {

std::string heading(const std::string& text) {
  return "<h2>" + escapeMarkup(text) + "</h2>\n";
}

std::string paragraph(const std::string& text, const char* kind = "") {
  return std::string("<p") + kind + ">" + escapeMarkup(text) + "</p>\n";
}

std::string note(const std::string& text) {
  return paragraph(text, " class=\"note\"");
}

/// Returns the experiment that all runs belong to; empty if there is none.
std::string sharedExperiment(const RunComparison& comparison) {
  std::optional<std::string> shared;
  for (const ComparedRun& run : comparison.runs) {
    const std::string experiment = plainValue(run.config, "experiment");
    if (shared && *shared != experiment) return {};
    shared = experiment;
  }
  return shared.value_or("");
}

std::string head(const RunComparison& comparison, const SeriesNames& names) {
  const std::string what =
      formatText("Comparison of {} runs: {}", comparison.runs.size(), names.series(comparison.options.metric));
  const std::string experiment = sharedExperiment(comparison);
  const std::string title = escapeMarkup(experiment.empty() ? what : experiment + ": " + what);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n" + std::string(kReportHead) + "<title>" + title +
         "</title>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
}

TextTable runsTable(const RunComparison& comparison) {
  TextTable table;
  for (const char* title : {"run", "id", "state", "global batches", "tokens", "training time", "tags", "note"})
    table.columns.push_back({title, table.columns.size() >= 3 && table.columns.size() <= 5});
  for (const ComparedRun& run : comparison.runs)
    table.rows.push_back({run.summary.name, run.summary.id, std::string(stateName(run.summary)),
                          formatInteger(run.summary.at.batch), formatInteger(run.summary.at.token),
                          formatDuration(run.summary.at.seconds), joined(run.summary.tags), run.summary.note});
  return table;
}

/// Returns text as one word of a shell.
std::string shellWord(const std::string& text) {
  const auto isPlain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  };
  if (!text.empty() && std::ranges::all_of(text, isPlain)) return text;
  return "'" + joined(text, "", [](char c) { return c == '\'' ? "'\\''" : std::string(1, c); }) + "'";
}

/// Returns the command that reproduces the comparison.
std::string reproduceCommand(const RunComparison& comparison) {
  const ComparisonOptions& options = comparison.options;
  std::string text = "batchwise runs compare";
  for (const ComparedRun& run : comparison.runs) text += " " + shellWord(run.summary.id);
  text += " --metric " + shellWord(options.metric) + " --at " + std::string(choiceName(options.axis));
  if (options.smoothing > 0) text += " --smoothing " + formatExact(options.smoothing);
  if (options.margin) text += " --margin " + formatExact(*options.margin);
  if (options.deviceClocks.devices > 0) text += " --devices " + std::to_string(options.deviceClocks.devices);
  if (options.ignored != IgnoredFields::standard())
    for (const std::string& pattern : options.ignored.patterns()) text += " --ignore " + shellWord(pattern);
  if (!options.groupBy.empty())
    text += " --group-by " + shellWord(options.groupBy) + " --center " + std::string(choiceName(options.center)) +
            " --band " + std::string(choiceName(options.band));
  return text;
}

std::string noiseText(const RunComparison& comparison) {
  for (const SummaryColumn& column : comparison.columns)
    if (column.noise)
      return "Runs that differ only by seed give the noise band: a difference within it (at least 95 %, Student's t) "
             "is called within noise. Each verdict stands for itself: of 25 between equal groups at most one is wrong "
             "on average.";
  return "No two runs differ only by seed, so it is not known how much of a difference is noise.";
}

constexpr const char* kCharts = R"html(<noscript><p class="note">The charts need JavaScript.</p></noscript>
<form id="tools"><label><input type="checkbox" name="log"> Logarithmic</label>
<label>Smoothing <input type="range" name="smoothing" max="0.99" step="0.01"> <output id="weight"></output></label>
<button type="button" name="whole">Reset zoom</button></form><div id="compared"><div id="charts"></div>
<div id="runs"><label><input type="checkbox" id="all" checked>All <output id="x"></output></label></div></div>
<script type="application/json" id="data">)html";

/// NaN stands for a missing value.
std::string cellsText(const std::vector<double>& cells, int digits = 6) {
  return joined(cells, ",", [digits](double cell) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.begin(), text.end(), cell, std::chars_format::general, digits).ptr;
    return std::isnan(cell) ? std::string() : std::string(text.begin(), end);
  });
}

/// Returns a line in columns of one row, or of two: the lowest and the highest value, and the mean of all. Values that
/// are not finite become infinite.
nlohmann::json lineJson(const FigureLine& line, const Curve& points, const std::vector<double>& rows,
                        std::size_t width) {
  std::vector<double> y(rows.size(), NAN), low = y, high = y, means(rows.size() / width, NAN), counts(rows.size());
  Curve placed;
  for (const CurvePoint& point : points) {
    const auto column = static_cast<std::size_t>(std::ranges::lower_bound(rows, point.x) - rows.begin()) / width;
    placed.push_back({static_cast<double>(column), std::isfinite(point.y) ? point.y : INFINITY});
    double& mean = means[column];
    if (std::isfinite(point.y)) mean = counts[column]++ == 0 ? point.y : mean + (point.y - mean) / counts[column];
  }
  for (const std::size_t at : extremesOfColumns(placed)) {
    std::size_t row = static_cast<std::size_t>(placed[at].x) * width;
    if (!std::isnan(y[row])) row += width - 1;
    y[row] = placed[at].y;
    low[row] = line.group.empty() ? NAN : line.group[at].low;
    high[row] = line.group.empty() ? NAN : line.group[at].high;
  }
  nlohmann::json json{{"y", cellsText(y)}, {"count", points.size()}};
  if (width > 1) json["means"] = cellsText(means);
  if (!line.group.empty()) json.update({{"low", cellsText(low)}, {"high", cellsText(high)}});
  return json;
}

/// `most`: rows, which all lines share. `smooths`: the page may smooth the lines.
nlohmann::json chartJson(const Figure& figure, std::size_t most, bool smooths) {
  std::vector<Curve> curves;
  for (const FigureLine& line : figure.lines) {
    curves.push_back(line.points);
    for (const GroupPoint& point : line.group) curves.back().push_back({point.x, point.center});
  }
  std::vector<double> rows = gridOf(curves, std::numeric_limits<std::size_t>::max());
  const std::size_t width = rows.size() > most ? 2 : 1;
  if (width > 1) rows = gridOf(curves, most);
  if (rows.size() % width > 0) rows.push_back(rows.back());
  nlohmann::json json{{"title", figure.title}, {"smooths", smooths}, {"x", cellsText(rows, 12)}};
  if (figure.comparedAt) json["at"] = *figure.comparedAt;
  for (std::size_t i = 0; i < curves.size(); ++i)
    json["lines"].push_back(lineJson(figure.lines[i], curves[i], rows, width));
  return json;
}

/// Returns the charts of the series, the metric first, with what core/analysis/report.js draws in them. It smooths
/// runs, as the window does: what fluctuates, and series of other programs. Groups are smoothed here.
Result<std::string> chartsHtml(const Workspace& workspace, const RunComparison& comparison, const SeriesNames& names,
                               Scale yScale) {
  constexpr std::size_t kCells = 375'000, kMostRows = 2'000;  // 12 bytes per cell, with its share of a mean: 4.5 MB
  constexpr std::size_t kMostCharts = 60;
  std::vector<std::string> ids;
  for (const ComparedRun& run : comparison.runs) ids.push_back(run.summary.id);
  ASSIGN_OR_RETURN(auto all, comparableSeries(workspace, ids));
  std::erase(all, comparison.options.metric);
  std::stable_partition(all.begin(), all.end(),
                        [](const std::string& series) { return !series.starts_with("memory."); });
  if (all.size() >= kMostCharts)
    std::stable_partition(all.begin(), all.end(),
                          [](const std::string& series) { return findMetric(series) != nullptr; });
  all.insert(all.begin(), comparison.options.metric);
  const std::size_t leftOut = all.size() - std::min(all.size(), kMostCharts);
  all.resize(all.size() - leftOut);
  const std::size_t most = std::clamp<std::size_t>(kCells / (all.size() * comparison.lines.size()), 2, kMostRows);
  nlohmann::json json{{"time", comparison.options.axis == Axis::Time},
                      {"log", yScale == Scale::Logarithmic},
                      {"smoothing", comparison.options.smoothing}};
  RunComparer comparer(workspace);
  ComparisonOptions options = comparison.options;
  options.equalTokensWhereUnequal = false;  // the axis is chosen
  const bool isGrouped = !options.groupBy.empty();
  for (const std::string& series : all) {
    const Metric* metric = findMetric(series);
    const bool smooths = metric != nullptr ? metric->traits.fluctuates : !series.starts_with("eval.");
    options.metric = series;
    options.smoothing = smooths && isGrouped ? comparison.options.smoothing : 0;
    ASSIGN_OR_RETURN(const auto compared, comparer.compare(ids, options));
    const Figure figure = figureOf(compared, yScale, names);
    json["axis"] = figure.axisTitle;
    json["charts"].push_back(chartJson(figure, most, smooths && !isGrouped));
  }
  for (const ComparedLine& line : comparison.lines) {
    const SeriesStyle style = seriesStyle(line.style);
    const Smoothing smoothing = smoothingOf(comparison.runs[line.members.front()].summary.status);
    json["lines"].push_back({{"label", line.label + (isGrouped ? formatText(" (n={})", line.counted.size()) : "")},
                             {"colors", {style.color, style.onDark}},
                             {"dashed", style.dashed},
                             {"centered", smoothing == Smoothing::Centered}});
  }
  const auto escaped = [](char c) { return c == '<' ? "\\u003c" : std::string(1, c); };
  return kCharts + joined(jsonText(json), "", escaped) + "</script>\n" +
         (leftOut > 0
              ? note(formatText("{} charts are shown; those of {} more series are left out.", kMostCharts, leftOut))
              : "");
}

}  // namespace

Result<std::string> comparisonReport(const Workspace& workspace, const RunComparison& comparison,
                                     const SeriesNames& names, Scale yScale) {
  ASSIGN_OR_RETURN(const auto charts, chartsHtml(workspace, comparison, names, yScale));
  std::string html = head(comparison, names) + paragraph(comparedAtText(comparison)) + charts;
  html += heading("Values") + tableHtml(summaryTable(comparison, NumberFormat::Readable, names));
  for (const auto& texts : {verdictTexts(comparison), columnNotes(comparison, names)})
    for (const std::string& text : texts) html += note(text);
  html += note(noiseText(comparison));
  for (const std::string& text : comparison.notes) html += note(text);
  html += heading("Configuration") + paragraph(differenceText(comparison.differences) + ".");
  if (!comparison.differences.rows.empty()) html += tableHtml(differenceTable(comparison));
  if (const std::string ignoredDifferences = ignoredDifferencesText(comparison.differences);
      !ignoredDifferences.empty())
    html += note(ignoredDifferences + ".");
  html += heading("Runs") + tableHtml(runsTable(comparison));
  html += heading(std::string("Method")) + "<pre>" + escapeMarkup(reproduceCommand(comparison)) + "</pre>\n" +
          note("Made " + isoTime(SystemClock().wallMs()) + ".");
  return html + std::string(kReportScript) + "</body>\n</html>\n";
}

}  // namespace batchwise
