// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/foreground_run.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/store/backups.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/records.h"
#include "core/store/restore/restore.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct CheckArguments {
  bool quick = false;
};

/// Checks the content of the checkpoint files, with progress on stderr.
Result<std::vector<std::string>> checkContents(const Globals& globals, const Workspace& workspace) {
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  ProgressDisplay display(globals.json, STDERR_FILENO);
  const auto show = [&display](double done, double total) {
    constexpr double kMiB = 1 << 20;
    display.publish(PhaseProgress{"reading checkpoints", done / kMiB, total / kMiB, "MiB"});
  };
  auto problems = checkCheckpointContents(workspace, show, stop.get_token());
  display.close();
  return problems;
}

std::int64_t countCheckpoints(const Workspace& workspace) {
  std::int64_t count = 0;
  if (const auto runs = workspace.listRuns(/*withArchived=*/true); runs.ok())
    for (const RunSummary& run : *runs) count += run.checkpoints;
  return count;
}

Result<int> check(const Globals& globals, const CheckArguments& arguments) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace, Workspace::Mode::ReadOnly));
  ASSIGN_OR_RETURN(auto problems, workspace->check());
  if (!arguments.quick) {
    const auto contents = checkContents(globals, *workspace);
    if (!contents.ok() && (problems.empty() || contents.error().code == ErrorCode::Stopped)) return contents.error();
    if (contents.ok()) problems.insert(problems.end(), contents->begin(), contents->end());
  }
  auto unlisted = unlistedCheckpointNotes(*workspace);
  if (!unlisted.ok() && problems.empty()) return unlisted.error();
  std::vector<std::string> notes = unlisted.ok() ? std::move(*unlisted) : std::vector<std::string>{};
  const std::int64_t unread = arguments.quick ? countCheckpoints(*workspace) : 0;
  if (unread > 0)
    notes.push_back(
        formatText("the content of {} was not read; without --quick it is", countText(unread, "checkpoint")));
  if (globals.json) {
    printJson({{"schema", "batchwise.store_check/1"},
               {"ok", problems.empty()},
               {"problems", problems},
               {"notes", notes},
               {"unread_checkpoints", unread}});
    return problems.empty() ? kDone : kFailed;
  }
  for (const std::string& problem : problems) std::cout << problem << "\n";
  if (problems.empty())
    std::cout << (unread > 0 ? "the database of the workspace " : "the workspace ") << globals.workspace.string()
              << " is in order\n";
  for (const std::string& note : notes) std::cout << "note: " << note << "\n";
  return problems.empty() ? kDone : kFailed;
}

struct BackupArguments {
  std::string target;
  bool list = false;
};

Result<int> listBackups(const Globals& globals) {
  const auto backups = backupsOf(globals.workspace);
  if (globals.json) {
    const Json files = jsonList(backups, [](const BackupFile& each) -> Json {
      return {{"file", each.file.native()}, {"taken", isoTime(each.takenMs)}, {"bytes", each.bytes}};
    });
    return printJson({{"schema", "batchwise.store_backups/1"}, {"backups", files}});
  }
  using enum Table::Align;
  Table table({{"taken", Left}, {"size", Right}, {"file", Left}});
  for (const BackupFile& each : backups)
    table.add({isoTime(each.takenMs, TimeZone::Local), formatBytes(each.bytes), each.file.native()});
  table.print(std::cout);
  return kDone;
}

Result<int> backup(const Globals& globals, const BackupArguments& arguments) {
  std::string target = arguments.target;
  if (!target.empty()) RETURN_IF_ERROR(checkOutputFile(target, Replaces::Nothing));
  if (arguments.list) return listBackups(globals);  // also of a workspace whose database cannot be opened
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  if (target.empty()) {
    ASSIGN_OR_RETURN(const auto made, backUpWorkspace(workspace->folder(), Workspace::systemClock().wallMs()));
    target = made.file;
  } else {
    RETURN_IF_ERROR(workspace->backup(target));
  }
  if (globals.json) return printJson({{"schema", "batchwise.store_backup/1"}, {"file", target}});
  std::cout << "database copied to " << target << " (checkpoint files are not in it)\n";
  return kDone;
}

Result<int> restore(const Globals& globals, const std::string& from) {
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  ASSIGN_OR_RETURN(const auto report, restoreWorkspace(globals.workspace, from, stop.get_token()));
  if (globals.json)
    return printJson({{"schema", "batchwise.store_restore/1"},
                      {"backup", report.backup ? Json(report.backup->file.native()) : Json()},
                      {"replaced", report.replaced.native()},
                      {"added", report.added},
                      {"missing", report.missing},
                      {"notes", report.notes}});
  for (const std::string& line : restoreLines(report)) std::cout << line << "\n";
  return kDone;
}

Result<int> usage(const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  ASSIGN_OR_RETURN(const auto use, diskUse(*workspace));
  if (globals.json) {
    const Json runs = jsonList(use.runs, [](const RunDiskUse& each) -> Json {
      return {{"id", each.run.id},
              {"name", each.run.name},
              {"archived", each.run.archived},
              {"checkpoints", each.run.checkpoints},
              {"bytes", each.bytes}};
    });
    return printJson({{"schema", "batchwise.disk_use/1"},
                      {"runs", runs},
                      {"checkpoints", use.checkpoints},
                      {"archived", use.archived},
                      {"database", use.database},
                      {"cache", use.cache},
                      {"other", use.other},
                      {"total", use.total()}});
  }
  using enum Table::Align;
  Table table({{"id", Left}, {"name", Left}, {"", Left}, {"checkpoints", Right}, {"size", Right}});
  for (const RunDiskUse& each : use.runs)
    table.add({each.run.id, each.run.name, each.run.archived ? "archived" : "", std::to_string(each.run.checkpoints),
               formatBytes(each.bytes)});
  table.print(std::cout);
  std::cout << "\ncheckpoints " << formatBytes(use.checkpoints) << ", of it archived " << formatBytes(use.archived)
            << "; database " << formatBytes(use.database) << ", tokenized text " << formatBytes(use.cache) << ", other "
            << formatBytes(use.other) << "; in all " << formatBytes(use.total()) << "\n";
  return kDone;
}

}  // namespace

void addStoreCommands(Commands& commands) {
  CLI::App* store = commands.group("store", "Check, back up or restore the workspace's database");
  const auto checking = std::make_shared<CheckArguments>();
  commands
      .add(store, "check", "Check the database and read the checkpoint files; exit code 1 if something is wrong",
           "batchwise store check", [&commands, checking] { return check(commands.globals(), *checking); })
      ->add_flag("--quick", checking->quick, "Compare only the sizes of checkpoint files, without reading them");
  commands.add(store, "usage", "What each run holds on the disk, and the workspace in all", "batchwise store usage",
               [&commands] { return usage(commands.globals()); });
  const auto backing = std::make_shared<BackupArguments>();
  CLI::App* backupCommand = commands.add(store, "backup", "Copy the database, also while runs train",
                                         "batchwise store backup /backup/workspace.sqlite",
                                         [&commands, backing] { return backup(commands.globals(), *backing); });
  backupCommand->add_option("file", backing->target, "File to write (default: a new one in the workspace's backups/)")
      ->transform(pathName("a file"));
  backupCommand->add_flag("--list", backing->list, "List the backups of the workspace instead");
  const auto source = std::make_shared<std::string>();
  commands
      .add(store, "restore",
           "Put the newest good backup in the place of a damaged database, and add what checkpoints and journals tell",
           "batchwise store restore", [&commands, source] { return restore(commands.globals(), *source); })
      ->add_option("--from", *source, "Backup to use, also if the database is intact")
      ->transform(pathName("a file"));
}

}  // namespace batchwise::cli
