// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/records.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

Json recordJson(const CheckpointRecord& record) {
  return {{"id", record.id},
          {"run", record.run},
          {"segment", record.segment},
          {"ep", record.at.epoch},
          {"ba", record.at.batch},
          {"steps", record.at.step},
          {"sp", record.at.sample},
          {"tok", record.at.token},
          {"file", record.file},
          {"bytes", record.bytes},
          {"created", isoTime(record.createdMs)},
          {"reason", choiceName(record.reason)},
          {"metric", jsonNumber(record.metric)},
          {"pinned", record.pinned},
          {"verified", record.verified},
          {"finite", record.finite}};
}

Result<int> list(const Globals& globals, const std::string& name) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto run, workspace->findRun(name));
  ASSIGN_OR_RETURN(const auto records, workspace->checkpoints(run.summary.id));
  if (globals.json) {
    const Json all = jsonList(records, recordJson);
    return printJson({{"schema", "batchwise.checkpoints/1"}, {"run", run.summary.id}, {"checkpoints", all}});
  }
  using enum Table::Align;
  Table table({{"id", Left},
               {"ba", Right},
               {"size", Right},
               {"created", Left},
               {"reason", Left},
               {"metric", Right},
               {"state", Left}});
  for (const CheckpointRecord& record : records)
    table.add({record.id, std::to_string(record.at.batch), formatBytes(record.bytes), isoTime(record.createdMs),
               std::string(choiceName(record.reason)), record.metric ? formatValue(*record.metric) : "-",
               std::string(record.finite ? "" : "not finite ") + (record.pinned ? "kept" : "")});
  table.print(std::cout);
  return kDone;
}

/// Returns the checkpoint with the id `name`, else all checkpoints of the run `name`.
Result<std::vector<CheckpointRecord>> named(const Workspace& workspace, const std::string& name) {
  if (auto record = workspace.findCheckpoint(name); record.ok()) return std::vector<CheckpointRecord>{*record};
  const auto run = workspace.findRun(name);
  if (!run.ok())
    return Error::notFound(
        formatText("there is no checkpoint or run '{}'; 'batchwise runs list' shows the runs", name));
  return workspace.checkpoints(run->summary.id);
}

std::string problemOf(const Workspace& workspace, const CheckpointRecord& record) {
  const auto reader = CheckpointReader::openIn(workspace.folder(), record.file);
  if (!reader.ok()) return reader.error().text();
  const Result<void> verified = reader->verify();
  return verified.ok() ? "" : verified.error().text();
}

Result<int> verify(const Globals& globals, const std::string& name) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto records, named(*workspace, name));
  Json all = Json::array();
  bool good = true;
  for (const CheckpointRecord& record : records) {
    const std::string problem = problemOf(*workspace, record);
    good = good && problem.empty();
    all.push_back({{"id", record.id}, {"ok", problem.empty()}, {"problem", problem}});
    if (!globals.json)
      std::cout << record.id << "  " << record.at.batch << "ba  " << (problem.empty() ? "good" : problem) << "\n";
  }
  if (globals.json) printJson({{"schema", "batchwise.checkpoints_verified/1"}, {"checkpoints", all}});
  return good ? kDone : kFailed;
}

Result<int> average(const Globals& globals, const std::string& name, std::int64_t count) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto record, addAveragedCheckpoint(*workspace, name, count));
  if (globals.json)
    return printJson(
        {{"schema", "batchwise.checkpoint_averaged/1"}, {"count", count}, {"checkpoint", recordJson(record)}});
  std::cout << "checkpoint " << record.id << " has the mean weights of the last " << count
            << " checkpoints; name it with --checkpoint to export it or to fork from it\n";
  return kDone;
}

Result<int> remove(const Globals& globals, const std::string& id) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto record, workspace->findCheckpoint(id));
  RETURN_IF_ERROR(workspace->deleteCheckpoint(record.id));
  if (globals.json)
    return printJson(
        {{"schema", "batchwise.checkpoint_deleted/1"}, {"checkpoint", record.id}, {"bytes", record.bytes}});
  std::cout << "checkpoint " << record.id << " deleted, " << formatBytes(record.bytes) << " freed\n";
  return kDone;
}

/// Keeps only the best checkpoint of each run. Deletes nothing unless `confirmed`.
Result<int> keepBest(const Globals& globals, const std::vector<std::string>& names, bool confirmed) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  std::vector<CheckpointRecord> removed;
  std::int64_t bytes = 0;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const auto records, checkpointsBesidesBest(*workspace, name));
    for (const CheckpointRecord& record : records) {
      if (std::ranges::any_of(removed, [&record](const auto& known) { return known.id == record.id; })) continue;
      removed.push_back(record);
      bytes += record.bytes;
    }
  }
  const auto count = static_cast<std::int64_t>(removed.size());
  if (!confirmed && count > 0)
    return Error::config(
        formatText("this deletes {} and frees {}; add --yes", countText(count, "checkpoint"), formatBytes(bytes)));
  for (const CheckpointRecord& record : removed) RETURN_IF_ERROR(workspace->deleteCheckpoint(record.id));
  if (globals.json) {
    const Json all = jsonList(removed, recordJson);
    return printJson({{"schema", "batchwise.checkpoints_kept_best/1"}, {"deleted", all}, {"bytes", bytes}});
  }
  std::cout << count << (count == 1 ? " checkpoint" : " checkpoints") << " deleted, " << formatBytes(bytes)
            << " freed\n";
  return kDone;
}

}  // namespace

void addCheckpointCommands(Commands& commands) {
  CLI::App* checkpoints = commands.group("checkpoints", "List, verify, average and delete checkpoints");
  const auto name = std::make_shared<std::string>();
  addRunArgument(*commands.add(checkpoints, "list", "The checkpoints of a run", "batchwise checkpoints list latest",
                               [&commands, name] { return list(commands.globals(), *name); }),
                 *name);
  commands
      .add(checkpoints, "verify", "Read back checkpoints and check every hash; exit code 1 if one is damaged",
           "batchwise checkpoints verify latest", [&commands, name] { return verify(commands.globals(), *name); })
      ->add_option("checkpoint", *name, "Checkpoint id, or a run for all of its checkpoints")
      ->required()
      ->check(nonEmptyName("a checkpoint or a run"));
  const auto count = std::make_shared<std::int64_t>(3);
  CLI::App* mean =
      commands.add(checkpoints, "average", "Add a checkpoint whose weights are the mean of the last ones of a run",
                   "batchwise checkpoints average latest --last 3",
                   [&commands, name, count] { return average(commands.globals(), *name, *count); });
  addRunArgument(*mean, *name);
  mean->add_option("--last", *count, "How many of its last checkpoints")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  const auto runs = std::make_shared<std::vector<std::string>>();
  const auto confirmed = std::make_shared<bool>(false);
  CLI::App* keeping =
      commands.add(checkpoints, "keep-best", "Delete all checkpoints of runs but the best one of each, and pinned ones",
                   "batchwise checkpoints keep-best first second --yes",
                   [&commands, runs, confirmed] { return keepBest(commands.globals(), *runs, *confirmed); });
  keeping->add_option("runs", *runs, "Runs, by name or id")->required()->check(nonEmptyName("a run"));
  keeping->add_flag("--yes", *confirmed, "Confirm");
  commands
      .add(checkpoints, "delete", "Delete one checkpoint with its file", "batchwise checkpoints delete 4f0k2m9x1c7d",
           [&commands, name] { return remove(commands.globals(), *name); })
      ->add_option("checkpoint", *name, "Checkpoint id")
      ->required()
      ->check(nonEmptyName("a checkpoint"));
}

}  // namespace batchwise::cli
