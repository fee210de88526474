// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/store/output_file.h"
#include "core/store/workspace.h"

// The commands of the program `batchwise`. Each family has one file; all of them only read arguments, call core, and
// show the answer.

namespace batchwise::cli {

/// What holds for every command.
struct Globals {
  std::filesystem::path workspace;
  bool json = false;
};

/// The workspace that is there, to be read and changed, or only read where nothing may be written. Runs whose process
/// died become Interrupted. Fails with NotFound if a workspace was named that does not exist; the default one is made.
Result<std::shared_ptr<Workspace>> openExisting(const Globals& globals);
/// Fails with NotFound if a workspace that a person named does not exist yet.
Result<void> checkWorkspaceIsThere(const Globals& globals);

/// Collects the commands and remembers which one the arguments chose.
class Commands {
 public:
  explicit Commands(CLI::App& app);

  const Globals& globals() const { return globals_; }

  /// A command that only has commands below it: "runs".
  CLI::App* group(const std::string& name, const std::string& help);
  /// A command below `parent` (null: at top level). `run` is called once all arguments are read; it returns the exit
  /// code.
  CLI::App* add(CLI::App* parent, const std::string& name, const std::string& help, const std::string& example,
                std::function<int()> run);

  /// Runs what was chosen.
  int runChosen() const { return chosen_(); }

 private:
  CLI::App& app_;
  Globals globals_;
  std::function<int()> chosen_;
};

/// CONFIG and --set, as several commands take them.
struct ConfigArguments {
  std::string config;
  std::vector<std::string> assignments;
};
/// A check of an option: a whole number, at least `least`.
CLI::Validator atLeast(std::int64_t least);
/// Checks of an option: a number above 0; one that may be 0.
CLI::Validator aboveZero();
CLI::Validator zeroOrMore();

void addConfigArguments(CLI::App& command, ConfigArguments& arguments);
/// --force: an output file may take the place of any file outside of a workspace.
void addForceFlag(CLI::App& command, Replaces& replaces);

void addConfigCommands(Commands& commands);
void addPlanCommands(Commands& commands);
/// plan-scale
void addScaleCommand(Commands& commands);
void addTrainCommands(Commands& commands);
/// sweep and queue
void addQueueCommands(Commands& commands);
void addSubmitCommand(Commands& commands);
void addDataCommands(Commands& commands);
void addRunCommands(Commands& commands);
/// Below `runs`.
void addCompareCommand(Commands& commands, CLI::App* runs);
void addRunLabelCommands(Commands& commands, CLI::App* runs);
void addMetricsCommand(Commands& commands);
void addCheckpointCommands(Commands& commands);
void addModelCommands(Commands& commands);
void addArchiveCommands(Commands& commands);
void addStoreCommands(Commands& commands);
void addDoctorCommand(Commands& commands);

/// The whole program: reads the arguments, runs the command, returns the exit code (output.h).
int runCommandLine(int argc, const char* const* argv);

}  // namespace batchwise::cli
