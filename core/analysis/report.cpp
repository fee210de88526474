// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/report.h"

#include "core/analysis/comparison_tables.h"
#include "core/analysis/svg.h"
#include "core/base/format.h"

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

std::string head(const RunComparison& comparison, const Wording& wording) {
  const std::string title = escapeMarkup(wording.say("Comparison of " + std::to_string(comparison.runs.size()) +
                                                     " runs: " + wording.series(comparison.options.metric)));
  return "<!DOCTYPE html>\n<html lang=\"" + escapeMarkup(wording.language) + "\">\n" + kStyle + "<title>" + title +
         "</title>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
}

TextTable runsTable(const RunComparison& comparison, const Wording& wording) {
  TextTable table;
  for (const char* title : {"run", "id", "state", "global batches", "tokens", "training time", "tags", "note"})
    table.columns.push_back({wording.say(title), table.columns.size() >= 3 && table.columns.size() <= 5});
  for (const ComparedRun& run : comparison.runs) {
    std::string tags;
    for (const std::string& tag : run.summary.tags) tags += (tags.empty() ? "" : ", ") + tag;
    table.rows.push_back({run.summary.name, run.summary.id, wording.say(std::string(stateName(run.summary))),
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
             "pooled deviation of the seeds) is called within noise.";
  return "No two runs differ by seed only, so it is not known how much of a difference is noise.";
}

/// Where each quantity was taken that was taken elsewhere than the rest.
std::string placesOf(const RunComparison& comparison, const Wording& wording) {
  std::string html;
  for (const SummaryColumn& column : comparison.columns)
    if (takenElsewhere(comparison, column)) html += note(wording.say(takenAtText(reworded(column, wording))));
  return html;
}

}  // namespace

std::string comparisonReport(const RunComparison& comparison, Scale yScale, const std::string& madeAt,
                             const Wording& wording) {
  std::string html = head(comparison, wording);
  html += paragraph(wording.say(comparedAtText(comparison))) + figureSvg(figureOf(comparison, yScale, wording), 24, 12);
  html += heading(wording.say("Values")) + tableHtml(summaryTable(comparison, Numbers::Readable, wording));
  html += placesOf(comparison, wording) + note(wording.say(noiseText(comparison)));
  for (const std::string& text : comparison.notes) html += note(wording.say(text));
  html += heading(wording.say("Configuration")) + paragraph(wording.say(differenceText(comparison.differences)) + ".");
  if (!comparison.differences.rows.empty()) html += tableHtml(differenceTable(comparison, wording));
  if (const std::string uncounted = uncountedText(comparison.differences); !uncounted.empty())
    html += note(wording.say(uncounted) + ".");
  html += heading(wording.say("Runs")) + tableHtml(runsTable(comparison, wording));
  html += heading(wording.say("How this was made")) + "<pre>" + escapeMarkup(recipe(comparison)) + "</pre>\n" +
          note(madeAt);
  return html + "</body>\n</html>\n";
}

}  // namespace batchwise
