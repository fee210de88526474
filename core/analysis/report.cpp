// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/report.h"

#include "core/analysis/comparison_tables.h"
#include "core/analysis/svg.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr const char* kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Comparison of runs</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1A1D23; background: #FFFFFF; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3em 0.8em; border-bottom: 1px solid #DADDE3; white-space: pre-wrap; }
th { color: #5B6472; font-weight: 600; } .number { text-align: right; }
p.note { color: #5B6472; } svg { max-width: 100%; height: auto; } pre { white-space: pre-wrap; }
</style>
</head>
<body>
)html";

TextTable runsTable(const RunComparison& comparison) {
  TextTable table{{{"run", false},
                   {"id", false},
                   {"state", false},
                   {"global batches", true},
                   {"tokens", true},
                   {"training time", true},
                   {"tags", false},
                   {"note", false}},
                  {}};
  for (const ComparedRun& run : comparison.runs) {
    std::string tags;
    for (const std::string& tag : run.summary.tags) tags += (tags.empty() ? "" : ", ") + tag;
    table.rows.push_back({run.summary.name, run.summary.id, std::string(runStatusName(run.summary.status)),
                          formatInteger(run.summary.at.batch), formatInteger(run.summary.at.token),
                          formatDuration(run.summary.at.seconds), tags, run.summary.note});
  }
  return table;
}

/// What a reader needs to make it again.
std::string recipe(const RunComparison& comparison) {
  const ComparisonOptions& options = comparison.options;
  std::string text = "batchwise runs compare";
  for (const ComparedRun& run : comparison.runs) text += " " + run.summary.id;
  text += " --metric " + options.metric + " --at " + std::string(axisName(options.axis));
  if (options.smoothing > 0) text += " --smoothing " + formatExact(options.smoothing);
  if (!options.groupBy.empty())
    text += " --group-by " + options.groupBy + " --centre " + std::string(centreName(options.centre)) + " --band " +
            std::string(bandName(options.band));
  return text;
}

std::string noiseText(const RunComparison& comparison) {
  for (const SummaryColumn& column : comparison.columns)
    if (column.noise)
      return "Runs that differ by seed only give the noise band: a difference within it (95 %, Student's t over the "
             "pooled "
             "deviation of the seeds) is called within noise.";
  return "No two runs differ by seed only, so it is not known how much of a difference is noise.";
}

std::string paragraph(const std::string& text, const char* kind = "") {
  return std::string("<p") + kind + ">" + escapeMarkup(text) + "</p>\n";
}

}  // namespace

std::string comparisonReport(const RunComparison& comparison, Scale yScale, const std::string& madeAt) {
  std::string html = kHead;
  html += "<h1>Comparison of " + std::to_string(comparison.runs.size()) +
          " runs: " + escapeMarkup(comparison.options.metric) + "</h1>\n";
  html += paragraph(comparedAtText(comparison)) + figureSvg(figureOf(comparison, yScale), 24, 12);
  html += "<h2>Values</h2>\n" + tableHtml(summaryTable(comparison, Numbers::Readable));
  html += paragraph(noiseText(comparison), " class=\"note\"");
  for (const std::string& note : comparison.notes) html += paragraph(note, " class=\"note\"");
  html += "<h2>Configuration</h2>\n" + paragraph(differenceText(comparison.differences) + ".");
  if (!comparison.differences.rows.empty()) html += tableHtml(differenceTable(comparison));
  html += "<h2>Runs</h2>\n" + tableHtml(runsTable(comparison));
  html += "<h2>How this was made</h2>\n<pre>" + escapeMarkup(recipe(comparison)) + "</pre>\n" +
          paragraph(madeAt, " class=\"note\"");
  return html + "</body>\n</html>\n";
}

}  // namespace batchwise
