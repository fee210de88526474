// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/report.h"

#include "core/analysis/comparison_tables.h"
#include "core/base/format.h"
#include "core/base/plain_text.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr const char* kStyle = R"html(<head>
<meta charset="utf-8">
<!-- Generator: Batchwise -->
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1A1D23; background: #FFFFFF; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3em 0.8em; border-bottom: 1px solid #DADDE3; white-space: pre-wrap; }
th { color: #5B6472; font-weight: 600; } .number { text-align: right; }
p.note { color: #5B6472; } svg { max-width: 100%; height: auto; } pre { white-space: pre-wrap; }
</style>
)html";

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
  return std::string("<!DOCTYPE html>\n<html lang=\"en\">\n") + kStyle + "<title>" + title +
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

/// Returns the command that reproduces the comparison.
std::string reproduceCommand(const RunComparison& comparison) {
  const ComparisonOptions& options = comparison.options;
  std::string text = "batchwise runs compare";
  for (const ComparedRun& run : comparison.runs) text += " " + run.summary.id;
  text += " --metric " + options.metric + " --at " + std::string(choiceName(options.axis));
  if (options.smoothing > 0) text += " --smoothing " + formatExact(options.smoothing);
  if (!options.groupBy.empty())
    text += " --group-by " + options.groupBy + " --center " + std::string(choiceName(options.center)) + " --band " +
            std::string(choiceName(options.band));
  return text;
}

std::string noiseText(const RunComparison& comparison) {
  for (const SummaryColumn& column : comparison.columns)
    if (column.noise)
      return "Runs that differ only by seed give the noise band: a difference within it (95 %, Student's t over the "
             "pooled standard deviation of the seeds) is called within noise.";
  return "No two runs differ only by seed, so it is not known how much of a difference is noise.";
}

}  // namespace

std::string comparisonReport(const RunComparison& comparison, Scale yScale, const std::string& createdAt,
                             const SeriesNames& names) {
  std::string html = head(comparison, names);
  html += paragraph(comparedAtText(comparison)) + figureSvg(figureOf(comparison, yScale, names), 24, 12);
  html += heading("Values") + tableHtml(summaryTable(comparison, NumberFormat::Readable, names));
  for (const std::string& text : columnNotes(comparison, names)) html += note(text);
  html += note(noiseText(comparison));
  for (const std::string& text : comparison.notes) html += note(text);
  html += heading("Configuration") + paragraph(differenceText(comparison.differences) + ".");
  if (!comparison.differences.rows.empty()) html += tableHtml(differenceTable(comparison));
  if (const std::string ignoredDifferences = ignoredDifferencesText(comparison.differences);
      !ignoredDifferences.empty())
    html += note(ignoredDifferences + ".");
  html += heading("Runs") + tableHtml(runsTable(comparison));
  html += heading(std::string("Method")) + "<pre>" + escapeMarkup(reproduceCommand(comparison)) + "</pre>\n" +
          note(createdAt);
  return html + "</body>\n</html>\n";
}

}  // namespace batchwise
