// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/analysis/comparison_tables.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/score_comparison.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/run/launch/scaling_plan.h"
#include "core/store/records.h"

namespace batchwise::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> runs;
  std::string metric = "loss", at = "tokens", groupBy, center = "mean", band = "std";
  double smoothing = 0;
  std::optional<double> margin;
  std::int64_t devices = 0;
  std::vector<std::string> ignored, columns;
  bool logY = false, csv = false, markdown = false, latex = false;
  std::string report, chart, size = "16x9", points, groupPoints;
  Replaces replaces = Replaces::Nothing;
};

Json cellJson(const SummaryColumn& column, const SummaryCell& cell) {
  const Json measured = cell.lastX > 0 ? Json{cell.firstX, cell.lastX} : Json(nullptr);
  return {{"series", column.series},
          {"unit", column.unit},
          {"at", choiceName(column.axis)},
          {"x", jsonNumber(column.x)},
          {"window", column.window > 0 ? Json(column.window) : Json(nullptr)},
          {"value", jsonNumber(cell.value)},
          {"runs", cell.count},
          {"difference", std::isfinite(cell.delta.absolute) ? Json(cell.delta.absolute) : Json(nullptr)},
          {"relative", jsonNumber(cell.delta.relative)},
          {"noise_band", jsonNumber(cell.band)},
          {"detectable", jsonNumber(detectableDifference(cell))},
          {"upper", jsonNumber(cell.upper)},
          {"noise_from", noiseSourceName(cell.noiseFrom)},
          {"verdict", assessmentName(cell.delta.verdict)},
          {"caution", cell.caution.empty() ? Json(nullptr) : Json(cell.caution)},
          {"not_finite", cell.notFinite},
          {"measured", measured}};
}

Json comparisonJson(const RunComparison& comparison) {
  Json runs = Json::array(), lines = Json::array(), differences = Json::array(), equalLosses = Json::array();
  for (const ComparedRun& run : comparison.runs)
    runs.push_back({{"id", run.summary.id},
                    {"name", run.summary.name},
                    {"color", seriesStyle(run.style).color},
                    {"dashed", seriesStyle(run.style).dashed}});
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    Json members = Json::array(), cells = Json::array();
    for (const std::size_t index : comparison.lines[i].members) members.push_back(comparison.runs[index].summary.id);
    for (std::size_t j = 0; j < comparison.cells[i].size(); ++j)
      cells.push_back(cellJson(comparison.columns[j], comparison.cells[i][j]));
    lines.push_back({{"label", comparison.lines[i].label},
                     {"color", seriesStyle(comparison.lines[i].style).color},
                     {"dashed", seriesStyle(comparison.lines[i].style).dashed},
                     {"runs", members},
                     {"cells", cells}});
  }
  for (const EqualLoss& at : comparison.equalLosses)
    equalLosses.push_back({{"line", comparison.lines[at.line].label},
                           {"loss", at.loss},
                           {"at", choiceName(at.axis)},
                           {"devices", at.devices > 0 ? Json(at.devices) : Json(nullptr)},
                           {"value", at.own},
                           {"baseline", at.baseline},
                           {"relative", at.relative},
                           {"low", jsonNumber(at.low)},
                           {"high", jsonNumber(at.high)}});
  for (const FieldRow& row : comparison.differences.rows)
    differences.push_back({{"field", row.field}, {"values", row.values}});
  return {{"schema", "batchwise.comparison/1"},
          {"metric", comparison.options.metric},
          {"at", choiceName(comparison.options.axis)},
          {"x", comparison.end ? jsonNumber(comparison.end->x) : Json(nullptr)},
          {"text", comparedAtText(comparison)},
          {"runs", runs},
          {"lines", lines},
          {"equal_loss", equalLosses},
          {"equal_loss_text", equalLossTexts(comparison)},
          {"margin", jsonNumber(comparison.options.margin)},
          {"verdict_text", verdictTexts(comparison)},
          {"compared_fields", comparison.differences.compared},
          {"differences", differences},
          {"notes", comparison.notes}};
}

Json scoresJson(const std::vector<LineScore>& scores) {
  Json list = Json::array();
  for (const LineScore& score : scores) {
    const auto& to = score.toBaseline;
    Json difference = nullptr;
    if (to)
      difference = {{"value", to->difference},
                    {"low", jsonNumber(to->low)},
                    {"high", jsonNumber(to->high)},
                    {"better_share", jsonNumber(to->betterShare)},
                    {"verdict", assessmentName(to->verdict)},
                    {"noise_from", noiseSourceName(to->noiseFrom)},
                    {"of_checkpoints_only", to->isOfCheckpoints},
                    {"more_seeds", to->moreSeeds ? Json(*to->moreSeeds) : Json(nullptr)},
                    {"text", to->text()}};
    list.push_back({{"task", score.task},
                    {"task_hash", score.taskHash},
                    {"metric", score.metric},
                    {"split", score.split},
                    {"method", score.method},
                    {"rate", score.rate > 0 ? Json(score.rate) : Json(nullptr)},
                    {"line", score.label},
                    {"mean", jsonNumber(score.mean)},
                    {"deviation", jsonNumber(score.deviation)},
                    {"n", score.seeds},
                    {"examples", score.examples},
                    {"checkpoints", score.checkpoints},
                    {"difference", difference},
                    {"caution", score.caution.empty() ? Json(nullptr) : Json(score.caution)}});
  }
  return list;
}

void printTable(const TextTable& source) {
  std::vector<std::pair<std::string, Table::Align>> columns;
  for (const TextTable::Column& column : source.columns)
    columns.emplace_back(column.title, column.numeric ? Table::Align::Right : Table::Align::Left);
  Table table(std::move(columns));
  for (const auto& row : source.rows) {
    auto cells = row;
    cells.resize(source.columns.size());
    table.add(std::move(cells));
  }
  table.print(std::cout);
}

void printComparison(const RunComparison& comparison, const std::vector<LineScore>& scores) {
  for (const std::string& text : verdictTexts(comparison)) std::cout << text << "\n";
  std::cout << comparedAtText(comparison) << "\n\n";
  printTable(summaryTable(comparison, NumberFormat::Readable));
  for (const std::string& note : columnNotes(comparison)) std::cout << note << "\n";
  if (!scores.empty()) {
    std::cout << "\n";
    printTable(scoreTable(comparison, scores));
  }
  std::cout << "\n" << differenceText(comparison.differences) << "\n";
  if (!comparison.differences.rows.empty()) printTable(differenceTable(comparison));
  if (const std::string ignoredDifferences = ignoredDifferencesText(comparison.differences);
      !ignoredDifferences.empty())
    std::cout << ignoredDifferences << "\n";
  for (const std::string& note : comparison.notes) std::cout << "note: " << note << "\n";
}

Result<ComparisonOptions> optionsOf(const CompareArguments& arguments) {
  ComparisonOptions options;
  options.metric = arguments.metric;
  options.axis = *choiceFromName<Axis>(arguments.at);
  options.smoothing = arguments.smoothing;
  options.margin = arguments.margin;
  options.groupBy = arguments.groupBy;
  options.center = *choiceFromName<Center>(arguments.center);
  options.band = *choiceFromName<Band>(arguments.band);
  if (!arguments.ignored.empty()) options.ignored = IgnoredFields(arguments.ignored);
  return options;
}

/// Writes the requested files, once all are known to be allowed, and returns their names. `size`: of the chart.
Result<std::vector<std::string>> writeFiles(const Workspace& workspace, const RunComparison& comparison,
                                            const CompareArguments& arguments, const ChartSize& size) {
  std::vector<std::pair<std::string, std::string>> outputs;  // file and content
  const auto addPoints = [&](const std::string& file, PointSource source) {
    outputs.emplace_back(file, tableText(pointsTable(comparison, source), TableFormat::Csv));
  };
  const Scale scale = arguments.logY ? Scale::Logarithmic : Scale::Linear;
  if (!arguments.report.empty()) {
    ASSIGN_OR_RETURN(auto report, comparisonReport(workspace, comparison, {}, scale));
    outputs.emplace_back(arguments.report, std::move(report));
  }
  if (!arguments.points.empty()) addPoints(arguments.points, PointSource::Runs);
  if (!arguments.groupPoints.empty()) addPoints(arguments.groupPoints, PointSource::Groups);
  for (const auto& [file, text] : outputs) RETURN_IF_ERROR(checkOutputFile(file, arguments.replaces));
  std::vector<std::string> written;
  for (const auto& [file, text] : outputs) {
    RETURN_IF_ERROR(writeOutput(file, arguments.replaces, text));
    written.push_back(file);
  }
  if (!arguments.chart.empty()) {
    RETURN_IF_ERROR(writeChart(figureOf(comparison, scale), arguments.chart, size, arguments.replaces));
    written.push_back(arguments.chart);
  }
  return written;
}

/// Fails with Config if --json leaves no place for another output, or one cannot be made.
Result<void> checkOutputs(const Globals& globals, const CompareArguments& arguments) {
  if (globals.json && (arguments.csv || arguments.markdown || arguments.latex))
    return Error::config(formatText("--json and {} ask for two formats of the same output; give one of them",
                                    arguments.csv        ? "--csv"
                                    : arguments.markdown ? "--markdown"
                                                         : "--latex"));
  if (!arguments.groupPoints.empty() && arguments.groupBy.empty())
    return Error::config("there are no groups to write; add --group-by");
  RETURN_IF_ERROR(
      checkStdoutIsFree(globals, {arguments.report, arguments.chart, arguments.points, arguments.groupPoints}));
  if (arguments.chart.empty()) return {};
  return checkChartFile(arguments.chart, arguments.replaces);
}

/// Returns the comparison with the columns of these series only; all if there are none.
Result<RunComparison> chosenColumns(RunComparison comparison, const std::vector<std::string>& series) {
  if (series.empty()) return comparison;
  std::vector<std::string> known;
  for (const SummaryColumn& column : comparison.columns)  // a series may be compared at several places
    if (std::ranges::find(known, column.series) == known.end()) known.push_back(column.series);
  for (const std::string& name : series)
    if (std::ranges::find(known, name) == known.end())
      return Error::config(formatText("--columns: the comparison has no column '{}'; it has {}", name, joined(known)));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < comparison.columns.size(); ++i)
    if (std::ranges::find(series, comparison.columns[i].series) != series.end()) kept.push_back(i);
  return withColumns(std::move(comparison), kept);
}

Result<int> compare(const Globals& globals, const CompareArguments& arguments) {
  RETURN_IF_ERROR(checkOutputs(globals, arguments));
  ASSIGN_OR_RETURN(const auto size, ChartSize::parse(arguments.size));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(auto options, optionsOf(arguments));
  if (arguments.devices > 0) {
    ASSIGN_OR_RETURN(options.deviceClocks, predictedClocks(*workspace, arguments.runs, arguments.devices));
  }
  ASSIGN_OR_RETURN(auto all, compareRuns(*workspace, arguments.runs, options));
  ASSIGN_OR_RETURN(const auto comparison, chosenColumns(std::move(all), arguments.columns));
  ASSIGN_OR_RETURN(const auto written, writeFiles(*workspace, comparison, arguments, size));
  const bool showsScores = !arguments.csv && !arguments.markdown && !arguments.latex;
  std::vector<LineScore> scores;
  if (showsScores) {
    ASSIGN_OR_RETURN(scores, scoresOfLines(*workspace, comparison));
  }
  if (globals.json) {
    Json json = comparisonJson(comparison);
    json["scores"] = scoresJson(scores);
    json["written"] = written;
    printJson(json);
  } else if (arguments.csv) {
    std::cout << tableText(summaryTable(comparison, NumberFormat::Exact), TableFormat::Csv);
  } else if (arguments.markdown || arguments.latex) {
    std::cout << tableText(summaryTable(comparison, NumberFormat::Readable),
                           arguments.latex ? TableFormat::Latex : TableFormat::Markdown, tableCaption(comparison));
  } else {
    printComparison(comparison, scores);
    for (const std::string& file : written) reportStream(file) << "written to " << file << "\n";
  }
  return kDone;
}

void addFileOptions(CLI::App& command, const std::shared_ptr<CompareArguments>& arguments) {
  command.add_option("--report", arguments->report, "Write the comparison as one HTML page")
      ->transform(outputFileName());
  CLI::Option* chart = command.add_option("--chart", arguments->chart, "Write the chart; the name ends in .svg")
                           ->transform(outputFileName());
  command.add_option("--size", arguments->size, "Size of the chart in centimeters, such as 16x9")
      ->needs(chart)
      ->capture_default_str();
  command.add_flag("--log-y", arguments->logY, "Logarithmic values in chart and report");
  command
      .add_option(
          "--points", arguments->points,
          "Write every point of every run as CSV; of runs over 200,000 global batches the extremes of 20,000 stretches")
      ->transform(pathName("a file"));
  command
      .add_option("--group-points", arguments->groupPoints, "Write the points of each group as CSV: center, band, runs")
      ->transform(pathName("a file"));
  addForceFlag(command, arguments->replaces);
}

}  // namespace

void addCompareCommand(Commands& commands, CLI::App* runs) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      commands.add(runs, "compare", "Values of runs next to those of the first, at the largest x that all reach",
                   "batchwise runs compare base ramp sqrt-lr --metric eval.loss --at time --report compare.html",
                   [&commands, arguments] { return compare(commands.globals(), *arguments); });
  command->add_option("runs", arguments->runs, "Ids or names; the first is the baseline")
      ->required()
      ->check(nonEmptyName("a run"));
  command->add_option("--metric", arguments->metric, "Series to compare")->capture_default_str();
  command
      ->add_option("--at", arguments->at,
                   "Quantity that is equal for all runs: batches (global), steps, samples, tokens, time")
      ->check(CLI::IsMember({"batches", "steps", "samples", "tokens", "time"}))
      ->capture_default_str();
  command->add_option("--smoothing", arguments->smoothing, "Weight of a moving average, 0 to below 1")
      ->capture_default_str();
  command
      ->add_option(
          "--margin", arguments->margin,
          "Also say whether losses are not worse than the baseline's by more than this many nats, such as 0.01")
      ->check(positiveNumber());
  command
      ->add_option("--devices", arguments->devices,
                   "Also compare the time on this many devices, as plan-scale predicts it from each run's speed")
      ->check(atLeast(1));
  command->add_option(
      "--group-by", arguments->groupBy,
      "Runs with the same value of this field become one; experiment: those that differ in ignored fields only");
  command->add_option("--center,--centre", arguments->center, "Center of a group: mean, median")
      ->check(CLI::IsMember({"mean", "median"}))
      ->capture_default_str();
  command->add_option("--band", arguments->band, "Band of a group: none, std, stderr, 95%")
      ->check(CLI::IsMember({"none", "std", "stderr", "95%"}))
      ->capture_default_str();
  command
      ->add_option("--ignore", arguments->ignored,
                   "Fields to ignore when grouping runs, such as seed or data.*; may be repeated. Default: name, seed, "
                   "version, launch.*, log.*, batch.tokens.metrics_path")
      ->allow_extra_args(false);
  command
      ->add_option("--columns", arguments->columns,
                   "Series whose columns the tables have, such as eval.loss,time; all without it")
      ->delimiter(',')
      ->allow_extra_args(false);
  // No option group for these: it would swallow an empty name of a run.
  auto* csv = command->add_flag("--csv", arguments->csv, "Print the table as CSV in full precision");
  auto* markdown = command->add_flag("--markdown", arguments->markdown, "Print the table in Markdown");
  auto* latex = command->add_flag("--latex", arguments->latex, "Print the table in LaTeX, with a caption");
  csv->excludes(markdown)->excludes(latex);
  markdown->excludes(latex);
  addFileOptions(*command, arguments);
}

}  // namespace batchwise::cli
