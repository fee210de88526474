// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/archive/run_archive.h"
#include "core/trackers/run_importer.h"
#include "core/trackers/table_runs.h"

// Commands that bring runs into the workspace, from archives and from files of other programs.

namespace batchwise::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string name;
  std::string step;
};

Result<int> importRun(const Globals& globals, const ImportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));  // created if missing
  ProgressDisplay display(globals.json, STDERR_FILENO);
  const auto progress = [&display](std::int64_t done, std::int64_t total) {
    display.publish(PhaseProgress{"importing", static_cast<double>(done), static_cast<double>(total), "bytes"});
  };
  ASSIGN_OR_RETURN(const auto imported, importArchive(*workspace, arguments.file, arguments.name, progress));
  display.close();
  if (globals.json)
    return printJson({{"schema", "batchwise.import/1"},
                      {"run", imported.run},
                      {"name", imported.name},
                      {"checkpoints", imported.checkpoints}});
  std::cout << "run " << imported.name << " (" << imported.run << ") imported with " << imported.checkpoints
            << (imported.checkpoints == 1 ? " checkpoint\n" : " checkpoints\n");
  return kDone;
}

Result<int> importExternal(const Globals& globals, const ImportArguments& arguments) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace));  // created if missing
  if (!arguments.step.empty()) {
    const auto columns = logColumns(tableKind(arguments.file), arguments.file).names;
    if (columns.empty())
      return Error::config(formatText("--step is for one CSV or JSON Lines file; '{}' is none", arguments.file));
    auto remembered = rememberStepColumn(*workspace, columns, arguments.step);
    if (!remembered.ok()) return remembered.error().within("--step");
  }
  ProgressDisplay display(globals.json, STDERR_FILENO);
  RunImporter importer(*workspace, arguments.file);
  ASSIGN_OR_RETURN(auto report, importer.update([&display](std::int64_t done, std::int64_t total) {
    display.publish(PhaseProgress{"importing", static_cast<double>(done), static_cast<double>(total), "runs"});
  }));
  display.close();
  for (const UnknownSteps& table : report.unknownSteps)
    return Error::config(formatText("'{}' has no column that is known to hold steps; add --step with one of {}",
                                    table.file.native(), joined(table.columns)));
  if (!arguments.name.empty()) {
    if (report.ids.size() == 1)
      RETURN_IF_ERROR(workspace->renameRun(report.ids.front(), arguments.name));
    else
      report.problems.push_back(
          formatText("--as names one run; '{}' holds {}, which keep their names", arguments.file, report.ids.size()));
  }
  showNotes(report.problems);
  if (globals.json)
    return printJson({{"schema", "batchwise.import_runs/1"},
                      {"runs", report.ids},
                      {"new", report.newRuns},
                      {"changed", report.changed.size()},
                      {"points", report.points},
                      {"problems", report.problems}});
  std::cout << formatInteger(report.runs) << (report.runs == 1 ? " run: " : " runs: ") << formatInteger(report.newRuns)
            << " new, " << formatInteger(report.points) << " new points in "
            << formatInteger(std::ssize(report.changed)) << "\n";
  return kDone;
}

/// Prints the table of names; changes it first if there are assignments, "theirs=ours".
Result<int> seriesNames(const Globals& globals, const std::vector<std::string>& assignments, bool standard) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(auto table, workspace->seriesAliases());
  if (standard) table = standardSeriesAliases();
  for (auto assignment = assignments.rbegin(); assignment != assignments.rend(); ++assignment) {
    ASSIGN_OR_RETURN(const auto said, parseSeriesAlias(*assignment));
    std::erase_if(table, [&](const SeriesAlias& alias) { return alias.logged == said.logged; });
    if (!said.name.empty()) table.insert(table.begin(), said);  // what was said last counts first
  }
  if (standard || !assignments.empty()) RETURN_IF_ERROR(workspace->setSeriesAliases(table));
  if (globals.json) {
    const Json rows = jsonList(table, [](const SeriesAlias& alias) -> Json {
      return {{"logged", alias.logged}, {"name", alias.name}};
    });
    return printJson({{"schema", "batchwise.series_names/1"}, {"names", rows}});
  }
  using enum Table::Align;
  Table printed({{"in the files", Left}, {"here", Left}});
  for (const SeriesAlias& alias : table) printed.add({alias.logged, alias.name});
  printed.print(std::cout);
  return kDone;
}

}  // namespace

void addImportCommand(Commands& commands) {
  const auto importing = std::make_shared<ImportArguments>();
  const auto run = [&commands, importing] {
    std::error_code ignored;
    const bool isExternal = std::filesystem::is_directory(importing->file, ignored) || hasTableName(importing->file) ||
                            looksLikeRuns(importing->file, /*asksForSteps=*/true);
    return isExternal ? importExternal(commands.globals(), *importing) : importRun(commands.globals(), *importing);
  };
  CLI::App* command = commands.add(nullptr, "import",
                                   "Import the run of an archive, or those that TensorBoard, transformers, Lightning, "
                                   "W&B, MLflow, Trackio or any CSV or JSON Lines log has in a folder or file: again, "
                                   "only what is new",
                                   "batchwise import lightning_logs", run);
  command->add_option("file", importing->file, "The archive, or the other program's file or folder")
      ->required()
      ->transform(pathName("a file"));
  command->add_option("--as", importing->name, "Name of the run here (default: its own)");
  command
      ->add_option("--step", importing->step,
                   "Column with the steps of a CSV or JSON Lines file; remembered for files with these columns")
      ->check(nonEmptyName("a column"));
}

void addSeriesNamesCommand(Commands& commands, CLI::App* runs) {
  struct Arguments {
    std::vector<std::string> assignments;
    bool standard = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = commands.add(
      runs, "names", "Show or change which series of other programs are which of ours", "batchwise runs names ce=loss",
      [&commands, arguments] { return seriesNames(commands.globals(), arguments->assignments, arguments->standard); });
  command->add_option("names", arguments->assignments,
                      "Assignments NAME-IN-THE-FILES=NAME-HERE; nothing behind = takes a line out, * at both ends "
                      "stands for the rest");
  command->add_flag("--standard", arguments->standard, "Start from the table of a new workspace");
}

}  // namespace batchwise::cli
