// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "core/analysis/comparison_tables.h"
#include "core/analysis/config_difference.h"
#include "core/analysis/run_comparison.h"
#include "core/base/format.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/run/launch/launch_check.h"
#include "core/run/trainer.h"
#include "core/store/archive/run_archive.h"
#include "core/store/metrics/metrics_csv.h"
#include "core/store/workspace.h"
#include "core/trackers/tensorboard_writer.h"

namespace batchwise::cli {
namespace {

struct FillArguments {
  std::string run;
  std::string text;
  std::string checkpoint;
  int candidates = 5;
};

struct ExportArguments {
  std::string run;
  std::string checkpoint;
  std::string huggingFace, sentenceTransformers;
  std::string pooling = "mean";
  Replaces replaces = Replaces::Nothing;
  std::string csv;
  std::string chart;
  std::string series = "loss", over = "steps", size = "16x9";
  std::string tensorBoard, parquet, report;
  std::vector<std::string> others;  // runs of the report
  std::string archive;
  std::string checkpoints = "latest";
};

/// Returns the id of a run given by id, name or "latest". Closes the workspace again, because the trainer opens it.
Result<std::string> runId(const Globals& globals, const std::string& name) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  return run.summary.id;
}

void printCandidates(const FilledMasks& filled) {
  using enum Table::Align;
  for (std::size_t i = 0; i < filled.masks.size(); ++i) {
    std::cout << (i == 0 ? "" : "\n") << filled.maskToken << " " << i + 1 << "\n";
    Table table({{"token", Left}, {"probability", Right}});
    for (const MaskCandidate& candidate : filled.masks[i])
      table.add({candidate.token, formatValue(candidate.probability)});
    table.print(std::cout);
  }
}

Result<int> fillMask(const Globals& globals, const FillArguments& arguments) {
  ASSIGN_OR_RETURN(const auto run, runId(globals, arguments.run));
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ASSIGN_OR_RETURN(const auto filled, trainer->fillMask(globals.workspace, run, arguments.checkpoint, arguments.text,
                                                        arguments.candidates));
  showNotes(filled.checkpoint.notes);
  if (!globals.json) {
    printCandidates(filled);
    return kDone;
  }
  Json all = Json::array();
  for (const auto& candidates : filled.masks) {
    const Json list = jsonList(candidates, [](const MaskCandidate& one) -> Json {
      return {{"token", one.token}, {"probability", jsonNumber(one.probability)}};
    });
    all.push_back(list);
  }
  return printJson({{"schema", "batchwise.fill_mask/1"},
                    {"run", run},
                    {"checkpoint", filled.checkpoint.id},
                    {"notes", filled.checkpoint.notes},
                    {"text", arguments.text},
                    {"mask_token", filled.maskToken},
                    {"masks", all}});
}

constexpr const char* kStdout = "-";

Result<void> exportCsv(const Globals& globals, const std::string& run, const ExportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto series, readSeries(*workspace, run, {}, Workspace::Rows::Current));
  const std::string csv = metricsCsv(series);
  if (arguments.csv == kStdout) {
    std::cout << csv;
    return {};
  }
  return writeOutput(arguments.csv, arguments.replaces, csv);
}

Result<void> exportChart(const Globals& globals, const std::string& run, const ExportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto size, ChartSize::parse(arguments.size));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  std::vector<std::string> runs = arguments.others;
  runs.insert(runs.begin(), run);
  ASSIGN_OR_RETURN(const auto names, comparableSeries(*workspace, {run}));
  if (std::find(names.begin(), names.end(), arguments.series) == names.end()) {
    RETURN_IF_ERROR(readSeries(*workspace, run, {arguments.series}, Workspace::Rows::Current));  // fails if unknown
    return Error::notFound(formatText(
        "series '{}' cannot be drawn: a chart shows neither clocks nor series of single steps", arguments.series));
  }
  ComparisonOptions options;
  options.metric = arguments.series;
  options.axis = *choiceFromName<Axis>(arguments.over);
  ASSIGN_OR_RETURN(const auto comparison, compareRuns(*workspace, runs, options));
  if (!arguments.report.empty()) {
    ASSIGN_OR_RETURN(const auto page, comparisonReport(*workspace, comparison));
    return writeOutput(arguments.report, arguments.replaces, page);
  }
  return writeChart(figureOf(comparison, Scale::Linear), arguments.chart, size, arguments.replaces);
}

Result<void> exportPoints(const Globals& globals, const std::string& id, const ExportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(id));
  if (!arguments.parquet.empty()) return exportParquet(*workspace, run, arguments.parquet, arguments.replaces);
  ASSIGN_OR_RETURN(const auto settings, configValuesOf(run));
  return exportTensorBoard(*workspace, run, settings, arguments.tensorBoard, arguments.replaces);
}

Result<int> exportWeights(const Globals& globals, const std::string& run, const ExportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  const bool vectors = !arguments.sentenceTransformers.empty();
  const std::string& target = vectors ? arguments.sentenceTransformers : arguments.huggingFace;
  ASSIGN_OR_RETURN(
      const auto used,
      vectors ? trainer->exportSentenceTransformers(globals.workspace, run, arguments.checkpoint, target,
                                                    *choiceFromName<Pooling>(arguments.pooling), arguments.replaces)
              : trainer->exportHuggingFace(globals.workspace, run, arguments.checkpoint, target, arguments.replaces));
  showNotes(used.notes);
  if (globals.json)
    return printJson({{"schema", "batchwise.export/1"},
                      {"run", run},
                      {"form", vectors ? "sentence-transformers" : "hf"},
                      {"target", target},
                      {"checkpoint", used.id},
                      {"notes", used.notes}});
  std::cout << "model and tokenizer of checkpoint " << used.id << " written to " << target << "\n";
  return kDone;
}

/// Returns a function that shows the progress of `phase` on `display`.
ArchiveProgress progressOf(ProgressDisplay& display, const char* phase) {
  return [&display, phase](std::int64_t done, std::int64_t total) {
    display.publish(PhaseProgress{phase, static_cast<double>(done), static_cast<double>(total), "bytes"});
  };
}

/// Exports a run as an archive. `checkpoints`: the value of --checkpoints.
Result<int> exportRunArchive(const Globals& globals, const std::string& run, const std::string& file,
                             const std::string& checkpoints, Replaces replaces) {
  const auto choice = parseCheckpointSelection(checkpoints);
  if (!choice.ok()) return choice.error().within("--checkpoints");
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ProgressDisplay display(globals.json, STDERR_FILENO);
  ASSIGN_OR_RETURN(const auto written,
                   exportArchive(*workspace, run, *choice, file, replaces, progressOf(display, "archiving")));
  display.close();
  if (globals.json)
    return printJson({{"schema", "batchwise.export/1"},
                      {"run", written.run},
                      {"form", "archive"},
                      {"target", file},
                      {"checkpoints", written.checkpoints},
                      {"bytes", written.bytes}});
  reportStream(file) << "run " << written.name << " with " << written.checkpoints
                     << (written.checkpoints == 1 ? " checkpoint" : " checkpoints") << " written to " << file << " ("
                     << formatBytes(written.bytes) << ")\n";
  return kDone;
}

Result<int> exportRun(const Globals& globals, const ExportArguments& arguments) {
  if (globals.json && arguments.csv == kStdout) return Error::config(stdoutHoldsJsonText(kStdout));
  RETURN_IF_ERROR(checkStdoutIsFree(
      globals, {arguments.csv, arguments.chart, arguments.report, arguments.archive, arguments.parquet}));
  if (!arguments.archive.empty())
    return exportRunArchive(globals, arguments.run, arguments.archive, arguments.checkpoints, arguments.replaces);
  ASSIGN_OR_RETURN(const auto run, runId(globals, arguments.run));
  if (!arguments.huggingFace.empty() || !arguments.sentenceTransformers.empty())
    return exportWeights(globals, run, arguments);
  struct Form {
    const char *name, *what;
    const std::string& target;
    Result<void> done;
  };
  const Form form =
      !arguments.csv.empty()      ? Form{"csv", "metrics", arguments.csv, exportCsv(globals, run, arguments)}
      : !arguments.chart.empty()  ? Form{"chart", "chart", arguments.chart, exportChart(globals, run, arguments)}
      : !arguments.report.empty() ? Form{"report", "report", arguments.report, exportChart(globals, run, arguments)}
      : !arguments.parquet.empty()
          ? Form{"parquet", "metrics", arguments.parquet, exportPoints(globals, run, arguments)}
          : Form{"tensorboard", "metrics", arguments.tensorBoard, exportPoints(globals, run, arguments)};
  if (!form.done.ok()) return form.done.error();
  if (globals.json)
    return printJson({{"schema", "batchwise.export/1"}, {"run", run}, {"form", form.name}, {"target", form.target}});
  if (form.target != kStdout) reportStream(form.target) << form.what << " written to " << form.target << "\n";
  return kDone;
}

void printFound(const BatchSearchResult& found) {
  using enum Table::Align;
  Table table({{"micro-batch", Right}, {"peak memory", Right}, {"fits", Left}});
  for (const BatchSearchResult::Probe& probe : found.probes)
    table.add({std::to_string(probe.microbatchUnits), formatBytes(probe.peakBytes), probe.fits ? "yes" : "no"});
  table.print(std::cout);
  std::cout << "largest micro-batch per device: " << found.microbatchUnits << " (limit "
            << formatBytes(found.limitBytes) << ")\n";
  if (!found.bound.empty()) std::cout << "no larger one was tried: " << found.bound << "\n";
  if (found.runUnits != found.microbatchUnits)
    std::cout << "a run takes " << found.runUnits << " of it, its share of the global batch\n";
}

Result<int> findBatch(const Globals& globals, const ConfigArguments& arguments) {
  const LoadedConfig config = checkedForLaunch(loadConfig(arguments.config, arguments.assignments));
  if (!config.ok()) return fail(config, globals.json);
  showNotes(config);
  ASSIGN_OR_RETURN(const auto trainer, loadTrainer());
  ProgressDisplay display(globals.json, STDERR_FILENO);
  ASSIGN_OR_RETURN(const auto found, trainer->findBatch(config, globals.workspace, display));
  display.close();
  if (!globals.json) {
    printFound(found);
    return kDone;
  }
  const Json probes = jsonList(found.probes, [](const BatchSearchResult::Probe& probe) -> Json {
    return {{"microbatch", probe.microbatchUnits}, {"peak", probe.peakBytes}, {"fits", probe.fits}};
  });
  return printJson({{"schema", "batchwise.find_batch/1"},
                    {"microbatch", found.microbatchUnits},
                    {"run_microbatch", found.runUnits},
                    {"bound", found.bound.empty() ? Json(nullptr) : Json(found.bound)},
                    {"limit", found.limitBytes},
                    {"probes", probes},
                    {"notes", display.notes()}});
}

}  // namespace

void addModelCommands(Commands& commands) {
  const auto searching = std::make_shared<ConfigArguments>();
  CLI::App* search = commands.add(nullptr, "find-batch",
                                  "The largest micro-batch that fits into a device's memory, by a few careful probes",
                                  "batchwise find-batch run.yaml --set devices.memory_limit=4GiB",
                                  [&commands, searching] { return findBatch(commands.globals(), *searching); });
  addConfigArguments(*search, *searching);

  const auto filling = std::make_shared<FillArguments>();
  CLI::App* fill = commands.add(nullptr, "fill-mask", "What the model of a run predicts for [MASK]",
                                "batchwise fill-mask latest \"the cat [MASK] on the mat\"",
                                [&commands, filling] { return fillMask(commands.globals(), *filling); });
  addRunArgument(*fill, filling->run);
  fill->add_option("text", filling->text, "Text with one or more [MASK], or the mask token of the model")->required();
  fill->add_option("--checkpoint", filling->checkpoint, "Checkpoint id (default: the newest)")
      ->check(nonEmptyName("a checkpoint"));
  fill->add_option("--top", filling->candidates, "Candidates per mask")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();

  const auto exporting = std::make_shared<ExportArguments>();
  CLI::App* command = commands.add(nullptr, "export",
                                   "Write a run's model as a Hugging Face folder, its metrics as CSV, Parquet or for "
                                   "TensorBoard, a chart, a report, or all of it as one file",
                                   "batchwise export latest --hf my-bert",
                                   [&commands, exporting] { return exportRun(commands.globals(), *exporting); });
  addRunArgument(*command, exporting->run);
  auto* form = command->add_option_group("form", "What to write");
  CLI::Option* model =
      form->add_option("--hf", exporting->huggingFace, "Folder for config.json, model.safetensors and tokenizer files")
          ->transform(pathName("a folder"));
  CLI::Option* vectors =
      form->add_option("--sentence-transformers", exporting->sentenceTransformers,
                       "Folder for the encoder as sentence-transformers reads it, to search or compare texts")
          ->transform(pathName("a folder"));
  CLI::Option* csv =
      form->add_option("--csv", exporting->csv, "File for all metrics, one row per global batch; - is stdout")
          ->transform(pathName("a file"));
  CLI::Option* parquet =
      form->add_option("--parquet", exporting->parquet,
                       "File for all metrics, one row per point: run, series, step, wall_time, value")
          ->transform(pathName("a file"));
  CLI::Option* tensorBoard = form->add_option("--tensorboard", exporting->tensorBoard,
                                              "Folder for an event file with all metrics and the configuration")
                                 ->transform(pathName("a folder"));
  CLI::Option* chart =
      form->add_option("--chart", exporting->chart, "File for the chart of one series; it ends in .svg")
          ->transform(outputFileName());
  CLI::Option* report =
      form->add_option("--report", exporting->report, "File for a web page with all charts and values")
          ->transform(outputFileName());
  CLI::Option* archive = form->add_option("--archive", exporting->archive,
                                          "File for the whole run, to be imported elsewhere with `import`")
                             ->transform(outputFileName());
  form->require_option(1);
  command->add_option("others", exporting->others, "Runs that the report compares with the first")
      ->needs(report)
      ->check(nonEmptyName("a run"));
  addForceFlag(*command, exporting->replaces);
  command
      ->add_option("--checkpoint", exporting->checkpoint,
                   "Id of the checkpoint for --hf and --sentence-transformers (default: the newest)")
      ->excludes(csv, chart, report, archive, parquet, tensorBoard)
      ->check(nonEmptyName("a checkpoint"));
  command->add_option("--pooling", exporting->pooling, "Vector of a text: mean of its tokens, or cls, that of [CLS]")
      ->needs(vectors)
      ->check(CLI::IsMember({"mean", "cls"}))
      ->capture_default_str();
  command->add_option("--series", exporting->series, "Series of the first chart; `metrics RUN` lists all")
      ->excludes(model, vectors, csv, archive, parquet, tensorBoard)
      ->capture_default_str();
  command->add_option("--over", exporting->over, "Axis of the charts: batches (global), steps, samples, tokens, time")
      ->excludes(model, vectors, csv, archive, parquet, tensorBoard)
      ->check(CLI::IsMember({"batches", "steps", "samples", "tokens", "time"}))
      ->capture_default_str();
  command->add_option("--size", exporting->size, "Size of the chart in centimeters")
      ->needs(chart)
      ->capture_default_str();
  command
      ->add_option("--checkpoints", exporting->checkpoints,
                   "Checkpoints in the archive: latest, all, none, or ids separated by commas")
      ->needs(archive)
      ->capture_default_str();
}

}  // namespace batchwise::cli
