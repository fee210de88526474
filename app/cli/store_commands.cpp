// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "app/cli/stop_signals.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/output_file.h"
#include "core/store/salvage/salvage.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

Result<int> check(const Globals& globals) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(globals.workspace, Workspace::Mode::ReadOnly));
  ASSIGN_OR_RETURN(const auto problems, workspace->check());
  auto unlisted = unlistedCheckpointNotes(*workspace);
  if (!unlisted.ok() && problems.empty()) return unlisted.error();
  const std::vector<Message> notes = unlisted.ok() ? std::move(*unlisted) : std::vector<Message>{};
  if (globals.json) {
    printJson(
        {{"schema", "batchwise.store_check/1"}, {"ok", problems.empty()}, {"problems", problems}, {"notes", notes}});
    return problems.empty() ? kDone : kFailed;
  }
  if (problems.empty()) {
    std::cout << "the workspace " << globals.workspace.string() << " is in order\n";
  } else {
    for (const Message& problem : problems) std::cout << problem << "\n";
  }
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

}  // namespace

void addStoreCommands(Commands& commands) {
  CLI::App* store = commands.group("store", "Check, copy or rescue the workspace's database");
  commands.add(store, "check", "Check the database and the checkpoint files; exit code 1 if something is wrong",
               "batchwise store check", [&commands] { return check(commands.globals()); });
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
