// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/archive_commands.h"

#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/cli/event_display.h"
#include "app/cli/output.h"
#include "core/base/format.h"
#include "core/exchange/run_archive.h"
#include "core/store/workspace.h"

namespace batchwise::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string name;
};

/// Shows the progress of an export or import on stderr; shows nothing with --json.
class ArchiveDisplay {
 public:
  ArchiveDisplay(const Globals& globals, std::string phase) : phase_(std::move(phase)) {
    if (!globals.json)
      display_ = std::make_unique<EventDisplay>(displayModeFor(false, STDERR_FILENO), STDERR_FILENO, clock_);
  }
  ArchiveProgress progress() {
    return [this](std::int64_t done, std::int64_t total) {
      if (display_)
        display_->publish(PhaseProgress{phase_, static_cast<double>(done), static_cast<double>(total), "bytes"});
    };
  }
  void close() { display_.reset(); }

 private:
  SystemClock clock_;
  std::string phase_;
  std::unique_ptr<EventDisplay> display_;
};

int importRun(const Globals& globals, const ImportArguments& arguments) {
  const auto workspace = Workspace::open(globals.workspace);  // created if missing
  if (!workspace.ok()) return fail(workspace.error());
  ArchiveDisplay display(globals, "importing");
  const auto imported = importArchive(**workspace, arguments.file, arguments.name, display.progress());
  display.close();
  if (!imported.ok()) return fail(imported.error());
  if (globals.json)
    printJson({{"schema", "batchwise.import/1"},
               {"run", imported->run},
               {"name", imported->name},
               {"checkpoints", imported->checkpoints}});
  else
    std::cout << "run " << imported->name << " (" << imported->run << ") imported with " << imported->checkpoints
              << (imported->checkpoints == 1 ? " checkpoint\n" : " checkpoints\n");
  return kDone;
}

}  // namespace

int exportRunArchive(const Globals& globals, const std::string& run, const std::string& file,
                     const std::string& checkpoints, Replaces replaces) {
  const auto choice = parseCheckpointSelection(checkpoints);
  if (!choice.ok()) return fail(choice.error().within("--checkpoints"));
  const auto workspace = openExisting(globals);
  if (!workspace.ok()) return fail(workspace.error());
  ArchiveDisplay display(globals, "archiving");
  const auto written = exportArchive(**workspace, run, *choice, file, replaces, display.progress());
  display.close();
  if (!written.ok()) return fail(written.error());
  if (globals.json)
    printJson({{"schema", "batchwise.export/1"},
               {"run", written->run},
               {"form", "archive"},
               {"target", file},
               {"checkpoints", written->checkpoints},
               {"bytes", written->bytes}});
  else
    reportStream(file) << "run " << written->name << " with " << written->checkpoints
                       << (written->checkpoints == 1 ? " checkpoint" : " checkpoints") << " written to " << file << " ("
                       << formatBytes(written->bytes) << ")\n";
  return kDone;
}

void addArchiveCommands(Commands& commands) {
  const auto importing = std::make_shared<ImportArguments>();
  CLI::App* command =
      commands.add(nullptr, "import",
                   "Take in the run of an archive that `export --archive` wrote; checked before anything "
                   "is entered",
                   "batchwise import run.bwarchive --as from-anna",
                   [&commands, importing] { return importRun(commands.globals(), *importing); });
  command->add_option("file", importing->file, "The archive")->required();
  command->add_option("--as", importing->name, "Name of the run here; left out: its own");
}

}  // namespace batchwise::cli
