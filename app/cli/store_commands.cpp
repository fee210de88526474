// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/messages.h"
#include "app/cli/output.h"
#include "app/cli/stop_signals.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/disk_use.h"
#include "core/store/output_file.h"
#include "core/store/salvage/salvage.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct CheckArguments {
  bool quick = false;
};

/// Checks the content of the checkpoint files, with progress on stderr.
Result<std::vector<Message>> checkContents(const Globals& globals, const Workspace& workspace) {
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  ProgressDisplay display(globals.json, STDERR_FILENO);
  const auto show = [&display](double done, double total) {
    constexpr double kMiB = 1 << 20;
    display.publish(PhaseProgress{messages::readingCheckpointsPhase(), done / kMiB, total / kMiB, "MiB"});
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
  std::vector<Message> notes = unlisted.ok() ? std::move(*unlisted) : std::vector<Message>{};
  const std::int64_t unread = arguments.quick ? countCheckpoints(*workspace) : 0;
  if (unread > 0) notes.push_back(messages::checkpointContentsUnread(unread));
  if (globals.json) {
    printJson({{"schema", "batchwise.store_check/1"},
               {"ok", problems.empty()},
               {"problems", problems},
               {"notes", notes},
               {"unread_checkpoints", unread}});
    return problems.empty() ? kDone : kFailed;
  }
  for (const Message& problem : problems) std::cout << problem << "\n";
  if (problems.empty())
    std::cout << (unread > 0 ? "the database of the workspace " : "the workspace ") << globals.workspace.string()
              << " is in order\n";
  for (const Message& note : notes) std::cout << "note: " << note << "\n";
  return problems.empty() ? kDone : kFailed;
}

Result<int> backup(const Globals& globals, const std::string& target) {
  RETURN_IF_ERROR(checkOutputFile(target, {}));
  ASSIGN_OR_RETURN(const auto workspace, openExisting(globals));
  RETURN_IF_ERROR(workspace->backup(target));
  if (globals.json) return printJson({{"schema", "batchwise.store_backup/1"}, {"file", target}});
  std::cout << "database copied to " << target << " (checkpoint files are not in it)\n";
  return kDone;
}

/// Returns the size of a workspace, or of a single database file.
std::int64_t bytesToCopy(const std::filesystem::path& from) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (!fs::is_directory(from, unknown)) return static_cast<std::int64_t>(fs::file_size(from, unknown));
  std::int64_t bytes = 0;
  auto files = entriesOf(from);
  for (const fs::path& file : entriesOf(from / "checkpoints")) files.push_back(file);
  for (const fs::path& file : files)
    if (fs::is_regular_file(file, unknown)) bytes += static_cast<std::int64_t>(fs::file_size(file, unknown));
  return bytes;
}

int salvage(const Globals& globals, const std::string& source, const std::string& target) {
  std::stop_source stop;
  const StopSignals signals([&stop](int) { stop.request_stop(); });
  const std::filesystem::path from = source.empty() ? globals.workspace : std::filesystem::path(source);
  ProgressDisplay display(globals.json, STDERR_FILENO);
  const auto report = salvageWorkspace(
      from, target, [&display](const PhaseProgress& progress) { display.publish(progress); }, stop.get_token());
  display.close();
  if (!report.ok()) return fail(explainFullDisk(report.error(), target, bytesToCopy(from)));
  if (globals.json) {
    printJson({{"schema", "batchwise.store_salvage/1"},
               {"workspace", target},
               {"copied", report->copied},
               {"lost", report->lost},
               {"notes", report->notes}});
    return report->lost.empty() ? kDone : kFailed;
  }
  for (const auto& [what, count] : report->copied)
    if (count > 0) std::cout << count << " " << what << "\n";
  std::cout << "copied to the new workspace " << target << "\n";
  for (const Message& lost : report->lost) std::cout << "lost: " << lost << "\n";
  for (const Message& note : report->notes) std::cout << "note: " << note << "\n";
  if (report->lost.empty() && report->notes.empty()) std::cout << "nothing is missing\n";
  return report->lost.empty() ? kDone : kFailed;
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
  CLI::App* store = commands.group("store", "Check, copy or rescue the workspace's database");
  const auto checking = std::make_shared<CheckArguments>();
  commands
      .add(store, "check", "Check the database and read the checkpoint files; exit code 1 if something is wrong",
           "batchwise store check", [&commands, checking] { return check(commands.globals(), *checking); })
      ->add_flag("--quick", checking->quick, "Compare only the sizes of checkpoint files, without reading them");
  commands.add(store, "usage", "What each run holds on the disk, and the workspace in all", "batchwise store usage",
               [&commands] { return usage(commands.globals()); });
  const auto target = std::make_shared<std::string>();
  commands
      .add(store, "backup", "Copy the database to a new file, also while runs train",
           "batchwise store backup /backup/workspace.sqlite",
           [&commands, target] { return backup(commands.globals(), *target); })
      ->add_option("file", *target, "File to write")
      ->required()
      ->transform(pathName("a file"));
  const auto source = std::make_shared<std::string>();
  const auto folder = std::make_shared<std::string>();
  CLI::App* rescue =
      commands.add(store, "salvage",
                   "Copy what can be read of a damaged workspace, or of one from elsewhere, into a new one; exit code "
                   "1 if something is lost",
                   "batchwise store salvage /data/rescued --from /data/damaged",
                   [&commands, source, folder] { return salvage(commands.globals(), *source, *folder); });
  rescue->add_option("folder", *folder, "Folder of the new workspace; must not exist or be empty")
      ->required()
      ->transform(pathName("a folder"));
  rescue->add_option("--from", *source, "Folder or workspace.sqlite to read (default: the workspace)")
      ->transform(pathName("a folder or a file"));
}

}  // namespace batchwise::cli
