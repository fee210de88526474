// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/analysis/comparison_tables.h"
#include "core/analysis/config_difference.h"
#include "core/analysis/filter.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/default_values.h"
#include "core/config/schema.h"
#include "core/run/controllers/command_channel.h"
#include "core/store/journal/journal.h"
#include "core/store/records.h"
#include "core/store/workspace.h"
#include "core/trackers/run_importer.h"

// Commands that set the name, the tags and the note of a run.

namespace batchwise::cli {
namespace {

Json summaryJson(const RunSummary& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"status", choiceName(run.status)},
          {"paused", run.paused},
          {"reason", run.reason},
          {"cause", run.cause == FailureCause::Unknown ? Json(nullptr) : Json(choiceName(run.cause))},
          {"created", isoTime(run.createdMs)},
          {"ended", run.endedMs == 0 ? Json(nullptr) : Json(isoTime(run.endedMs))},
          {"planned_ba", run.plannedBatches},
          {"ep", run.at.epoch},
          {"ba", run.at.batch},
          {"steps", run.at.step},
          {"sp", run.at.sample},
          {"tok", run.at.token},
          {"sec", jsonNumber(run.at.seconds)},
          {"loss", jsonNumber(run.loss)},
          {"eval_loss", jsonNumber(run.evalLoss)},
          {"lr", jsonNumber(run.learningRate)},
          {"samples_per_sec", jsonNumber(run.samplesPerSec)},
          {"tokens_per_sec", jsonNumber(run.tokensPerSec)},
          {"checkpoints", run.checkpoints},
          {"parent", run.parent},
          {"archived", run.archived},
          {"tags", run.tags},
          {"note", run.note},
          {"evaluation_set", run.evaluationSet},
          {"source", run.source},
          {"source_path", run.sourcePath}};
}

std::string valueOrDash(const std::optional<double>& value) {
  return value ? formatValue(*value) : "-";
}

/// Returns the runs that match the filter. Reads configurations only if the filter needs them.
Result<std::vector<RunSummary>> filtered(const Workspace& workspace, const RunFilter& filter, bool withArchived) {
  auto runs = workspace.listRuns(withArchived);
  if (!runs.ok()) return runs;
  std::vector<RunSummary> kept;
  for (RunSummary& run : *runs) {
    ConfigValues values;
    if (filter.needsConfig()) {
      ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run.id));
      if (auto read = configValuesOf(detail); read.ok()) values = std::move(*read);
    }
    if (filter.passes(lookupIn(run, &values))) kept.push_back(std::move(run));
  }
  return kept;
}

Result<int> list(const Globals& globals, bool withArchived, const std::string& filterText) {
  const auto filter = RunFilter::parse(filterText);
  if (!filter.ok()) return filter.error().within("--filter");
  const auto workspace = openExisting(globals);
  const bool none = !workspace.ok() && workspace.error().code == ErrorCode::NotFound;
  if (none) std::cerr << "note: " << workspace.error().text() << "\n";
  if (!workspace.ok() && !none) return workspace.error();
  ASSIGN_OR_RETURN(const auto runs, none ? Result<std::vector<RunSummary>>(std::vector<RunSummary>{})
                                         : filtered(**workspace, *filter, withArchived));
  if (globals.json) {
    const Json all = jsonList(runs, summaryJson);
    return printJson({{"schema", "batchwise.runs/1"}, {"runs", all}});
  }
  using enum Table::Align;
  const bool hasSources = std::ranges::any_of(runs, &isExternal);
  std::vector<std::pair<std::string, Table::Align>> columns = {
      {"id", Left},    {"name", Left},       {"status", Left},   {"created", Left},     {"ba", Right},
      {"loss", Right}, {"eval loss", Right}, {"eval set", Left}, {"checkpoints", Right}};
  if (hasSources) columns.emplace_back("source", Left);
  Table table(std::move(columns));
  for (const RunSummary& run : runs) {
    std::vector<std::string> cells = {run.id,
                                      run.name,
                                      std::string(stateName(run)) + (run.archived ? ", archived" : ""),
                                      isoTime(run.createdMs),
                                      std::to_string(run.at.batch),
                                      valueOrDash(run.loss),
                                      valueOrDash(run.evalLoss),
                                      run.evaluationSet.empty() ? "-" : run.evaluationSet,
                                      std::to_string(run.checkpoints)};
    if (hasSources) cells.push_back(isExternal(run) ? sourceTitle(run.source) : "-");
    table.add(std::move(cells));
  }
  table.print(std::cout);
  return kDone;
}

/// Parses the stored JSON; null if the run has none.
Json environmentJson(const std::string& text) {
  const nlohmann::json json = parseJsonOrDiscarded(text);
  return json.is_discarded() ? Json(nullptr) : Json(json);
}

Json detailJson(const RunDetail& run) {
  const Json segments = jsonList(run.segments, [](const RunSegment& segment) -> Json {
    return {{"number", segment.number},
            {"from_ba", segment.from.batch},
            {"checkpoint", segment.checkpoint},
            {"started", isoTime(segment.startedMs)},
            {"host", segment.host},
            {"process", segment.processId},
            {"environment", environmentJson(segment.environment)}};
  });
  Json references = Json::object();
  for (const auto& [name, value] : run.references) references[name] = jsonNumber(value);
  Json json = {{"schema", "batchwise.run/1"}, {"run", summaryJson(run.summary)}};
  json.update({{"why", run.why},
               {"config", run.configYaml},
               {"resolved_config", run.resolvedYaml},
               {"resolved", run.resolvedValues},
               {"resolved_now", currentResolvedValues(run)},
               {"references", references},
               {"segments", segments}});
  return json;
}

/// Prints the launched configuration, then the changes made on the command line; they are stored as separate YAML
/// documents.
void printConfiguration(const std::string& yaml) {
  constexpr std::string_view kNext = "\n---\n";
  std::size_t end = yaml.find(kNext);
  std::cout << "\nconfiguration\n" << yaml.substr(0, end) << "\n";
  if (end != std::string::npos) std::cout << "\nchanged at launch, later ones win\n";
  while (end != std::string::npos) {
    const std::size_t start = end + kNext.size();
    end = yaml.find(kNext, start);
    std::string change = yaml.substr(start, end == std::string::npos ? end : end - start);
    while (!change.empty() && change.back() == '\n') change.pop_back();
    std::cout << "  " << change << "\n";
  }
}

/// Returns fields that were `auto` at launch and still have the value resolved then.
std::vector<std::string> filledAtLaunch(const RunDetail& run, const ConfigValues& launched, const ConfigValues& now) {
  const TrainConfig filled = withDefaults(parseConfig(run.configYaml, run.summary.name, {}).config);
  std::vector<std::string> fields;
  for (const auto& [path, value] : launched) {
    const Field* field = value == "auto" ? findField(path) : nullptr;
    if (field == nullptr) continue;
    const std::string chosen = field->get(filled);
    const auto kept = now.find(path);
    // A value that is still auto follows from device and model and cannot be changed by a resume.
    if (chosen == "auto" || (kept != now.end() && kept->second == chosen)) fields.push_back(path);
  }
  return fields;
}

/// Prints fields that a resume changed, such as a longer max_duration.
void printChangedSince(const RunDetail& run) {
  if (run.segments.size() < 2) return;
  const LoadedConfig typed = parseConfig(run.configYaml, run.summary.name, {});
  const auto now = configValuesOf(run);
  if (!typed.ok() || !now.ok()) return;
  const ConfigValues launched = configValues(typed.config);
  std::vector<std::string> setAtLaunch = filledAtLaunch(run, launched, *now);  // set by the launch itself
  if (typed.config.batch.useMaximumBatchSize) setAtLaunch.push_back("batch.global_train_batch_size");
  const auto found = compareConfigValues(std::array{launched, *now}, IgnoredFields(std::move(setAtLaunch)));
  if (!found.rows.empty()) std::cout << "\nchanged since the launch\n";
  for (const FieldRow& row : found.rows)
    std::cout << "  " << row.field << ": " << row.values[1] << "; at launch " << row.values[0] << "\n";
}

/// Prints resolved values; both the current value and the one at launch where a resume resolved it again.
void printResolved(const RunDetail& run) {
  const auto reresolved = reresolvedValues(run);
  std::cout << "\nresolved at launch" << (reresolved.empty() ? "" : "; what is in force now stands first") << "\n";
  for (const auto& [name, value] : currentResolvedValues(run)) {
    std::cout << "  " << name << ": " << value;
    if (const auto since = reresolved.find(name); since != reresolved.end()) {
      const auto launched = run.resolvedValues.find(name);
      std::cout << " since segment " << since->second.segment << "; at launch "
                << (launched == run.resolvedValues.end() ? "none" : launched->second);
    }
    std::cout << "\n";
  }
}

std::string positionText(const RunSummary& run) {
  if (isExternal(run)) return countText(run.at.batch, "step");
  const std::string planned = run.plannedBatches > 0 ? formatText(" of {}", run.plannedBatches) : "";
  return formatText("{}ba{}, {}sp, {}tok, {} of training", run.at.batch, planned, run.at.sample, run.at.token,
                    formatDuration(run.at.seconds));
}

void printDetail(const RunDetail& run) {
  const RunSummary& summary = run.summary;
  std::cout << summary.name << " (" << summary.id << "), " << stateName(summary)
            << (summary.reason.empty() ? "" : ": " + summary.reason) << "\n"
            << "created " << isoTime(summary.createdMs) << ", " << positionText(summary) << "\n"
            << "loss " << valueOrDash(summary.loss) << ", evaluation loss " << valueOrDash(summary.evalLoss) << ", "
            << countText(summary.checkpoints, "checkpoint") << ", " << countText(std::ssize(run.segments), "segment")
            << "\n";
  if (!summary.parent.empty()) std::cout << "made from run " << summary.parent << "\n";
  if (!run.why.empty()) std::cout << "why: " << run.why << "\n";
  if (!summary.tags.empty()) std::cout << "tags: " << joined(summary.tags) << "\n";
  if (!summary.note.empty()) std::cout << "note: " << summary.note << "\n";
}

void printConfigurations(const RunDetail& run) {
  printConfiguration(run.configYaml);
  printChangedSince(run);
  printResolved(run);
}

/// Prints where a run of another program comes from, what it logged, and which of its series have names of ours.
Result<void> printSource(const Workspace& workspace, const RunDetail& run) {
  std::cout << "recorded by " << sourceTitle(run.summary.source) << " in " << run.summary.sourcePath
            << "; it can be compared and exported, but not resumed\n";
  if (!run.resolvedValues.empty()) std::cout << "\nsettings that it logged\n";
  for (const auto& [name, value] : run.resolvedValues) std::cout << "  " << name << ": " << value << "\n";
  ASSIGN_OR_RETURN(const auto logged, workspace.loggedNames(run.summary.id));
  std::cout << "\nseries\n";
  for (const auto& [name, theirs] : logged)
    std::cout << "  " << name << (name == theirs ? "" : ", logged as " + theirs) << "\n";
  return {};
}

Result<int> show(const Globals& globals, const std::string& name) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  if (globals.json) return printJson(detailJson(run));
  printDetail(run);
  if (isExternal(run.summary))
    RETURN_IF_ERROR(printSource(*workspace, run));
  else
    printConfigurations(run);
  return kDone;
}

/// Prints the fields in which two runs differ, including ignored fields if `everything`.
Result<int> diff(const Globals& globals, const std::string& left, const std::string& right, bool everything) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  std::vector<RunSummary> runs;
  std::vector<ConfigValues> values;
  for (const std::string& name : {left, right}) {
    ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
    ASSIGN_OR_RETURN(auto config, configValuesOf(run));
    runs.push_back(run.summary);
    values.push_back(std::move(config));
  }
  const IgnoredFields ignored = everything ? IgnoredFields({}) : IgnoredFields::standard();
  const ConfigComparison found = compareConfigValues(values, ignored);
  if (globals.json) {
    const Json all = jsonList(found.rows, [](const FieldRow& row) -> Json {
      return {{"field", row.field}, {"left", row.values[0]}, {"right", row.values[1]}};
    });
    return printJson({{"schema", "batchwise.diff/1"},
                      {"left", runs[0].id},
                      {"right", runs[1].id},
                      {"compared", found.compared},
                      {"ignored", ignored.patterns()},
                      {"differences", all}});
  }
  std::cout << differenceText(found) << "\n";
  using enum Table::Align;
  Table table({{"field", Left}, {runs[0].name, Left}, {runs[1].name, Left}});
  for (const FieldRow& row : found.rows) table.add({row.field, row.values[0], row.values[1]});
  if (!found.rows.empty()) table.print(std::cout);
  return kDone;
}

enum class Change { Archive, Unarchive, Delete };

Result<int> change(const Globals& globals, const std::string& name, Change what) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  const std::string& id = run.summary.id;
  std::int64_t freed = 0;
  if (what == Change::Delete) {
    ASSIGN_OR_RETURN(const auto records, workspace->checkpoints(id));
    for (const CheckpointRecord& record : records) freed += record.bytes;
  }
  RETURN_IF_ERROR(what == Change::Delete ? workspace->deleteRun(id)
                                         : workspace->setArchived(id, what == Change::Archive));
  const char* word = what == Change::Delete    ? "deleted"
                     : what == Change::Archive ? "archived"
                                               : "taken out of the archive";
  if (globals.json)
    return printJson({{"schema", "batchwise.run_changed/1"}, {"run", id}, {"change", word}, {"bytes", freed}});
  std::cout << "run " << run.summary.name << " (" << id << ") " << word
            << (freed > 0 ? ", " + formatBytes(freed) + " freed" : "") << "\n";
  return kDone;
}

Result<int> deleteRun(const Globals& globals, const std::string& name, bool confirmed) {
  if (confirmed) return change(globals, name, Change::Delete);
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  return Error::config(
      formatText("this removes run {} ({}) with its metrics and {} for good; add --yes, or hide it with 'runs archive'",
                 run.summary.name, run.summary.id, countText(run.summary.checkpoints, "checkpoint")));
}

/// Sends a command to the process that trains the run, whether started by the command line or by the window.
Result<int> sendCommand(const Globals& globals, const std::string& name, const std::string& word) {
  const auto command = choiceFromName<RunCommand>(word);
  if (!command || *command == RunCommand::None || *command == RunCommand::StopUnneeded)
    return Error::config(formatText(
        "'{}' is not a command; use pause, continue, save_checkpoint, stop_after_batch, stop or abort", word));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  if (isExternal(run.summary))
    return Error::config(formatText("run {} is of another program, which does not take commands", run.summary.name));
  if (run.summary.status != RunStatus::Running || run.segments.empty())
    return Error::config(
        formatText("run {} is not training; it is {}", run.summary.name, choiceName(run.summary.status)));
  RETURN_IF_ERROR(sendRunCommand(workspace->folder(), run.segments.back().processId, *command));
  if (globals.json) return printJson({{"schema", "batchwise.run_told/1"}, {"run", run.summary.id}, {"command", word}});
  std::cout << "sent to run " << run.summary.name << ": " << word << "\n";
  return kDone;
}

struct RunArguments {
  std::string run;
  std::string other;
  std::string filter;
  bool flag = false;
};

Result<int> sync(const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(auto done, syncJournals(*workspace));
  RunImporter logged(*workspace, workspace->folder() / kLoggedFolder, /*bringsBack=*/false);
  if (auto read = logged.update(); read.ok()) {
    done.records += read->points;
    done.runs.insert(done.runs.end(), read->changed.begin(), read->changed.end());
    done.notes.insert(done.notes.end(), read->problems.begin(), read->problems.end());
  } else if (read.error().code != ErrorCode::NotFound && read.error().code != ErrorCode::Unsupported) {
    return read.error();  // not: that there is no run
  }
  if (globals.json)
    return printJson(
        {{"schema", "batchwise.runs_sync/1"}, {"runs", done.runs}, {"records", done.records}, {"notes", done.notes}});
  std::cout << done.records << " new records of " << done.runs.size() << " runs\n";
  for (const std::string& note : done.notes) std::cerr << note << "\n";
  return kDone;
}

/// Opens the run, applies the change and prints the resulting labels.
Result<int> relabel(const Globals& globals, const std::string& name,
                    const std::function<Result<void>(Workspace&, const RunSummary&)>& apply) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  RETURN_IF_ERROR(apply(*workspace, run.summary));
  ASSIGN_OR_RETURN(const auto now, workspace->findRun(run.summary.id));
  const RunSummary& summary = now.summary;
  if (globals.json)
    return printJson({{"schema", "batchwise.run_labels/1"},
                      {"run", summary.id},
                      {"name", summary.name},
                      {"tags", summary.tags},
                      {"note", summary.note}});
  std::cout << summary.name << " (" << summary.id << ")"
            << (summary.tags.empty() ? "" : ", tags: " + joined(summary.tags))
            << (summary.note.empty() ? "" : ", note: " + summary.note) << "\n";
  return kDone;
}

struct LabelArguments {
  std::string run;
  std::string text;
  std::vector<std::string> tags;
  std::vector<std::string> without;
};

/// Returns the tags of a run with `added` appended and `without` removed.
std::vector<std::string> withTagChanges(std::vector<std::string> tags, const std::vector<std::string>& added,
                                        const std::vector<std::string>& without) {
  tags.insert(tags.end(), added.begin(), added.end());
  std::erase_if(
      tags, [&](const std::string& tag) { return std::find(without.begin(), without.end(), tag) != without.end(); });
  return tags;
}

}  // namespace

void addRunCommands(Commands& commands) {
  CLI::App* runs = commands.group("runs", "List, show, compare and remove runs");
  const auto arguments = std::make_shared<RunArguments>();
  const auto named = [arguments](CLI::App* command) {
    addRunArgument(*command, arguments->run);
    return command;
  };
  CLI::App* listing = commands.add(
      runs, "list", "All runs of the workspace, newest first", "batchwise runs list --filter 'tag = ramp and loss < 3'",
      [&commands, arguments] { return list(commands.globals(), arguments->flag, arguments->filter); });
  listing->add_flag("--archived", arguments->flag, "Include archived runs");
  listing->add_option("--filter", arguments->filter,
                      "Only runs that meet this condition over fields of the configuration, name, tag, status and last "
                      "values, such as 'batch.global_train_batch_size > 64 and status = finished'");
  named(commands.add(runs, "show", "One run: configuration, derived values, segments", "batchwise runs show latest",
                     [&commands, arguments] { return show(commands.globals(), arguments->run); }));
  CLI::App* diffing = named(commands.add(
      runs, "diff", "Fields in which two runs differ, defaults resolved", "batchwise runs diff baseline latest",
      [&commands, arguments] { return diff(commands.globals(), arguments->run, arguments->other, arguments->flag); }));
  diffing->add_option("other", arguments->other, "The run to compare with")->required()->check(nonEmptyName("a run"));
  diffing->add_flag("--all", arguments->flag,
                    "Include name, seed and other fields that do not make a different experiment");
  addCompareCommand(commands, runs);
  addSeedsCommand(commands, runs);
  named(commands.add(runs, "archive", "Hide a run from lists; nothing is removed", "batchwise runs archive first",
                     [&commands, arguments] {
                       return change(commands.globals(), arguments->run,
                                     arguments->flag ? Change::Unarchive : Change::Archive);
                     }))
      ->add_flag("--undo", arguments->flag, "Show it again");
  named(commands.add(runs, "restore", "Show an archived run in lists again", "batchwise runs restore first",
                     [&commands, arguments] { return change(commands.globals(), arguments->run, Change::Unarchive); }));
  named(commands.add(runs, "delete", "Remove a run with its metrics and checkpoints",
                     "batchwise runs delete first --yes",
                     [&commands, arguments] { return deleteRun(commands.globals(), arguments->run, arguments->flag); }))
      ->add_flag("--yes", arguments->flag, "Confirm");
  addRunLabelCommands(commands, runs);
  addSeriesNamesCommand(commands, runs);
  named(commands.add(
            runs, "send", "Pause, continue, save or stop a run that is training, here or in the window",
            "batchwise runs send latest pause",
            [&commands, arguments] { return sendCommand(commands.globals(), arguments->run, arguments->other); }))
      ->add_option("command", arguments->other, "pause, continue, save_checkpoint, stop_after_batch, stop, abort")
      ->required();
  commands.add(runs, "sync", "Import the journals that runs on other machines have written", "batchwise runs sync",
               [&commands] { return sync(commands.globals()); });
}

void addRunLabelCommands(Commands& commands, CLI::App* runs) {
  const auto arguments = std::make_shared<LabelArguments>();
  const auto named = [arguments](CLI::App* command) {
    addRunArgument(*command, arguments->run);
    return command;
  };
  const auto relabeled = [&commands, arguments](auto apply) {
    return [&commands, arguments, apply] {
      return relabel(commands.globals(), arguments->run,
                     [&](Workspace& workspace, const RunSummary& run) { return apply(workspace, run, *arguments); });
    };
  };
  named(commands.add(runs, "rename", "Rename a run", "batchwise runs rename latest baseline",
                     relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                       return workspace.renameRun(run.id, given.text);
                     })))
      ->add_option("name", arguments->text, "The new name")
      ->required();
  CLI::App* tagging = named(
      commands.add(runs, "tag", "Add tags to a run, or remove some", "batchwise runs tag latest ramp --without draft",
                   relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                     return workspace.setTags(run.id, withTagChanges(run.tags, given.tags, given.without));
                   })));
  tagging->add_option("tags", arguments->tags, "Tags to add");
  tagging->add_option("--without", arguments->without, "Tags to remove");
  named(commands.add(runs, "note", "Write a note on a run, which replaces the last one",
                     "batchwise runs note latest 'wrong corpus'",
                     relabeled([](Workspace& workspace, const RunSummary& run, const LabelArguments& given) {
                       return workspace.setNote(run.id, given.text);
                     })))
      ->add_option("text", arguments->text, "Markdown; leave it out to remove the note");
}

}  // namespace batchwise::cli
